// A tool that a session can run: its description for the model, and its callbacks.
// Must not: decide whether a call runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agent/setup/control_tool_table.h"
#include "base/status.h"
#include "base/text/utf8.h"
#include "llama_hooks/engine.h"
#include "model/conversation.h"

namespace lh {

class AgentTool {
 public:
  // Errors: kInvalidArgument names what is wrong; kInvalidSchema if the parameters are not JSON.
  static Result<std::shared_ptr<const AgentTool>> create(const lh_tool& given);
  // Makes a tool that the engine itself carries out. `parameters`: JSON Schema.
  static std::shared_ptr<const AgentTool> control(const ControlToolRow& row, Json parameters);
  ~AgentTool();  // releases the user data, if it was to be kept
  // From now on the user data is this tool's to release.
  void keep() const { kept_ = true; }
  AgentTool(const AgentTool&) = delete;
  AgentTool& operator=(const AgentTool&) = delete;

  // The tool as the model sees it.
  [[nodiscard]] const std::shared_ptr<const Tool>& shown() const { return shown_; }
  [[nodiscard]] const std::string& name() const { return shown_->name; }
  // Its row; null: a tool of the caller.
  [[nodiscard]] const ControlToolRow* control() const { return control_; }
  [[nodiscard]] bool ends_run() const { return control_ != nullptr && control_->ends_run; }
  [[nodiscard]] bool makes_plan() const { return control_ != nullptr && control_->makes_plan; }
  [[nodiscard]] bool asks_hooks() const { return control_ != nullptr && control_->asks_hooks; }
  [[nodiscard]] bool stays_in_phase() const { return control_ != nullptr && control_->stays_in_phase; }
  [[nodiscard]] lh_tool_fn run() const { return given_.run; }      // null: a control tool
  [[nodiscard]] lh_tool_fn check() const { return given_.check; }  // null: the engine's check
  [[nodiscard]] void* user_data() const { return given_.user_data; }
  [[nodiscard]] bool json_result() const { return (given_.flags & LH_TOOL_JSON_RESULT) != 0; }
  [[nodiscard]] bool trusted() const { return (given_.flags & LH_TOOL_TRUSTED) != 0; }
  [[nodiscard]] bool exclusive() const { return (given_.flags & LH_TOOL_EXCLUSIVE) != 0; }
  // True: its check returns the arguments that hooks and rules judge and that the tool runs with.
  [[nodiscard]] bool prepares() const { return (given_.flags & LH_TOOL_PREPARES) != 0; }
  // Why the model is not offered it; empty: nothing is wrong.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // The hints and the origin that its owner gave, for rules: {"annotations"?, "origin"?}.
  [[nodiscard]] const Json& about() const { return about_; }
  // Return its annotations and origin for contexts of its calls; null and empty if it has none. `tool` may be null.
  [[nodiscard]] static const Json& annotations_of(const AgentTool* tool);
  [[nodiscard]] static std::string_view origin_of(const AgentTool* tool);
  // Negative: the session's.
  [[nodiscard]] int64_t deadline_ms() const { return given_.deadline_ms; }

 private:
  AgentTool(const lh_tool& given, std::shared_ptr<const Tool> shown, Json about,
            const ControlToolRow* control = nullptr);

  const lh_tool given_;  // its texts are not ours
  const std::shared_ptr<const Tool> shown_;
  const std::string fault_;
  const Json about_;
  const ControlToolRow* const control_;
  mutable std::atomic<bool> kept_{false};
};
static_assert(!std::is_copy_constructible_v<AgentTool>);

using AgentTools = std::vector<std::shared_ptr<const AgentTool>>;

}  // namespace lh
