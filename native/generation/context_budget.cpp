#include "generation/context_budget.h"

#include <algorithm>
#include <string>

#include "generation/answer_messages.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_generate.h"

namespace lh {
namespace {

constexpr double kOverBudget = 0.85;

// Sizes in tokens of the model.
struct Budget {
  int64_t persona = 0;
  int64_t tools = 0;
  int64_t total = 0;
};

Result<Budget> count(const Generator& generator, const ModelRequest& request, const Prompt& prompt,
                     const CancelFlag* cancel) {
  Budget budget;
  budget.total = prompt.length();
  if (!request.tools.empty()) {
    SamplingParams params = request.params;
    params.tool_choice = ToolChoice::none();
    PromptRequest without = request.prompt_request();
    without.cancel = cancel;
    without.tools = nullptr;
    const auto bare = generator.prepare(without, params);
    if (!bare.ok()) return bare.status();
    budget.tools = std::max<int64_t>(0, budget.total - (*bare)->length());
  }
  const std::string system = joined_contents(request.messages, Role::kSystem);
  if (!system.empty()) budget.persona = generator.count(system, cancel);
  return budget;
}

}  // namespace

std::unique_ptr<Prompt> fire_context_budget(const Dispatcher& dispatcher, const Scope& scope,
                                            const Generator& generator, const ModelRequest& request,
                                            std::unique_ptr<Prompt> prompt, std::vector<Decision>& decisions) {
  if (!dispatcher.may_ask(LH_HOOK_ON_CONTEXT_BUDGET, scope))
    return prompt;  // counting renders the prompt once or twice
  const auto report = [&](const Status& status) {
    if (scope.cancel != nullptr && scope.cancel->cancelled()) return;
    dispatcher.error(scope, code_name(status.code()), "the context cannot be counted: " + status.message(), "generate",
                     true);
  };
  if (prompt == nullptr) {
    PromptRequest whole = request.prompt_request();
    whole.cancel = scope.cancel;
    auto made = generator.prepare(whole, request.params);
    if (!made.ok()) {
      report(made.status());
      return nullptr;
    }
    prompt = *std::move(made);
  }
  const Result<Budget> budget = count(generator, request, *prompt, scope.cancel);
  if (!budget.ok()) {
    report(budget.status());
    return prompt;
  }
  const int64_t limit = generator.context_size();
  const double utilization = static_cast<double>(budget->total) / static_cast<double>(limit);
  static_cast<void>(fire<points::OnContextBudget>(dispatcher, scope, decisions, [&](const auto& context) {
    context({.persona_tokens = budget->persona,
             .tool_schema_tokens = budget->tools,
             .history_tokens = std::max<int64_t>(0, budget->total - budget->persona - budget->tools),
             .total_tokens = budget->total,
             .max_tokens = limit,
             .utilization = utilization,
             .over_budget = utilization > kOverBudget,
             .estimated = generator.estimates()});
  }));
  return prompt;
}

}  // namespace lh
