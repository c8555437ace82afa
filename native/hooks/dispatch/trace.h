// What an engine does, told to whoever watches it: decisions, and what happened beside them. Free when nobody watches.
// Must not: keep anything.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "base/threads/sink_slot.h"
#include "hooks/dispatch/decision.h"

namespace lh {

class Trace {
 public:
  // On the thread on which it happened. Must not block.
  using Sink = std::function<void(const Json& event)>;
  using Clock = std::chrono::steady_clock;
  // Asked only when somebody watches.
  using Fields = FunctionRef<Json()>;
  // Something that takes time. Its number, of no other in the process, joins what is told of its beginning and end.
  struct Span {
    uint64_t number;
    Clock::time_point began;
  };

  Trace() = default;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Tells `sink` from now on, nobody for nullptr. Returns when no call of the old one is running; from inside such a
  // call, at once.
  void set_sink(Sink sink) { sink_.set(std::move(sink)); }

  void tell(const Decision& decision);
  void tell(const char* event, Fields fields);
  Span begin(const char* event, Fields fields, Clock::time_point began = Clock::now());
  void end(const char* event, const Span& span, Fields fields, Clock::time_point ended = Clock::now());

 private:
  SinkSlot<const Json&> sink_;
  // Of all traces: whoever watches several can tell their spans apart.
  inline static std::atomic<uint64_t> last_span_{0};
};
static_assert(!std::is_copy_constructible_v<Trace>);

}  // namespace lh
