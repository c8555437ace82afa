// Tiers, which a session can be or delegate to, and phases, as the caller gave them; and the profile that they result
// in. Must not: know the messages.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/permissions/permissions.h"
#include "agent/setup/session_parameters.h"
#include "agent/setup/tool.h"
#include "model/generator.h"

namespace lh {

struct Tier : TierParams {
  std::string name;
  std::optional<std::string> own_system;          // none: the session's
  std::optional<std::vector<std::string>> tools;  // names; none: all
  Permissions permissions;
  Json sampling = Json::object();
};

struct Phase : PhaseParams {
  std::string name;
  std::optional<std::vector<std::string>> tools;  // names; none: the tier's
  Json sampling = Json::object();
};

// From {"name": options}. Errors: kInvalidArgument, naming the tier or phase and what is wrong.
[[nodiscard]] Result<std::vector<Tier>> read_tiers(const Json& json);
[[nodiscard]] Result<std::vector<Phase>> read_phases(const Json& json);

// The options that open a session.
struct SessionSetup : SessionParams {
  Messages history;
  Json sampling = Json::object();  // sampling parameters, as they were given
  AgentTools tools;
  std::vector<std::string> control_tools;
  Permissions permissions;
  std::vector<Tier> tiers;
  std::vector<Phase> phases;

  // Null when there is none of that name.
  [[nodiscard]] const Tier* find_tier(const std::string& name) const;
  [[nodiscard]] const Phase* find_phase(const std::string& name) const;
  // True if a conversation can have that tier: none, one of `tiers`, or, without `tiers`, the session's tier.
  [[nodiscard]] bool may_be(const std::string& tier) const;
  // "unknown tier x; there are: a, b".
  [[nodiscard]] std::string unknown_tier(const std::string& name) const;
};

// The settings of a tier in a phase.
struct Profile {
  std::string tier;
  std::string phase;
  std::string model;  // id; empty: the only one loaded
  std::string system;
  AgentTools tools;
  Tools shown;  // the same, as the model sees them
  std::vector<const Permissions*> rules;
  Json sampling;  // all that is laid over each other
  bool explicit_completion = false;

  // The model is shown context_inspect.
  [[nodiscard]] bool can_inspect() const;
};

// The id of the model that runs of a tier (empty: none) use.
[[nodiscard]] const std::string& model_of(const SessionSetup& setup, const std::string& tier);

// The profile of a tier (empty: none) in a phase (empty: none) of `setup`, which outlives it. `above`: the tiers that
// delegate to it; their rules apply, too.
[[nodiscard]] Profile make_profile(const SessionSetup& setup, const std::string& tier, const std::string& phase,
                                   const std::vector<std::string>& above);

// `over` laid over `under`: sampling parameters.
[[nodiscard]] Result<SamplingParams> sampling_of(const Json& under, const Json& over);

// Errors: kInvalidArgument for a tool or a tier that is named and does not exist, kInvalidArgument for sampling
// parameters that do not go together.
[[nodiscard]] Status check_tiers(const SessionSetup& setup);

}  // namespace lh
