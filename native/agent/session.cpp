#include "agent/session.h"

#include <set>
#include <utility>

#include "agent/agent_run.h"
#include "agent/control_tools.h"
#include "base/unique_id.h"
#include "generation/conversation_json.h"

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

Status check_history(const Messages& history) {
  std::set<std::string> open;  // ids of calls without a result until now
  for (size_t i = 0; i < history.size(); ++i) {
    const Message& message = *history[i];
    const std::string where = "history[" + std::to_string(i) + "]";
    if (message.role == Role::kSystem) {
      return {Code::kInvalidMessages, where + " is a system message; the system prompt of a session is its own option"};
    }
    if (message.role == Role::kTool) {
      if (open.erase(message.tool_call_id) == 0) {
        return {Code::kInvalidMessages, where + " is the result of no tool call before it"};
      }
    } else if (!open.empty()) {
      break;
    }
    for (const ToolCall& call : message.tool_calls) {
      if (!open.insert(call.id).second) {
        return {Code::kInvalidMessages, where + " has two tool calls with the id " + call.id};
      }
    }
  }
  if (open.empty()) return {};
  return {Code::kInvalidMessages, "history has the tool call " + *open.begin() + " without its result"};
}

}  // namespace

Result<std::shared_ptr<Session>> Session::create(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing,
                                                 SessionSetup setup) {
  auto control = make_control_tools(setup);
  if (!control.ok()) return control.status();
  setup.tools.insert(setup.tools.end(), control->begin(), control->end());
  if (Status status = check_tools(setup.tools); !status.ok()) return status;
  if (Status status = check_tiers(setup); !status.ok()) return status;
  if (Status status = check_history(setup.history); !status.ok()) return status;
  return std::shared_ptr<Session>(new Session(dispatcher, models, closing, std::move(setup)));
}

Session::Session(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing, SessionSetup setup)
    : dispatcher_(dispatcher),
      models_(models),
      closing_(closing),
      setup_(std::move(setup)),
      id_("session-" + unique_id()),
      own_(setup_, setup_.tier, setup_.history, {}) {}

Result<std::unique_ptr<Session::Turn>> Session::take_turn() {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, "the session is closed");
  if (busy_) return Status(Code::kSessionBusy, "a run of the session " + id_ + " is under way");
  auto turn = std::make_unique<Turn>(shared_from_this());
  busy_ = true;
  return turn;
}

void Session::end_turn() {
  const MutexLock lock(mutex_);
  busy_ = false;
  idle_.notify_all();
}

Scope Session::scope() const {
  Scope scope;
  scope.session_id = id_;
  scope.tier = own_.profile()->tier;
  scope.closing = &closing_;
  return scope;
}

void Session::begin(Scope scope) {
  if (std::exchange(begun_, true)) return;
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_SESSION_START, scope, [&](std::string& out) {
    append_members(out, {{"history", to_json(setup_.history)}});
  }));
}

RunResult Session::run(const RunInput& input, const std::string& run_id, ModelUse model, const Work& work) {
  Scope scope = this->scope();
  scope.closing = nullptr;
  scope.run_id = run_id;
  scope.model_id = model.id;
  scope.depth = 0;
  scope.cancel = &work.cancel;
  begin(scope);
  return AgentRun(*this, own_, dispatcher_, std::move(model), std::move(scope), work, nullptr).run(input);
}

void Session::close() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) return;
    while (busy_) lock.wait(idle_);
  }
  const Scope scope = this->scope();
  begin(scope);
  static_cast<void>(dispatcher_.fire(LH_HOOK_ON_SESSION_END, scope, [&](std::string& out) {
    append_members(out, {{"history", to_json(history())}, {"iterations", iterations_}});
  }));
  // Released before the end of the close is told.
  own_.forget_tools();
  children_.clear();
  setup_.tools.clear();
}

std::string Session::add_child(const std::string& tier, std::shared_ptr<Dialogue> child) {
  std::string name = tier + "-" + std::to_string(children_.size() + 1);
  children_.emplace(name, std::move(child));
  return name;
}

std::shared_ptr<Dialogue> Session::child(const std::string& name) const {
  const auto found = children_.find(name);
  return found == children_.end() ? nullptr : found->second;
}

}  // namespace lh
