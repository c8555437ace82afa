#include "model/tool_choice.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lh {
namespace {

// Sorted like the enumerators; the last one is written as an object.
constexpr std::string_view kChoices[] = {"auto", "none", "required"};

bool names_tool(const Json& value) {
  return value.is_object() && value.size() == 1 && value.contains("tool") && value["tool"].is_string();
}

}  // namespace

void read_tool_choice(ObjectReader& reader, const char* key, ToolChoice& out) {
  const Json* found = reader.value(key);
  if (found == nullptr) return;
  if (names_tool(*found)) {
    out = {ToolChoice::Kind::kTool, (*found)["tool"].get<std::string>()};
    return;
  }
  const auto at = std::ranges::find_if(kChoices, [found](std::string_view word) { return *found == word; });
  if (at == std::end(kChoices)) {
    return reader.wrong(key, R"("auto", "none", "required" or {"tool": name})", *found);
  }
  out = {static_cast<ToolChoice::Kind>(at - std::begin(kChoices)), {}};
}

Json to_json(const ToolChoice& choice) {
  if (choice.kind == ToolChoice::Kind::kTool) return {{"tool", choice.tool}};
  return kChoices[static_cast<size_t>(choice.kind)];
}

}  // namespace lh
