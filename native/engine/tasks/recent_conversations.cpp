#include "engine/tasks/recent_conversations.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/json/json_member.h"
#include "generation/conversation_json.h"

namespace lh {
namespace {

constexpr size_t kLeastBytes = 4096;        // a shorter conversation is quickly read
constexpr size_t kMostBytes = 32UL << 20U;  // of all conversations
constexpr size_t kBytesOfValue = 64;        // of JSON, beside its text
constexpr size_t kMostRecent = 32;
constexpr size_t kComparedBytes = 4096;

// The number of bytes with which both begin.
size_t common_bytes(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + kComparedBytes <= most && std::memcmp(a.data() + at, b.data() + at, kComparedBytes) == 0)
    at += kComparedBytes;
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

// A request in three parts: its text before, in and after the value of "messages".
struct RequestParts {
  std::string_view before;
  std::string_view messages;
  std::string_view after;
};

std::optional<RequestParts> parts_of_request(std::string_view request) {
  const std::string_view messages = json_member(request, "messages");
  if (messages.size() < kLeastBytes || messages.front() != '[' || messages.back() != ']') return std::nullopt;
  const auto begin = static_cast<size_t>(messages.data() - request.data());
  const RequestParts parts{request.substr(0, begin), messages, request.substr(begin + messages.size())};
  const size_t comma = skip_json_space(parts.after, 0);
  if (comma == parts.after.size()) return std::nullopt;
  // If a name occurs twice, the parser takes the last one.
  if (!json_member(parts.after.substr(comma + 1), "messages").empty()) return std::nullopt;
  return parts;
}

// Estimates the memory of a conversation, as text and as messages. Each JSON value follows one of these characters.
size_t bytes_of(std::string_view text) {
  const auto opens = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
  return 2 * text.size() + kBytesOfValue * static_cast<size_t>(std::ranges::count_if(text, opens));
}

// The text after the first messages, which end at `end`: `{...},{...}]`. Empty if no message follows a comma.
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
    const size_t common = common_bytes(one->text, text);
    const auto end = std::ranges::upper_bound(one->ends, common);
    auto count = static_cast<size_t>(end - one->ends.begin());
    if (count > 0) {
      const size_t at = one->ends[count - 1];
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

// The parser gets the request without its known messages. Nothing is returned if it, or the reader of messages, refuses
// anything: then the error is that of the whole request.
std::optional<Json> RecentConversations::parse_new(std::string_view request, Messages& messages) {
  const auto parts = parts_of_request(request);
  if (!parts) return std::nullopt;
  const Known known = find(parts->messages);
  auto conversation = std::make_shared<Conversation>();
  std::string_view rest = parts->messages.substr(1);
  if (known.messages > 0) {
    const Conversation& from = *known.conversation;
    const auto count = static_cast<std::ptrdiff_t>(known.messages);
    conversation->ends.assign(from.ends.begin(), from.ends.begin() + count);
    conversation->messages.assign(from.messages.begin(), from.messages.begin() + count);
    rest = text_after(parts->messages, conversation->ends.back());
    if (rest.empty()) return std::nullopt;
  }
  std::string text(parts->before);
  text.append("[").append(rest).append(parts->after);
  auto object = parse_json(text, "request");
  if (!object.ok()) return std::nullopt;
  const Json& added = (*object)["messages"];
  if (!added.empty()) {
    auto read = read_messages_as_given(added);
    if (!read.ok()) return std::nullopt;
    std::ranges::copy(*read, std::back_inserter(conversation->messages));
  }
  if (conversation->messages.empty()) return std::nullopt;
  messages = with_call_ids(conversation->messages);
  object->erase("messages");
  conversation->bytes = bytes_of(parts->messages);
  if (conversation->bytes > kMostBytes) return *std::move(object);
  const auto offset = static_cast<size_t>(rest.data() - parts->messages.data());
  for (size_t at = 0; conversation->ends.size() < conversation->messages.size(); ++at) {
    at = end_of_json_value(rest, at);
    conversation->ends.push_back(offset + at);
  }
  conversation->text = parts->messages.substr(0, conversation->ends.back());
  keep(known, std::move(conversation));
  return *std::move(object);
}

}  // namespace lh
