// Computes how much of a prompt a step may read while generations run, so that none waits long for its next token.
#pragma once

#include <cstdint>

namespace lh {

class StepPace {
 public:
  // `fairness`: the part of the time that generations keep, from 0 to 1.
  explicit StepPace(double fairness) : fairness_(fairness) {}

  // The number of prompt tokens, at most `most`, for a step that running generations wait for.
  [[nodiscard]] int32_t prompt_tokens(int32_t most) const;
  // Reports the duration of a step with this many prompt tokens, in which `decoding` generations got one token each.
  void measured(int32_t prompt_tokens, bool decoding, double ms);

 private:
  const double fairness_;
  double step_ms_ = 0;          // of a step without prompt tokens; 0: unknown
  double prompt_token_ms_ = 0;  // per prompt token, in a step of this size
};

}  // namespace lh
