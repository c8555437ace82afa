#include "agent/controls/directives.h"

#include <algorithm>
#include <utility>

#include "agent/compaction/pruning.h"
#include "agent/delegation/delegation.h"
#include "agent/session/session.h"
#include "base/text/reason.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

const DirectiveRow* row_of(std::string_view type) {
  const auto* const found = std::ranges::find(kDirectives, type, &DirectiveRow::name);
  return found == std::end(kDirectives) ? nullptr : found;
}

// The schema of the params.
const Json& schema_of(DirectiveType type) {
  static const std::vector<Json> all = [] {
    std::vector<Json> schemas;
    for (const DirectiveRow& row : kDirectives) schemas.push_back(*parse_json(row.params, row.name));
    return schemas;
  }();
  return all[static_cast<size_t>(type)];
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
  const auto outcome =
      run_.ask<points::OnDirective>([&](const auto& context) { context({.type = type, .params = params}); });
  if (outcome.cancelled()) return;
  if (const auto changed = outcome.changes().params()) params = *changed;
  const DirectiveRow* const row = row_of(type);
  if (row == nullptr) return custom(tool, type, params, told);
  const auto known = static_cast<DirectiveType>(row - kDirectives);
  if (const auto offence = check_value(params, schema_of(known))) {
    return report(tool, type, (offence->path.empty() ? "params " : "params." + offence->path + " ") + offence->why);
  }
  if (Status status = perform(tool, known, params, told); !status.ok()) report(tool, type, status.message());
}

Status Directives::perform(const std::string& tool, DirectiveType type, const Json& params, std::string& told) {
  const auto text = [&params](const char* key) { return params[key].get<std::string>(); };
  PendingRequests& pending = run_.pending;
  switch (type) {
    case DirectiveType::kStopProcessing:
      pending.stop = Stop{tool, reason_or(params.value("reason", ""), "stop_processing")};
      return {};
    case DirectiveType::kTierChange: return change_tier(text("tier"));
    case DirectiveType::kDelegate:
      tell(told, "[delegate: " + Delegation(run_, children_).delegate(params, /*judged=*/false).text + "]");
      return {};
    case DirectiveType::kPipeline:
      tell(told, "[pipeline: " + Delegation(run_, children_).pipeline(params).text + "]");
      return {};
    case DirectiveType::kComplete: pending.completion = text("summary"); return {};
    case DirectiveType::kClearTodos: run_.dialogue.set_todos(Json::array()); return {};
    case DirectiveType::kInjectContext: pending.texts.push_back({Origin::kTool, text("content")}); return {};
    case DirectiveType::kPruneMessages: {
      const auto which = PruneSelection::read(params);
      if (which.ok()) static_cast<void>(prune(run_, *which));
      return which.status();
    }
    case DirectiveType::kContextAnchor: pending.anchors.emplace_back(text("key"), text("content")); return {};
    case DirectiveType::kPhaseChange: return run_.ask_for_phase(text("phase"));
    case DirectiveType::kNotify:
      if (run_.work.events.wanted()) run_.work.events.emit(NotifyEvent{tool, params});
      return {};
  }
  return {};
}

Status Directives::change_tier(const std::string& tier) {
  if (run_.setup.find_tier(tier) == nullptr) return {Code::kInvalidDirective, run_.setup.unknown_tier(tier)};
  for (const RunContext* one = run_.above; one != nullptr; one = one->above) {
    if (one->scope.tier == tier) return {Code::kInvalidDirective, "the tier is at work already"};
  }
  const Status model = run_.session.models().known(model_of(run_.setup, tier));
  if (!model.ok()) return {Code::kInvalidDirective, "the tier's model: " + model.message()};
  run_.pending.tier = tier;
  return {};
}

void Directives::custom(const std::string& tool, const std::string& type, const Json& params, std::string& told) {
  const auto outcome =
      run_.ask<points::OnCustomDirective>([&](const auto& context) { context({.type = type, .params = params}); });
  if (outcome.cancelled()) return;
  if (!outcome.answers().handled().or_else(false)) report(tool, type, "no hook handles this type");
  if (const auto message = outcome.answers().message()) tell(told, *message);
}

void Directives::report(const std::string& tool, const std::string& type, const std::string& why) {
  run_.dispatcher.error(run_.scope_now(), code_name(Code::kInvalidDirective),
                        "the directive " + type + " of the tool " + tool + ": " + why, "directive:" + type, true);
}

}  // namespace lh
