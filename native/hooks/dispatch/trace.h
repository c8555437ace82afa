// Reports decisions and other events of an engine to a sink. Free without a sink. Must not: store events.
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
  // Called on the thread of the event. Must not block.
  using Sink = std::function<void(const Json& event)>;
  using Clock = std::chrono::steady_clock;
  // Called only if there is a sink.
  using Fields = FunctionRef<Json()>;
  // Something with a duration. Its number, unique in the process, connects its beginning and its end.
  struct Span {
    uint64_t number;
    Clock::time_point began;
  };

  Trace() = default;
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Sets the sink (nullptr: none). Returns when no call of the old one is running; at once if called from inside one.
  void set_sink(Sink sink) { sink_.set(std::move(sink)); }

  void tell(const Decision& decision);
  void tell(const char* event, Fields fields);
  // A number for a span that others name before it begins.
  [[nodiscard]] static uint64_t next_span() noexcept { return last_span_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // `parent`: the number of the activity that this one is a part of; 0: none. The event also names the task of this
  // thread, if there is one.
  Span begin(const char* event, uint64_t parent, Fields fields, Clock::time_point began = Clock::now()) {
    const Span span{next_span(), began};
    begin(event, span, parent, fields);
    return span;
  }
  void begin(const char* event, const Span& span, uint64_t parent, Fields fields);
  void end(const char* event, const Span& span, Fields fields, Clock::time_point ended = Clock::now());

 private:
  SinkSlot<const Json&> sink_;
  // Shared by all traces, so that spans of several traces stay distinct.
  inline static std::atomic<uint64_t> last_span_{0};
};
static_assert(!std::is_copy_constructible_v<Trace>);

}  // namespace lh
