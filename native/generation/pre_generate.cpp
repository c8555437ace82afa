#include "generation/pre_generate.h"

#include <utility>

#include "base/text/names.h"
#include "generation/conversation_json.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {
namespace {

Status after_hooks(const Status& status) {
  return {status.code(), "after " + shown_point("PRE_GENERATE") + " hooks changed it: " + status.message()};
}

// Fills in the defaults of parameters that a hook left out. Bad values stay, for apply() to refuse.
constexpr auto complete_params = [](DispatchResult& so_far) {
  const points::PreGenerate::Changes changes(so_far);
  const auto params = changes.params();
  if (!params) return true;
  if (const auto read = parse_sampling_params(*params); read.ok()) changes.set_params(to_json(*read));
  return true;
};

}  // namespace

PreGenerate::Asked PreGenerate::ask() {
  const auto build = [this](const auto& context) {
    context({.messages = request_.messages,
             .prompt = request_.raw ? std::optional<context::Text>(request_.prompt) : std::nullopt,
             .params = request_.params,
             .tools = request_.tools,
             .tier = scope_.tier,
             .iteration = scope_.iteration});
  };
  const Completion complete(complete_params);
  return fire<points::PreGenerate>(dispatcher_, scope_, decisions_, build, {.complete = &complete});
}

void PreGenerate::report_bad_answer(const std::string& what) const {
  dispatcher_.error(scope_, code_name(Code::kHookBadAnswer), what, "generate", true);
}

Status PreGenerate::apply(const points::PreGenerate::Changes& changes) {
  const auto prompt = changes.prompt();
  const auto messages = changes.messages();
  const auto tools = changes.tools();
  if (request_.raw) {
    if ((messages && !messages->empty()) || (tools && !tools->empty())) {
      report_bad_answer("a hook answered " + shown_point("PRE_GENERATE") +
                        " with messages or tools; this call has a raw prompt, and uses it");
    }
    if (prompt) {
      request_.prompt = *prompt;
      request_.infill.reset();
    }
  } else {
    if (prompt) {
      report_bad_answer("the hook " + prompt.by() + " answered " + shown_point("PRE_GENERATE") +
                        " with a prompt; this call has messages, and uses them");
    }
    if (messages) {
      auto read = read_messages(*messages);
      if (!read.ok()) return after_hooks(read.status());
      request_.messages = *std::move(read);
    }
    if (tools) {
      auto read = read_tools(*tools);
      if (!read.ok()) return after_hooks(read.status());
      request_.tools = *std::move(read);
    }
  }
  const auto changed = changes.params();
  if (!changed) return {};
  auto params = parse_sampling_params(*changed);
  if (!params.ok()) return after_hooks(params.status());
  params->given = request_.params.given;
  const Json before = to_json(request_.params);
  for (const auto& [name, value] : changed->items()) {
    if (!same_json(value, before.value(name, Json()))) params->given.push_back(name);
  }
  request_.params = *std::move(params);
  return {};
}

}  // namespace lh
