// The events of one message on their way to the caller: at once, or, for stream "held", after POST_GENERATE.
// Must not: decide what the text is.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "generation/event.h"
#include "generation/token_stage.h"

namespace lh {

class EventStream {
 public:
  EventStream(EventSink& sink, bool held) : sink_(sink), held_(held) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  void piece(const StreamedPiece& piece);
  void progress(const PromptProgress& progress);
  // A whole text that no token of the model stands for.
  void text(PieceKind kind, const std::string& text);
  // The message is now this one: tells who has seen another, or holds this one back in its stead.
  void replace(const ParsedOutput& output);
  // What was said so far is void: the model is asked again.
  void discard();
  // Lets go of what was held back.
  void release();
  // A hook has changed text: no token of the message says any more what else was likely.
  void forget_candidates();
  // The tokens of the message that have a log probability.
  [[nodiscard]] std::vector<TokenEvent> take_rated() { return std::move(rated_); }

 private:
  EventSink& sink_;
  const bool held_;
  bool shown_ = false;  // the caller has seen text of the message
  std::vector<Event> waiting_;
  std::vector<TokenEvent> rated_;
};
static_assert(!std::is_copy_constructible_v<EventStream>);

}  // namespace lh
