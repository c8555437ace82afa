#include "generation/pre_generate.h"

#include <utility>

#include "base/text/names.h"
#include "generation/conversation_json.h"
#include "generation/decision_log.h"

namespace lh {
namespace {

Status after_hooks(const Status& status) {
  return {status.code(), "after " + shown_point("PRE_GENERATE") + " hooks changed it: " + status.message()};
}

// Fills in the defaults of parameters that a hook left out. Bad values stay, for apply() to refuse.
constexpr auto complete_params = [](DispatchResult& so_far) {
  const auto params = so_far.changes.find("params");
  if (params == so_far.changes.end()) return true;
  if (const auto read = parse_sampling_params(*params); read.ok()) *params = to_json(*read);
  return true;
};

}  // namespace

Outcome PreGenerate::ask() {
  const auto build = [this](std::string& out, const FieldSet& wanted) { append_context(out, wanted); };
  Outcome outcome = dispatcher_.fire(LH_HOOK_PRE_GENERATE, scope_, build, complete_params);
  keep(decisions_, outcome->decision);
  return outcome;
}

void PreGenerate::append_context(std::string& out, const FieldSet& wanted) const {
  wanted.append_member(out, "messages", [this](std::string& text) { append_json(text, request_.messages); });
  if (request_.raw) append_members(out, {{"prompt", request_.prompt}});
  append_members(out, {{"params", to_json(request_.params)}});
  wanted.append_member(out, "tools", [this](std::string& text) { append_json(text, request_.tools); });
  append_members(out, {{"tier", null_if_empty(scope_.tier)},
                       {"iteration", scope_.iteration < 0 ? Json() : Json(scope_.iteration)}});
}

void PreGenerate::report_bad_answer(const std::string& what) const {
  dispatcher_.error(scope_, code_name(Code::kHookBadAnswer), what, "generate", true);
}

Status PreGenerate::apply(const DispatchResult& result) {
  const Json& changes = result.changes;
  if (changes.is_null()) return {};
  const auto names_some = [&changes](const char* field) { return changes.contains(field) && !changes[field].empty(); };
  if (!request_.raw && changes.contains("prompt")) {
    report_bad_answer("the hook " + named_by(result.decision, "prompt")->name + " answered " +
                      shown_point("PRE_GENERATE") + " with a prompt; this call has messages, and goes on with them");
  }
  if (request_.raw && (names_some("messages") || names_some("tools"))) {
    report_bad_answer("a hook answered " + shown_point("PRE_GENERATE") +
                      " with messages or tools; this call has a raw prompt, and goes on with it");
  }
  if (!request_.raw && changes.contains("messages")) {
    auto messages = read_messages(changes["messages"]);
    if (!messages.ok()) return after_hooks(messages.status());
    request_.messages = *std::move(messages);
  }
  if (!request_.raw && changes.contains("tools")) {
    auto tools = read_tools(changes["tools"]);
    if (!tools.ok()) return after_hooks(tools.status());
    request_.tools = *std::move(tools);
  }
  if (request_.raw && changes.contains("prompt")) {
    request_.prompt = changes["prompt"].get<std::string>();
    request_.infill.reset();
  }
  if (!changes.contains("params")) return {};
  auto params = parse_sampling_params(changes["params"]);
  if (!params.ok()) return after_hooks(params.status());
  params->given = request_.params.given;
  const Json before = to_json(request_.params);
  for (const auto& [name, value] : changes["params"].items()) {
    if (!same_json(value, before.value(name, Json()))) params->given.push_back(name);
  }
  request_.params = *std::move(params);
  return {};
}

}  // namespace lh
