// A chat template that llama.cpp has no handler for, rendered in one pass: its own way takes three, of which the
// generation prompt, the difference between a prompt with it and one without, costs two.
// Must not: render where the outcome could be another than llama.cpp's own.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chat.h"
#include "llama/base/handles.h"

namespace lh {

class OnePass {
 public:
  // Null for a template that needs what llama.cpp alone does to messages. `source`: as llama.cpp tells it.
  static std::unique_ptr<const OnePass> create(const llama_vocab* vocab, const std::string& source);

  // Prompt and generation prompt; nothing where llama.cpp must be asked. Throws what the template throws.
  [[nodiscard]] std::optional<common_chat_params> render(const common_chat_templates_inputs& inputs) const;

 private:
  OnePass(const llama_vocab* vocab, const std::string& source);
  void split();
  [[nodiscard]] common_json variables(const common_chat_templates_inputs& inputs) const;
  [[nodiscard]] std::string as_prompt(std::string text) const;

  common_chat_template template_;  // its program ends where the generation prompt may begin
  jinja::program tail_;            // the rest; empty: nothing is known of where the generation prompt begins
  bool adds_bos_ = false;
  bool adds_eos_ = false;
};

}  // namespace lh
