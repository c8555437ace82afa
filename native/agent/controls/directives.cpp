#include "agent/controls/directives.h"

#include <utility>

#include "agent/compaction/pruning.h"
#include "agent/delegation/delegation.h"
#include "agent/run/cut_text.h"
#include "agent/session/session.h"
#include "base/text/reason.h"
#include "generation/answer_messages.h"
#include "generation/decision_log.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

// What the params of each type must be: those without a schema take any.
struct Known {
  const char* type;
  Json params;
};

const Json* schema_of(const std::string& type) {
  const auto text = [] { return Json{{"type", "string"}}; };
  const auto object = [](Json properties, Json required) {
    return Json{{"type", "object"},
                {"properties", std::move(properties)},
                {"required", std::move(required)},
                {"additionalProperties", false}};
  };
  static const Known all[] = {
      {"stop_processing", object({{"reason", text()}}, Json::array())},
      {"tier_change", object({{"tier", text()}}, Json::array({"tier"}))},
      {"delegate", object({{"tier", text()}, {"task", text()}, {"resume", text()}}, Json::array({"tier", "task"}))},
      {"pipeline",
       object({{"task", text()},
               {"stages",
                {{"type", "array"}, {"items", object({{"tier", text()}, {"task", text()}}, Json::array({"tier"}))}}}},
              Json::array({"task", "stages"}))},
      {"complete", object({{"summary", text()}}, Json::array({"summary"}))},
      {"clear_todos", object(Json::object(), Json::array())},
      {"inject_context", object({{"content", text()}}, Json::array({"content"}))},
      {"prune_messages", {{"type", "object"}}},
      {"context_anchor", object({{"key", text()}, {"content", text()}}, Json::array({"key", "content"}))},
      {"phase_change", object({{"phase", text()}}, Json::array({"phase"}))},
      {"notify", {{"type", "object"}}},
  };
  for (const Known& one : all) {
    if (type == one.type) return &one.params;
  }
  return nullptr;
}

void tell(std::string& told, const std::string& text) { told += "\n" + text; }

}  // namespace

std::string Directives::carry_out(const ToolRecord& record, const AgentTool* ran) {
  std::string told;
  if (!record.directives.is_array()) return told;
  for (const Json& directive : record.directives) {
    const auto& type = directive["type"].get_ref<const std::string&>();
    if (ran == nullptr) {  // hooks added it to a refusal
      report(record.call.name, type, "the tool did not run");
    } else if (!ran->trusted()) {
      report(record.call.name, type, "the tool is not trusted");
    } else if (record.kind != ResultKind::kOk && record.kind != ResultKind::kOkEmpty) {
      report(record.call.name, type, "the tool came to no result: " + std::string(result_kind_name(record.kind)));
    } else if (run_.work.cancel.cancelled()) {
      report(record.call.name, type, "the run was cancelled");
    } else {
      one(record.call.name, type, directive["params"], told);
    }
  }
  return told;
}

void Directives::one(const std::string& tool, const std::string& type, Json params, std::string& told) {
  const Outcome outcome = run_.dispatcher.fire(LH_HOOK_ON_DIRECTIVE, run_.scope, [&](std::string& out) {
    append_members(out, {{"type", type}, {"params", params}});
  });
  keep(run_.result.decisions, outcome->decision);
  if (outcome->decision.action == Action::kCancelled) return;
  if (outcome->changes.contains("params")) params = outcome->changes["params"];
  const Json* const schema = schema_of(type);
  if (schema == nullptr) return custom(tool, type, params, told);
  if (const auto offence = check_value(params, *schema)) {
    return report(tool, type, (offence->path.empty() ? "params " : "params." + offence->path + " ") + offence->why);
  }
  if (Status status = known(tool, type, params, told); !status.ok()) report(tool, type, status.message());
}

Status Directives::known(const std::string& tool, const std::string& type, const Json& params, std::string& told) {
  const auto text = [&params](const char* key) { return params[key].get<std::string>(); };
  const auto said = [&] { return user_message(cut_text(text("content"), run_.max_result())); };
  PendingRequests& pending = run_.pending;
  if (type == "stop_processing") {
    pending.stop = Stop{tool, reason_or(params.value("reason", ""), type)};
  } else if (type == "tier_change") {
    if (run_.setup.find_tier(text("tier")) == nullptr) {
      return {Code::kInvalidDirective, run_.setup.unknown_tier(text("tier"))};
    }
    for (const RunContext* one = run_.above; one != nullptr; one = one->above) {
      if (one->scope.tier == text("tier")) return {Code::kInvalidDirective, "the tier is at work already"};
    }
    const Status model = run_.session.models().known(model_of(run_.setup, text("tier")));
    if (!model.ok()) return {Code::kInvalidDirective, "the tier's model: " + model.message()};
    pending.tier = text("tier");
  } else if (type == "delegate" || type == "pipeline") {
    Delegation delegation(run_, children_);
    tell(told,
         "[" + type + ": " +
             (type == "delegate" ? delegation.delegate(params, /*judged=*/false) : delegation.pipeline(params)).text +
             "]");
  } else if (type == "complete") {
    pending.completion = text("summary");
  } else if (type == "clear_todos") {
    run_.dialogue.set_todos(Json::array());
  } else if (type == "inject_context") {
    pending.messages.push_back(said());
  } else if (type == "prune_messages") {
    const auto which = PruneSelection::read(params);
    if (!which.ok()) return which.status();
    static_cast<void>(prune(run_, *which));
  } else if (type == "context_anchor") {
    pending.anchors.emplace_back(text("key"), said());
  } else if (type == "phase_change") {
    return run_.ask_for_phase(text("phase"));
  } else if (run_.work.events.wanted()) {
    run_.work.events.emit(NotifyEvent{tool, params});
  }
  return {};
}

void Directives::custom(const std::string& tool, const std::string& type, const Json& params, std::string& told) {
  const Outcome outcome = run_.dispatcher.fire(LH_HOOK_ON_CUSTOM_DIRECTIVE, run_.scope, [&](std::string& out) {
    append_members(out, {{"type", type}, {"params", params}});
  });
  keep(run_.result.decisions, outcome->decision);
  if (outcome->decision.action == Action::kCancelled) return;
  const Json& answers = outcome->answers;
  const bool handled = answers.is_object() && answers.value("handled", false);
  if (!handled) report(tool, type, "nobody knows this type");
  if (answers.is_object() && answers.contains("message")) tell(told, answers["message"].get<std::string>());
}

void Directives::report(const std::string& tool, const std::string& type, const std::string& why) {
  run_.dispatcher.error(run_.scope_now(), code_name(Code::kInvalidDirective),
                        "the directive " + type + " of the tool " + tool + ": " + why, "directive:" + type, true);
}

}  // namespace lh
