// The points of "error", with the types of their contexts and answers.
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

// After an error of a backend, tool, hook, load, delegation or save; once per error, but not for a call that is
// refused before it begins: only its caller gets that error.
struct OnError {
  static constexpr Point kPoint = LH_HOOK_ON_ERROR;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text code;
    context::Text message;
    context::Text where;
    context::Flag recoverable;
    context::IntegerOrNull iteration;
    context::Integer consecutive;

    void append(context::Members to) const {
      to.add(R"(,"code":)", code);
      to.add(R"(,"message":)", message);
      to.add(R"(,"where":)", where);
      to.add(R"(,"recoverable":)", recoverable);
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"consecutive":)", consecutive);
    }
  };
};

}  // namespace lh::points
