#include "agent/session/waiting_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json/object_reader.h"
#include "generation/answer_messages.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

constexpr const char* kStates[] = {"deferred", "approved", "settled"};

const Json& waiting_schema() {
  const Json text = {{"type", "string"}};
  const Json object = {{"type", "object"}};
  const Json count = {{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}};
  const Json failure = {{"type", "object"},
                        {"properties", {{"code", count}, {"message", text}}},
                        {"required", Json::array({"code", "message"})},
                        {"additionalProperties", false}};
  const Json call = {{"type", "object"},
                     {"properties",
                      {{"id", text},
                       {"name", text},
                       {"args", object},
                       {"prepared", object},
                       {"state", {{"type", "string"}, {"enum", kStates}}},
                       {"warning", text},
                       {"deferred_by", text},
                       {"waits_for", text},
                       {"reason", text},
                       {"kind", text},
                       {"result", text},
                       {"decided_by", text},
                       {"failure", failure}}},
                     {"required", Json::array({"id", "name", "args", "state"})},
                     {"additionalProperties", false}};
  static const Json schema = {
      {"type", "object"},
      {"properties",
       {{"run_id", text},
        {"goal", text},
        {"tier", text},
        {"params", object},
        {"answer", {{"type", Json::array({"object", "boolean"})}}},
        {"tags", object},
        {"dry_run", {{"type", "boolean"}}},
        {"iterations", count},
        {"rejections", count},
        {"continuations", count},
        {"failed_delegations", count},
        {"planned_steps", count},
        {"tokens", count},
        {"limits", object},
        {"content", text},
        {"reasoning", text},
        {"calls", {{"type", "array"}, {"items", call}}},
        {"context", {{"type", "array"}, {"items", text}}}}},
      {"required", Json::array({"goal", "tier", "params", "dry_run", "iterations", "rejections", "continuations",
                                "failed_delegations", "planned_steps", "tokens", "limits", "content", "reasoning",
                                "calls", "context"})},
      {"additionalProperties", false}};
  return schema;
}

Json state_json(const WaitingCall& one) {
  Json json = {{"id", one.call.id},
               {"name", one.call.name},
               {"args", one.call.args},
               {"state", kStates[static_cast<size_t>(one.state)]}};
  const std::pair<const char*, const std::string&> texts[] = {
      {"warning", one.warning}, {"deferred_by", one.deferred_by}, {"waits_for", one.waits_for},  {"reason", one.reason},
      {"kind", one.kind},       {"result", one.result},           {"decided_by", one.decided_by}};
  for (const auto& [key, text] : texts) {
    if (!text.empty()) json[key] = text;
  }
  if (one.prepared) json["prepared"] = *one.prepared;
  if (!one.failure.ok()) {
    json["failure"] = {{"code", static_cast<int>(one.failure.code())}, {"message", one.failure.message()}};
  }
  return json;
}

WaitingCall read_call(const Json& json) {
  WaitingCall one{{json["id"].get<std::string>(), json["name"].get<std::string>(), json["args"]}};
  while (json["state"] != kStates[static_cast<size_t>(one.state)]) {
    one.state = static_cast<WaitingCall::State>(static_cast<int>(one.state) + 1);
  }
  const std::pair<const char*, std::string&> texts[] = {
      {"warning", one.warning}, {"deferred_by", one.deferred_by}, {"waits_for", one.waits_for},  {"reason", one.reason},
      {"kind", one.kind},       {"result", one.result},           {"decided_by", one.decided_by}};
  for (const auto& [key, text] : texts) text = json.value(key, "");
  if (json.contains("prepared")) one.prepared = json["prepared"];
  if (json.contains("failure")) {
    one.failure = {static_cast<Code>(json["failure"]["code"].get<int>()),
                   json["failure"]["message"].get<std::string>()};
  }
  return one;
}

}  // namespace

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

Json to_json(const WaitingRun& run) {
  Json calls = Json::array();
  for (const WaitingCall& one : run.calls) calls.push_back(state_json(one));
  Json json = {{"run_id", run.run_id},
               {"goal", run.goal},
               {"tier", run.tier},
               {"params", run.params},
               {"dry_run", run.dry_run},
               {"iterations", run.iterations},
               {"rejections", run.rejections},
               {"continuations", run.continuations},
               {"failed_delegations", run.failed_delegations},
               {"planned_steps", run.planned_steps},
               {"tokens", run.tokens},
               {"limits", run.limits},
               {"content", run.content},
               {"reasoning", run.reasoning},
               {"calls", std::move(calls)},
               {"context", run.context}};
  if (run.answer) json["answer"] = *run.answer;
  if (!run.tags.empty()) json["tags"] = *parse_json(run.tags.text(), "tags");
  return json;
}

Result<WaitingRun> read_waiting_run(const Json& json) {
  const auto wrong = [](const std::string& why) { return Status(Code::kSessionFileInvalid, "waiting" + why); };
  if (const auto offence = check_value(json, waiting_schema())) {
    return wrong((offence->path.empty() ? " " : "." + offence->path + " ") + offence->why);
  }
  WaitingRun run{json.value("run_id", ""), json["goal"].get<std::string>(), json["tier"].get<std::string>(),
                 json["params"]};
  if (json.contains("answer")) run.answer = json["answer"];
  if (json.contains("tags")) {
    const Json only = {{"tags", json["tags"]}};
    ObjectReader reader(only, "waiting");
    read_tags(reader, "tags", run.tags);
    if (Status status = reader.done(); !status.ok()) return wrong(": " + status.message());
  }
  run.dry_run = json["dry_run"].get<bool>();
  const std::pair<const char*, int32_t&> counts[] = {
      {"iterations", run.iterations},       {"rejections", run.rejections},
      {"continuations", run.continuations}, {"failed_delegations", run.failed_delegations},
      {"planned_steps", run.planned_steps}, {"tokens", run.tokens}};
  for (const auto& [key, count] : counts) count = json[key].get<int32_t>();
  run.limits = json["limits"];
  run.content = json["content"].get<std::string>();
  run.reasoning = json["reasoning"].get<std::string>();
  run.context = json["context"].get<std::vector<std::string>>();
  std::set<std::string> ids;
  for (const Json& call : json["calls"]) {
    run.calls.push_back(read_call(call));
    const std::string& id = run.calls.back().call.id;
    if (!ids.insert(id).second) return wrong(".calls has two calls with the id " + id);
  }
  if (waiting_calls(run).empty()) return wrong(".calls has none that waits for an answer");
  return run;
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
