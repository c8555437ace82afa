// How much of a prompt a step may read while generations run, so that none waits long for its next token.
// Must not: know llama.cpp, or read a clock.
#pragma once

#include <cstdint>

namespace lh {

class StepPace {
 public:
  // Of at most `most` prompt tokens, so many fit into a step that running generations wait for.
  [[nodiscard]] int32_t prompt_tokens(int32_t most) const;
  // What a step took that had so many tokens of prompts, and in which `decoding` generations got one.
  void measured(int32_t prompt_tokens, bool decoding, double ms);

 private:
  double step_ms_ = 0;          // of a step without prompt tokens; 0: not known yet
  double prompt_token_ms_ = 0;  // of each prompt token, in a step of such size
};

}  // namespace lh
