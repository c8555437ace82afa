// One model call with its hooks: ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN, POST_GENERATE.
// Must not: loop over tools, know where models come from, or make JSON of requests and results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/active_adapters.h"
#include "generation/answer_reader.h"
#include "generation/event_stream.h"
#include "generation/model_source.h"
#include "generation/work.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// What a model is asked.
struct ModelRequest {
  bool raw = false;  // `prompt` is given to the model as it is, and there are no messages and no tools
  std::string prompt;
  std::optional<Infill> infill;  // with `raw`: what the prompt is made of, until a hook changes that
  Messages messages;
  Tools tools;
  bool held = false;  // events of tokens come only after POST_GENERATE has answered
  SamplingParams params;
  ActiveAdapters* adapters = nullptr;  // of the conversation that it is of; null: of none

  // Refers to this request.
  [[nodiscard]] PromptRequest prompt_request() const;
};

// Who ended something before its time, and why.
struct Stop {
  std::string by;  // the name of a hook, or kCaller
  std::string reason;
};
inline constexpr const char* kCaller = "caller";

// What a call came to. With a status that is not OK: until then.
struct ModelAnswer {
  Status status;
  std::string content;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
  FinishReason finish_reason = FinishReason::kStop;
  Usage usage;                 // of all attempts
  std::optional<Stop> cancel;  // with kCancelled
  std::optional<Stop> halt;    // a hook ended the run here: no call of this answer may run
  Messages
      messages;  // what the call adds to the conversation: the answer; when it may not go on, a refusal of each call
  std::vector<TokenEvent> logprobs;  // of the tokens whose text still stands, if asked for
  std::vector<Decision> decisions;
};

class ModelCall {
 public:
  // `scope` says whose call it is; its model and its cancel flag are set here. Dispatcher and work outlive the call.
  ModelCall(const Dispatcher& dispatcher, ModelUse model, Scope scope, ModelRequest request, const Work& work);
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;

  // To the end, on this thread. Once. `prompt`: the request's, where it was made already; null: it was not.
  [[nodiscard]] ModelAnswer run(std::unique_ptr<Prompt> prompt = nullptr) &&;

 private:
  // How one attempt went on: the answer stands, or the model is asked again.
  enum class Next { kDone, kRetry };

  [[nodiscard]] Result<Next> attempt();
  [[nodiscard]] Status write_infill();
  [[nodiscard]] bool cancelled_before(const Decision& decision);
  [[nodiscard]] Status apply_changes(const DispatchResult& result);
  [[nodiscard]] ParsedOutput read_foreign(const Prompt& prompt, const std::string& text);
  [[nodiscard]] Result<std::unique_ptr<Prompt>> take_prompt();
  [[nodiscard]] Status use_response(const std::string& response);
  [[nodiscard]] Status change_adapters();
  [[nodiscard]] Result<Next> generate();
  [[nodiscard]] Result<Next> ask_after(const Prompt& prompt);
  void replace_content(const std::string& content, const Prompt& prompt);
  [[nodiscard]] Next retry(const DispatchResult& result);
  void report_bad_answer(const std::string& what);
  [[nodiscard]] Messages new_messages() const;

  const Dispatcher& dispatcher_;
  const ModelUse model_;
  ErrorStreak errors_in_a_row_;  // of a call whose scope brings none
  Scope scope_;
  const Work work_;
  // As asked, with what retries have added. Each attempt begins from it: what PRE_GENERATE changes holds for its
  // attempt.
  ModelRequest asked_;
  ModelRequest request_;              // of this attempt
  std::unique_ptr<Prompt> prepared_;  // of `request_`, as it is now; null: not yet made
  EventStream events_;
  ParsedOutput output_;
  Usage usage_;                  // of this attempt
  ActiveAdapters own_adapters_;  // of a call that is of no conversation
  ModelAnswer answer_;
  int retries_ = 0;
};
static_assert(!std::is_copy_constructible_v<ModelCall>);

}  // namespace lh
