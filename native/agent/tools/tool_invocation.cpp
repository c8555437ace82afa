#include "agent/tools/tool_invocation.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/text/utf8.h"
#include "hooks/calls/allocator.h"
#include "hooks/calls/invoke.h"
#include "hooks/points/value_check.h"

namespace lh {
namespace {

const Json& result_schema() {
  static const Json schema = {{"type", "object"},
                              {"properties",
                               {{"result", {{"type", "string"}}},
                                {"is_error", {{"type", "boolean"}}},
                                {"parts", {{"type", "array"}}},
                                {"directives",
                                 {{"type", "array"},
                                  {"items",
                                   {{"type", "object"},
                                    {"properties", {{"type", {{"type", "string"}}}, {"params", {{"type", "object"}}}}},
                                    {"required", Json::array({"type"})},
                                    {"additionalProperties", false}}}}}}},
                              {"required", Json::array({"result"})},
                              {"additionalProperties", false}};
  return schema;
}

}  // namespace

void ToolInvocation::start() {
  start_ = Clock::now();
  call_.emplace(nullptr, &cancel_);
  if (call_->depth() > kMaxDepth) {
    answer_ = {End::kFailed, true, "nested deeper than " + std::to_string(kMaxDepth) + " calls of hooks and tools", 0,
               {},           0};
    call_.reset();
    return;
  }
  if (waiter_ != nullptr) call_->set_listener(this);
  call_back(*call_);
  if (call_->deferred() != nullptr) {
    if (waiter_ != nullptr) call_->deferred()->set_bell(waiter_->bell);
    call_->step_out();
  } else {
    close();
  }
}

void ToolInvocation::close() {
  Json asked = call_->take_directives();
  std::shared_ptr<UserQuestions> questions;
  {
    const MutexLock lock(mutex_);
    questions = questions_;
  }
  if (questions != nullptr) questions->close();
  if (asked.is_array()) {
    for (Json& directive : answer_.directives) asked.push_back(std::move(directive));
    answer_.directives = std::move(asked);
  }
  call_.reset();
  static_cast<void>(tell_progress(std::chrono::milliseconds(0)));  // there will be none any more
}

void ToolInvocation::take(CallProgress progress) {
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    const auto now = Clock::now();
    if (now >= due_from(renewed_now())) return;  // too late, though the end may not have been noticed
    renewed_ = now;
    is_first = !untold_;
    untold_ = std::move(progress);
  }
  if (is_first) waiter_->bell.ring();
}

void ToolInvocation::take(CallFault fault) {
  {
    const MutexLock lock(mutex_);
    faults_.push_back(std::move(fault));
  }
  waiter_->bell.ring();
}

Result<std::shared_ptr<UserQuestion>> ToolInvocation::question(UserRequest request) {
  const MutexLock lock(mutex_);
  if (Clock::now() >= due_from(renewed_now())) return Status(Code::kNotFound, "the call of the tool is over");
  if (questions_ == nullptr) {
    questions_ =
        std::make_shared<UserQuestions>(ask_, waiter_->line, cancel_, [bell = &waiter_->bell] { bell->ring(); });
  }
  return questions_->open(std::move(request));
}

ToolInvocation::Clock::time_point ToolInvocation::tell_progress(std::chrono::milliseconds pause) {
  CallProgress progress;
  std::vector<CallFault> faults;
  auto next = Clock::time_point::max();
  bool is_time = false;
  {
    const MutexLock lock(mutex_);
    if (given_up_) return next;
    faults.swap(faults_);
    if (untold_ && told_ != Clock::time_point()) next = told_ + pause;
    is_time = untold_ && (told_ == Clock::time_point() || Clock::now() >= next);
    if (is_time) progress = *std::exchange(untold_, std::nullopt);
  }
  for (const CallFault& fault : faults) waiter_->fault(*this, fault);
  if (!is_time) return next;
  told_ = Clock::now();
  waiter_->progress(*this, progress);
  return Clock::time_point::max();
}

// One of the places where exceptions stop: a C++ tool may throw though it must not.
void ToolInvocation::call_back(Call& call) {
  char* given = nullptr;
  int returned = 0;
  std::string thrown;
  try {
    returned = (what_ == What::kRun ? tool_.run() : tool_.check())(json_.c_str(), &given, tool_.user_data());
  } catch (const std::exception& error) {
    thrown = std::string("threw an exception: ") + error.what();
  } catch (...) {
    thrown = "threw something that is not a std::exception";
  }
  const auto failure = call.take_failure();
  if (!thrown.empty() || failure) {
    static_cast<void>(take_block(given));
    answer_ = failure ? failed(*failure) : Answer{End::kFailed, true, to_utf8(thrown), 0, {}, 0};
    if (call.deferred() != nullptr) call.deferred()->end(Code::kHookFailed);
  } else if (call.deferred() != nullptr) {
    static_cast<void>(take_block(given));  // its answer comes later
    return;
  } else {
    answer_ = read(returned, given);
  }
  answer_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
}

