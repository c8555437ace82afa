#include "hooks/dispatch/trace.h"

#include "base/system/time_us.h"
#include "hooks/calls/operation.h"

namespace lh {
namespace {

Json event_json(const char* event, Trace::Clock::time_point at, Trace::Fields fields) {
  const auto ago = std::chrono::duration_cast<std::chrono::microseconds>(Trace::Clock::now() - at).count();
  Json json = {{"type", "lifecycle"},
               {"event", event},
               {"time_us", time_us() - static_cast<uint64_t>(ago)},
               {"clock_us", clock_us(at)}};
  json.update(fields());
  return json;
}

}  // namespace

void Trace::tell(const Decision& decision) {
  if (sink_.present()) sink_.call(to_json(decision));
}

void Trace::tell(const char* event, Fields fields) {
  if (sink_.present()) sink_.call(event_json(event, Clock::now(), fields));
}

void Trace::begin(const char* event, const Span& span, uint64_t parent, Fields fields) {
  if (!sink_.present()) return;
  Json json = event_json(event, span.began, fields);
  json["span"] = span.number;
  if (parent != 0) json["parent_span"] = parent;
  if (const auto& work = Operation::current()) json["task"] = work->number;
  sink_.call(json);
}

void Trace::end(const char* event, const Span& span, Fields fields, Clock::time_point ended) {
  if (!sink_.present()) return;
  Json json = event_json(event, ended, fields);
  json["span"] = span.number;
  json["duration_us"] = microseconds(ended - span.began);
  sink_.call(json);
}

}  // namespace lh
