#include "hooks/calls/invoke.h"

#include <chrono>
#include <exception>
#include <utility>

namespace lh {
namespace {

// The only place that calls a callback. A C++ hook may throw although it must not: the exception becomes its failure.
int guarded_call(const Hook& hook, Call& call, const char* context, char** answer) {
  const HookSpec& spec = hook.spec();
  try {
    return spec.callback(spec.point, context, answer, spec.user_data);
  } catch (const std::exception& error) {
    call.fail({Code::kHookFailed, std::string("threw an exception: ") + error.what(), 0});
  } catch (...) {
    call.fail({Code::kHookFailed, "threw something that is not a std::exception", 0});
  }
  return 0;
}

// ON_ERROR may go one level deeper, to report the call that was too deep.
bool too_deep(const Hook& hook, const Call& call) {
  return call.depth() > kMaxDepth + (hook.spec().point == LH_HOOK_ON_ERROR ? 1 : 0);
}

std::string why_given_up(Code why, int64_t deadline_ms) {
  if (why == Code::kHookTimeout) return "no answer within " + std::to_string(deadline_ms) + " ms";
  if (why == Code::kInternal) return "the wait for its answer failed";
  return why == Code::kClosed ? "the engine was closed" : "the operation was cancelled";
}

}  // namespace

void Invocation::start(const char* context) {
  if (!hook_.begin()) return;
  began_ = true;
  call_.emplace(&hook_, scope_.cancel, group_);
  start_ = Clock::now();
  if (too_deep(hook_, *call_)) {
    call_->fail({Code::kHookFailed, "nested deeper than " + std::to_string(kMaxDepth) + " hook calls", 0});
  } else {
    reply_.returned = guarded_call(hook_, *call_, context, &given_);
  }
  reply_.failure = call_->take_failure();
  deferred_ = call_->deferred() != nullptr;
}

void Invocation::step_out() {
  if (!call_) return;
  stepped_out_ = true;
  if (deferred_) return call_->step_out();
  ended_ = Clock::now();
  end();
}

Invocation::Clock::time_point Invocation::due() const {
  const bool waits = deferred_ && hook_.spec().deadline_ms > 0;
  return waits ? start_ + std::chrono::milliseconds(hook_.spec().deadline_ms) : Clock::time_point::max();
}

// Waits for an answer that comes later. The return value and the text of the callback are ignored, unless it failed.
void Invocation::await(char*& given) {
  const BlockPtr ignored(std::exchange(given, nullptr));
  reply_.returned = 0;
  Pending& pending = *call_->deferred();
  if (reply_.failure) pending.end(reply_.failure->code);
  const int64_t deadline_ms = hook_.spec().deadline_ms;
  Code end = pending.wait({start_, deadline_ms, Call::operation(scope_.cancel), scope_.closing});
  ended_ = Clock::now();
  if (end == Code::kOk) {
    Pending::Answer& answer = pending.answer();
    // Counts the time of the answer, because the thread that waits for several hooks may get here after this deadline.
    if (stepped_out_) ended_ = answer.given_at;
    if (!stepped_out_ || ended_ < due()) {
      reply_.returned = answer.returned;
      reply_.failure = std::move(answer.failure);
      given = answer.block;
      if (answer.passed) call_->pass();
      return;
    }
    const BlockPtr unheard(block_size(answer.block) ? answer.block : nullptr);
    end = Code::kHookTimeout;
  }
  if (!reply_.failure) reply_.failure = HookFailure{end, why_given_up(end, deadline_ms), 0};
}

void Invocation::end() {
  reply_.began = start_;
  reply_.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(ended_ - start_).count();
  reply_.ran = reply_.failure || !call_->passed();
  call_.reset();
  if (reply_.ran) {
    hook_.counters().calls.fetch_add(1, std::memory_order_relaxed);
    hook_.counters().total_ns.fetch_add(reply_.duration_ns, std::memory_order_relaxed);
  }
  Running running(hook_, !reply_.ran);
  if (!stepped_out_) reply_.running = std::move(running);
}

Invocation::~Invocation() {
  if (call_) {
    if (deferred_) {
      call_->deferred()->end(Code::kCancelled);
      await(given_);
    }
    end();
  }
  const BlockPtr unheard(block_size(given_) ? given_ : nullptr);
}

Reply Invocation::reply() {
  if (!began_) return std::move(reply_);
  if (call_) {
    if (deferred_) {
      await(given_);
    } else {
      ended_ = Clock::now();
    }
    end();
  }
  char* const given = std::exchange(given_, nullptr);
  if (!reply_.ran) {
    const BlockPtr unheard(block_size(given) ? given : nullptr);
    return std::move(reply_);
  }
  const int64_t deadline_ms = hook_.spec().deadline_ms;
  reply_.late = !deferred_ && !reply_.failure && deadline_ms > 0 && reply_.duration_ns / 1'000'000 >= deadline_ms;
  BlockText answer = take_block(given);
  reply_.block = std::move(answer.block);
  reply_.answer = answer.text;
  reply_.bad_answer = answer.bad;
  return std::move(reply_);
}

Reply invoke(Hook& hook, const char* context, const Scope& scope) {
  Invocation call(hook, scope);
  call.start(context);
  return call.reply();
}

}  // namespace lh
