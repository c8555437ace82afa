// The limits of one use of a chat template: steps, memory, stack. llama.cpp's interpreter has no limits; the nodes of a
// guarded program (guarded.h) ask here before and after each of them runs.
// Must not: report a spent budget as a std::exception. llama.cpp catches those, in some places to continue with the
// next attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/threads/cancel.h"
#include "jinja/runtime.h"

namespace lh {

// Thrown when a budget is spent, or when the work of this thread was cancelled.
struct TemplateStop {
  const CancelFlag* cancelled = nullptr;
  std::string message;  // a sentence about "the chat template", without a full stop
};

struct TemplateLimits {
  uint64_t steps = 0;  // about a microsecond each
  uint64_t bytes = 0;  // of the values of one rendering
};

// Bounds the templates that this thread runs while the object lives.
class TemplateBudget {
 public:
  explicit TemplateBudget(TemplateLimits limits);
  ~TemplateBudget();
  TemplateBudget(const TemplateBudget&) = delete;
  TemplateBudget& operator=(const TemplateBudget&) = delete;

  // Throws std::logic_error if this thread has none: a guarded program never runs without bounds.
  static TemplateBudget& current();
  [[noreturn]] static void stop(std::string message);

  void spend(uint64_t steps) {
    steps_ += steps;
    if (steps_ >= next_look_) look();
  }
  void spend_bytes(uint64_t bytes) { spend(bytes >> 10); }

  // Nodes that run as a trial spend no steps: the destructor restores the number of steps.
  class Trial {
   public:
    Trial() : budget_(current()), steps_(budget_.steps_) {}
    ~Trial() {
      if (!counts_) budget_.steps_ = steps_;
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    // The trial replaces the run of its nodes, so its steps count.
    void count() { counts_ = true; }

   private:
    TemplateBudget& budget_;
    const uint64_t steps_;
    bool counts_ = false;
  };

  // A node begins to run within `depth` others.
  void check_stack(uint32_t depth) const;
  // Throws if `bytes` more bytes would exceed the limit. A double, because a product may exceed every integer.
  void check_room(double bytes);

  // Bytes that are held as long as a node runs; the node restores the earlier number at its end.
  [[nodiscard]] uint64_t held() const { return held_; }
  void set_held(uint64_t bytes) {
    held_ = bytes;
    if (held_ + stored_ + watched_bytes_ > limits_.bytes) check_room(0);
  }
  void restore_held(uint64_t bytes) noexcept { held_ = bytes; }
  // Bytes that stay until the end of the rendering.
  void store(uint64_t bytes) {
    stored_ += bytes;
    set_held(held_);
  }
  // Bytes that count as long as the value lives.
  void watch(const jinja::value& made, uint64_t bytes);
  // Keeps a container of containers until the end, where all are emptied one by one: their destructors would recurse
  // as deep as the template has nested them, and never run for one that contains itself.
  void keep(const jinja::value& container);
  // The rendering before has ended: its values are freed.
  void begin_rendering();
  // A number that changes when values of this thread's renderings are freed.
  [[nodiscard]] static uint64_t epoch();

 private:
  struct Watched {
    std::weak_ptr<jinja::value_t> value;
    uint64_t bytes;
  };

  void look();
  void forget_dead();
  void empty_kept();

  const TemplateLimits limits_;
  const CancelFlag* const cancel_;
  const uintptr_t lowest_stack_;
  TemplateBudget* const outer_;
  uint64_t steps_ = 0;
  uint64_t next_look_ = 0;
  uint64_t held_ = 0;
  uint64_t stored_ = 0;
  uint64_t watched_bytes_ = 0;
  size_t most_watched_;
  std::vector<Watched> watched_;
  std::unordered_set<const jinja::value_t*> is_kept_;
  std::vector<jinja::value> kept_;
};

}  // namespace lh
