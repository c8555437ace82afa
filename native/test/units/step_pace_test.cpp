// The share of a prompt that is read beside running generations, on machines that compute at known speeds.
#include "llama/decode/step_pace.h"
#include "check.h"

namespace {

struct Machine {
  double step_ms;   // of a step for running generations
  double token_ms;  // of a prompt token
  double batch_ms;  // of reading any prompt tokens at all
};

// The time that running generations wait once the pace has settled.
double settled_gap(const Machine& machine, int32_t& chunk, double fairness = 0.125) {
  lh::StepPace pace(fairness);
  double gap = 0;
  for (int i = 0; i < 50; ++i) {
    pace.measured(0, true, machine.step_ms);
    chunk = pace.prompt_tokens(512);
    gap = machine.step_ms + machine.batch_ms + machine.token_ms * chunk;
    pace.measured(chunk, true, gap);
  }
  return gap;
}

void a_gap_is_at_most_eight_steps() {
  int32_t chunk = 0;
  const double slow = settled_gap({10, 7, 0}, chunk);  // a CPU
  CHECK(slow <= 8 * 10 && chunk == 8);
  const double fast = settled_gap({5, 0.1, 5}, chunk);  // a GPU
  CHECK(fast <= 8 * 5 + 0.1 && chunk >= 288 && chunk <= 300);
}

void fairness_is_the_part_of_the_time_that_generations_keep() {
  int32_t chunk = 0;
  const double half = settled_gap({5, 0.1, 5}, chunk, 0.5);
  CHECK(half <= 2 * 5 + 5.1 && chunk >= 8);
  static_cast<void>(settled_gap({10, 7, 0}, chunk, 0));
  CHECK(chunk == 512);  // the whole batch
  static_cast<void>(settled_gap({5, 0.1, 5}, chunk, 1));
  CHECK(chunk == 8);
  static_cast<void>(settled_gap({5, 0.001, 0}, chunk, 0.01));
  CHECK(chunk == 512);
}

void so_few_tokens_are_not_worth_a_step() {
  int32_t chunk = 0;
  static_cast<void>(settled_gap({1, 50, 0}, chunk));
  CHECK(chunk == 8);
}

void what_was_not_measured_is_tried_with_little() {
  lh::StepPace pace(0.125);
  CHECK(pace.prompt_tokens(512) == 32);
  CHECK(pace.prompt_tokens(5) == 5);
  pace.measured(512, false, 512);
  CHECK(pace.prompt_tokens(512) == 32);
  pace.measured(0, true, 10);
  CHECK(pace.prompt_tokens(512) == 64);
  pace.measured(3, true, 1000);  // the end of a prompt says nothing of its tokens
  CHECK(pace.prompt_tokens(512) == 64);
  CHECK(pace.prompt_tokens(64) == 64);
}

}  // namespace

int main() {
  a_gap_is_at_most_eight_steps();
  fairness_is_the_part_of_the_time_that_generations_keep();
  so_few_tokens_are_not_worth_a_step();
  what_was_not_measured_is_tried_with_little();
  return check_result("step_pace_test");
}
