// Sends the events of one message to the caller: at once or, for stream "held", after POST_GENERATE.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "generation/event.h"
#include "generation/output/token_stage.h"

namespace lh {

class EventStream {
 public:
  EventStream(EventSink& sink, bool held) : sink_(sink), held_(held) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  [[nodiscard]] bool wanted() const { return sink_.wanted(); }

  void start(const StartEvent& event);
  void piece(const StreamedPiece& piece);
  void progress(const PromptProgress& progress);
  // Sends text that does not come from a token of the model.
  void text(PieceKind kind, const std::string& text);
  // A part of a tool call.
  void call(ToolCallDeltaEvent delta);
  // Calls that come as a whole, each with its id.
  void calls(const std::vector<ToolCall>& calls);
  // Replaces the message: reports it if the caller has seen another one, or holds this one back instead.
  void replace(const ParsedOutput& output);
  // The same if the parser has taken back text that it read wrongly, so that the tokens are those of the message.
  void correct(const ParsedOutput& output);
  // The same if only the calls differ from those that were reported.
  void replace_calls(const ParsedOutput& output);
  // Discards everything reported so far: the model is called again.
  void discard();
  // Releases the held events.
  void release();
  // Tokens of the message whose text is in no event.
  void add_rated(RatedTokens tokens);
  // A hook has changed text: no token of the message carries candidates any more.
  void forget_candidates();
  // The tokens of the message that have a log probability.
  [[nodiscard]] RatedTokens take_rated() { return std::move(rated_); }

 private:
  // To the caller, now or later.
  void send(Event event);

  EventSink& sink_;
  const bool held_;
  bool shown_ = false;  // the caller has seen text of the message
  std::vector<Event> waiting_;
  RatedTokens rated_;
};
static_assert(!std::is_copy_constructible_v<EventStream>);

}  // namespace lh
