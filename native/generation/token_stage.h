// ON_STREAM_TOKEN: runs the hooks over each piece of text and keeps what came of it: the text that is streamed, stored
// and returned alike. Must not: know llama.cpp, or how events reach the caller.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/output_splitter.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

struct StreamedPiece {
  int32_t index;
  int32_t token;
  PieceKind kind;
  std::string text;       // never empty when it is emitted
  const double* logprob;  // null: not asked for, or not this text's
  const Candidates* top;  // null: the same
};

// What hooks made of a stretch of the text as generated.
struct Edit {
  size_t begin;
  size_t end;
  std::string text;
};

// `text` with the stretches replaced; `edits` are in order and do not overlap.
std::string apply(const std::vector<Edit>& edits, const std::string& text);

class TokenStage {
 public:
  using Emit = std::function<void(const StreamedPiece&)>;
  // `keep` is given the decisions in which a hook failed.
  using Keep = std::function<void(const Decision&)>;

  TokenStage(const Dispatcher& dispatcher, const Scope& scope, Emit emit, Keep keep)
      : dispatcher_(dispatcher), scope_(scope), emit_(std::move(emit)), keep_(std::move(keep)) {}
  TokenStage(const TokenStage&) = delete;
  TokenStage& operator=(const TokenStage&) = delete;

  // `logprob` and `top` are the caller's, and read during the call alone.
  void piece(int32_t index, int32_t token, const double* logprob, Piece piece, const Candidates* top = nullptr);
  // The part, or the output, ends here: hooks that hold text are asked for it once more, and those behind them for what
  // comes of it.
  void flush();

  // True when what hooks made of the text of that kind differs from what the model wrote.
  [[nodiscard]] bool changed(PieceKind kind) const { return changed_[static_cast<size_t>(kind)]; }
  [[nodiscard]] bool changed() const { return std::ranges::find(changed_, true) != std::end(changed_); }
  [[nodiscard]] const std::string& text(PieceKind kind) const { return texts_[static_cast<size_t>(kind)]; }
  // What hooks changed of the tool calls.
  [[nodiscard]] const std::vector<Edit>& call_edits() const { return call_edits_; }

 private:
  // A piece on its way through the hooks, with those joined to it that were held.
  struct Passage {
    StreamedPiece piece;
    std::optional<std::string> original;  // as generated, once a hook has changed it
    size_t begin;                         // where it stands in the text as generated
    size_t end;
  };
  // What a hook keeps until its next turn.
  struct Held {
    HookPlace by;
    Passage passage;
  };

  // By reference: a passage is large to move, and there is one for each token. `ask` may leave nothing of it.
  void ask(Passage& passage, bool final);
  // It is the turn of `hook`: joins what hooks up to it hold of earlier text. `changes` has the text as hooks changed
  // it. False: they hold none.
  bool join(const Hook& hook, Passage& passage, Json& changes);
  // What is held by the first of the hooks that hold, in front of the passage.
  void join_first(Passage& passage, Json& changes);
  // Nothing is left of it.
  void leave_out(Passage& passage);
  void release(Passage& passage);
  void note_change(Passage& passage);

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const Emit emit_;
  const Keep keep_;
  std::string texts_[3];  // by kind
  bool changed_[3] = {};  // by kind
  std::vector<Edit> call_edits_;
  // In reverse order of the hooks: the first of them, which has the latest text, is at the end.
  std::vector<Held> held_;
};
static_assert(!std::is_copy_constructible_v<TokenStage>);

}  // namespace lh
