// A program's renderings share the values that they are given: a value that is equal to one of the rendering before is
// replaced by that object.
// Must not: share a value that a template has changed.
#pragma once

#include <cstdint>
#include <memory>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/same.h"

namespace lh {

// The shared values of one program. One thread at a time may use them.
class GivenValues {
 public:
  // A rendering runs while the object lives, and the program's loops remember it.
  class Rendering {
   public:
    // Replaces variables of `scope` by equal values of the rendering before.
    Rendering(GivenValues& values, jinja::context& scope);
    ~Rendering();
    Rendering(const Rendering&) = delete;
    Rendering& operator=(const Rendering&) = delete;

   private:
    GivenValues& values_;
    GivenValues* const outer_;
    const uint64_t outer_begun_;
  };

  // The flag becomes true when a template changes a shared value.
  [[nodiscard]] std::shared_ptr<const bool> spoiled() const { return spoiled_; }
  // True if the template has changed no given value since the rendering began.
  [[nodiscard]] bool are_whole() const;
  // The values of the rendering that runs on this thread; null if loops must not remember.
  static GivenValues* current();

 private:
  void share(jinja::value& given, const jinja::value* before);

  ValueMembers known_;
  uint64_t begun_ = 0;  // number of changes of given values when the rendering began
  std::shared_ptr<bool> spoiled_ = std::make_shared<bool>(false);
};

}  // namespace lh
