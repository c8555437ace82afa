// New tools and tiers of an open session.
#include <set>
#include <utility>

#include "agent/session/session.h"
#include "agent/setup/control_tools.h"

namespace lh {
namespace {

Status check_tools(const AgentTools& tools) {
  std::set<std::string> names;
  for (const auto& tool : tools) {
    if (!names.insert(tool->name()).second) {
      return {Code::kInvalidArgument, "two tools are named \"" + tool->name() + "\""};
    }
  }
  return {};
}

// Errors: kInvalidArgument if the dialogue needs a tier that the setup lacks. `what`: the dialogue.
Status check_tiers_of(const Dialogue& dialogue, const SessionSetup& next, const std::string& what) {
  for (const std::string& tier : dialogue.tiers()) {
    if (!next.may_be(tier)) return {Code::kInvalidArgument, what + " needs the tier: " + next.unknown_tier(tier)};
  }
  return {};
}

}  // namespace

Status Session::complete(SessionSetup& setup) {
  std::erase_if(setup.tools, [](const auto& tool) { return tool->control() != nullptr; });
  auto control = make_control_tools(setup);
  if (!control.ok()) return control.status();
  setup.tools.insert(setup.tools.end(), control->begin(), control->end());
  if (Status status = check_tools(setup.tools); !status.ok()) return status;
  return check_tiers(setup);
}

Status Session::set_tools(AgentTools tools) {
  return change([&](SessionSetup& setup) { setup.tools = std::move(tools); });
}

Status Session::set_tiers(std::vector<Tier> tiers) {
  return change([&](SessionSetup& setup) { setup.tiers = std::move(tiers); });
}

Status Session::change(FunctionRef<void(SessionSetup& setup)> edit) {
  std::unique_ptr<SessionSetup> next;  // both are destroyed after the lock is released
  std::unique_ptr<SessionSetup> replaced;
  const MutexLock lock(mutex_);
  if (closed_) return {Code::kClosed, "the session is closed"};
  next = std::make_unique<SessionSetup>(next_ == nullptr ? setup_ : *next_);
  edit(*next);
  next->tier = own_->profile()->tier;
  if (Status status = check_conversations(*next); !status.ok()) return status;
  if (Status status = complete(*next); !status.ok()) return status;
  if (busy_) {
    next_.swap(next);
  } else {
    adopt(*next);
    replaced.swap(next_);
  }
  return {};
}

Status Session::take_changes() {
  std::unique_ptr<SessionSetup> next;  // destroyed after the lock is released
  const MutexLock lock(mutex_);
  next.swap(next_);
  if (next == nullptr) return {};
  if (Status status = check_conversations(*next); !status.ok()) return status;
  adopt(*next);
  return {};
}

Status Session::check_conversations(const SessionSetup& next) const {
  if (Status status = check_tiers_of(*own_, next, "the conversation"); !status.ok()) return status;
  for (const auto& [name, child] : children_) {
    const std::string what = "the conversation " + name;
    if (Status status = check_tiers_of(*child, next, what); !status.ok()) return status;
    if (next.find_tier(opened_for(name)) != nullptr) continue;
    return {Code::kInvalidArgument, what + " needs the tier: " + next.unknown_tier(opened_for(name))};
  }
  return {};
}

void Session::adopt(SessionSetup& next) {
  setup_.tools.swap(next.tools);
  setup_.tiers.swap(next.tiers);
  setup_.tier = next.tier;
  own_->renew();
  for (const auto& [name, child] : children_) child->renew();
  remembered_.forget_tiers([this](const std::string& tier) { return setup_.may_be(tier); });
}

}  // namespace lh
