// One model call with its hooks: ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN, POST_GENERATE.
// Must not: loop over tools; the agent loop does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/event_stream.h"
#include "engine/model_manager.h"
#include "engine/output_splitter.h"
#include "engine/requests.h"
#include "engine/task.h"
#include "engine/token_stage.h"
#include "hooks/dispatcher.h"

namespace lh {

class Generation {
 public:
  // `closing` is set when the engine closes: hooks that run after the caller's cancel are woken by it.
  Generation(const Dispatcher& dispatcher, ModelManager::Use model, GenerateRequest request, std::string run_id,
             Task& task, CancelFlag& closing);

  // Runs to the end on the task's thread.
  [[nodiscard]] TaskEnd run();

 private:
  // Who ended it before its time, and why.
  struct Refusal {
    std::string by;
    std::string reason;
  };

  // How one attempt went on: the answer stands, or the model is asked again.
  enum class Next { kDone, kRetry };

  [[nodiscard]] Result<Next> attempt();
  void fire_budget();
  void report_uncounted(const Status& status);
  [[nodiscard]] Status ask_before(bool& answered);
  [[nodiscard]] Status apply_changes(const Json& changes);
  [[nodiscard]] Status use_response(const std::string& response);
  [[nodiscard]] Status call_model(const Prompt& prompt);
  [[nodiscard]] Status stream_tokens(TokenStream& stream, OutputSplitter& splitter, TokenStage& stage);
  void take_output(const Prompt& prompt, OutputSplitter& splitter, TokenStage& stage);
  [[nodiscard]] Result<Next> ask_after(const Prompt* prompt);
  void replace_content(const std::string& content, const Prompt* prompt);
  void prepare_retry(const std::string& feedback);

  [[nodiscard]] Result<std::unique_ptr<Prompt>> prepare(bool with_tools) const;
  void number_tool_calls();
  void keep(const Decision& decision);
  [[nodiscard]] TaskEnd fail(const Status& status);
  [[nodiscard]] Json result() const;
  [[nodiscard]] Json new_messages() const;

  const Dispatcher& dispatcher_;
  const ModelManager::Use model_;
  GenerateRequest request_;
  const std::string run_id_;
  Task& task_;
  CancelFlag& closing_;
  ErrorStreak errors_in_a_row_;
  Scope scope_;
  EventStream events_;

  ParsedOutput output_;
  std::string finish_reason_ = "stop";
  int32_t tokens_read_ = 0;  // of the latest attempt
  Usage usage_;              // of the latest attempt
  Usage spent_;  // of all attempts
  std::optional<Refusal> cancel_;
  std::optional<Refusal> halt_;
  Json decisions_ = Json::array();
  int retries_ = 0;
};

}  // namespace lh
