// The transitions of the agent loop: each legal one is possible, no other is.
#include <map>
#include <set>

#include "agent/run/loop_state.h"
#include "check.h"

namespace {

using enum lh::LoopState;
using lh::LoopState;

constexpr LoopState kAll[] = {kIdle,       kPlanning, kExecuting, kWaitingTool, kVerifying,
                              kDelegating, kComplete, kError,     kInterrupted, kPaused};

// From the design, by hand: compared with the table.
const std::map<LoopState, std::set<LoopState>> kLegal = {
    {kIdle, {kPlanning}},
    {kPlanning, {kExecuting, kInterrupted, kError}},
    {kExecuting, {kWaitingTool, kVerifying, kDelegating, kComplete, kPaused, kInterrupted, kError}},
    {kWaitingTool, {kExecuting, kDelegating, kVerifying, kInterrupted, kError, kPaused}},
    {kVerifying, {kComplete, kExecuting, kInterrupted, kError}},
    {kDelegating, {kWaitingTool, kExecuting, kInterrupted, kError}},
    {kPaused, {kExecuting, kWaitingTool, kInterrupted}},
    {kComplete, {kIdle}},
    {kError, {kIdle}},
    {kInterrupted, {kIdle}},
};

void every_pair_is_as_designed() {
  size_t moves = 0;
  for (const LoopState from : kAll) {
    for (const LoopState to : kAll) {
      const bool legal = kLegal.at(from).contains(to);
      moves += legal ? 1 : 0;
      if (!CHECK(lh::may_move(from, to) == legal)) {
        fprintf(stderr, "  %s to %s\n", lh::loop_state_name(from).data(), lh::loop_state_name(to).data());
      }
    }
  }
  CHECK(lh::loop_moves().size() == moves);
}

// From any state a run can return to the state where the next one starts.
void every_state_leads_back_to_idle() {
  for (const LoopState start : kAll) {
    std::set<LoopState> reached = {start};
    for (size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const auto& [from, to] : lh::loop_moves()) {
        if (reached.contains(from)) reached.insert(to);
      }
    }
    CHECK(reached.contains(kIdle));
  }
}

}  // namespace

int main() {
  every_pair_is_as_designed();
  every_state_leads_back_to_idle();
  return check_result("loop_state_test");
}
