// The tokens of one generation, received from the other process. The other process bounds their number: see
// FrameKind::kRoom.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/threads/mutex.h"
#include "isolation/wire/channel.h"
#include "model/generator.h"

namespace lh {

class Incoming {
 public:
  static constexpr int32_t kRoom = 32;  // tokens that may wait here

  // `prompt_tokens`: of its usage, until the end says more.
  Incoming(uint64_t number, int32_t prompt_tokens) : id(number) { usage_.prompt_tokens = prompt_tokens; }
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  const uint64_t id;

  // The link calls these.

  void take_tokens(std::string_view bytes);
  void take_progress(const PromptProgress& progress);
  // The first end counts. Without `usage` the received tokens count.
  void end(EndOfStream end, const std::optional<Usage>& usage);

  // The reader calls these. `taken`: tokens since room was last reported to the sender; reset by the next report.
  [[nodiscard]] TokenStream::Item next(int32_t& taken);
  [[nodiscard]] bool ready() const;
  [[nodiscard]] Usage usage() const;
  // The stream has ended because this process stopped waiting for the other.
  [[nodiscard]] bool was_left() const;

  // The stream was cancelled: waits for the other process until `when` at the latest. Any thread.
  void leave_at(std::chrono::steady_clock::time_point when);

 private:
  mutable Mutex mutex_;
  std::condition_variable ready_;
  std::deque<Token> tokens_ LH_GUARDED_BY(mutex_);
  std::optional<PromptProgress> progress_ LH_GUARDED_BY(mutex_);
  std::optional<EndOfStream> end_ LH_GUARDED_BY(mutex_);
  bool was_left_ LH_GUARDED_BY(mutex_) = false;
  std::optional<std::chrono::steady_clock::time_point> leave_at_ LH_GUARDED_BY(mutex_);
  Usage usage_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<Incoming>);

}  // namespace lh
