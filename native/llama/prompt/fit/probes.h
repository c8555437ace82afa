// Short conversations that show whether a template renders a trait.
#pragma once

#include <string>
#include <vector>

#include "llama/prompt/fit/traits.h"

namespace lh {

// A conversation with a trait, whose other traits are decided without it; and the words that its prompt must have.
struct Probe {
  ChatMessages messages;
  std::vector<std::string> words;
  std::string thought;  // a word of reasoning, which its prompt must have if the template writes reasoning at all
  bool turn = false;    // its prompt must end with what begins the assistant's turn
};

[[nodiscard]] std::vector<Probe> probes_of(Trait trait);

// Reasoning that every template with a form for reasoning writes.
[[nodiscard]] Probe probe_of_reasoning();

// A conversation that the assistant's turn follows with every template.
[[nodiscard]] ChatMessages probe_of_turn();

// The tool that the calls of the probes name.
[[nodiscard]] common_chat_tool probe_tool();

}  // namespace lh
