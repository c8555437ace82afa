#include "llama/prompt/turns/sample.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace lh {
namespace {

constexpr size_t kFewest = 48;  // messages
constexpr size_t kFirst = 3;
constexpr size_t kLast = 8;

char kind_of_text(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  if (text.empty()) return 'e';
  const bool begins = kBlanks.find(text.front()) != kBlanks.npos;
  const bool ends = kBlanks.find(text.back()) != kBlanks.npos;
  return begins || ends ? 's' : 't';
}

// Messages of one kind have the same members in a template's variables.
std::string kind_of_message(const common_chat_msg& message) {
  std::string kind = message.role;
  kind += {' ', kind_of_text(message.content), kind_of_text(message.reasoning_content), kind_of_text(message.tool_name),
           kind_of_text(message.tool_call_id)};
  constexpr size_t kMostCalls = 2;
  for (size_t i = 0; i < std::min(kMostCalls, message.tool_calls.size()); ++i) {
    const common_chat_tool_call& call = message.tool_calls[i];
    kind += {' ', kind_of_text(call.id), kind_of_text(call.name), call.arguments == "{}" ? 'e' : 't'};
  }
  return kind;
}

// Finds the kinds of a conversation's messages. A tool result that is out of the order of the calls has another kind.
class Kinds {
 public:
  std::string next(const common_chat_msg& message) {
    std::string kind = kind_of_message(message);
    if (message.role != "tool") {
      calls_ = &message.tool_calls;
      results_ = 0;
      return kind;
    }
    const bool in_order =
        calls_ != nullptr && results_ < calls_->size() && (*calls_)[results_].id == message.tool_call_id;
    ++results_;
    return in_order ? kind : kind + " out of order";
  }

 private:
  const std::vector<common_chat_tool_call>* calls_ = nullptr;  // of the last message that is no result
  size_t results_ = 0;
};

}  // namespace

std::vector<size_t> sample_of(const std::vector<common_chat_msg>& messages) {
  const size_t count = messages.size();
  if (count < kFewest) return {};
  std::vector<bool> chosen(count);
  std::fill_n(chosen.begin(), kFirst, true);
  std::fill_n(chosen.rbegin(), kLast, true);
  std::set<std::string> known;
  Kinds kinds;
  std::string before;
  for (size_t i = 0; i < count; ++i) {
    std::string kind = kinds.next(messages[i]);
    if (known.insert(before + "\n" + kind).second) {
      for (size_t k = i == 0 ? 0 : i - 1; k < std::min(count, i + 2); ++k) chosen[k] = true;
    }
    before = std::move(kind);
  }
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) {
    if (chosen[i]) places.push_back(i);
  }
  return places;
}

}  // namespace lh
