#include "agent/setup/tier.h"

#include <algorithm>
#include <utility>

#include "base/text/names.h"

namespace lh {
namespace {

void read_names(ObjectReader& reader, std::optional<std::vector<std::string>>& out) {
  const Json* names = reader.value("tools");
  if (names == nullptr) return;
  out.emplace();
  if (!names->is_array()) return reader.wrong("tools", "an array of names", *names);
  for (const Json& name : *names) {
    if (!name.is_string()) return reader.wrong("tools", "an array of names", name);
    out->push_back(name.get<std::string>());
  }
}

Status read_sampling(ObjectReader& reader, const std::string& where, Json& out) {
  const Json* params = reader.value("params");
  if (params == nullptr) return {};
  const auto read = parse_sampling_params(*params);
  if (!read.ok()) return {read.status().code(), where + ": " + read.status().message()};
  out = *params;
  return {};
}

Status read_own(ObjectReader& reader, const std::string& where, const Json& json, Tier& out) {
  read(reader, static_cast<TierParams&>(out));
  if (json.contains("system")) out.own_system = out.system;
  const Json* rules = reader.value("permissions");
  if (rules == nullptr) return {};
  auto permissions = Permissions::read(*rules);
  if (!permissions.ok()) return {permissions.status().code(), where + "." + permissions.status().message()};
  out.permissions = *std::move(permissions);
  return {};
}

Status read_own(ObjectReader& reader, const std::string& /*where*/, const Json& /*json*/, Phase& out) {
  read(reader, static_cast<PhaseParams&>(out));
  return {};
}

template <typename Named>
Result<std::vector<Named>> read_all(const Json& json, const std::string& what) {
  if (!json.is_object()) return Status(Code::kInvalidArgument, what + " must be an object of options by name");
  std::vector<Named> all;
  for (const auto& [name, options] : json.items()) {
    const std::string where = what + "." + name;
    if (name.empty()) return Status(Code::kInvalidArgument, what + " has an empty name");
    if (!options.is_object()) return Status(Code::kInvalidArgument, where + " must be an object");
    Named one;
    one.name = name;
    ObjectReader reader(options, where);
    if (Status status = read_own(reader, where, options, one); !status.ok()) return status;
    read_names(reader, one.tools);
    if (Status status = read_sampling(reader, where, one.sampling); !status.ok()) return status;
    if (Status status = reader.done(); !status.ok()) return status;
    all.push_back(std::move(one));
  }
  return all;
}

template <typename Named>
const Named* find(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  return found == all.end() ? nullptr : &*found;
}

Json laid_over(Json under, const Json& over) {
  for (const auto& [key, value] : over.items()) under[key] = value;
  return under;
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

Status check_names(const std::optional<std::vector<std::string>>& names, const AgentTools& tools,
                   const std::string& where) {
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (std::ranges::none_of(tools, [&name](const auto& tool) { return tool->name() == name; })) {
      return {Code::kInvalidArgument, where + " names the tool \"" + name + "\", which the session does not have"};
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Tier>> read_tiers(const Json& json) { return read_all<Tier>(json, "tiers"); }

Result<std::vector<Phase>> read_phases(const Json& json) { return read_all<Phase>(json, "phases"); }

const Tier* SessionSetup::find_tier(const std::string& name) const { return find(tiers, name); }

const Phase* SessionSetup::find_phase(const std::string& name) const { return find(phases, name); }

bool SessionSetup::may_be(const std::string& name) const {
  return name.empty() || (tiers.empty() ? name == tier : find_tier(name) != nullptr);
}

std::string SessionSetup::unknown_tier(const std::string& name) const {
  std::string names;
  for (const Tier& one : tiers) names += (names.empty() ? "" : ", ") + one.name;
  return "unknown tier " + name + "; there are: " + (names.empty() ? "none" : names);
}

const std::string& model_of(const SessionSetup& setup, const std::string& tier) {
  const Tier* const as = setup.find_tier(tier);
  return as == nullptr || as->model.empty() ? setup.model : as->model;
}

bool Profile::can_inspect() const {
  return std::ranges::any_of(shown, [](const auto& tool) { return tool->name == "context_inspect"; });
}

Profile make_profile(const SessionSetup& setup, const std::string& tier, const std::string& phase,
                     const std::vector<std::string>& above) {
  const Tier* const as = setup.find_tier(tier);
  const Phase* const in = setup.find_phase(phase);
  Profile profile{tier,
                  phase,
                  model_of(setup, tier),
                  setup.system,
                  {},
                  {},
                  {&setup.permissions},
                  setup.sampling,
                  setup.explicit_completion};
  for (const std::string& name : above) {
    if (const Tier* one = setup.find_tier(name)) profile.rules.push_back(&one->permissions);
  }
  if (as != nullptr) {
    profile.system = as->own_system.value_or(profile.system);
    profile.rules.push_back(&as->permissions);
    profile.explicit_completion = as->explicit_completion.value_or(profile.explicit_completion);
    profile.sampling = laid_over(std::move(profile.sampling), as->sampling);
  }
  if (in != nullptr) profile.sampling = laid_over(std::move(profile.sampling), in->sampling);
  for (const auto& tool : setup.tools) {
    const std::string& name = tool->name();
    if (as != nullptr && as->tools && !is_named(*as->tools, name)) continue;
    if (in != nullptr && in->tools && !tool->stays_in_phase() && !is_named(*in->tools, name)) continue;
    profile.tools.push_back(tool);
    profile.shown.push_back(tool->shown());
  }
  return profile;
}

Result<SamplingParams> sampling_of(const Json& under, const Json& over) {
  return parse_sampling_params(laid_over(under, over));
}

Status check_tiers(const SessionSetup& setup) {
  if (!setup.may_be(setup.tier)) return {Code::kInvalidArgument, "options.tier: " + setup.unknown_tier(setup.tier)};
  for (const Tier& tier : setup.tiers) {
    if (Status status = check_names(tier.tools, setup.tools, "tiers." + tier.name); !status.ok()) return status;
  }
  for (const Phase& phase : setup.phases) {
    if (Status status = check_names(phase.tools, setup.tools, "phases." + phase.name); !status.ok()) return status;
  }
  // Checks every possible combination of a tier and a phase.
  std::vector<std::string> tiers{""};
  std::vector<std::string> phases{""};
  for (const Tier& tier : setup.tiers) tiers.push_back(tier.name);
  for (const Phase& phase : setup.phases) phases.push_back(phase.name);
  for (const std::string& tier : tiers) {
    for (const std::string& phase : phases) {
      const Profile profile = make_profile(setup, tier, phase, {});
      const std::string where = (tier.empty() ? "" : "tiers." + tier + ": ") +  //
                                (phase.empty() ? "" : "phases." + phase + ": ");
      const auto sampling = parse_sampling_params(profile.sampling);
      if (!sampling.ok()) return {sampling.status().code(), where + sampling.status().message()};
      const bool completes = std::ranges::any_of(profile.tools, [](const auto& tool) { return tool->ends_run(); });
      if (profile.explicit_completion && !completes) {
        return {Code::kInvalidArgument,
                where + shown_field("explicit_completion") + " needs the control tool complete"};
      }
    }
  }
  return {};
}

}  // namespace lh
