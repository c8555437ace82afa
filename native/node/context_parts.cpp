// Divides contexts: see context_parts.h.
#include "context_parts.h"

#include "base/json/json_member.h"

namespace lh::node {
namespace {

// The limit in bytes. A smaller value costs less to read at once than to hand over apart.
constexpr size_t kLarge = 2048;

bool is_large(std::string_view value) {
  return value.size() >= kLarge && (value.front() == '[' || value.front() == '{');
}

}  // namespace

ContextParts ContextParts::whole(std::string_view context) { return {std::string(context), {}}; }

ContextParts ContextParts::divide(std::string_view context) {
  if (context.size() < kLarge) return whole(context);
  ContextParts parts;
  size_t taken = 0;
  each_json_member(context, [&](std::string_view name, std::string_view value) {
    if (!is_large(value) || name == R"("meta")") return true;
    const auto begin = static_cast<size_t>(value.data() - context.data());
    parts.text.append(context, taken, begin - taken).append("null");
    taken = begin + value.size();
    parts.apart.push_back({std::string(name.substr(1, name.size() - 2)), std::string(value)});
    return true;
  });
  parts.text.append(context, taken);
  return parts;
}

}  // namespace lh::node
