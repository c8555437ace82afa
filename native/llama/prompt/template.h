// One chat template of llama.cpp: renders a conversation to prompt text, with or without the data for the answer.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "base/threads/recent_values.h"
#include "chat.h"
#include "llama/base/handles.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/prompt/fit/fit.h"
#include "llama/prompt/formats.h"
#include "llama/prompt/turns/turn_renderer.h"

namespace lh {

class LlamaTemplate {
 public:
  // Uses the template of the model file, or `override_template`. Errors: kTemplateFailed if it does not parse, or if
  // the override does more than a template may; kModelFileInvalid if the template of the model file does; the work's,
  // if it is cancelled.
  static Result<std::unique_ptr<LlamaTemplate>> create(const llama_model* model, const std::string& override_template);

  // Both stop with kTemplateFailed if the template does more than a template may, and when the work is cancelled.
  // Everything that llama.cpp derives for a prompt and its answer; grammar and parser are built anew. Here and below,
  // the messages of `inputs` are made to fit the template, and ids of calls that it refuses are shortened. If the
  // template fails for the schemas of the tools, others with the same meaning take their place for this call.
  Result<common_chat_params> apply(common_chat_templates_inputs& inputs) const;

  // Only the prompt and the generation prompt of apply(), the other members are unreliable. llama.cpp prepares the
  // first turn of a kind, such that it renders the same and builds next to nothing; see TurnRenderer.
  Result<common_chat_params> render(common_chat_templates_inputs& inputs) const;

  [[nodiscard]] bool able(const std::string& what) const;  // as detected by llama.cpp
  // The names of the message features that were written in another form so far, because the template has none for
  // them.
  [[nodiscard]] std::vector<std::string> folds() const { return fit_.folded(); }
  [[nodiscard]] std::string source() const;
  // Identifies everything that llama.cpp knows of the template: two with the same key render alike.
  [[nodiscard]] FormatKey key() const;

 private:
  // The settings with which render() calls llama.cpp for a template.
  struct Rendering {
    bool pure = false;          // llama.cpp has no special handler for the template, which could change messages
    bool shows_schema = false;  // the answer's schema may be part of the prompt
    std::unique_ptr<TurnRenderer> turns;  // one thread at a time
  };
  class ForgetsChanged;

  explicit LlamaTemplate(common_chat_templates_ptr templates);
  [[nodiscard]] static Rendering rendering_of(const common_chat_templates& all, const common_chat_template& parsed);
  [[nodiscard]] Fit::Render rendering() const;
  [[nodiscard]] int known_mend(const std::vector<common_chat_tool>& tools) const;  // 0: none
  using Attempt = Result<common_chat_params> (LlamaTemplate::*)(common_chat_templates_inputs& inputs) const;
  Result<common_chat_params> fitted(common_chat_templates_inputs& inputs, Attempt attempt) const;
  Result<common_chat_params> mended(common_chat_templates_inputs& inputs, Attempt attempt) const;
  Result<common_chat_params> apply_as_it_is(common_chat_templates_inputs& inputs) const;
  Result<common_chat_params> render_as_it_is(common_chat_templates_inputs& inputs) const;
  Result<common_chat_params> apply_locked(common_chat_templates_inputs& inputs, TemplateLimits limits) const
      LH_REQUIRES(mutex_);
  Result<common_chat_params> applied(common_chat_templates_inputs& inputs, TemplateLimits limits) const
      LH_REQUIRES(mutex_);

  common_chat_templates_ptr templates_;
  std::map<std::string, bool> abilities_;
  Rendering rendering_;
  std::optional<Rendering> with_tools_;  // for the template that is used when there are tools
  const Fit fit_;
  mutable std::atomic<bool> mends_{false};                // some tools needed a mend of their schemas
  mutable RecentValues<int> known_mends_{32, 4UL << 20};  // by the tools
  mutable std::atomic<bool> short_ids_{false};  // the template refused a call's id, and took nine letters and digits
  mutable Mutex mutex_;                         // one thread at a time may render
};

}  // namespace lh
