// Requests whose conversations are read in part are the same as requests that are read as a whole.
#include <random>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "check.h"
#include "engine/tasks/recent_conversations.h"
#include "generation/conversation_json.h"

namespace {

using lh::Json;
using lh::Messages;
using lh::RecentConversations;
using lh::Result;

// The request, with its messages as parse() or read_messages() read them, or the error.
std::string described(const Result<Json>& object, Messages messages) {
  if (!object.ok()) return object.status().message();
  Json rest = *object;
  if (messages.empty() && rest.is_object() && rest.contains("messages")) {
    const auto read = lh::read_messages(rest["messages"]);
    if (!read.ok()) return read.status().message();
    messages = *read;
  }
  if (rest.is_object()) rest.erase("messages");
  return lh::dump_json(rest) + lh::dump_json(lh::history_json(messages));
}

std::string outcome(RecentConversations& recent, const std::string& request) {
  Messages messages;
  const Result<Json> object = recent.parse(request, messages);
  return described(object, messages);
}

std::string expected(const std::string& request) { return described(lh::parse_json(request, "request"), {}); }

std::string question(int number) {
  return R"({"role":"user","content":"What was the wind, ]}\",{ and the \\ fog on day )" + std::to_string(number) +
         R"("})";
}

std::vector<std::string> conversation(int questions) {
  std::vector<std::string> messages;
  for (int i = 0; i < questions; ++i) messages.push_back(question(i));
  return messages;
}

std::string joined(const std::vector<std::string>& messages, const std::string& between = ",") {
  std::string text;
  for (const std::string& message : messages) text += (text.empty() ? "" : between) + message;
  return text;
}

std::string request_of(const std::string& messages) { return R"({"messages":[)" + messages + R"(],"model":"m"})"; }

// Checks both requests in the memory of an engine that has read `before`.
void check_after(const std::string& before, const std::string& request) {
  RecentConversations recent;
  CHECK(outcome(recent, before) == expected(before));
  CHECK(outcome(recent, request) == expected(request));
  CHECK(outcome(recent, request) == expected(request));
  CHECK(outcome(recent, before) == expected(before));
}

void requests_read_in_part_are_as_whole_ones() {
  const std::vector<std::string> messages = conversation(100);
  const std::string text = joined(messages);
  const std::string before = request_of(text);
  const std::string more = question(1000);
  for (const std::string& request : {
           before,
           request_of(text + "," + more),
           request_of(text + " ,\n " + more + " "),
           request_of(text + "," + more + ","),         // a comma too many
           request_of(text + ","),                      //
           request_of(text + " "),                      //
           request_of(text + more),                     // a comma too few
           request_of(text + "," + R"({"role":"x"})"),  // no message
           request_of(text + ",1"),                     //
           request_of(text + ",[]"),                    //
           request_of(text.substr(0, text.size() - 1)),
           request_of(text.substr(0, text.size() / 2)),
           request_of(joined(conversation(60))),
           request_of(joined(messages, " , ")),
           request_of(" " + text),
           request_of(""),
           request_of(std::string(5000, ' ')),
           "{" + before,
           before + "}",
           before + " ",
           " " + before,
           "[" + text + "]",
           text,
           R"({"messages":[)" + text + "]",
           R"({"messages":[)" + text,
           R"({"messages":[)" + text + R"(],"messages":[]})",  // the last one counts
           R"({"messages":[)" + text + R"(],"messag\u0065s":[)" + more + "]}",
           R"({"messages":[],"messages":[)" + text + "]}",
           R"({"messag\u0065s":[)" + text + "]}",
           R"({"a":{"messages":[]},"messages":[)" + text + R"(],"b":"\"messages\":[]"})",
           R"({"a":[1,{"b":"}"}],"messages" : [)" + text + "," + more + "] }",
       }) {
    check_after(before, request);
    check_after(request_of(text + "," + more), request);
  }
}

// An id that a call gets may be that of a later call.
void calls_without_ids_get_those_of_the_whole_conversation() {
  const std::string call =
      R"({"role":"assistant","content":"","tool_calls":[{"name":"a","args":{}},{"name":"b","args":{}}]})";
  const std::string named = R"({"role":"assistant","tool_calls":[{"id":"call_1","name":"a","args":{}}]})";
  const std::string text = joined(conversation(50)) + "," + call + "," + joined(conversation(50));
  check_after(request_of(text), request_of(text + "," + named));
  check_after(request_of(text), request_of(text + "," + call + "," + named + "," + call));
}

void depth_is_that_of_the_whole_request() {
  const std::string text = joined(conversation(100));
  for (const size_t depth : {500, 505, 506, 507, 508, 509, 510, 511, 512, 513}) {
    const std::string nested = R"({"role":"assistant","tool_calls":[{"name":"a","args":{"a":)" +
                               std::string(depth - 4, '[') + std::string(depth - 4, ']') + "}}]}";
    check_after(request_of(text), request_of(text + "," + nested));
    check_after(request_of(text + "," + nested), request_of(text + "," + nested + "," + question(1)));
  }
}

void any_change_is_read() {
  std::mt19937 random(7);  // NOLINT: the same changes at each run
  RecentConversations recent;
  std::vector<std::string> messages = conversation(90);
  for (int round = 0; round < 300; ++round) {
    const size_t at = random() % messages.size();
    switch (random() % 4) {
      case 0: messages[at] = question(static_cast<int>(random() % 500)); break;
      case 1: messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(at)); break;
      default: messages.push_back(question(round + 1000));
    }
    std::string request = request_of(joined(messages));
    if (round % 5 == 0) request[random() % request.size()] = "{}[],:\"\\ 1"[random() % 10];
    CHECK(outcome(recent, request) == expected(request));
  }
}

// Takes turns with more conversations than the engine keeps, and with one that is too large to keep.
void conversations_do_not_disturb_each_other() {
  RecentConversations recent;
  const std::string shared = joined(conversation(40));
  const std::string large = request_of(shared + R"(,{"role":"user","content":")" + std::string(700'000, ',') + R"("})");
  std::vector<std::string> all(40, shared);
  for (int turn = 0; turn < 3; ++turn) {
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] += "," + question(static_cast<int>(1000 * i) + turn);
      CHECK(outcome(recent, request_of(all[i])) == expected(request_of(all[i])));
    }
    CHECK(outcome(recent, large) == expected(large));
  }
}

}  // namespace

int main() {
  requests_read_in_part_are_as_whole_ones();
  calls_without_ids_get_those_of_the_whole_conversation();
  depth_is_that_of_the_whole_request();
  any_change_is_read();
  conversations_do_not_disturb_each_other();
  return check_result("recent_conversations_test");
}
