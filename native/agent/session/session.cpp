#include "agent/session/session.h"

#include <algorithm>
#include <utility>

#include "agent/session/history_check.h"
#include "agent/session/message_ids.h"
#include "base/system/log.h"
#include "base/system/unique_id.h"
#include "generation/conversation_json.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_agent.h"

namespace lh {
namespace {

// Ids may be names of files.
Status check_session_id(const std::string& id) {
  constexpr size_t kLongest = 100;
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto fits = [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; };
  if (id.empty() || (id.size() <= kLongest && is_plain(id.front()) && std::ranges::all_of(id, fits))) return {};
  return {Code::kInvalidArgument,
          "options.id must have 1 to 100 letters, digits, -, _ and ., and begin with a letter or digit; it is " +
              dump_json(id)};
}

}  // namespace

Result<std::shared_ptr<Session>> Session::create(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing,
                                                 SessionSetup setup) {
  if (Status status = check_session_id(setup.id); !status.ok()) return status;
  if (Status status = complete(setup); !status.ok()) return status;
  if (Status status = check_history(setup.history, "history"); !status.ok()) return status;
  return std::shared_ptr<Session>(new Session(dispatcher, models, closing, std::move(setup)));
}

Session::Session(const Dispatcher& dispatcher, ModelSource& models, CancelFlag& closing, SessionSetup setup)
    : dispatcher_(dispatcher),
      models_(models),
      closing_(closing),
      setup_(std::move(setup)),
      id_(setup_.id.empty() ? "session-" + unique_id() : setup_.id),
      hooks_(dispatcher.open_scope(HookLevel::kSession, id_)),
      own_(std::make_shared<Dialogue>(setup_, setup_.tier, with_own_ids(std::exchange(setup_.history, {}), {}),
                                      std::vector<std::string>())) {}

Result<std::shared_ptr<Session>> Session::restore(const Dispatcher& dispatcher, ModelSource& models,
                                                  CancelFlag& closing, SessionSetup setup, std::string_view record) {
  if (!setup.history.empty()) {
    return Status(Code::kInvalidArgument,
                  "a session that is restored brings its history; options.history has one, too");
  }
  auto session = create(dispatcher, models, closing, std::move(setup));
  if (!session.ok()) return session.status();
  const auto read = read_record(record);
  if (!read.ok()) return read.status();
  if (Status status = (*session)->take_record(*read, nullptr); !status.ok()) return status;
  return session;
}

// The engine asks again about a call that a record from outside says was allowed.
Status Session::take_record(const SessionRecord& record, const Session* of) {
  auto own = Dialogue::restore(setup_, record.own, "conversation");
  if (!own.ok()) return own.status();
  own_ = *std::move(own);
  iterations_ = record.iterations;
  const auto tier_fault = [this](const std::string& tier) {
    return setup_.may_be(tier) ? std::string() : setup_.unknown_tier(tier);
  };
  if (of != nullptr) {
    remembered_.take_over(of->remembered_);
  } else if (Status status = remembered_.restore(record.remembered, tier_fault); !status.ok()) {
    return status;
  }
  for (const QueuedMessage& message : record.queued) inbox_.put(message);
  if (record.waiting) {
    std::optional<WaitingRun> run = of == nullptr ? std::nullopt : of->waiting();
    if (!run) {  // or it has continued since the record was made
      run = record.waiting;
      run->ask_again();
    }
    set_waiting(*std::move(run));
  }
  const MutexLock lock(mutex_);
  usage_ = record.usage;
  model_mark_ = record.model;
  restored_ = true;
  for (const auto& [name, json] : record.children.items()) {
    auto child = Dialogue::restore(setup_, json, "children." + name);
    if (!child.ok()) return child.status();
    const std::string tier = opened_for(name);
    if (setup_.find_tier(tier) == nullptr) {
      return {Code::kSessionFileInvalid, "children." + name + ": " + setup_.unknown_tier(tier)};
    }
    if ((*child)->profile()->tier.empty()) {
      return {Code::kSessionFileInvalid, "children." + name + " is a conversation without a tier"};
    }
    children_.emplace(name, *std::move(child));
  }
  return {};
}

Json Session::record() const {
  // A message that the run meanwhile takes or gives back is recorded twice rather than lost.
  std::vector<QueuedMessage> before = inbox_.waiting();
  const MutexLock lock(mutex_);  // a waiting run continues under it
  Json own = own_->to_json(waiting_.has_value());
  std::vector<QueuedMessage> after = inbox_.waiting();
  std::vector<QueuedMessage>& queued = after.size() > before.size() ? after : before;
  SessionRecord record;
  record.id = id_;
  record.iterations = iterations();
  record.usage = usage_;
  record.own = std::move(own);
  record.remembered = remembered_.to_json();
  record.queued = std::move(queued);
  record.model = model_mark_;
  record.waiting = waiting_;
  for (const auto& [name, child] : children_) record.children[name] = child->to_json();
  return json_of(record);
}

Status Session::rewind(const std::string& message_id) {
  const auto count = own_->rewind(message_id);
  if (!count.ok()) return count.status();
  remembered_.rewind(*count);
  forget_waiting();
  return {};
}

Result<std::shared_ptr<Session>> Session::fork(const std::string& message_id) const {
  SessionSetup setup;
  {
    const MutexLock lock(mutex_);
    if (closed_) return Status(Code::kClosed, "the session is closed");
    setup = next_ == nullptr ? setup_ : *next_;
  }
  setup.id.clear();
  auto record = read_record(dump_json(this->record()));
  if (!record.ok()) return record.status();
  record->queued.clear();  // that was said to this one
  std::shared_ptr<Session> copy(new Session(dispatcher_, models_, closing_, std::move(setup)));
  if (Status status = copy->take_record(*record, this); !status.ok()) return status;
  copy->own_->take_originals(*own_);
  if (!message_id.empty()) {
    if (Status status = copy->rewind(message_id); !status.ok()) return status;
  }
  copy->hooks_->take_over(*hooks_);
  copy->own_->adapters().take_over(own_->adapters());
  const MutexLock lock(mutex_);
  const MutexLock copys(copy->mutex_);
  for (const auto& [name, child] : copy->children_) {
    const auto same = children_.find(name);
    if (same == children_.end()) continue;
    child->take_originals(*same->second);
    child->adapters().take_over(same->second->adapters());
  }
  return copy;
}

Result<std::unique_ptr<Session::Turn>> Session::take_turn() {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, "the session is closed");
  if (busy_) return Status(Code::kSessionBusy, "a run or a compaction of the session " + id_ + " is under way");
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
  scope.conversation = id_;
  scope.tier = own_->profile()->tier;
  scope.closing = &closing_;
  scope.tags = setup_.tags;
  scope.owners.session = hooks_->owner();
  return scope;
}

