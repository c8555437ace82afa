// ON_STREAM_TOKEN: runs the hooks on each piece of text and keeps the result, which is streamed, stored and returned
// alike.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/output/answer_text.h"
#include "generation/output/token_ratings.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

struct StreamedPiece {
  int32_t index;
  int32_t token;
  PieceKind kind;
  std::string text;       // not empty when emitted
  const double* logprob;  // of the last token; null: not requested, or not valid for this text
  const Candidates* top;  // null: as above
  RatedTokens rated;      // of all tokens; empty: as above
};

class TokenStage {
 public:
  using Emit = std::function<void(const StreamedPiece&)>;
  // Called with the decisions in which a hook failed.
  using Keep = std::function<void(const Decision&)>;

  TokenStage(const Dispatcher& dispatcher, const Scope& scope, Emit emit, Keep keep)
      : dispatcher_(dispatcher), scope_(scope), emit_(std::move(emit)), keep_(std::move(keep)) {}
  TokenStage(const TokenStage&) = delete;
  TokenStage& operator=(const TokenStage&) = delete;

  // `logprob` and `top` belong to the caller and are read only during the call. `rated`: the tokens that end in the
  // piece.
  void piece(int32_t index, int32_t token, const double* logprob, Piece&& piece, const Candidates* top = nullptr,
             RatedTokens&& rated = {});
  // Called at the end of a part or of the output: hooks that hold text are called once more, and later hooks with the
  // result.
  void flush();

  // True while hooks hold text.
  [[nodiscard]] bool holds() const { return !held_.empty(); }
  // True if hooks changed the text of that kind.
  [[nodiscard]] bool changed(PieceKind kind) const { return changed_[static_cast<size_t>(kind)]; }
  [[nodiscard]] bool changed() const { return std::ranges::find(changed_, true) != std::end(changed_); }
  [[nodiscard]] const std::string& text(PieceKind kind) const { return texts_[static_cast<size_t>(kind)]; }
  // Leaves the tokens that may be shown: the others have text that hooks have changed, or that hooks would have had to
  // see.
  void keep_shown(RatedTokens& rated) const;
  // The hooks' changes to tool calls.
  [[nodiscard]] const std::vector<Edit>& call_edits() const { return call_edits_; }

 private:
  // A piece on its way through the hooks, joined with held text.
  struct Passage {
    StreamedPiece piece;
    std::optional<std::string> original;  // the generated text, once a hook has changed it
    size_t begin;                         // position in the generated text
    size_t end;
    size_t reach;  // the end of the generated text that the piece comes from
  };
  // Text that a hook holds until its next call.
  struct Held {
    HookPlace by;
    Passage passage;
  };

  // Takes the passage by reference, because it is expensive to move and there is one per token. `ask` may empty it.
  void ask(Passage& passage, bool final);
  // Called at `hook`'s turn: joins the text that hooks up to it hold. `changed` receives the text as changed. False:
  // they hold none.
  bool join(const Hook& hook, Passage& passage, std::optional<std::string>& changed);
  // Joins the text that the first holding hook holds, in front of the passage.
  void join_first(Passage& passage, std::optional<std::string>& changed);
  // The passage is dropped.
  void leave_out(Passage& passage);
  void release(Passage& passage);
  void emit(StreamedPiece& piece);
  void note_change(Passage& passage);

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const Emit emit_;
  const Keep keep_;
  std::string texts_[3];   // by kind
  bool changed_[3] = {};   // by kind
  bool asked_ = false;     // hooks have been asked
  size_t changed_to_ = 0;  // behind the last text that hooks have changed
  std::vector<Edit> call_edits_;
  // Sorted in reverse order of the hooks: the first hook, which holds the latest text, is at the end.
  std::vector<Held> held_;
};
static_assert(!std::is_copy_constructible_v<TokenStage>);

}  // namespace lh
