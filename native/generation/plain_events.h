// The events whose fields are plain values.
// Generated from native/contract/events.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/json/json.h"

namespace lh {

struct ToolCallDeltaEvent {
  int64_t index = 0;
  std::string id;
  std::string name;
  std::string args_text;
};

struct ReplacedEvent {
  std::string text;
  std::string reasoning;
  Json tool_calls;
};

struct StateEvent {
  std::string previous;
  std::string current;
};

struct IterationEvent {
  int64_t iteration = 0;
};

struct ToolProgressEvent {
  std::string tool_call_id;
  std::string name;
  double done = 0;
  std::optional<double> total;
  std::optional<std::string> message;
};

struct ToolResultEvent {
  Json record;
};

struct DelegationEvent {
  std::string tier;
  std::string task;
  std::string child;
};

struct CompactionEvent {
  std::string strategy;
  int64_t tokens_before = 0;
  int64_t tokens_after = 0;
  int64_t removed = 0;
};

struct NotifyEvent {
  std::string tool;
  Json params;
};

template <typename... Others>
using WithPlainEvents = std::variant<Others..., ToolCallDeltaEvent, ReplacedEvent, StateEvent, IterationEvent, ToolProgressEvent, ToolResultEvent, DelegationEvent, CompactionEvent, NotifyEvent>;

}  // namespace lh
