#include "llama/prompt/turns/sample.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace lh {
namespace {

constexpr size_t kFewest = 48;  // messages
constexpr size_t kFirst = 3;
constexpr size_t kLast = 8;
constexpr uint64_t kNone = UINT32_MAX;  // the number of no kind

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

bool have_own_ids(const std::vector<common_chat_tool_call>& calls) {
  std::set<std::string_view> ids;
  return std::ranges::all_of(calls, [&](const common_chat_tool_call& one) { return ids.insert(one.id).second; });
}

// The pairs of kinds that follow each other; the first kind follows none.
class Pairs {
 public:
  // True if the pair is new.
  bool add(const MessageKinds::Kind& kind) {
    const uint64_t pair = std::exchange(before_, kind.number) << 32 | kind.number;
    return pairs_.insert(pair).second;
  }
  [[nodiscard]] const std::set<uint64_t>& all() const { return pairs_; }

 private:
  uint64_t before_ = kNone;
  std::set<uint64_t> pairs_;
};

}  // namespace

MessageKinds::Kind MessageKinds::number_of(std::string name, bool ordered) {
  if (!ordered) name += " out of order";
  return {numbers_.try_emplace(std::move(name), static_cast<uint32_t>(numbers_.size())).first->second, ordered};
}

std::vector<MessageKinds::Kind> MessageKinds::of(const std::vector<common_chat_msg>& messages) {
  std::vector<Kind> kinds;
  kinds.reserve(messages.size());
  const std::vector<common_chat_tool_call>* calls = nullptr;  // of the last message that is not a result
  size_t results = 0;
  for (const common_chat_msg& message : messages) {
    const bool is_result = message.role == "tool";
    if (!is_result) {
      calls = &message.tool_calls;
      results = 0;
    }
    const bool in_order = calls != nullptr && results < calls->size() && (*calls)[results].id == message.tool_call_id;
    const bool ordered = is_result ? in_order : have_own_ids(message.tool_calls);
    if (is_result) ++results;
    kinds.push_back(number_of(kind_of_message(message), ordered));
  }
  return kinds;
}

std::string order_of(const std::vector<MessageKinds::Kind>& kinds) {
  Pairs pairs;
  for (const MessageKinds::Kind& kind : kinds) pairs.add(kind);
  std::string order = kinds.empty() ? "" : std::to_string(kinds.back().number);
  for (const uint64_t pair : pairs.all()) order += ' ' + std::to_string(pair);
  return order;
}

std::vector<size_t> sample_of(const std::vector<MessageKinds::Kind>& kinds, const std::vector<size_t>& wanted) {
  const size_t count = kinds.size();
  std::vector<bool> chosen(count, count < kFewest);
  std::fill_n(chosen.begin(), std::min(kFirst, count), true);
  std::fill_n(chosen.rbegin(), std::min(kLast, count), true);
  const auto choose = [&](size_t place) {
    for (size_t k = place == 0 ? 0 : place - 1; k < std::min(count, place + 2); ++k) chosen[k] = true;
  };
  for (const size_t place : wanted) choose(place);
  Pairs pairs;
  for (size_t i = 0; i < count; ++i) {
    if (pairs.add(kinds[i])) choose(i);
  }
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) {
    if (chosen[i]) places.push_back(i);
  }
  return places;
}

}  // namespace lh
