#include "isolation/client/child_model.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/system/time_us.h"
#include "base/text/path.h"
#include "isolation/wire/model_wire.h"

namespace lh {
namespace {

constexpr Link::Undo kForgetPart = {"forget_part", "publish"};
constexpr auto kTurnLook = std::chrono::milliseconds(10);  // for a cancel while another thread loads

}  // namespace

std::string whole_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(to_path(path), failed);
  return path.empty() || failed ? path : from_path(whole);
}

Json paths_made_whole(const LoadParams& params) {
  LoadParams whole = params;
  whole.draft_model = whole_path(params.draft_model);
  return to_json(whole);
}

Result<std::shared_ptr<ChildModel>> ChildModel::load(std::shared_ptr<Lives> lives, const std::string& path,
                                                     const LoadParams& params,
                                                     const std::function<bool(float)>& progress) {
  auto model = std::make_shared<ChildModel>(std::move(lives), path, params);
  const auto link = model->lives_->current(path);
  if (!link.ok()) return link.status();
  auto loaded = model->load_at(**link, progress);
  if (!loaded.ok()) return loaded.status();
  model->facts_ = std::move(loaded->json);
  model->lives_->enter(model.get());
  const MutexLock lock(model->mutex_);
  model->place_ = {*link, model->facts_.at("model")};
  model->footprint_ = footprint_from_wire(model->facts_.at("footprint"));
  for (const Json& one : model->facts_.at("embedder").at("made")) model->embeddings_.insert(one.get<int>());
  return model;
}

ChildModel::~ChildModel() {
  lives_->leave(this);
  const Place place = place_now();
  if (place.link == nullptr) return;
  static_cast<void>(place.link->call({.json = {{"op", "free_model"}, {"model", place.number}}, .must_end = true}));
}

Result<Link::Answer> ChildModel::load_at(Link& link, const std::function<bool(float)>& progress) {
  const Json params = paths_made_whole(params_);
  // Does not rely on the result of `progress`: while a device is silent in the middle of a tensor, no progress comes.
  const CancelFlag* const cancel = CancelScope::current();
  const auto opened = link.call({.json = {{"op", "open_files"}, {"path", path_}, {"params", params}},
                                 .work_for = path_,
                                 .cancel = cancel,
                                 .undo = {"close_files", "files"}});
  if (!opened.ok()) return opened.status();
  const Json files = opened->json.at("files");
  auto loaded = link.call({.json = {{"op", "load"}, {"files", files}, {"params", params}},
                           .work_for = path_,
                           .cancel = cancel,
                           .fraction =
                               [&](float fraction) {
                                 if (progress) progress(fraction);
                               },
                           .undo = {"free_model", "model"}});
  link.tell({{"op", "close_files"}, {"files", files}});
  return loaded;
}

ChildModel::Place ChildModel::place_now() const {
  const MutexLock lock(mutex_);
  return place_.link != nullptr && place_.link->alive() ? place_ : Place{};
}

Result<ChildModel::Place> ChildModel::place() {
  const CancelFlag* const cancel = CancelScope::current();
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (place_.link != nullptr && place_.link->alive()) return place_;
      if (cancel != nullptr && cancel->cancelled()) return Status(cancel->why(), cancel->reason());
      if (!bringing_back_) break;
      lock.wait_until(changed_, std::chrono::steady_clock::now() + kTurnLook);
    }
    bringing_back_ = true;
  }
  const auto done = [this](bool*) {
    const MutexLock lock(mutex_);
    bringing_back_ = false;
    changed_.notify_all();
  };
  bool mine = true;
  const std::unique_ptr<bool, decltype(done)> bringing_back(&mine, done);
  return bring_back();
}

Result<ChildModel::Place> ChildModel::bring_back() {
  const CancelFlag* const cancel = CancelScope::current();
  const auto link = lives_->current(path_);
  if (!link.ok()) return link.status();
  const uint64_t began = time_us();
  const auto loaded = load_at(**link, [cancel](float) { return cancel == nullptr || !cancel->cancelled(); });
  if (!loaded.ok()) {
    const bool cancelled = cancel != nullptr && cancel->cancelled();
    return cancelled ? Status(cancel->why(), cancel->reason()) : loaded.status();
  }
  const Place place{*link, loaded->json.at("model")};
  if (Status status = bring_back_parts(place); !status.ok()) {
    place.link->tell({{"op", "free_model"}, {"model", place.number}});
    return status;
  }
  Place before = place;
  {
    const MutexLock lock(mutex_);
    std::swap(place_, before);
  }
  lives_->tell_loaded_again(*this, static_cast<double>(time_us() - began) / 1000);
  return place;
}

MemoryUse ChildModel::owed() const {
  const MutexLock lock(mutex_);
  return place_.link == nullptr ? total(footprint_) : MemoryUse();
}

bool ChildModel::leave(const Link& link) {
  const MutexLock lock(mutex_);
  if (place_.link.get() != &link) return false;
  place_ = {};
  died_by_itself_ = !link.was_stuck();
  return true;
}

