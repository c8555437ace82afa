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

Json ToolLimits::to_json() const {
  Json same = Json::object();
  for (const auto& [key, one] : same_) {
    same[key] = {{"count", one.count}};
    if (one.last) same[key]["last"] = *one.last;
  }
  return {{"total", total_.load()},
          {"in_a_row", in_a_row_},
          {"last_name", last_name_},
          {"exceeded", exceeded_},
          {"same", std::move(same)}};
}

void ToolLimits::restore(const Json& json) {
  const auto count_of = [](const Json& object, const char* key) {
    const Json count = object.is_object() ? object.value(key, Json()) : Json();
    return count.is_number_integer() && count >= 0 && count <= INT32_MAX ? count.get<int32_t>() : 0;
  };
  total_ = count_of(json, "total");
  in_a_row_ = count_of(json, "in_a_row");
  const Json name = json.value("last_name", Json());
  last_name_ = name.is_string() ? name.get<std::string>() : "";
  exceeded_ = json.value("exceeded", Json()) == true;
  const Json known = json.value("same", Json::object());
  for (const auto& [key, one] : known.items()) {
    Same& same = same_[key];
    same.count = count_of(one, "count");
    const Json last = one.is_object() ? one.value("last", Json()) : Json();
    if (last.is_string()) same.last = last.get<std::string>();
  }
}

std::string ToolLimits::warning(const ToolCall& call) const {
  if (call.name != last_name_ || in_a_row_ != params_.max_calls_in_a_row - kWarnedBefore) return "";
  return call.name + " was called " + std::to_string(in_a_row_) + " times in a row; " +
         std::to_string(params_.max_calls_in_a_row) + " is the limit";
}

}  // namespace lh
