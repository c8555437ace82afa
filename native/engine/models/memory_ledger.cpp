#include "engine/models/memory_ledger.h"

#include <algorithm>

#include "base/text/names.h"

namespace lh {
namespace {

const std::string& memory_name(const Device& device) {
  static const std::string kMain = kMainMemory;
  return device.type == DeviceType::kCpu ? kMain : device.name;
}

bool has_memory(const Device& device) { return device.type != DeviceType::kAccelerator; }  // others use main memory

const char* state_name(ModelEntry::State state) {
  using enum ModelEntry::State;
  switch (state) {
    case kLoading: return "loading";
    case kReady: return "ready";
    case kCold: return "cold";
    case kEvicting:
    case kUnloading: return "unloading";
  }
  return "";
}

}  // namespace

std::string mib_text(uint64_t bytes) {
  const uint64_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

Result<MemoryLedger::Budgets> MemoryLedger::budgets_of(const EngineOptions& options,
                                                       const std::vector<Device>& devices) {
  Budgets budgets;
  std::string names;
  for (const Device& device : devices) {
    if (!has_memory(device)) continue;
    const std::string& name = memory_name(device);
    names += (names.empty() ? "\"" : ", \"") + name + '"';
    const auto own = options.device_budgets.find(name);
    const auto mib = own == options.device_budgets.end() ? options.memory_budget : std::optional(own->second);
    if (mib) budgets[name] = bytes_of_mib(*mib);
  }
  for (const auto& [name, mib] : options.device_budgets) {
    if (budgets.contains(name)) continue;
    return Status(Code::kInvalidArgument, shown_field("device_budgets") + " names \"" + name +
                                              "\", which is no device with memory here; there is " + names);
  }
  return budgets;
}

std::optional<uint64_t> MemoryLedger::budget_of(const std::string& device) const {
  const auto found = budgets_.find(device);
  return found == budgets_.end() ? std::nullopt : std::optional(found->second);
}

FootprintSum MemoryLedger::loaded() const {
  FootprintSum all;
  for (const auto& [id, entry] : table_.entries()) {
    if (entry.model) all.add(entry.model->generator->memory());
  }
  return all;
}

FootprintSum MemoryLedger::held() const {
  FootprintSum all = loaded();
  for (const MemoryFootprint& one : reserved_) all.add(one);
  return all;
}

MemoryUse MemoryLedger::beyond(const MemoryFootprint& need) const {
  const TableLock lock(table_);
  return held().beyond(need);
}

std::vector<DeviceRoom> MemoryLedger::rooms() const {
  const MemoryUse used = held().total();
  const MemoryUse there = loaded().total();
  std::vector<DeviceRoom> rooms;
  for (const Device& device : runtime_.devices()) {
    if (!has_memory(device)) continue;
    const std::string& name = memory_name(device);
    uint64_t free = device.free_bytes;
    if (!reserved_.empty()) {
      // Memory that was still being freed when the first load began may be free by now, and counts then.
      const uint64_t before = std::max(before_loads_.at(name), free + firm_bytes_on(there, name));
      free = std::min(free, before - std::min(before, firm_bytes_on(used, name)));
    }
    rooms.push_back({name, device.total_bytes, free, budget_of(name), bytes_on(used, name)});
  }
  return rooms;
}

std::vector<IdleModel> MemoryLedger::idle_models() const {
  std::vector<IdleModel> idle;
  for (const auto& [id, entry] : table_.entries()) {
    if (!entry.idle()) continue;
    MemoryFootprint memory = entry.model->generator->memory();
    if (memory.own.empty() && memory.weights.empty()) continue;  // it computes elsewhere
    idle.push_back({id, std::move(memory), entry.last_used_us, entry.model->params.pinned});
  }
  return idle;
}

std::string MemoryLedger::holders(const std::string& device) const {
  std::string list;
  for (const auto& [id, entry] : table_.entries()) {
    const uint64_t bytes = entry.model ? bytes_on(total(entry.model->generator->memory()), device) : 0;
    if (bytes == 0) continue;
    const char* const why = entry.uses > 0 ? ", in use" : entry.model->params.pinned ? ", pinned" : "";
    list += (list.empty() ? "" : ", ") + ("\"" + id + "\" " + mib_text(bytes)) + why;
  }
  FootprintSum coming;
  for (const MemoryFootprint& one : reserved_) coming.add(one);
  if (const uint64_t bytes = bytes_on(coming.total(), device); bytes > 0) {
    list += (list.empty() ? "" : ", ") + ("loads under way " + mib_text(bytes));
  }
  return list.empty() ? "no other model holds any" : "held by " + list;
}

std::optional<MemoryShortage> MemoryLedger::reserve(const MemoryFootprint& need, Reserved& reserved) {
  auto missing = shortage(held().beyond(need), rooms());
  if (missing) return missing;
  if (reserved_.empty()) {
    const MemoryUse used = held().total();
    for (const DeviceRoom& one : rooms()) before_loads_[one.device] = one.free + firm_bytes_on(used, one.device);
  }
  reserved = reserved_.insert(reserved_.end(), need);
  return {};
}

void MemoryLedger::release(Reserved& reserved) {
  if (reserved) reserved_.erase(*reserved);
  reserved.reset();
}

Json MemoryLedger::memory() const {
  const TableLock lock(table_);
  const FootprintSum all = held();
  const MemoryUse used = all.total();
  const uint64_t conversations = all.conversations();
  Json list = Json::array();
  for (const Device& device : runtime_.devices()) {
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

// Weights that several models share are counted with the model that was loaded first.
Json MemoryLedger::describe(const ModelEntry& entry) const {
  Json json = entry.description;
  json["state"] = state_name(entry.state);
  Json& sharing = json["shares_weights_with"] = Json::array();
  json["memory"] = Json::array();
  json["folds"] = Json::array();
  if (!entry.model) return json;
  json["folds"] = entry.model->generator->folds();
  const MemoryFootprint mine = entry.model->generator->memory();
  FootprintSum earlier;
  for (const auto& [id, other] : table_.entries()) {
    if (!other.model || other.model == entry.model) continue;
    const MemoryFootprint theirs = other.model->generator->memory();
    if (have_common_weights(mine, theirs)) sharing.push_back(id);
    if (other.model->number < entry.model->number) earlier.add(theirs);
  }
  json["memory"] = by_device(earlier.beyond(mine));
  return json;
}

}  // namespace lh
