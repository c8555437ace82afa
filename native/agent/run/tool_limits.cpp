#include "agent/run/tool_limits.h"

#include "agent/permissions/call_key.h"

namespace lh {
namespace {

constexpr int32_t kWarnedBefore = 2;  // calls before the limit

}  // namespace

std::optional<ToolLimits::Refusal> ToolLimits::refusal(const ToolCall& call) {
  const Same& same = same_[call_key(call)];
  if (same.count >= params_.max_identical_calls) {
    const std::string result = same.last ? "; its result was: " + *same.last : " in this message";
    return Refusal{ResultKind::kRejectedDuplicate, "already called with the same arguments" + result};
  }
  if (all_used()) {
    exceeded_ = true;
    return Refusal{ResultKind::kRejectedLimit,
                   "limit reached: " + std::to_string(params_.max_tool_calls) + " tool calls in this run"};
  }
  if (call.name == last_name_ && in_a_row_ >= params_.max_calls_in_a_row) {
    return Refusal{ResultKind::kRejectedLimit, "limit reached: " + std::to_string(params_.max_calls_in_a_row) +
                                                   " calls of " + call.name + " in a row; do something else"};
  }
  return std::nullopt;
}

bool ToolLimits::all_used() const {
  return total_ >= params_.max_tool_calls || (above_ != nullptr && above_->all_used());
}

void ToolLimits::count(const ToolCall& call) {
  for (ToolLimits* one = this; one != nullptr; one = one->above_) ++one->total_;
  ++same_[call_key(call)].count;
  in_a_row_ = call.name == last_name_ ? in_a_row_ + 1 : 1;
  last_name_ = call.name;
}

void ToolLimits::ended(const ToolCall& call, const std::string& result) { same_[call_key(call)].last = result; }

std::string ToolLimits::warning(const ToolCall& call) const {
  if (call.name != last_name_ || in_a_row_ != params_.max_calls_in_a_row - kWarnedBefore) return "";
  return call.name + " was called " + std::to_string(in_a_row_) + " times in a row; " +
         std::to_string(params_.max_calls_in_a_row) + " is the limit";
}

}  // namespace lh