Status ChildModel::bring_back_parts(const Place& place) {
  std::vector<Json> parts;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, one] : adapters_) {
      parts.push_back({{"op", "load_adapter"}, {"id", id}, {"path", one.path}, {"scale", one.scale}});
    }
    const auto by_load = facts_.at("embedder").at("made").get<std::set<int>>();  // of a model that only embeds
    for (const int pooling : embeddings_) {
      if (!by_load.contains(pooling)) parts.push_back({{"op", "make_embeddings"}, {"pooling", pooling}});
    }
  }
  for (Json& one : parts) {
    const std::string id = one.value("id", "");
    one["model"] = place.number;
    const auto made = place.link->call({.json = std::move(one), .work_for = path_, .undo = kForgetPart});
    if (!made.ok()) return made.status();
    if (Status status = publish(place, made->json.at("publish"), id); !status.ok()) return status;
  }
  return {};
}

Result<Link::Answer> ChildModel::ask(Json json, std::string_view bytes, const CancelFlag* cancel, Place* at,
                                     Link::Undo undo) {
  Link::Call what{.json = std::move(json), .bytes = bytes, .work_for = path_, .cancel = cancel, .undo = undo};
  for (bool again = false;; again = true) {
    auto where = place();
    if (!where.ok()) return where.status();
    what.json["model"] = where->number;
    auto answer = where->link->call(what);
    const bool died = answer.status().code() == Code::kEngineCrashed && where->link->died_by_itself();
    if (died && !again) {
      lives_->tell_sent_again(*this, answer.status());
      continue;
    }
    if (at != nullptr) *at = *std::move(where);
    return answer;
  }
}

bool ChildModel::died_by_itself() const {
  const MutexLock lock(mutex_);
  return died_by_itself_;
}

Status ChildModel::publish(const Place& place, uint64_t number, const std::string& adapter_id) {
  Json json = {{"op", "publish"}, {"model", place.number}, {"publish", number}};
  if (!adapter_id.empty()) json["id"] = adapter_id;
  const auto answer = place.link->call({.json = std::move(json), .work_for = path_});
  if (!answer.ok()) return answer.status();
  const MutexLock lock(mutex_);
  footprint_ = footprint_from_wire(answer->json.at("footprint"));
  if (!adapter_id.empty()) adapters_[adapter_id] = adapter_from_wire(answer->json.at("adapter"));
  return {};
}

Result<Publish> ChildModel::begin_part(Json json, std::function<void()> keep, std::string adapter_id) {
  const auto at = place();
  if (!at.ok()) return at.status();
  json["model"] = at->number;
  const auto begun = at->link->call({.json = std::move(json), .work_for = path_, .undo = kForgetPart});
  if (!begun.ok()) return begun.status();
  const uint64_t number = begun->json.at("publish");
  // The other process gives up a part that is not published.
  const std::shared_ptr<void> given_up(nullptr, [place = *at, number](void*) {
    place.link->tell({{"op", "forget_part"}, {"publish", number}});
  });
  Publish done = [this, place = *at, number, given_up, keep = std::move(keep), adapter_id = std::move(adapter_id)] {
    Status status = publish(place, number, adapter_id);
    if (status.ok() && keep) keep();
    return status;
  };
  return done;
}

Result<Publish> ChildModel::load_adapter(const std::string& id, const std::string& path, double scale) {
  return begin_part({{"op", "load_adapter"}, {"id", id}, {"path", whole_path(path)}, {"scale", scale}}, {}, id);
}

Status ChildModel::unload_adapter(const std::string& id) {
  const auto answer = ask({{"op", "unload_adapter"}, {"id", id}});
  if (!answer.ok()) return answer.status();
  const MutexLock lock(mutex_);
  adapters_.erase(id);
  footprint_ = footprint_from_wire(answer->json.at("footprint"));
  return {};
}

std::vector<AdapterInfo> ChildModel::adapters() const {
  const MutexLock lock(mutex_);
  std::vector<AdapterInfo> list;
  for (const auto& [id, one] : adapters_) list.push_back(one);
  return list;
}

Result<Publish> ChildModel::make_embeddings(PoolingType pooling) {
  const auto keep = [this, pooling] {
    const MutexLock lock(mutex_);
    embeddings_.insert(static_cast<int>(pooling));
  };
  return begin_part({{"op", "make_embeddings"}, {"pooling", static_cast<int>(pooling)}}, keep, {});
}

bool ChildModel::has_embeddings(PoolingType pooling) const {
  const MutexLock lock(mutex_);
  return embeddings_.contains(static_cast<int>(pooling));
}

MemoryFootprint ChildModel::footprint() const {
  const MutexLock lock(mutex_);
  MemoryFootprint footprint = footprint_;
  if (place_.link != nullptr) footprint.conversations = place_.link->models().of(place_.number).conversations;
  return footprint;
}

}  // namespace lh
