#include "generation/too_long.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/names.h"
#include "generation/conversation_json.h"
#include "model/model_runtime.h"

namespace lh {
namespace {

struct Part {
  std::string_view name;
  size_t bytes = 0;
};

// The largest part first. Exact counts would have to render and tokenize a prompt of any length again.
std::string parts_of(const ModelRequest& request, int64_t tokens) {
  std::array<Part, 3> parts = {{{"tools"}, {"system"}, {"history"}}};
  auto& [tools, system, history] = parts;
  if (!request.tools.empty()) tools.bytes = dump_json(to_json(request.tools)).size();
  for (const MessagePtr& message : request.messages) {
    Part& part = message->role == Role::kSystem ? system : history;
    part.bytes += message->content.size() + message->reasoning.size();
    for (const ToolCall& call : message->tool_calls) part.bytes += call.name.size() + dump_json(call.args).size();
  }
  const size_t all = tools.bytes + system.bytes + history.bytes;
  std::ranges::sort(parts, std::greater(), &Part::bytes);
  std::string words;
  for (const auto& [name, bytes] : parts) {
    if (bytes == 0) continue;
    const double share = static_cast<double>(bytes) / static_cast<double>(all) * static_cast<double>(tokens);
    words += (words.empty() ? " (" : ", ") + std::string(name) + " about " +
             std::to_string(static_cast<int64_t>(share + 0.5));
  }
  return words.empty() ? words : words + ")";
}

std::string remedy(const Generator& generator) {
  // The limit is the server's, and not an option of this engine.
  if (generator.estimates()) return ": shorten the largest part";
  const int64_t size = generator.context_size();
  const int64_t most = generator.describe().value("training_context_size", int64_t{0});
  if (most > 0 && most <= size) return ": shorten the largest part; the model can hold no more";
  const std::string now = ": raise " + shown_field("context_size") + ", which is " + std::to_string(size);
  if (most == 0) return now + ", if the model can hold more";
  const int64_t usual = effective_context_size(most, LoadParams());
  return now + (size == usual ? ", the default cap" : " (by default " + std::to_string(usual) + ")") +
         "; the model can hold " + std::to_string(most);
}

}  // namespace

Status explain_too_long(const Status& status, const Generator& generator, const ModelRequest& request, int64_t tokens) {
  return {status.code(), status.message() + parts_of(request, tokens) + remedy(generator)};
}

}  // namespace lh