void Session::report(const std::string& code, const std::string& message, const std::string& where) const {
  dispatcher_.error(scope(), code, message, where, true);
}

void Session::fire_start(const Scope& scope) {
  if (std::exchange(begun_, true)) return;
  notify<points::OnSessionStart>(dispatcher_, scope,
                                 [this](const auto& context) { context({.history = own_->history()}); });
}

Scope Session::run_scope(const std::string& run_id, const ModelUse& model, const Work& work) const {
  Scope scope = this->scope();
  scope.closing = nullptr;
  scope.run_id = run_id;
  scope.model_id = model.id;
  scope.depth = 0;
  scope.cancel = &work.cancel;
  return scope;
}

void Session::begin(const Scope& scope, const ModelUse& model) {
  fire_start(scope);
  note_model(model);
}

void Session::add_usage(const Usage& usage) {
  const MutexLock lock(mutex_);
  usage_ += usage;
}

Result<std::vector<ActiveAdapter>> Session::swap_adapters(const std::vector<AdapterChoice>& choices,
                                                          const ModelUse& model, const Work& work,
                                                          std::vector<Decision>& decisions) {
  Scope scope = run_scope("", model, work);
  scope.depth = -1;
  auto active = own_->adapters().become(choices, *model.generator, dispatcher_, scope, decisions);
  if (active.ok()) own_->adapters().choose(choices);
  return active;
}

void Session::note_model(const ModelUse& model) {
  const ModelMark mark = model_mark(*model.generator);
  const MutexLock lock(mutex_);
  const std::optional<ModelMark> before = std::exchange(model_mark_, mark);
  const bool first = std::exchange(restored_, false);
  if (!first || !before || before == mark) return;
  log_line(LogLevel::kWarn, "the session " + id_ + " was saved with another model or chat template, and goes on with " +
                                model.id + ": " + dump_json(json_of(*before)) + " and " + dump_json(json_of(mark)));
}

Messages Session::history(bool compacted) const { return compacted ? own_->history() : own_->everything(); }

std::optional<WaitingRun> Session::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_;
}

void Session::set_waiting(WaitingRun run) {
  Messages messages = run.messages();
  const MutexLock lock(mutex_);
  waiting_ = std::move(run);
  own_->set_said(std::move(messages));
}

void Session::forget_waiting() {
  const MutexLock lock(mutex_);
  waiting_.reset();
}

bool Session::busy() const {
  const MutexLock lock(mutex_);
  return busy_;
}

void Session::close() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) return;
    while (busy_) lock.wait(idle_);
  }
  const Scope scope = this->scope();
  fire_start(scope);
  notify<points::OnSessionEnd>(dispatcher_, scope, [this](const auto& context) {
    context({.history = own_->history(), .iterations = iterations()});
  });
  // Tools are released before the end of the close is reported, under no lock. The messages stay: a save may still read
  // them.
  hooks_->close();
  own_->forget_tools();
  AgentTools tools;
  std::unique_ptr<SessionSetup> next;
  std::map<std::string, std::shared_ptr<Dialogue>> children;
  {
    const MutexLock lock(mutex_);
    children = children_;
    tools.swap(setup_.tools);
    next.swap(next_);
  }
  for (const auto& [name, child] : children) child->forget_tools();
}

std::string Session::add_child(const std::string& tier, std::shared_ptr<Dialogue> child) {
  const MutexLock lock(mutex_);
  size_t number = children_.size() + 1;
  while (children_.contains(tier + "-" + std::to_string(number))) ++number;
  std::string name = tier + "-" + std::to_string(number);
  children_.emplace(name, std::move(child));
  return name;
}

std::shared_ptr<Dialogue> Session::child(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = children_.find(name);
  return found == children_.end() ? nullptr : found->second;
}

}  // namespace lh
