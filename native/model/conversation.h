// A conversation as types: what was said, which tools there are, and what a model call came to.
// Must not: know its JSON (generation/conversation_json.h), or how a model is told of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json/json.h"

namespace lh {

enum class Role : uint8_t { kSystem, kUser, kAssistant, kTool };

// A call of a tool, as the model asked for it.
struct ToolCall {
  std::string id;  // joins the call with its result; empty until it is numbered
  std::string name;
  Json args;  // an object, whose keys are the tool's own; null while a partial text ends inside it
};

// What a tool call came to, or why the tool did not run.
struct ToolResult {
  std::string tool_call_id;
  std::string tool_name;
  std::string content;
};

struct Message {
  Role role = Role::kUser;
  std::string content;
  std::string reasoning;             // of an assistant; empty: none
  std::vector<ToolCall> tool_calls;  // of an assistant
  std::string tool_call_id;          // of a tool; empty: none was given
  std::string tool_name;             // of a tool; empty: none was given
};

// Messages do not change once they are said, and are shared: a history is copied as pointers.
using MessagePtr = std::shared_ptr<const Message>;
using Messages = std::vector<MessagePtr>;

// A tool as the model is told of it.
struct Tool {
  std::string name;
  std::string description;
  Json parameters;  // JSON Schema of the arguments
};
using Tools = std::vector<std::shared_ptr<const Tool>>;

enum class FinishReason : uint8_t { kStop, kLength, kCancelled, kError };

struct Usage {
  int32_t prompt_tokens = 0;
  int32_t cached_tokens = 0;  // of the prompt, in the KV cache already
  int32_t completion_tokens = 0;
  int32_t drafted_tokens = 0;   // guessed ahead
  int32_t accepted_tokens = 0;  // of these, those that came true
  double prompt_ms = 0;
  double decode_ms = 0;

  Usage& operator+=(const Usage& other) {
    const auto add = [](int32_t& to, int32_t more) { to = more > INT32_MAX - to ? INT32_MAX : to + more; };
    add(prompt_tokens, other.prompt_tokens);
    add(cached_tokens, other.cached_tokens);
    add(completion_tokens, other.completion_tokens);
    add(drafted_tokens, other.drafted_tokens);
    add(accepted_tokens, other.accepted_tokens);
    prompt_ms += other.prompt_ms;
    decode_ms += other.decode_ms;
    return *this;
  }
};

}  // namespace lh
