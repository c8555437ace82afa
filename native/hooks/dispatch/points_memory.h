// The points of "memory", with the types of their contexts and answers.
// Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "hooks/dispatch/context_field.h"
#include "hooks/dispatch/given.h"
#include "hooks/points/point.h"
#include "hooks/points/point_info.h"

namespace lh::points {

// When a load or a context does not fit, or free memory is below the limit; once per shortage.
struct OnVramPressure {
  static constexpr Point kPoint = LH_HOOK_ON_VRAM_PRESSURE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text device;
    context::Integer vram_used_mb;
    context::Integer vram_total_mb;
    context::Text pressure_level;
    context::Integer needed_bytes;
    context::Integer free_bytes;
    context::IntegerOrNull budget_bytes;
    context::Text cause;
    context::Value candidates;
    context::Integer conversation_bytes;
    context::Value plan;

    void append(context::Members to) const {
      to.add(R"(,"device":)", device);
      to.add(R"(,"vram_used_mb":)", vram_used_mb);
      to.add(R"(,"vram_total_mb":)", vram_total_mb);
      to.add(R"(,"pressure_level":)", pressure_level);
      to.add(R"(,"needed_bytes":)", needed_bytes);
      to.add(R"(,"free_bytes":)", free_bytes);
      to.add(R"(,"budget_bytes":)", budget_bytes);
      to.add(R"(,"cause":)", cause);
      to.add(R"(,"candidates":)", candidates);
      to.add(R"(,"conversation_bytes":)", conversation_bytes);
      to.add(R"(,"plan":)", plan);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> conversation_bytes() const { return get<Json>("conversation_bytes"); }
    [[nodiscard]] Given<Json> plan() const { return get<Json>("plan"); }
  };
};

}  // namespace lh::points
