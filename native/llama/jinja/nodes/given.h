// The values that a template is given: those that are as before are the same objects in each rendering.
// Must not: outlive a change that the template makes to one of them.
#pragma once

#include <cstdint>
#include <memory>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/same.h"

namespace lh {

// The values of one program. One thread at a time may use it.
class GivenValues {
 public:
  // A rendering, while the object lives: the program's loops remember it.
  class Rendering {
   public:
    // Puts values of earlier renderings in the place of equal ones.
    Rendering(GivenValues& values, jinja::context& scope);
    ~Rendering();
    Rendering(const Rendering&) = delete;
    Rendering& operator=(const Rendering&) = delete;

   private:
    GivenValues& values_;
    GivenValues* const outer_;
    const uint64_t outer_begun_;
  };

  // True once a value that was given has changed.
  [[nodiscard]] std::shared_ptr<const bool> spoiled() const { return spoiled_; }
  // Nothing that was given has changed since the rendering began.
  [[nodiscard]] bool are_whole() const;
  // Those of this thread's rendering; null if it has none that loops remember.
  static GivenValues* current();

 private:
  void share(jinja::value& given, const jinja::value* before);

  ValueMembers known_;
  uint64_t begun_ = 0;  // changes of given values by then
  std::shared_ptr<bool> spoiled_ = std::make_shared<bool>(false);
};

}  // namespace lh
