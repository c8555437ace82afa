// Makes the request of a model call from the conversation, its system prompt, and the tools and sampling of its
// speaker.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "agent/session/dialogue.h"
#include "generation/model_call.h"
#include "generation/model_source.h"
#include "hooks/dispatch/decision_log.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

class RequestBuilder {
 public:
  // All outlive it. Decisions of hooks are added to `decisions`.
  RequestBuilder(Dialogue& dialogue, const Dispatcher& dispatcher, const Scope& scope, const ModelUse& model,
                 std::vector<Decision>& decisions)
      : dialogue_(dialogue), dispatcher_(dispatcher), scope_(scope), model_(model), decisions_(decisions) {}
  RequestBuilder(const RequestBuilder&) = delete;
  RequestBuilder& operator=(const RequestBuilder&) = delete;

  // The schema that the run's last message follows.
  void set_answer(std::optional<Json> schema) { answer_ = std::move(schema); }
  [[nodiscard]] bool wants_answer() const { return answer_.has_value(); }
  [[nodiscard]] const std::optional<Json>& answer() const { return answer_; }
  // True if the tool takes the run's answer as its argument `answer`.
  [[nodiscard]] bool takes_answer(const AgentTool& tool) const;

  // From now on the model is shown the tools and may call none.
  void without_calls() { calls_ = false; }

  // Sampling parameters of the run, which take precedence over those of the session, the tier and the phase.
  void set_params(Json params) { params_ = std::move(params); }
  [[nodiscard]] const Json& params() const { return params_; }

  // A request with `messages`. Fires BOOTSTRAP the first time. Errors: those of the sampling parameters; those of the
  // model while it checks the tools, other than kInvalidSchema.
  [[nodiscard]] Result<ModelRequest> build(const Messages& messages);

 private:
  [[nodiscard]] std::shared_ptr<const Tool> shown(const AgentTool& tool) const;
  [[nodiscard]] Status offer_tools(const std::shared_ptr<const Profile>& profile, bool strict);

  Dialogue& dialogue_;
  const Dispatcher& dispatcher_;
  const Scope& scope_;
  const ModelUse& model_;
  std::vector<Decision>& decisions_;
  Json params_ = Json::object();
  std::optional<Json> answer_;
  Status answer_status_;  // of the tool that takes the answer
  bool calls_ = true;
  // The tools of `offered_for_` whose calls the model can be constrained to.
  std::shared_ptr<const Profile> offered_for_;
  Tools offered_;
};
static_assert(!std::is_copy_constructible_v<RequestBuilder>);

// `messages` with consecutive user messages joined: many chat templates require user and assistant to alternate.
[[nodiscard]] Messages with_users_joined(const Messages& messages);

}  // namespace lh
