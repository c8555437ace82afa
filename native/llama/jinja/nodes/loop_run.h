// A running loop: its items, and the function that begins an iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/function_ref.h"
#include "jinja/runtime.h"

namespace lh {

struct LoopRun {
  jinja::context& scope;
  const std::vector<jinja::value>& items;
  FunctionRef<void(size_t)> begin;  // sets the variables for the item
  jinja::value item_name;
  jinja::value loop_name;
  uint32_t loop_members = 0;  // of `loop`, that the template reads
};

}  // namespace lh
