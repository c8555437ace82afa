// The events that a caller gets during work. They become JSON where they leave the engine. Must not: be created without
// a reader.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "generation/output/answer_text.h"
#include "generation/output/token_ratings.h"
#include "generation/plain_events.h"
#include "model/conversation.h"
#include "model/generator.h"

namespace lh {

struct TokenEvent {
  int32_t index = 0;
  int32_t token = -1;  // -1: text that is not, or no longer, a token of the model
  PieceKind kind = PieceKind::kContent;
  std::string text;
  std::optional<double> logprob;  // of the last of its tokens
  Candidates top;
  RatedTokens logprobs;  // of all its tokens
};

// A model call begins.
struct StartEvent {
  std::string run_id;
  std::string model_id;
  int64_t prompt_tokens = 0;
};

struct LoadProgressEvent {
  float progress = 0;  // 0 to 1
};

struct ToolCallEvent {
  ToolCall call;
};

// plain_events.h has the others, generated from contract/events.json.
using Event = WithPlainEvents<StartEvent, TokenEvent, PromptProgress, LoadProgressEvent, ToolCallEvent>;

// The run that an event belongs to.
struct EventOrigin {
  std::string run_id;
  int depth = 0;
};

class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  // False while there are no readers; then events need not be created. May change at any time.
  [[nodiscard]] virtual bool wanted() const = 0;
  // Delivers one event. May wait for a slow reader, so call it without a lock. Does nothing if the reader has just
  // left.
  void emit(const Event& event) { deliver(event, nullptr); }
  // The same, for an event of a run; null: no run.
  virtual void deliver(const Event& event, const EventOrigin* origin) = 0;

 protected:
  ~EventSink() = default;
};
static_assert(!std::is_copy_constructible_v<EventSink>);

}  // namespace lh
