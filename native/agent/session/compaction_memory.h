// The results that compactions took from the model, so that a call which asks for one again is noticed.
// Any thread. Must not: compact.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "base/json/fields.h"
#include "base/threads/mutex.h"
#include "model/conversation.h"

namespace lh {

// The form in a session file.
struct SavedCompactions {
  std::map<std::string, std::array<size_t, 2>> lost;  // original and compressed size, by call
  std::map<std::string, int32_t> boosts;              // by tool
  std::string note;
  int32_t left_out = 0;

  template <typename Self, typename Fields>
  static void fields(Self& self, Fields& all) {
    all("lost", self.lost);
    all("boosts", self.boosts);
    all("note", self.note);
    all("left_out", self.left_out);
  }
};

class CompactionMemory {
 public:
  // Sizes of a result in bytes.
  struct Lost {
    size_t original = 0;
    size_t compressed = 0;  // what is left of it
  };
  void lose(const ToolCall& call, Lost lost);
  // The lost result of a call like this one, returned once; nothing: none was lost.
  [[nodiscard]] std::optional<Lost> take(const ToolCall& call);

  // The factor by which more of a tool's results is kept: 1 at first, doubled after each miss, at most 16.
  [[nodiscard]] int32_t boost(const std::string& tool) const;
  int32_t raise_boost(const std::string& tool);

  // The message in place of those that were left out; empty: none.
  [[nodiscard]] std::string note() const;
  [[nodiscard]] int32_t left_out() const;  // messages, all in all
  void set_note(std::string note, int32_t left_out);

  // Forgets the compactions, because they were undone and no message is missing any more.
  void forget();

  [[nodiscard]] SavedCompactions saved() const;
  void restore(SavedCompactions saved);

 private:
  mutable Mutex mutex_;
  std::map<std::string, Lost> lost_ LH_GUARDED_BY(mutex_);  // by call_key()
  std::map<std::string, int32_t> boosts_ LH_GUARDED_BY(mutex_);
  std::string note_ LH_GUARDED_BY(mutex_);
  int32_t left_out_ LH_GUARDED_BY(mutex_) = 0;
};
static_assert(!std::is_copy_constructible_v<CompactionMemory>);

}  // namespace lh
