#include "hooks/invoke.h"

#include <chrono>
#include <cstring>
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

void take_answer(char* answer, Reply& reply) {
  if (answer == nullptr) return;
  const std::optional<size_t> size = block_size(answer);
  if (!size) {
    // Never freed: freeing or even reading a foreign pointer may end the process. It leaks, and it says so.
    reply.bad_answer = "answer not allocated with lh_alloc";
    return;
  }
  reply.block.reset(answer);
  const auto* end = static_cast<const char*>(std::memchr(answer, '\0', *size));
  if (end != nullptr) {
    reply.answer = std::string_view(answer, static_cast<size_t>(end - answer));
  } else {
    reply.bad_answer = "answer without a NUL at its end";
  }
}

}  // namespace

Reply invoke(Hook& hook, const char* context, CancelFlag* cancel) {
  Reply reply;
  char* answer = nullptr;
  {
    const HookUse use(hook);
    if (!use.begun()) return reply;
    Call call(hook, cancel);
    const Clock::time_point start = Clock::now();
    reply.returned = guarded_call(hook, call, context, &answer);
    reply.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    reply.failure = call.take_failure();
    reply.ran = reply.failure || !call.passed();
  }
  if (!reply.ran) {
    const BlockPtr unheard(block_size(answer) ? answer : nullptr);
    return reply;
  }
  const int64_t deadline_ms = hook.spec().deadline_ms;
  reply.late = !reply.failure && deadline_ms > 0 && reply.duration_ns / 1'000'000 >= deadline_ms;
  take_answer(answer, reply);
  hook.counters().calls.fetch_add(1, std::memory_order_relaxed);
  hook.counters().total_ns.fetch_add(reply.duration_ns, std::memory_order_relaxed);
  return reply;
}

}  // namespace lh
