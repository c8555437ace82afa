// The types of a conversation: messages, tools, and the result of a model call. Its JSON is in
// generation/conversation_json.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json/fields.h"
#include "base/json/json.h"
#include "base/text/packed_text.h"

namespace lh {

enum class Role : uint8_t { kSystem, kUser, kAssistant, kTool };

// The origin of a message of the role kUser in a session.
enum class Origin : uint8_t {
  kUser,    // the user, also of all messages of other roles
  kHook,    // a hook
  kTool,    // a tool, by a directive
  kEngine,  // the engine: an answer or completion that it sends back, the outcome of a plan, the note of a compaction
  kAnchor,  // a tool, by the directive context_anchor: compaction keeps it
};

// A call of a tool, as the model wrote it.
struct ToolCall {
  std::string id;  // joins the call with its result; empty until it is numbered
  std::string name;
  Json args;                 // an object with keys that the tool defines; null while the text ends inside it
  std::string written = {};  // the JSON of `args` as far as it is written, while an answer is read; empty elsewhere
};

// The result of a tool call, or the reason why the tool did not run.
struct ToolResult {
  std::string tool_call_id;
  std::string tool_name;
  std::string content;
};

struct Message {
  Role role = Role::kUser;
  Origin origin = Origin::kUser;
  PackedText content;
  PackedText reasoning;              // of an assistant message; empty: none
  std::vector<ToolCall> tool_calls;  // of an assistant message
  PackedText tool_call_id;           // of a tool message; empty: not given
  PackedText tool_name;              // of a tool message; empty: not given
  PackedText id;                     // of a message that was said in a session; empty: none
  int64_t time_ms = 0;               // when, since the Unix epoch; 0: not known
};

// Messages are immutable and shared: a history is copied as pointers.
using MessagePtr = std::shared_ptr<const Message>;
using Messages = std::vector<MessagePtr>;

// A tool as the model sees it.
struct Tool {
  std::string name;
  std::string description;
  Json parameters;  // JSON Schema of the arguments
};
using Tools = std::vector<std::shared_ptr<const Tool>>;

enum class FinishReason : uint8_t { kStop, kLength, kCancelled, kError };

struct Usage {
  int32_t prompt_tokens = 0;
  int32_t cached_tokens = 0;  // tokens of the prompt that were in the KV cache
  int32_t completion_tokens = 0;
  int32_t drafted_tokens = 0;    // drafted tokens
  int32_t accepted_tokens = 0;   // drafted tokens that were accepted
  int32_t reasoning_tokens = 0;  // completion tokens before the answer, with the marks around them
  double queue_ms = 0;           // waited for its turn, a place in the batch, or tokens that another prompt has, too
  double prompt_ms = 0;
  double decode_ms = 0;
  double first_token_ms = 0;  // from the beginning of the call; of several calls: of the first; 0: no token came

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("prompt_tokens", self.prompt_tokens);
    all("cached_tokens", self.cached_tokens);
    all("completion_tokens", self.completion_tokens);
    all("drafted_tokens", self.drafted_tokens, Absent::kIfEmpty);
    all("accepted_tokens", self.accepted_tokens, self.drafted_tokens > 0 ? Absent::kNever : Absent::kIfEmpty);
    all("reasoning_tokens", self.reasoning_tokens, Absent::kIfEmpty);
    all("queue_ms", self.queue_ms);
    all("first_token_ms", self.first_token_ms, Absent::kIfEmpty);
    all("prompt_ms", self.prompt_ms);
    all("decode_ms", self.decode_ms);
  }

  Usage& operator+=(const Usage& other) {
    const auto add = [](int32_t& to, int32_t more) { to = more > INT32_MAX - to ? INT32_MAX : to + more; };
    add(prompt_tokens, other.prompt_tokens);
    add(cached_tokens, other.cached_tokens);
    add(completion_tokens, other.completion_tokens);
    add(drafted_tokens, other.drafted_tokens);
    add(accepted_tokens, other.accepted_tokens);
    add(reasoning_tokens, other.reasoning_tokens);
    queue_ms += other.queue_ms;
    if (first_token_ms == 0) first_token_ms = other.first_token_ms;
    prompt_ms += other.prompt_ms;
    decode_ms += other.decode_ms;
    return *this;
  }
};

}  // namespace lh
