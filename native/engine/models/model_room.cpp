// What models take of memory, and what is given up when it is too little. Parts of ModelManager.
#include <algorithm>
#include <chrono>
#include <exception>

#include "base/system/heap.h"
#include "base/system/log.h"
#include "base/system/time_us.h"
#include "engine/models/model_manager.h"
#include "engine/models/shared_load.h"
#include "llama/base/runtime.h"

namespace lh {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(250);

std::string mib(uint64_t bytes) {
  const uint64_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

const std::string& memory_name(const Device& device) {
  static const std::string kMain = kMainMemory;
  return device.type == DeviceType::kCpu ? kMain : device.name;
}

bool has_memory(const Device& device) { return device.type != DeviceType::kAccelerator; }  // of its own

uint64_t whole_mib(uint64_t bytes) { return bytes >> 20; }

}  // namespace

Result<ModelManager::Budgets> ModelManager::budgets_of(const EngineOptions& options) {
  Budgets budgets;
  std::string names;
  for (const Device& device : devices()) {
    if (!has_memory(device)) continue;
    const std::string& name = memory_name(device);
    names += (names.empty() ? "\"" : ", \"") + name + '"';
    const auto own = options.device_budgets.find(name);
    const auto mib = own == options.device_budgets.end() ? options.memory_budget : std::optional(own->second);
    if (mib) budgets[name] = bytes_of_mib(*mib);
  }
  for (const auto& [name, mib] : options.device_budgets) {
    if (budgets.contains(name)) continue;
    return Status(Code::kInvalidArgument,
                  "device_budgets names \"" + name + "\", which is no device with memory here; there is " + names);
  }
  return budgets;
}

// Why something should go, and what.
struct ModelManager::Pressure {
  Shortage shortage;
  const char* level;
  const char* cause;
  std::vector<IdleModel> candidates;
  FootprintSum held;  // by all, with what was asked for
  MemoryPlan plan;
  bool models_went = false;
};

FootprintSum ModelManager::loaded() const {
  FootprintSum all;
  for (const auto& [id, entry] : table_.entries()) {
    if (entry.model) all.add(entry.model->generator->memory());
  }
  return all;
}

FootprintSum ModelManager::held() const {
  FootprintSum all = loaded();
  for (const MemoryFootprint& one : being_loaded_) all.add(one);
  return all;
}

MemoryUse ModelManager::beyond(const MemoryFootprint& need) const {
  const TableLock lock(table_);
  return held().beyond(need);
}

std::optional<uint64_t> ModelManager::budget_of(const std::string& device) const {
  const auto found = limits_.budgets.find(device);
  return found == limits_.budgets.end() ? std::nullopt : std::optional(found->second);
}

std::vector<DeviceRoom> ModelManager::rooms() const {
  const MemoryUse used = held().total();
  const MemoryUse there = loaded().total();
  std::vector<DeviceRoom> rooms;
  for (const Device& device : devices()) {
    if (!has_memory(device)) continue;
    const std::string& name = memory_name(device);
    uint64_t free = device.free_bytes;
    if (!being_loaded_.empty()) {
      // What was being freed then has come free by now, if it does not count yet.
      const uint64_t before = std::max(before_loads_.at(name), free + firm_bytes_on(there, name));
      free = std::min(free, before - std::min(before, firm_bytes_on(used, name)));
    }
    rooms.push_back({name, device.total_bytes, free, budget_of(name), bytes_on(used, name)});
  }
  return rooms;
}

std::vector<IdleModel> ModelManager::candidates() const {
  std::vector<IdleModel> idle;
  for (const auto& [id, entry] : table_.entries()) {
    if (!entry.idle()) continue;
    idle.push_back({id, entry.model->generator->memory(), entry.last_used_us, entry.model->params.pinned});
  }
  return idle;
}

std::string ModelManager::holders(const std::string& device) const {
  std::string list;
  for (const auto& [id, entry] : table_.entries()) {
    const uint64_t bytes = entry.model ? bytes_on(total(entry.model->generator->memory()), device) : 0;
    if (bytes == 0) continue;
    const char* const why = entry.uses > 0 ? ", in use" : entry.model->params.pinned ? ", pinned" : "";
    list += (list.empty() ? "" : ", ") + ("\"" + id + "\" " + mib(bytes)) + why;
  }
  FootprintSum coming;
  for (const MemoryFootprint& one : being_loaded_) coming.add(one);
  if (const uint64_t bytes = bytes_on(coming.total(), device); bytes > 0) {
    list += (list.empty() ? "" : ", ") + ("loads under way " + mib(bytes));
  }
  return list.empty() ? "no other model holds any" : "held by " + list;
}

// None: there is room for it, and it is kept.
std::optional<Shortage> ModelManager::keep_room(const MemoryFootprint& need, Kept& room) {
  auto missing = shortage(held().beyond(need), rooms());
  if (missing) return missing;
  if (being_loaded_.empty()) {
    const MemoryUse used = held().total();
    for (const DeviceRoom& one : rooms()) before_loads_[one.device] = one.free + firm_bytes_on(used, one.device);
  }
  room = being_loaded_.insert(being_loaded_.end(), need);
  return {};
}

void ModelManager::give_back(Kept& room) {
  if (room) being_loaded_.erase(*room);
  room.reset();
}

Status ModelManager::take_room(const std::string& id, const std::string& what, const MemoryFootprint& need, Kept& kept,
                               const Work& work, Refusal& refused) {
  Pressure pressure{{}, "critical", "load", {}, {}, {}};
  {
    const TableLock lock(table_);
    const auto missing = keep_room(need, kept);
    if (!missing) return {};
    pressure.shortage = *missing;
    if (missing->weights_fit) pressure.cause = "context";
    pressure.candidates = candidates();
    pressure.held = held();
    const MemoryUse more = pressure.held.beyond(need);
    pressure.held.add(need);
    pressure.plan = plan_for(more, rooms(), pressure.candidates, pressure.held, Enough::kOrNothing);
  }
  Scope scope;
  scope.model_id = id;
  scope.cancel = &work.cancel;
  const Status relieved = relieve(pressure, scope, refused);
  if (work.cancel.cancelled()) return cancelled_load(id, work.cancel);
  if (relieved.code() == Code::kInvalidArgument) return relieved;
  const TableLock lock(table_);
  const auto missing = keep_room(need, kept);
  if (!missing) {
    refused.reset();
    return {};
  }
  const DeviceRoom& room = missing->room;
  const std::string of_budget = room.budget ? " of a budget of " + mib(*room.budget) : "";
  const std::string why = relieved.ok() ? "" : "; " + relieved.message();
  return Status(Code::kInsufficientMemory, what + " needs " + mib(missing->needed) + " on " + room.device + ", and " +
                                               mib(missing->left) + " are free" + of_budget + "; " +
                                               holders(room.device) + why);
}

Status ModelManager::make_in_room(const std::string& id, const std::string& what, const MemoryFootprint& need,
                                  FunctionRef<Result<Publish>()> make, const Work& work, Refusal& refused) {
  Kept room;
  const std::shared_ptr<void> kept(nullptr, [&](void*) {
    const TableLock lock(table_);
    give_back(room);
  });
  if (Status status = take_room(id, what, need, room, work, refused); !status.ok()) return status;
  const auto made = make();  // freed behind the lock if it is not published
  if (!made.ok()) return made.status();
  const TableLock lock(table_);
  give_back(room);
  return (*made)();
}

// Asks the hooks, and carries out what is left of the plan. Errors: kHookCancelled, by a hook that will have nothing
// given up; kInvalidArgument, for a plan with what cannot go; kCancelled, where the work is.
Status ModelManager::relieve(Pressure& pressure, const Scope& scope, Refusal& refused) {
  const DeviceRoom& room = pressure.shortage.room;
  MemoryPlan plan = pressure.plan;
  Status bad_plan;
  const auto complete = [&](const DispatchResult& so_far) {
    const Json& changes = so_far.changes;
    if (changes.contains("conversation_bytes")) plan.conversation_bytes = changes["conversation_bytes"].get<uint64_t>();
    if (!changes.contains("plan")) return true;
    plan.models = changes["plan"].get<std::vector<std::string>>();
    bad_plan = {};
    for (const std::string& name : plan.models) {
      const auto found = std::ranges::find(pressure.candidates, name, &IdleModel::model_id);
      if (found != pressure.candidates.end() && !found->pinned) continue;
      bad_plan = Status(Code::kInvalidArgument, "the plan of a hook at ON_VRAM_PRESSURE names \"" + name +
                                                    "\", which is not among the models that can be given up");
    }
    return true;
  };
  const Outcome asked = dispatcher_.fire(
      LH_HOOK_ON_VRAM_PRESSURE, scope,
      [&](std::string& out) {
        const uint64_t total = room.budget ? std::min(*room.budget, room.total) : room.total;
        const uint64_t left = std::min(room.left(), total);
        append_members(out, {{"device", room.device},
                             {"vram_used_mb", whole_mib(total - left)},
                             {"vram_total_mb", whole_mib(total)},
                             {"pressure_level", pressure.level},
                             {"needed_bytes", pressure.shortage.needed},
                             {"free_bytes", pressure.shortage.left},
                             {"budget_bytes", room.budget ? Json(*room.budget) : Json(nullptr)},
                             {"cause", pressure.cause},
                             {"candidates", to_json(pressure.candidates, pressure.held, room.device)},
                             {"conversation_bytes", pressure.plan.conversation_bytes},
                             {"plan", pressure.plan.models}});
      },
      complete);
  if (!bad_plan.ok() || asked->decision.action == Action::kCancelled) refused = asked->decision;
  if (asked->decision.action == Action::kCancelled) {
    if (!asked->decision.decided_by) return Status(Code::kCancelled, "cancelled while memory was made free");
    return Status(Code::kHookCancelled, "the hook " + asked->decision.decided_by->name +
                                            " would have nothing unloaded: " + *asked->decision.reason);
  }
  if (!bad_plan.ok()) return bad_plan;
  // The models first, whose conversations go with them: those that are planned beside models are of others.
  for (const std::string& name : plan.models) pressure.models_went |= evict(name, "memory pressure");
  if (plan.conversation_bytes > 0) drop_conversations(plan.conversation_bytes);
  return {};
}

// Of the model that was used least recently first.
void ModelManager::drop_conversations(uint64_t bytes) {
  {
    const TableLock lock(table_);
    std::vector<const ModelEntry*> models;
    for (const auto& [id, entry] : table_.entries()) {
      if (entry.model) models.push_back(&entry);
    }
    std::ranges::sort(models, {}, [](const ModelEntry* one) { return one->last_used_us; });
    for (const ModelEntry* one : models) {
      if (bytes == 0) break;
      bytes -= std::min(bytes, one->model->generator->drop_conversations(bytes));
    }
  }
  trim_heap();
}

bool ModelManager::evict(const std::string& id, const std::string& reason) {
  Leaving leaving;
  {
    const TableLock lock(table_);
    const ModelEntry* const found = table_.find(id);
    if (found == nullptr || !found->idle()) return false;
    leaving.freed = held().freed_with(found->model->generator->memory());
    leaving.model = table_.begin_eviction(id);
  }
  free_memory(leaving);
  table_.end_eviction(id);
  tell_unloaded(leaving, reason);
  return true;
}

Json ModelManager::memory() const {
  const TableLock lock(table_);
  const FootprintSum all = held();
  const MemoryUse used = all.total();
  const uint64_t conversations = all.conversations();
  Json list = Json::array();
  for (const Device& device : devices()) {
    const bool counts = has_memory(device);
    const std::string& name = memory_name(device);
    const auto budget = counts ? budget_of(name) : std::nullopt;
    list.push_back({{"device", device.name},
                    {"type", device_type_name(device.type)},
                    {"total_bytes", device.total_bytes},
                    {"free_bytes", device.free_bytes},
                    {"used_bytes", counts ? bytes_on(used, name) : 0},
                    {"conversation_bytes", name == kMainMemory && counts ? conversations : 0},
                    {"budget_bytes", budget ? Json(*budget) : Json(nullptr)}});
  }
  return list;
}

void ModelManager::watch() {
  const TableLock lock(table_);
  if (!watching_ || ticker_) return;
  ticker_ = std::make_unique<Ticker>(kPeriod, [this] { look(); });
}

void ModelManager::stop_watching() {
  std::unique_ptr<Ticker> ticker;
  {
    const TableLock lock(table_);
    watching_ = false;
    ticker = std::move(ticker_);
  }
}  // where it is joined, without the lock

void ModelManager::look() {
  try {
    look_for_idle();
    if (const auto budget = budget_of(kMainMemory)) keep_conversations_to_budget(*budget);
    if (limits_.low_memory > 0) look_for_room();
  } catch (const std::exception& error) {
    log_line(LogLevel::kError, std::string("looking for memory: ") + error.what());
  }
}

// They are a cache: what of it is over the budget goes as what is over its own size does, without a hook.
void ModelManager::keep_conversations_to_budget(uint64_t budget) {
  uint64_t over = 0;
  {
    const TableLock lock(table_);
    const FootprintSum all = held();
    const uint64_t used = bytes_on(all.total(), kMainMemory);
    if (used > budget) over = std::min(used - budget, all.conversations());
  }
  if (over > 0) drop_conversations(over);
}

void ModelManager::look_for_idle() {
  std::vector<std::string> due;
  {
    const TableLock lock(table_);
    for (const auto& [id, entry] : table_.entries()) {
      if (!entry.idle()) continue;
      if (!entry.model->params.keep_alive || entry.model->params.pinned) continue;
      const auto seconds = static_cast<uint64_t>(*entry.model->params.keep_alive);
      if (time_us() - entry.last_used_us >= seconds * 1'000'000) due.push_back(id);
    }
  }
  for (const std::string& id : due) static_cast<void>(evict(id, "not used for as long as keep_alive says"));
}

// Again for the same device only when something went, something else can be given up, or after it had enough.
void ModelManager::look_for_room() {
  std::vector<Pressure> found;
  {
    const TableLock lock(table_);
    const std::vector<DeviceRoom> all = rooms();
    for (const DeviceRoom& room : all) {
      if (room.left() >= limits_.low_memory) {
        low_.erase(room.device);
        continue;
      }
      const MemoryUse need = {{room.device, limits_.low_memory, 0, 0, 0}};
      const auto plan = plan_for(need, all, candidates(), held(), Enough::kOrAll);
      const MemoryPlan same{plan.conversation_bytes > 0 ? 1ULL : 0ULL, plan.models};  // whatever the sizes
      if (plan.empty() || low_[room.device] == same) continue;
      low_[room.device] = same;
      const Shortage missing{room, limits_.low_memory, room.left(), limits_.low_memory - room.left(), false};
      found.push_back({missing, "warning", "low_memory", candidates(), held(), plan});
    }
  }
  for (Pressure& pressure : found) {
    Refusal refused;
    const Status status = relieve(pressure, free_scope(""), refused);
    {
      const TableLock lock(table_);
      const bool dropped = held().conversations() < pressure.held.conversations();
      if (dropped) low_[pressure.shortage.room.device].conversation_bytes = 0;  // those that come now are others
      if (pressure.models_went) low_.erase(pressure.shortage.room.device);      // and may come back
    }
    if (status.code() != Code::kInvalidArgument) continue;
    dispatcher_.error(free_scope(""), code_name(status.code()), status.message(), "memory", true);
  }
}

}  // namespace lh
