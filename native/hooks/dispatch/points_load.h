// The points of "load", with the types of their contexts and answers.
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

// Before a model is loaded into the backend; once per load.
struct OnModelLoad {
  static constexpr Point kPoint = LH_HOOK_ON_MODEL_LOAD;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text model_id;
    context::Text path;
    context::TextOrNull address;
    context::Integer file_bytes;
    context::Value params;
    context::Value estimate;

    void append(context::Members to) const {
      to.add(R"(,"model_id":)", model_id);
      to.add(R"(,"path":)", path);
      to.add(R"(,"address":)", address);
      to.add(R"(,"file_bytes":)", file_bytes);
      to.add(R"(,"params":)", params);
      to.add(R"(,"estimate":)", estimate);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> params() const { return get<Json>("params"); }
    void set_params(Json value) const { set("params", std::move(value)); }
    void set_estimate(Json value) const { set("estimate", std::move(value)); }
  };
};

// After a model was unloaded; once per unload.
struct OnModelUnload {
  static constexpr Point kPoint = LH_HOOK_ON_MODEL_UNLOAD;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text model_id;
    context::Text path;
    context::Text reason;
    context::Value freed;

    void append(context::Members to) const {
      to.add(R"(,"model_id":)", model_id);
      to.add(R"(,"path":)", path);
      to.add(R"(,"reason":)", reason);
      to.add(R"(,"freed":)", freed);
    }
  };
};

// When a model is loaded and usable; once per load that succeeded.
struct OnModelReady {
  static constexpr Point kPoint = LH_HOOK_ON_MODEL_READY;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text model_id;
    context::Text path;
    context::Number load_ms;
    context::Value devices;
    context::Value measured;
    context::Integer n_ctx;
    context::Text architecture;

    void append(context::Members to) const {
      to.add(R"(,"model_id":)", model_id);
      to.add(R"(,"path":)", path);
      to.add(R"(,"load_ms":)", load_ms);
      to.add(R"(,"devices":)", devices);
      to.add(R"(,"measured":)", measured);
      to.add(R"(,"n_ctx":)", n_ctx);
      to.add(R"(,"architecture":)", architecture);
    }
  };
};

}  // namespace lh::points
