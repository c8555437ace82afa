#include "llama/prompt/call_ids.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/text/stable_hash.h"

namespace lh {
namespace {

constexpr size_t kLength = 9;

bool is_short(const std::string& id) {
  return id.size() == kLength && std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) != 0; });
}

std::string spelled(uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string id(kLength, '0');
  for (char& digit : id) {
    digit = kDigits[number % 62];
    number /= 62;
  }
  return id;
}

}  // namespace

void shorten_call_ids(std::vector<common_chat_msg>& messages) {
  std::set<std::string> taken;
  for (const common_chat_msg& message : messages) {
    for (const common_chat_tool_call& call : message.tool_calls) {
      if (is_short(call.id)) taken.insert(call.id);
    }
  }
  std::map<std::string, std::string> given;
  const auto shortened = [&](const std::string& id) {
    if (is_short(id)) return id;
    if (const auto found = given.find(id); found != given.end()) return found->second;
    uint64_t number = stable_hash(id);
    while (!taken.insert(spelled(number)).second) ++number;
    return given[id] = spelled(number);
  };
  for (common_chat_msg& message : messages) {
    for (common_chat_tool_call& call : message.tool_calls) call.id = shortened(call.id);
    if (message.role == "tool") message.tool_call_id = shortened(message.tool_call_id);
  }
}

}  // namespace lh
