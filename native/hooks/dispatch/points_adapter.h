// The points of "adapter", with the types of their contexts and answers.
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

// Before the active set of adapters changes; once per change: at lh_adapter_swap, and at a model call that asks for
// another set than the model call before it in the conversation.
struct OnAdapterSwap {
  static constexpr Point kPoint = LH_HOOK_ON_ADAPTER_SWAP;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::TextOrNull current_adapter;
    context::TextOrNull target_adapter;
    context::TextOrNull adapter_path;
    context::Number scale;
    context::Value adapters;

    void append(context::Members to) const {
      to.add(R"(,"current_adapter":)", current_adapter);
      to.add(R"(,"target_adapter":)", target_adapter);
      to.add(R"(,"adapter_path":)", adapter_path);
      to.add(R"(,"scale":)", scale);
      to.add(R"(,"adapters":)", adapters);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> scale() const { return get<Json>("scale"); }
    [[nodiscard]] Given<Json> adapters() const { return get<Json>("adapters"); }
    void set_scale(Json value) const { set("scale", std::move(value)); }
    void set_adapters(Json value) const { set("adapters", std::move(value)); }
  };
};

}  // namespace lh::points
