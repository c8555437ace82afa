// One model call with its hooks: ON_CONTEXT_BUDGET, PRE_GENERATE, ON_PROMPT_PROGRESS, ON_STREAM_TOKEN, POST_GENERATE.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "generation/active_adapters.h"
#include "generation/answer_reader.h"
#include "generation/event_stream.h"
#include "generation/model_request.h"
#include "generation/model_source.h"
#include "generation/pre_generate.h"
#include "generation/work.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/generator.h"

namespace lh {

// The early end of a call or run: its causer and its reason.
struct Stop {
  std::string by;  // the name of a hook, or kCaller
  std::string reason;
};
inline constexpr const char* kCaller = "caller";

// The result of a call. If `status` is not OK, the other fields hold what the call had got until it failed.
struct ModelAnswer {
  Status status;
  Refusal refused;  // the decision that caused the status, if it is one of a load
  std::string model_id;
  std::string content;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
  FinishReason finish_reason = FinishReason::kStop;
  std::string stop_text;       // the caller's stop text that ended it; empty: none did
  Usage usage;                 // sum of all attempts
  std::optional<Stop> cancel;  // with kCancelled
  std::optional<Stop> halt;    // a hook ended the run here, so no call of this answer may run
  Messages messages;      // added to the conversation: the answer, and if the run is halted, a refusal of each call
  SamplingParams params;  // of the last attempt, as hooks left them
  RatedTokens logprobs;   // of the tokens whose text is unchanged, if requested
  std::vector<Decision> decisions;
};

class ModelCall {
 public:
  // `scope` names the owner of the call; its model and its cancel flag are set here. Dispatcher and work outlive the
  // call.
  ModelCall(const Dispatcher& dispatcher, ModelUse model, Scope scope, ModelRequest request, const Work& work);
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;

  // Runs the call to its end, on this thread. Call it once. `prompt`: the request's prompt if it has been made, or
  // null.
  [[nodiscard]] ModelAnswer run(std::unique_ptr<Prompt> prompt = nullptr) &&;

 private:
  // The end of an attempt: the answer is final, or the model is called again.
  enum class Next { kDone, kRetry };

  [[nodiscard]] Result<Next> attempt();
  [[nodiscard]] Status write_infill();
  [[nodiscard]] bool cancelled_before(const std::optional<Veto>& veto);
  [[nodiscard]] Status change_model(const PreGenerate::Asked& outcome);
  [[nodiscard]] Result<ParsedOutput> read_foreign(const Prompt& prompt, const std::string& text);
  // `again`: the answer was announced before.
  [[nodiscard]] Result<std::unique_ptr<Prompt>> take_prompt(bool again = false);
  [[nodiscard]] Status use_response(const std::string& response);
  [[nodiscard]] Status change_adapters();
  [[nodiscard]] Result<Next> failed_or_cancelled(Status status);
  [[nodiscard]] Result<Next> generate();
  // True: the call begins again with the fallback of an unreachable model.
  [[nodiscard]] bool fall_back(const Answer& answer);
  [[nodiscard]] bool goes_again(const Answer& answer);
  [[nodiscard]] Result<Next> ask_after(const Prompt& prompt);
  [[nodiscard]] Status replace_content(const std::string& content, const Prompt& prompt);
  [[nodiscard]] Next retry(const Given<std::string>& feedback);
  [[nodiscard]] Messages new_messages() const;

  const Dispatcher& dispatcher_;
  ModelUse own_model_;
  std::vector<std::string> unreachable_;  // models that the call has tried
  ModelUse model_;                        // of this attempt
  ErrorStreak errors_in_a_row_;           // for a call whose scope has none
  Scope scope_;
  const Work work_;
  const AnswerReader::Clock::time_point begun_;  // with the wait for its turn
  // The request, with what retries added. Each attempt starts from it: changes by PRE_GENERATE apply to one attempt.
  ModelRequest asked_;
  ModelRequest request_;              // of this attempt
  std::unique_ptr<Prompt> prepared_;  // for the current `request_`; null: not yet made
  EventStream events_;
  ParsedOutput output_;
  Usage usage_;                  // of this attempt
  ActiveAdapters own_adapters_;  // for a call outside of conversations, and for another model than that of the call
  ModelAnswer answer_;
  int retries_ = 0;
};
static_assert(!std::is_copy_constructible_v<ModelCall>);

}  // namespace lh
