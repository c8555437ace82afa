#include "engine/tasks/recent_conversations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/common_size.h"
#include "base/json/json_member.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

constexpr size_t kLeastBytes = 4096;        // a shorter conversation is quickly read
constexpr size_t kMostBytes = 32UL << 20U;  // of all conversations
constexpr size_t kBytesOfValue = 64;        // of JSON, beside its text
constexpr size_t kMostRecent = 32;

// The number of JSON values in a text, about: each follows one of these characters.
size_t values_in(std::string_view text) {
  const auto opens = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  return static_cast<size_t>(std::ranges::count_if(text, opens));
}

// True if a member "messages" is in `after`, the rest of an object behind the value of one. The parser takes the last.
bool has_others(std::string_view after) {
  const size_t comma = skip_json_space(after, 0);
  return comma == after.size() || !json_member(after.substr(comma + 1), "messages").empty();
}

// The text of an array from the message that begins after `end`: `{...},{...}]`. Empty if no message follows a comma.
std::string_view text_after(std::string_view messages, size_t end) {
  if (messages[end] == ']') return messages.substr(end);
  const size_t next = skip_json_space(messages, end + 1);
  return next < messages.size() && messages[next] != ']' ? messages.substr(next) : std::string_view();
}

}  // namespace

RecentConversations::Known RecentConversations::find(std::string_view text) {
  const MutexLock lock(mutex_);
  Known best;
  for (const ConversationPtr& one : recent_) {
    const size_t common = common_size<char>(one->text, text);
    const auto end = std::ranges::upper_bound(one->ends, common, {}, &End::at);
    auto count = static_cast<size_t>(end - one->ends.begin());
    if (count > 0) {
      const size_t at = one->ends[count - 1].at;
      if (at >= text.size() || (text[at] != ',' && text[at] != ']')) --count;
    }
    if (count > best.messages) best = {one, count};
  }
  return best;
}

// A conversation that continues a known one takes its place.
void RecentConversations::keep(const Known& known, ConversationPtr conversation) {
  std::vector<ConversationPtr> dropped;  // freed after the lock is released
  const MutexLock lock(mutex_);
  if (known.conversation != nullptr) {
    std::erase(recent_, known.conversation);
    if (known.messages < known.conversation->ends.size()) recent_.push_back(known.conversation);
  }
  recent_.push_back(std::move(conversation));
  size_t bytes = 0;
  size_t kept = 0;
  while (kept < std::min(recent_.size(), kMostRecent)) {
    bytes += recent_[recent_.size() - 1 - kept]->bytes;
    if (bytes > kMostBytes) break;
    ++kept;
  }
  const auto begin = recent_.begin();
  const auto end = recent_.end() - static_cast<std::ptrdiff_t>(kept);
  dropped.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
  recent_.erase(begin, end);
}

Result<Json> RecentConversations::parse(std::string_view request, Messages& messages) {
  if (auto object = parse_new(request, messages)) return *std::move(object);
  return parse_json(request, "request");
}

// Appends the ends of the messages behind the known ones. Returns the position of the bracket that closes the array;
// npos if there is none.
size_t RecentConversations::read_ends(std::string_view text, std::vector<End>& ends) {
  auto [at, values] = ends.empty() ? End() : ends.back();
  while (at == 0 || (at < text.size() && text[at] == ',')) {
    const size_t begin = at + 1;
    at = end_of_json_value(text, begin);
    values += values_in(text.substr(begin, at - begin));
    ends.push_back({at, values});
  }
  return at < text.size() && text[at] == ']' ? at : std::string_view::npos;
}

// The parser gets the request without its known messages. Nothing is returned if it, or the reader of messages, refuses
// anything: then the error is that of the whole request.
std::optional<Json> RecentConversations::parse_new(std::string_view request, Messages& messages) {
  const size_t begin = begin_of_json_member(request, "messages");
  if (begin >= request.size() || request[begin] != '[') return std::nullopt;
  const Known known = find(request.substr(begin));
  auto conversation = std::make_shared<Conversation>();
  if (known.messages > 0) {
    const auto count = static_cast<std::ptrdiff_t>(known.messages);
    const Conversation& from = *known.conversation;
    conversation->ends.assign(from.ends.begin(), from.ends.begin() + count);
    conversation->messages.assign(from.messages.begin(), from.messages.begin() + count);
  }
  const size_t known_end = known.messages > 0 ? conversation->ends.back().at : 0;
  const size_t bracket = read_ends(request.substr(begin), conversation->ends);
  if (bracket == std::string_view::npos || bracket < kLeastBytes) return std::nullopt;
  const std::string_view array = request.substr(begin, bracket + 1);
  const std::string_view after = request.substr(begin + array.size());
  const std::string_view rest = known_end > 0 ? text_after(array, known_end) : array.substr(1);
  if (rest.empty() || has_others(after)) return std::nullopt;
  std::string text(request.substr(0, begin));
  text.append("[").append(rest).append(after);
  auto object = parse_json(text, "request");
  if (!object.ok()) return std::nullopt;
  const Json& added = (*object)["messages"];
  if (!added.empty()) {
    auto read = read_messages_as_given(added);
    if (!read.ok()) return std::nullopt;
    std::ranges::copy(*read, std::back_inserter(conversation->messages));
  }
  if (conversation->messages.size() != conversation->ends.size()) return std::nullopt;
  messages = with_call_ids(conversation->messages);
  object->erase("messages");
  const size_t end = conversation->ends.back().at;
  conversation->bytes = 2 * end + kBytesOfValue * conversation->ends.back().values;
  if (conversation->bytes > kMostBytes) return *std::move(object);
  conversation->text = array.substr(0, end);
  keep(known, std::move(conversation));
  return *std::move(object);
}

}  // namespace lh
