// ON_STREAM_TOKEN: runs the hooks over each piece of text and keeps what came of it: the text that is streamed, stored
// and returned alike. Must not: know llama.cpp, or how events reach the caller.
#pragma once

#include <functional>
#include <string>

#include "engine/output_splitter.h"
#include "hooks/dispatcher.h"

namespace lh {

struct StreamedPiece {
  int32_t index;
  int32_t token;
  PieceKind kind;
  std::string text;  // never empty
  const double* logprob;  // null: not asked for
};

class TokenStage {
 public:
  using Emit = std::function<void(const StreamedPiece&)>;
  // `keep` is given the decisions in which a hook failed.
  using Keep = std::function<void(const Decision&)>;

  TokenStage(const Dispatcher& dispatcher, const Scope& scope, Emit emit, Keep keep)
      : dispatcher_(dispatcher), scope_(scope), emit_(std::move(emit)), keep_(std::move(keep)) {}

  void piece(int32_t index, int32_t token, const double* logprob, Piece piece);
  // Releases held text.
  void flush();

  // True once a hook changed, dropped or held any text of that kind.
  [[nodiscard]] bool changed(PieceKind kind) const { return changed_[static_cast<size_t>(kind)]; }
  [[nodiscard]] const std::string& text(PieceKind kind) const { return texts_[static_cast<size_t>(kind)]; }

 private:
  void release(StreamedPiece piece);

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const Emit emit_;
  const Keep keep_;
  std::string texts_[3];  // by kind
  std::string held_;
  StreamedPiece held_piece_{0, 0, PieceKind::kContent, "", nullptr};
  bool changed_[3] = {};  // by kind
};

}  // namespace lh
