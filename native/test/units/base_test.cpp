// UTF-8, JSON and its reader, the cancel flag, the sink slot, and ids.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/json/json_member.h"
#include "base/json/object_reader.h"
#include "base/system/log.h"
#include "base/system/unique_id.h"
#include "base/text/packed_text.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "base/threads/cancel.h"
#include "base/threads/sink_slot.h"
#include "check.h"
#include "platform/cores.h"
#include "platform/stack.h"
#include "platform/thread.h"

namespace {

using namespace std::string_literals;

const std::string kBad = "\xEF\xBF\xBD";

void broken_utf8_becomes_replacement_characters() {
  CHECK(lh::to_utf8("plain, longer than eight bytes") == "plain, longer than eight bytes");
  CHECK(lh::to_utf8("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
  CHECK(lh::to_utf8("a\xFF"
                    "b") == "a" + kBad + "b");
  CHECK(lh::to_utf8("\xE2\x82") == kBad);  // cut: one, not two
  CHECK(lh::to_utf8("\xE2\x82"
                    "A") == kBad + "A");
  CHECK(lh::to_utf8("\xC0\x80") == kBad + kBad);             // overlong
  CHECK(lh::to_utf8("\xED\xA0\x80") == kBad + kBad + kBad);  // a surrogate
  CHECK(lh::to_utf8("\xF4\x90\x80\x80") == kBad + kBad + kBad + kBad);
  CHECK(lh::to_utf8("\x80\x80") == kBad + kBad);
  // Table 3-8 of the Unicode standard.
  CHECK(lh::to_utf8("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") ==
        "a" + kBad + kBad + kBad + "b" + kBad + "c" + kBad + kBad + "d");
  CHECK(lh::is_utf8("") && lh::is_utf8("\xF0\x9F\x98\x80") && lh::is_utf8("nul \0 inside"s));
  CHECK(!lh::is_utf8("\xF0\x9F\x98") && !lh::is_utf8("12345678\xFF") && !lh::is_utf8("\xF5\x80\x80\x80"));
}

void control_characters_are_escaped() {
  CHECK(lh::printable("plain, gr\xC3\xBC\xC3\x9F \xE2\x82\xAC\n\ttoo") ==
        "plain, gr\xC3\xBC\xC3\x9F \xE2\x82\xAC\n\ttoo");
  CHECK(lh::printable("\x1B[31mred\r\x7F") == "\\u001b[31mred\\u000d\\u007f");
  CHECK(lh::printable("nul \0 inside"s) == "nul \\u0000 inside");
  CHECK(lh::printable("\xC2\x9B"
                      "2J \xC2\xA0") == "\\u009b2J \xC2\xA0");
  CHECK(lh::printable("a\xE2\x80\xAE"
                      "b\xE2\x81\xA6\xE2\x80\xA6") == "a\\u202eb\\u2066\xE2\x80\xA6");
  CHECK(lh::printable("cut \xE2\x80") == "cut \xE2\x80" && lh::printable("").empty());
}

void pieces_are_joined_to_whole_characters() {
  CHECK(lh::whole_utf8_prefix("ab\xE2\x82") == 2);
  CHECK(lh::whole_utf8_prefix("ab\xE2\x82\xAC") == 5);
  CHECK(lh::whole_utf8_prefix("ab\xFF") == 3);
  CHECK(lh::whole_utf8_prefix("\x80\x80\x80\x80") == 4);
  CHECK(lh::whole_utf8_prefix("") == 0);
  CHECK(lh::first_characters("a\xC3\xBC", 3) == "a\xC3\xBC" && lh::first_characters("a\xC3\xBC", 2) == "a");
  CHECK(lh::first_characters("\xF0\x9F\x98\x80", 3).empty() && lh::first_characters("ab", 9) == "ab");
  const std::string text = "a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80z";
  lh::Utf8Assembler assembler;
  std::string joined;
  for (const char byte : text) {
    const std::string piece = assembler.push(std::string(1, byte));
    CHECK(lh::is_utf8(piece));
    joined += piece;
  }
  CHECK(joined == text && assembler.flush().empty());
  CHECK(assembler.push("x\xF0\x9F") == "x");
  CHECK(assembler.push("y") == kBad + "y");
  CHECK(assembler.push("\xE2").empty() && assembler.flush() == kBad && assembler.flush().empty());
}

void json_is_parsed_with_reasons_and_dumped_whatever_it_holds() {
  CHECK(lh::parse_json("{\"a\":[1,2]}", "x").ok());
  const auto broken = lh::parse_json("{\"a\":}", "the options");
  CHECK(!broken.ok() && broken.status().code() == lh::Code::kInvalidArgument);
  CHECK_HAS(broken.status().message().c_str(), "the options: not JSON at byte 6");
  CHECK(!lh::parse_json("1e999", "x").ok());
  CHECK(!lh::parse_json("", "x").ok());
  CHECK(!lh::parse_json("1 2", "x").ok());
  CHECK(!lh::parse_json(std::string(100000, '['), "x").ok());
  CHECK(lh::parse_json(std::string(512, '[') + std::string(512, ']'), "x").ok());
  CHECK(lh::parse_json("\"[[[\\\"[[[\"", "x").ok());
  CHECK(lh::dump_json(lh::Json("a\xFF")) == "\"a" + kBad + "\"");
  std::string out;
  lh::append_json_string(out, "q\" b\\ \n\t\x01\x7F \xE2\x82\xAC \xFF\xE2\x82"s + '\0');
  CHECK(out == "\"q\\\" b\\\\ \\n\\t\\u0001\x7F \xE2\x82\xAC " + kBad + kBad + "\\u0000\"");
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  out.clear();
  lh::append_json_string(out, every);
  const auto back = lh::parse_json(out, "x");
  CHECK(back.ok() && back->get<std::string>() == every);
}

void the_order_of_members_does_not_count() {
  const auto same = [](const char* a, const char* b) {
    return lh::same_json(*lh::parse_json(a, "a"), *lh::parse_json(b, "b"));
  };
  CHECK(same(R"({"a":1,"b":[{"c":2,"d":3}]})", R"({"b":[{"d":3.0,"c":2}],"a":1})"));
  CHECK(!same(R"({"a":1})", R"({"a":1,"b":2})") && !same(R"({"a":1})", R"({"b":1})"));
  CHECK(!same("[1,2]", "[2,1]") && !same("1", "\"1\"") && !same("null", "0"));
}

void cancelling_wakes_listeners_once() {
  lh::CancelFlag flag;
  int woken = 0;
  const auto first = flag.listen([&] { ++woken; });
  const auto second = flag.listen([&] { woken += 10; });
  flag.unlisten(second);
  CHECK(!flag.cancelled() && flag.reason().empty());
  flag.cancel("why");
  flag.cancel("later");
  CHECK(flag.cancelled() && woken == 1 && flag.reason() == "why");
  flag.listen([&] { woken += 100; });
  CHECK(woken == 101);
  flag.unlisten(first);
}

void a_listener_may_stop_listening_from_inside() {
  lh::CancelFlag flag;
  uint64_t id = 0;
  bool ran = false;
  id = flag.listen([&] {
    flag.unlisten(id);
    ran = true;
  });
  flag.cancel("now");
  CHECK(ran);
}

void unlisten_waits_for_a_listener_that_runs() {
  lh::CancelFlag flag;
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  std::atomic<bool> done{false};
  const auto id = flag.listen([&] {
    inside = true;
    while (!go) std::this_thread::yield();
    done = true;
  });
  std::thread canceller([&] { flag.cancel("x"); });
  while (!inside) std::this_thread::yield();
  std::thread releaser([&] { go = true; });
  flag.unlisten(id);
  CHECK(done);
  canceller.join();
  releaser.join();
}

void a_sink_is_replaced_only_when_idle() {
  lh::SinkSlot<int> slot;
  int sum = 0;
  slot.call(1);
  CHECK(!slot.present());
  slot.set([&](int value) { sum += value; });
  slot.call(2);
  slot.set([&](int value) {
    sum += value * 10;
    slot.set(nullptr);  // from inside: returns at once
  });
  slot.call(3);
  slot.call(4);
  CHECK(sum == 32 && !slot.present());
  std::atomic<bool> inside{false};
  std::atomic<bool> done{false};
  slot.set([&](int) {
    inside = true;
    std::this_thread::yield();
    done = true;
  });
  std::thread caller([&] { slot.call(1); });
  while (!inside) std::this_thread::yield();
  slot.set(nullptr);
  CHECK(done);
  caller.join();
}

void a_member_is_found_without_parsing_the_rest() {
  constexpr std::string_view kText =
      R"({"a":1,"b\"c":"x\\\"y","deep":{"z":[1,{"a":"}"}]},"z": [2, 3] ,"e":"","last":null})";
  CHECK(lh::json_member(kText, "a") == "1");
  CHECK(lh::json_member(kText, R"(b"c)") == R"("x\\\"y")");
  CHECK(lh::is_json_string(lh::json_member(kText, R"(b"c)"), R"(x\"y)"));
  CHECK(lh::json_member(kText, "deep") == R"({"z":[1,{"a":"}"}]})");
  CHECK(lh::json_member(kText, "z") == "[2, 3]");
  CHECK(lh::is_json_string(lh::json_member(kText, "e"), ""));
  CHECK(lh::json_member(kText, "last") == "null");
  CHECK(lh::json_member(kText, "none").empty() && lh::json_member("", "a").empty() &&
        lh::json_member("{}", "a").empty());
  CHECK(lh::json_member(R"("a":1,"b":2)", "b") == "2");
  CHECK(!lh::is_json_string("7", "7") && !lh::is_json_string("\"", "") && !lh::is_json_string("\"a\"", "b"));
  CHECK(lh::is_json_string(R"("\u00e9")", "\xC3\xA9"));
  CHECK(kText.substr(lh::begin_of_json_member(kText, "z")).starts_with("[2, 3]"));
  CHECK(lh::begin_of_json_member(kText, "none") == std::string_view::npos);
  // Truncated anywhere, the text gives some answer, and nothing beyond its end is read.
  for (size_t length = 0; length < kText.size(); ++length) {
    const std::string cut(kText.substr(0, length));
    static_cast<void>(lh::json_member(cut, "last"));
  }
}

void a_packed_text_is_its_characters() {
  const std::string long_one(1000, 'x');
  for (const std::string& text : {std::string(), std::string("a"), std::string("a\0b", 3), long_one}) {
    lh::PackedText packed(text);
    lh::PackedText copy = packed;
    CHECK(packed == text && packed.view() == text && copy == packed && copy.size() == text.size());
    CHECK(packed.empty() == text.empty() && "<" + std::string(copy) == std::string("<") + copy);
    lh::PackedText moved = std::move(copy);
    copy = moved;  // NOLINT(bugprone-use-after-move): assigned
    CHECK(copy == text && moved == text);
    packed = packed.view();  // a view of the characters of `packed` itself
    CHECK(packed == text);
  }
  CHECK(lh::PackedText() != "a" && lh::PackedText("a") != lh::PackedText("b"));
}

void keep_line(int32_t level, const char* message, void* user_data) {
  static_cast<std::vector<std::string>*>(user_data)->push_back(std::to_string(level) + message);
}

void log_lines_reach_the_sink_as_utf8() {
  std::vector<std::string> lines;
  lh::log_line(lh::LogLevel::kError, "nobody listens");
  lh_log_set(keep_line, &lines);
  lh::log_line(lh::LogLevel::kWarn, "a\xFF");
  lh_log_set(nullptr, nullptr);
  lh::log_line(lh::LogLevel::kError, "nobody listens");
  CHECK(lines.size() == 1 && lines[0] == "2a" + kBad);
}

std::string what_is_wrong(const char* text, lh::ObjectReader::Null null) {
  const lh::Json json = lh::Json::parse(text);
  lh::ObjectReader reader(json, "it", null);
  double share = 0;
  int32_t count = 0;
  std::optional<int32_t> limit = 1;
  std::vector<std::string> words;
  reader.number("share", share, 0, 1, "a share")
      .integer("count", count, 1, 9, "a count")
      .integer("limit", limit, 1, 9, "a limit")
      .texts("words", words, false);
  return reader.done().message();
}

void what_is_wrong_with_an_object_is_named() {
  using Null = lh::ObjectReader::Null;
  CHECK(what_is_wrong(R"({"share": 0.5, "count": 9, "limit": 1, "words": ["a"]})", Null::kUnset).empty());
  CHECK(what_is_wrong(R"({"share": 1.5})", Null::kUnset) == "it.share must be a share, got 1.5");
  CHECK(what_is_wrong(R"({"share": "1"})", Null::kUnset) == R"(it.share must be a share, got "1")");
  CHECK(what_is_wrong(R"({"count": 1.0})", Null::kUnset) == "it.count must be a count, got 1.0");
  CHECK(what_is_wrong(R"({"count": 18446744073709551615})", Null::kUnset).starts_with("it.count must be a count"));
  CHECK(what_is_wrong(R"({"words": [""]})", Null::kUnset).starts_with("it.words must be an array of strings that"));
  CHECK(what_is_wrong(R"({"width": 1})", Null::kUnset) == "unknown key it.width");
  CHECK(what_is_wrong("[]", Null::kUnset) == "it must be a JSON object, got []");
  // Null is a value for a key that may be unset; for any other key it is wrong, or counts as absent.
  CHECK(what_is_wrong(R"({"limit": null})", Null::kUnset).empty());
  CHECK(what_is_wrong(R"({"share": null})", Null::kUnset) == "it.share must be a share, got null");
  CHECK(what_is_wrong(R"({"share": null, "limit": null, "words": null})", Null::kAbsent).empty());
}

void numbers_are_kept_as_they_were_given() {
  const lh::Json json = {{"share", 0.7}};
  double share = 0;
  lh::ObjectReader reader(json, "it");
  CHECK(reader.number("share", share, 0, 1, "a share").done().ok() && share == 0.7);
}

void ids_are_unique_and_sort_by_time() {
  std::vector<std::string> ids[2];
  std::thread other([&ids] {
    for (int i = 0; i < 1000; ++i) ids[1].push_back(lh::unique_id());
  });
  for (int i = 0; i < 1000; ++i) ids[0].push_back(lh::unique_id());
  other.join();
  const auto time_of = [](const std::string& id) { return id.substr(0, 10); };
  CHECK(std::ranges::is_sorted(ids[0], {}, time_of));
  ids[0].insert(ids[0].end(), ids[1].begin(), ids[1].end());
  CHECK(std::ranges::all_of(ids[0], [](const std::string& id) {
    return id.size() == 26 && id.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz") == std::string::npos;
  }));
  std::ranges::sort(ids[0]);
  CHECK(std::ranges::adjacent_find(ids[0]) == ids[0].end());
}

void a_core_can_be_used() { CHECK(lh::usable_cores() >= 1); }

void threads_have_room_and_say_what_they_throw() {
  size_t room = 0;
  lh::Thread thread(
      [&room] { room = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - lh::lowest_stack_address(); });
  CHECK(thread.joinable() && !thread.is_current());
  lh::Thread moved(std::move(thread));
  CHECK(!thread.joinable() && moved.joinable());
  moved.join();
  CHECK(!moved.joinable());
  CHECK(room > lh::kThreadStackBytes / 2);

  std::atomic<bool> go{false};
  lh::Background waits([&go] { go.wait(false); });
  CHECK(!waits.is_over());
  go = true;
  go.notify_all();
  waits.get();
  lh::Background throws([] { throw std::runtime_error("no"); });
  std::string said;
  try {
    throws.get();
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  CHECK(said == "no");
}

}  // namespace

int main() {
  what_is_wrong_with_an_object_is_named();
  numbers_are_kept_as_they_were_given();
  broken_utf8_becomes_replacement_characters();
  control_characters_are_escaped();
  pieces_are_joined_to_whole_characters();
  json_is_parsed_with_reasons_and_dumped_whatever_it_holds();
  the_order_of_members_does_not_count();
  cancelling_wakes_listeners_once();
  a_listener_may_stop_listening_from_inside();
  unlisten_waits_for_a_listener_that_runs();
  a_sink_is_replaced_only_when_idle();
  log_lines_reach_the_sink_as_utf8();
  a_member_is_found_without_parsing_the_rest();
  a_packed_text_is_its_characters();
  ids_are_unique_and_sort_by_time();
  a_core_can_be_used();
  threads_have_room_and_say_what_they_throw();
  return check_result("base_test");
}
