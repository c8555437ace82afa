// Carries out the engine's own tools, when the others of the message have ended.
// Must not: decide whether a call may be.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/run/run_frame.h"

namespace lh {

class Controls {
 public:
  // What comes of a call.
  struct Answer {
    ResultKind kind = ResultKind::kOk;
    std::string text;               // what the model is told
    std::string by;                 // the hook that refused it; empty: none
    std::optional<Json> args = {};  // of the call, where hooks have changed what is done
  };

  explicit Controls(RunFrame& run) : run_(run) {}
  Controls(const Controls&) = delete;
  Controls& operator=(const Controls&) = delete;

  // `call` fits its tool's schema. `records`: what the calls of the message have come to until now.
  [[nodiscard]] Answer carry_out(const ToolCall& call, const std::vector<ToolRecord>& records);
  // Fires ON_COMPLETE; run.asked is told what came of it.
  [[nodiscard]] Answer complete(const std::string& summary, const std::vector<ToolRecord>& records);
  // Errors: kInvalidArgument.
  [[nodiscard]] Status change_phase(const std::string& phase);

 private:
  [[nodiscard]] Answer plan(const Json& args);
  [[nodiscard]] Answer todo(const Json& args);
  [[nodiscard]] Answer prune_context(const Json& args);
  [[nodiscard]] Answer inspect(const Json& args) const;

  RunFrame& run_;
};
static_assert(!std::is_copy_constructible_v<Controls>);

}  // namespace lh
