// The events that a caller gets during work. They become JSON where they leave the engine. Must not: be created when
// nobody reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "generation/output_splitter.h"
#include "model/conversation.h"
#include "model/generator.h"

namespace lh {

struct TokenEvent {
  int32_t index = 0;
  int32_t token = -1;  // -1: text that is not, or no longer, a token of the model
  PieceKind kind = PieceKind::kContent;
  std::string text;
  std::optional<double> logprob;
  Candidates top;
};

// Replaces everything reported of a message so far.
struct ReplacedEvent {
  std::string text;
  std::string reasoning;
};

struct LoadProgressEvent {
  float progress = 0;  // 0 to 1
};

struct StateEvent {
  std::string_view previous;  // names of states, which are static
  std::string_view current;
};

struct IterationEvent {
  int32_t iteration = 1;
};

struct ToolCallEvent {
  ToolCall call;
};

struct ToolResultEvent {
  Json record;  // a tool record of engine.h
};

struct DelegationEvent {
  std::string tier;
  std::string task;
  std::string child;  // name of its conversation
};

struct CompactionEvent {
  std::string strategy;
  int64_t tokens_before = 0;
  int64_t tokens_after = 0;
  int32_t removed = 0;
};

struct NotifyEvent {
  std::string tool;
  Json params;
};

using Event = std::variant<TokenEvent, PromptProgress, ReplacedEvent, LoadProgressEvent, StateEvent, IterationEvent,
                           ToolCallEvent, ToolResultEvent, DelegationEvent, CompactionEvent, NotifyEvent>;

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

  // False while nobody reads; then events need not be created. May change at any time.
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
