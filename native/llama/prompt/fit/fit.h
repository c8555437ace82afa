// Makes a conversation fit a chat template: finds out, by rendering short conversations, what the template renders, and
// folds what it would refuse or leave out. A trait is looked at when a conversation has it, once for each template.
// Must not: change what the template renders with all its words, however it does so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/recent_values.h"
#include "chat.h"
#include "llama/prompt/fit/traits.h"

namespace lh {

struct FoldWays;  // the ways in which the traits of conversations are folded

class Fit {
 public:
  // A prompt as the template writes it; none if it refuses. `inputs` may be changed.
  using Render = std::function<std::optional<std::string>(common_chat_templates_inputs& inputs)>;

  // `template_key`: two templates with the same key render alike. `source`: the template's.
  Fit(std::string template_key, const std::string& source);

  // Folds the messages of `inputs`.
  void apply(common_chat_templates_inputs& inputs, const Render& render) const;

  // Names of the traits that apply() has folded so far.
  [[nodiscard]] std::vector<std::string> folded() const;

 private:
  [[nodiscard]] std::shared_ptr<FoldWays> ways_for(const common_chat_templates_inputs& inputs) const;

  const std::string template_key_;
  const bool python_calls_;
  mutable RecentValues<std::shared_ptr<FoldWays>> ways_{16, 1UL << 20};  // by everything but the messages
  mutable std::atomic<uint32_t> folded_{0};                              // a bit for each trait
};

}  // namespace lh
