// Renders a chat template that llama.cpp has no handler for in one pass. llama.cpp needs three passes, two of them for
// the generation prompt, which is the difference between a prompt with it and one without.
// Must not: render if the result could differ from llama.cpp's own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chat.h"
#include "llama/base/handles.h"
#include "llama/jinja/nodes/given.h"
#include "llama/prompt/turns/known_messages.h"

namespace lh {

class OnePass {
 public:
  // Null for a template that needs llama.cpp's own changes to messages. Within a TemplateBudget, as render().
  static std::unique_ptr<const OnePass> create(const llama_vocab* vocab, const common_chat_template& parsed);

  // Prompt and generation prompt; none if llama.cpp must render. Throws what the template throws.
  [[nodiscard]] std::optional<common_chat_params> render(const common_chat_templates_inputs& inputs) const;

 private:
  OnePass(const llama_vocab* vocab, const common_chat_template& parsed);
  // Sets the variables that the template reads.
  void give(const common_chat_templates_inputs& inputs, jinja::context& scope) const;
  [[nodiscard]] std::string as_prompt(std::string text) const;

  common_chat_template template_;  // its program ends where the generation prompt may begin
  mutable GivenValues values_;
  mutable KnownMessages known_;
  jinja::program tail_;    // the rest; empty: the start of the generation prompt is unknown
  bool switched_ = false;  // the template knows of a generation prompt
  bool adds_bos_ = false;
  bool adds_eos_ = false;
};

}  // namespace lh
