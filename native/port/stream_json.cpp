#include "port/stream_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/object_reader.h"

namespace lh {
namespace {

constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
constexpr double kLeast = std::numeric_limits<double>::lowest();
constexpr std::array<std::string_view, 3> kKinds = {"content", "reasoning", "tool_call"};
constexpr std::array<std::string_view, 4> kReasons = {"stop", "length", "tool_calls", "content_filter"};
constexpr int32_t kMostCalls = 4096;       // of one answer
constexpr int32_t kMostCounted = 1 << 24;  // tokens of a prompt or an answer: no context holds more

// One token with its probability: {"text", "logprob", "token"?}.
template <typename Rated>
Status read_rated(const Json& json, const std::string& what, int32_t& id, Rated& out, const Json** top) {
  ObjectReader reader(json, what);
  reader.text("text", out.bytes);
  reader.number("logprob", out.logprob, kLeast, 0, "a number up to 0");
  reader.integer("token", id, -1, kMost, "a whole number from -1 up");
  const Json* const candidates = reader.value("top");
  if (Status status = reader.done(); !status.ok()) return status;
  if (candidates != nullptr && (top == nullptr || !candidates->is_array())) {
    return {Code::kInvalidArgument, what + ".top must be an array of candidates without a top of their own"};
  }
  if (top != nullptr) *top = candidates;
  return {};
}

Status read_ratings(const Json& json, std::vector<Token>& out) {
  if (!json.is_array()) return {Code::kInvalidArgument, "piece.logprobs must be an array"};
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string what = "piece.logprobs[" + std::to_string(i) + "]";
    Token token;
    token.id = -1;
    const Json* top = nullptr;
    if (Status status = read_rated(json[i], what, token.id, token, &top); !status.ok()) return status;
    if (top != nullptr) {
      auto candidates = std::make_shared<std::vector<Candidate>>();
      for (size_t j = 0; j < top->size(); ++j) {
        Candidate& one = candidates->emplace_back();
        one.token = -1;
        const std::string where = what + ".top[" + std::to_string(j) + "]";
        if (Status status = read_rated((*top)[j], where, one.token, one, nullptr); !status.ok()) return status;
      }
      token.top = std::move(candidates);
    }
    out.push_back(std::move(token));
  }
  return {};
}

// Errors: a value that is not a count, and counts of parts that exceed the whole.
Result<ToldUsage> read_usage(const Json& json) {
  ToldUsage usage;
  ObjectReader counts(json, "usage");
  constexpr const char* kCount = "a whole number from 0 to 16777216";
  counts.integer("prompt_tokens", usage.prompt_tokens, 0, kMostCounted, kCount);
  counts.integer("cached_tokens", usage.cached_tokens, 0, kMostCounted, kCount);
  counts.integer("completion_tokens", usage.completion_tokens, 0, kMostCounted, kCount);
  counts.integer("reasoning_tokens", usage.reasoning_tokens, 0, kMostCounted, kCount);
  if (Status status = counts.done(); !status.ok()) return status;
  const auto exceeds = [](const std::optional<int32_t>& part, const std::optional<int32_t>& whole) {
    return part && whole && *part > *whole;
  };
  const auto status = [](const char* part, int32_t count, const char* whole, int32_t of) {
    return Status(Code::kInvalidArgument, "usage." + std::string(part) + " is " + std::to_string(count) +
                                              ", and usage." + whole + " is " + std::to_string(of));
  };
  if (exceeds(usage.cached_tokens, usage.prompt_tokens)) {
    return status("cached_tokens", *usage.cached_tokens, "prompt_tokens", *usage.prompt_tokens);
  }
  if (exceeds(usage.reasoning_tokens, usage.completion_tokens)) usage.reasoning_tokens.reset();  // counted apart
  if (!usage.prompt_tokens) usage.cached_tokens.reset();  // parts of a number that is only estimated
  if (!usage.completion_tokens) usage.reasoning_tokens.reset();
  return usage;
}

}  // namespace

Result<TypedPiece> read_piece(std::string_view json) {
  const auto object = parse_json(json, "piece");
  if (!object.ok()) return object.status();
  TypedPiece piece;
  ObjectReader reader(*object, "piece");
  reader.choice("kind", piece.kind, kKinds, R"("content", "reasoning" or "tool_call")");
  reader.text("text", piece.text);
  reader.integer("index", piece.call, 0, kMostCalls - 1, "a whole number from 0 to 4095");
  reader.text("id", piece.call_id);
  reader.text("name", piece.call_name);
  reader.integer("tokens", piece.tokens, 0, kMost, "a whole number from 0 up");
  const Json* const logprobs = reader.value("logprobs");
  if (Status status = reader.done(); !status.ok()) return status;
  if (logprobs != nullptr) {
    if (Status status = read_ratings(*logprobs, piece.rated); !status.ok()) return status;
  }
  return piece;
}

Result<PieceEnd> read_stream_end(Code code, std::string_view json) {
  const auto object = parse_json(json.empty() ? "{}" : json, "end");
  if (!object.ok()) return object.status();
  size_t reason = 0;
  std::string message;
  ObjectReader reader(*object, "end");
  reader.choice("finish_reason", reason, kReasons, R"("stop", "length", "tool_calls" or "content_filter")");
  reader.text("message", message);
  const Json* const counted = reader.value("usage");
  if (Status status = reader.done(); !status.ok()) return status;
  PieceEnd read;
  if (counted != nullptr) {
    const auto usage = read_usage(*counted);
    if (usage.ok()) {
      read.usage = *usage;
    } else {
      read.doubt = "the usage of the answer is not believed: " + usage.status().message();
    }
  }
  if (code != Code::kOk) {
    if (message.empty()) message = "the model gave no reason";
    read.end = {StreamEnd::kError, Status(code, std::move(message))};
  } else if (kReasons[reason] == "content_filter") {
    read.end = {StreamEnd::kError,
                Status(Code::kRemoteRefused, "the content filter of the model's server ended the answer")};
  } else {
    read.end.reason = kReasons[reason] == "length" ? StreamEnd::kLength : StreamEnd::kStop;
  }
  return read;
}

}  // namespace lh
