// The buffer between a run thread and JavaScript: its bounds, and everything that ends a wait for room.
#include <atomic>
#include <string>
#include <thread>

#include "check.h"
#include "node/js/event_buffer.h"

namespace {

using lh::node::EventBuffer;

constexpr size_t kMany = 10 * EventBuffer::kMostEvents;

void what_comes_while_it_is_closed_is_dropped() {
  EventBuffer buffer;
  CHECK(!buffer.push("before"));
  buffer.open();
  CHECK(buffer.push("first"));  // JavaScript must be woken, once
  CHECK(!buffer.push("second"));
  CHECK(buffer.drain() == std::vector<std::string>({"first", "second"}));
  CHECK(buffer.push("third"));
  buffer.close();
  CHECK(!buffer.push("after") && buffer.drain().empty());
}

// Writes `event` many times, and reads whenever the buffer is full.
void a_full_buffer_makes_its_writer_wait(size_t events, const std::string& event, size_t most) {
  EventBuffer buffer;
  buffer.open();
  std::atomic<size_t> written{0};
  std::thread writer([&] {
    for (size_t i = 0; i < events; ++i, ++written) static_cast<void>(buffer.push(event.c_str()));
  });
  size_t read = 0;
  size_t largest = 0;
  while (read < events) {
    const size_t count = buffer.drain().size();
    read += count;
    largest = count > largest ? count : largest;
    CHECK(written.load() <= read + most);
    std::this_thread::yield();
  }
  writer.join();
  CHECK(read == events && written == events);  // none is lost
  CHECK(largest <= most);
}

// A writer without a reader ends when `let` has been called.
template <typename Let>
void ends_the_wait(Let let) {
  EventBuffer buffer;
  buffer.open();
  std::thread writer([&] {
    for (size_t i = 0; i < kMany; ++i) static_cast<void>(buffer.push("event"));
  });
  let(buffer);
  writer.join();
}

void a_writer_that_may_not_wait_does_not() {
  EventBuffer buffer;
  buffer.open();
  for (size_t i = 0; i < kMany; ++i) static_cast<void>(buffer.push_now("event"));
  CHECK(buffer.drain().size() == kMany);
}

}  // namespace

int main() {
  what_comes_while_it_is_closed_is_dropped();
  a_full_buffer_makes_its_writer_wait(kMany, "event", EventBuffer::kMostEvents);
  // The last event may be of any size.
  a_full_buffer_makes_its_writer_wait(40, std::string(EventBuffer::kMostBytes / 4, 'x'), 4);
  ends_the_wait([](EventBuffer& buffer) { buffer.let_go(); });
  ends_the_wait([](EventBuffer& buffer) { buffer.close(); });
  a_writer_that_may_not_wait_does_not();
  return check_result("event_buffer_test");
}
