// Where the events of a piece of work go.
// Must not: know what an event says, or who reads it.
#pragma once

#include <string>

namespace lh {

class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  // False while nobody reads: then an event need not be built. May change at any time.
  [[nodiscard]] virtual bool wanted() const = 0;
  // Hands on one event, a JSON object. May wait for a reader that is behind, so call it without a lock. Does nothing when
  // the reader has just left.
  virtual void emit(const std::string& event_json) = 0;

 protected:
  ~EventSink() = default;
};

}  // namespace lh
