#include "agent/run/reflection.h"

#include <utility>

#include "agent/run/side_question.h"
#include "agent/session/session.h"
#include "base/text/reason.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

constexpr int32_t kMostTokens = 512;

Json answer_schema(const char* text, const char* decision, Json choices) {
  return {
      {"type", "object"},
      {"properties", {{text, {{"type", "string"}}}, {decision, {{"type", "string"}, {"enum", std::move(choices)}}}}},
      {"required", Json::array({text, decision})},
      {"additionalProperties", false}};
}

// Asks for {text, decision}.
Result<Json> ask(RunContext& run, const std::string& question, const Json& schema) {
  const auto answer = ask_side_question(run, {run.transcript.messages(), question, kMostTokens, schema});
  if (!answer.ok()) return answer.status();
  if (answer->cut_off) return Status(Code::kEmptyAnswer, "the answer was cut off before its end");
  auto json = parse_json(answer->text, "the answer");
  if (!json.ok()) return Status(Code::kEmptyAnswer, json.status().message());
  if (const auto offence = check_value(*json, schema)) {
    return Status(Code::kEmptyAnswer,
                  "the answer: " + offence->path + (offence->path.empty() ? "" : " ") + offence->why);
  }
  return json;
}

}  // namespace

std::optional<std::string> reflect(RunContext& run) {
  const std::string& own = run.setup.reflection_prompt;
  const std::string question =
      (own.empty() ? "Look at what was done so far: does it lead to what was asked?" : own) +
      std::string("\nAnswer with JSON: {\"monologue\": your thoughts, \"decision\": \"PROCEED\" or \"HALT\"}.");
  run.move_to(LoopState::kVerifying);
  const auto answer = ask(run, question, answer_schema("monologue", "decision", Json::array({"PROCEED", "HALT"})));
  run.move_to(LoopState::kExecuting);
  if (run.work.cancel.cancelled()) return std::nullopt;
  if (!answer.ok()) {
    run.dispatcher.error(run.scope, code_name(answer.status().code()),
                         "the reflection failed: " + answer.status().message(), "reflection", true);
    return std::nullopt;
  }
  auto monologue = (*answer)["monologue"].get<std::string>();
  const bool proceeds = (*answer)["decision"] == "PROCEED";
  run.notify<points::OnReflection>([&](const auto& context) {
    context({.iteration = run.scope.iteration, .monologue = monologue, .should_proceed = proceeds});
  });
  return proceeds ? std::nullopt : std::optional(reason_or(monologue));
}

Result<std::optional<std::string>> criticize(RunContext& run, const ToolCall& call) {
  const std::string question = "The tool " + call.name + " is about to be called with " + dump_json(call.args) + ".\n" +
                               run.setup.critic_prompt +
                               "\nAnswer with JSON: {\"reason\": why, \"decision\": \"ALLOW\" or \"DENY\"}.";
  const auto answer = ask(run, question, answer_schema("reason", "decision", Json::array({"ALLOW", "DENY"})));
  if (!answer.ok()) return answer.status();
  if ((*answer)["decision"] == "ALLOW") return std::optional<std::string>();
  return std::optional((*answer)["reason"].get<std::string>());
}

}  // namespace lh
