// Makes a conversation fit a chat template: finds out, by rendering short conversations, what the template renders, and
// folds what it would refuse or leave out. A trait is examined when a conversation first has it, once for each
// template. Must not: change anything that the template renders completely, in any form.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chat.h"
#include "llama/prompt/fit/traits.h"

namespace lh {

struct FoldWays;  // the ways in which the traits of conversations are folded

class Fit {
 public:
  // A prompt as the template writes it; none if it refuses. `inputs` may be changed.
  using Render = std::function<std::optional<std::string>(common_chat_templates_inputs& inputs)>;

  // `template_key`: has the template's sources; two with the same key render alike. `source`: the source of the
  // template itself.
  Fit(std::string template_key, const std::string& source);

  // Folds the messages of `inputs`.
  void apply(common_chat_templates_inputs& inputs, const Render& render) const;

  // The marks that begin the assistant's turn: what differs in the prompt of a message of the user without it. Empty if
  // the template refuses that message.
  [[nodiscard]] std::string turn(const common_chat_templates_inputs& inputs, const Render& render) const;

  // Names of the traits that apply() has folded so far.
  [[nodiscard]] std::vector<std::string> folded() const;

 private:
  [[nodiscard]] std::shared_ptr<FoldWays> ways_for(const common_chat_templates_inputs& inputs) const;

  // The same for values of a variable by which a template does not decide.
  [[nodiscard]] std::string sort_of(const std::string& value) const;

  const std::string template_key_;
  const bool python_calls_;
  mutable std::atomic<uint32_t> folded_{0};  // a bit for each trait
};

}  // namespace lh
