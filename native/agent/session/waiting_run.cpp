#include "agent/session/waiting_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "generation/answer_messages.h"

namespace lh {

std::span<const std::string_view> names_of(WaitingCall::State) {
  static constexpr std::string_view kNames[] = {"deferred", "approved", "settled"};
  return kNames;
}

Messages WaitingRun::messages() const {
  std::vector<ToolCall> all;
  Messages results;
  for (const WaitingCall& one : calls) {
    all.push_back(one.call);
    results.push_back(result_message({one.call.id, one.call.name, "not run yet: the session waits for an answer"}));
  }
  Messages messages = {answer_message(content, reasoning, std::move(all))};
  messages.insert(messages.end(), results.begin(), results.end());
  return messages;
}

Json waiting_calls(const WaitingRun& run) {
  Json calls = Json::array();
  for (const WaitingCall& one : run.calls) {
    if (one.state != WaitingCall::State::kDeferred) continue;
    calls.push_back({{"id", one.call.id},
                     {"name", one.call.name},
                     {"args", one.judged()},
                     {"tier", null_if_empty(run.tier)},
                     {"deferred_by", one.deferred_by},
                     {"waits_for", null_if_empty(one.waits_for)},
                     {"reason", null_if_empty(one.reason)}});
  }
  return calls;
}

void WaitingRun::ask_again() {
  restored = true;
  for (WaitingCall& one : calls) {
    const bool answered = one.state == WaitingCall::State::kApproved && !one.deferred_by.empty();
    if (answered) one.state = WaitingCall::State::kDeferred;
  }
}

Status check_waiting_run(const WaitingRun& run) {
  const auto wrong = [](const std::string& why) { return Status(Code::kSessionFileInvalid, "waiting" + why); };
  std::set<std::string> ids;
  for (const WaitingCall& one : run.calls) {
    if (!ids.insert(one.call.id).second) return wrong(".calls has two calls with the id " + one.call.id);
  }
  return waiting_calls(run).empty() ? wrong(".calls has none that waits for an answer") : Status();
}

bool cancels(const WaitingAnswers& answers) {
  return std::ranges::any_of(answers, [](const auto& one) { return one.second.kind == WaitingAnswer::Kind::kCancel; });
}

namespace {

// "allow", "deny" or "cancel", or an object with one of "allow": true, "args", "deny" and "cancel": true, and perhaps
// "by". Nothing: the value is none of these.
std::optional<WaitingAnswer> read_answer(const Json& value) {
  using Kind = WaitingAnswer::Kind;
  if (value == "allow") return WaitingAnswer{Kind::kAllow};
  if (value == "deny") return WaitingAnswer{Kind::kDeny};
  if (value == "cancel") return WaitingAnswer{Kind::kCancel};
  if (!value.is_object()) return std::nullopt;
  WaitingAnswer answer;
  int decisions = 0;
  for (const auto& [key, member] : value.items()) {
    if (key == "by" && member.is_string()) {
      answer.by = member.get<std::string>();
      continue;
    }
    ++decisions;
    if (key == "args" && member.is_object()) {
      answer.kind = Kind::kAllow;
      answer.args = member;
    } else if (key == "deny" && (member.is_string() || member == true)) {
      if (member.is_string()) answer.reason = member.get<std::string>();
    } else if ((key == "allow" || key == "cancel") && member == true) {
      answer.kind = key == "allow" ? Kind::kAllow : Kind::kCancel;
    } else {
      return std::nullopt;
    }
  }
  return decisions == 1 ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace

Result<WaitingAnswers> read_waiting_answers(const Json& json, const std::string& what) {
  const auto wrong = [](const std::string& place, const Json& value) {
    return Status(Code::kInvalidArgument, place +
                                              R"( must be "allow", "deny", "cancel", or an object with one of )"
                                              R"("allow": true, "args": object, "deny": reason and "cancel": true, )"
                                              R"(and "by": text if it is known, not )" +
                                              dump_json(value));
  };
  if (!json.is_object() || json.empty()) {
    return Status(Code::kInvalidArgument, what + " must be an object with an answer for at least one call");
  }
  WaitingAnswers answers;
  for (const auto& [id, value] : json.items()) {
    auto answer = read_answer(value);
    if (!answer) return wrong(what + "." + id, value);
    answers.emplace(id, *std::move(answer));
  }
  return answers;
}

}  // namespace lh
