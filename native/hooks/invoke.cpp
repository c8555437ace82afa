#include "hooks/invoke.h"

#include <chrono>
#include <exception>
#include <utility>

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;

class HookUse {
 public:
  explicit HookUse(Hook& hook) : hook_(hook), begun_(hook.begin()) {}
  ~HookUse() {
    if (begun_) hook_.end();
  }
  HookUse(const HookUse&) = delete;
  HookUse& operator=(const HookUse&) = delete;
  [[nodiscard]] bool begun() const { return begun_; }

 private:
  Hook& hook_;
  const bool begun_;
};

// The one place where a callback is called. A C++ hook may throw though it must not: its failure stays its own.
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

// ON_ERROR may go one deeper: it tells of the call that was too deep.
bool too_deep(const Hook& hook, const Call& call) {
  return call.depth() > kMaxDepth + (hook.spec().point == LH_HOOK_ON_ERROR ? 1 : 0);
}

std::string why_given_up(Code why, int64_t deadline_ms) {
  if (why == Code::kHookTimeout) return "no answer within " + std::to_string(deadline_ms) + " ms";
  if (why == Code::kInternal) return "the wait for its answer failed";
  return why == Code::kClosed ? "the engine was closed" : "the operation was cancelled";
}

// Waits for an answer that comes later. What the callback itself returned and wrote counts for nothing, but that it
// failed.
void await(Call& call, int64_t deadline_ms, const Scope& scope, Clock::time_point start, Reply& reply, char*& given) {
  const BlockPtr ignored(std::exchange(given, nullptr));
  reply.returned = 0;
  Pending& pending = *call.deferred();
  if (reply.failure) pending.end(reply.failure->code);
  const Code end = pending.wait({start, deadline_ms, Call::operation(scope.cancel), scope.closing});
  if (end == Code::kOk) {
    Pending::Answer& answer = pending.answer();
    reply.returned = answer.returned;
    reply.failure = std::move(answer.failure);
    given = answer.block;
    if (answer.passed) call.pass();
  } else if (!reply.failure) {
    reply.failure = HookFailure{end, why_given_up(end, deadline_ms), 0};
  }
}

}  // namespace

Reply invoke(Hook& hook, const char* context, const Scope& scope) {
  Reply reply;
  char* given = nullptr;
  bool deferred = false;
  {
    const HookUse use(hook);
    if (!use.begun()) return reply;
    Call call(&hook, scope.cancel);
    const Clock::time_point start = Clock::now();
    if (too_deep(hook, call)) {
      call.fail({Code::kHookFailed, "nested deeper than " + std::to_string(kMaxDepth) + " hook calls", 0});
    } else {
      reply.returned = guarded_call(hook, call, context, &given);
    }
    reply.failure = call.take_failure();
    deferred = call.deferred() != nullptr;
    if (deferred) await(call, hook.spec().deadline_ms, scope, start, reply, given);
    reply.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    reply.ran = reply.failure || !call.passed();
  }
  if (!reply.ran) {
    const BlockPtr unheard(block_size(given) ? given : nullptr);
    return reply;
  }
  const int64_t deadline_ms = hook.spec().deadline_ms;
  reply.late = !deferred && !reply.failure && deadline_ms > 0 && reply.duration_ns / 1'000'000 >= deadline_ms;
  BlockText answer = take_block(given);
  reply.block = std::move(answer.block);
  reply.answer = answer.text;
  reply.bad_answer = answer.bad;
  hook.counters().calls.fetch_add(1, std::memory_order_relaxed);
  hook.counters().total_ns.fetch_add(reply.duration_ns, std::memory_order_relaxed);
  return reply;
}

}  // namespace lh