ToolInvocation::Answer ToolInvocation::read(int returned, char* block) const {
  const BlockText taken = take_block(block);
  if (!taken.bad.empty()) return {End::kFailed, true, std::string(taken.bad), 0, {}, 0};
  std::string text = to_utf8(taken.text.value_or(""));
  if (returned != 0 || what_ != What::kRun || !tool_.json_result()) {
    return {End::kAnswered, returned != 0, std::move(text), 0, {}, 0};
  }
  auto json = parse_json(text, "the result");
  if (!json.ok()) return {End::kFailed, true, json.status().message(), 0, {}, 0};
  if (const auto offence = check_value(*json, result_schema())) {
    return {End::kFailed,
            true,
            (offence->path.empty() ? "the result " : "the result: " + offence->path + " ") + offence->why,
            0,
            {},
            0};
  }
  Json directives = json->value("directives", Json());
  for (Json& directive : directives) directive.emplace("params", Json::object());  // as hooks are shown it
  const bool is_error = json->value("is_error", false);
  return {End::kAnswered,        is_error, (*json)["result"].get<std::string>(), 0,
          std::move(directives), 0,        json->value("parts", Json()),         is_error};
}

// A tool that gives up because its run was cancelled has not failed.
ToolInvocation::Answer ToolInvocation::failed(const HookFailure& failure) const {
  if (gave_up_with_operation(failure, &cancel_)) return {End::kCancelled, true, cancel_.reason(), 0, {}, 0};
  return {End::kFailed, true, to_utf8(failure.message), 0, {}, failure.cause_id};
}

ToolInvocation::Clock::time_point ToolInvocation::renewed() const {
  const MutexLock lock(mutex_);
  return renewed_now();
}

ToolInvocation::Clock::time_point ToolInvocation::renewed_now() const {
  const Clock::time_point told = renewed_.value_or(start_);
  if (questions_ == nullptr) return told;
  if (questions_->any_open()) return Clock::time_point::max();
  return std::max(told, questions_->last_ended().value_or(told));
}

ToolInvocation::Clock::time_point ToolInvocation::due_from(Clock::time_point start) const {
  if (deadline_ms_ <= 0 || start == Clock::time_point::max()) return Clock::time_point::max();
  return start + std::chrono::milliseconds(std::min(deadline_ms_, Pending::kLongestMs));
}

ToolInvocation::Clock::time_point ToolInvocation::due() const { return due_from(renewed()); }

bool ToolInvocation::over() const {
  return !call_ || call_->deferred()->over() || cancel_.cancelled() || Clock::now() >= due();
}

ToolInvocation::Answer ToolInvocation::later_answer(Code end, Pending::Answer* given) const {
  const bool begun = call_->deferred()->has_begun();
  const std::string late = "timed out after " + std::to_string(deadline_ms_) + " ms";
  switch (end) {
    case Code::kOk: {
      Answer answer = given->failure ? failed(*given->failure) : read(given->returned, given->block);
      return given->given_at < due() ? answer : Answer{End::kTimedOut, true, late, 0, {}, 0};
    }
    case Code::kHookTimeout: return {End::kTimedOut, true, late, 0, {}, 0};
    case Code::kInternal: return {End::kFailed, true, "the wait for its answer failed", 0, {}, 0};
    default: return {begun ? End::kCancelled : End::kNotBegun, true, cancel_.reason(), 0, {}, 0};
  }
}

ToolInvocation::Answer ToolInvocation::wait() {
  if (!call_) return std::move(answer_);
  Pending& pending = *call_->deferred();
  const Clock::time_point from = renewed();
  const bool counts = from != Clock::time_point::max();
  const Code end = pending.wait({from, counts ? deadline_ms_ : 0, &cancel_, nullptr});
  Pending::Answer* const given = end == Code::kOk ? &pending.answer() : nullptr;
  if (answer_.end == End::kAnswered) {
    answer_ = later_answer(end, given);
    const Clock::time_point ended = given != nullptr ? given->given_at : Clock::now();
    answer_.elapsed_ms = std::chrono::duration<double, std::milli>(ended - start_).count();
  } else if (given != nullptr) {
    static_cast<void>(take_block(given->block));  // it had failed before it answered
  }
  close();
  return std::move(answer_);
}

ToolInvocation::~ToolInvocation() {
  if (!call_ || call_->deferred() == nullptr) return;
  given_up_ = true;
  call_->deferred()->end(Code::kCancelled);
  static_cast<void>(wait());
}

}  // namespace lh
