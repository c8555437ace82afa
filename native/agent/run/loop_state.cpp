#include "agent/run/loop_state.h"

#include <algorithm>

namespace lh {
namespace {

using enum LoopState;

constexpr std::string_view kNames[] = {"IDLE",       "PLANNING", "EXECUTING", "WAITING_TOOL", "VERIFYING",
                                       "DELEGATING", "COMPLETE", "ERROR",     "INTERRUPTED",  "PAUSED"};

// A pause returns to the state that it was entered from; the code that pauses remembers that state.
constexpr std::pair<LoopState, LoopState> kMoves[] = {
    {kIdle, kPlanning},          {kPlanning, kExecuting},     {kPlanning, kInterrupted},
    {kPlanning, kError},         {kExecuting, kWaitingTool},  {kExecuting, kVerifying},
    {kExecuting, kDelegating},   {kExecuting, kComplete},     {kExecuting, kPaused},
    {kExecuting, kInterrupted},  {kExecuting, kError},        {kWaitingTool, kExecuting},
    {kWaitingTool, kDelegating}, {kWaitingTool, kVerifying},  {kWaitingTool, kInterrupted},
    {kWaitingTool, kError},      {kWaitingTool, kPaused},     {kDelegating, kWaitingTool},
    {kDelegating, kExecuting},   {kDelegating, kInterrupted}, {kDelegating, kError},
    {kVerifying, kComplete},     {kVerifying, kExecuting},    {kVerifying, kInterrupted},
    {kVerifying, kError},        {kPaused, kExecuting},       {kPaused, kWaitingTool},
    {kPaused, kInterrupted},     {kComplete, kIdle},          {kError, kIdle},
    {kInterrupted, kIdle},
};

}  // namespace

std::string_view loop_state_name(LoopState state) { return kNames[static_cast<size_t>(state)]; }

std::span<const std::pair<LoopState, LoopState>> loop_moves() { return kMoves; }

bool may_move(LoopState from, LoopState to) {
  return std::ranges::find(kMoves, std::pair{from, to}) != std::ranges::end(kMoves);
}

}  // namespace lh
