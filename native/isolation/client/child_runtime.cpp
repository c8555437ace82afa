#include "isolation/client/child_runtime.h"

#include <algorithm>
#include <utility>

#include "isolation/client/child_generator.h"
#include "isolation/client/child_model.h"
#include "isolation/wire/model_wire.h"

namespace lh {
namespace {

// An object of the other process that is given up with this one.
class Held {
 public:
  Held(std::shared_ptr<Link> link, const char* op, const char* name, uint64_t number)
      : link_(std::move(link)), give_up_({{"op", op}, {name, number}}) {}
  ~Held() { link_->tell(give_up_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  [[nodiscard]] Link& link() const { return *link_; }

 private:
  const std::shared_ptr<Link> link_;
  const Json give_up_;
};

class ChildMeasured final : public MeasuredLoad {
 public:
  ChildMeasured(std::shared_ptr<Link> link, std::string path, uint64_t number)
      : path_(std::move(path)), number_(number), held_(std::move(link), "close_measured", "measured", number) {}

  Result<MemoryFootprint> with_context(int32_t context_size) override {
    const auto answer = ask("measure_context", context_size);
    if (!answer.ok()) return answer.status();
    return footprint_from_wire(answer->json.at("footprint"));
  }
  Result<Json> describe(int32_t context_size) override {
    const auto answer = ask("describe_measured", context_size);
    if (!answer.ok()) return answer.status();
    return answer->json.at("description");
  }

 private:
  [[nodiscard]] Result<Link::Answer> ask(const char* op, int32_t context_size) {
    return held_.link().call(
        {.json = {{"op", op}, {"measured", number_}, {"context_size", context_size}}, .work_for = path_});
  }

  const std::string path_;
  const uint64_t number_;
  const Held held_;
};

class ChildFiles final : public ModelFiles {
 public:
  ChildFiles(std::shared_ptr<Lives> lives, std::shared_ptr<Link> link, std::string path, FileFacts facts,
             uint64_t number)
      : lives_(std::move(lives)),
        path_(std::move(path)),
        facts_(std::move(facts)),
        number_(number),
        link_(link),
        held_(std::move(link), "close_files", "files", number) {}

  const FileFacts& facts() const override { return facts_; }

  MemoryFootprint estimate(const LoadParams& params) const override {
    const auto answer = ask("estimate", params);
    if (answer.ok()) return footprint_from_wire(answer->json.at("footprint"));
    // The process has died. A load takes at least this.
    return {{{.device = kMainMemory, .model = facts_.file_bytes}}, {}};
  }

  Result<std::unique_ptr<MeasuredLoad>> measure(const LoadParams& params) const override {
    const auto answer = ask("measure", params, {"close_measured", "measured"});
    if (!answer.ok()) return answer.status();
    std::unique_ptr<MeasuredLoad> measured = std::make_unique<ChildMeasured>(link_, path_, answer->json.at("measured"));
    return measured;
  }

  Result<std::unique_ptr<Generator>> load(const LoadParams& params,
                                          const std::function<bool(float)>& progress) const override {
    auto model = ChildModel::load(lives_, path_, params, progress);
    if (!model.ok()) return model.status();
    return make_child_generator(*std::move(model));
  }

 private:
  [[nodiscard]] Result<Link::Answer> ask(const char* op, const LoadParams& params, Link::Undo undo = {}) const {
    return held_.link().call({.json = {{"op", op}, {"files", number_}, {"params", paths_made_whole(params)}},
                              .work_for = path_,
                              .undo = undo});
  }

  const std::shared_ptr<Lives> lives_;
  const std::string path_;
  const FileFacts facts_;
  const uint64_t number_;
  const std::shared_ptr<Link> link_;
  const Held held_;
};

class ChildRuntime final : public ModelRuntime {
 public:
  explicit ChildRuntime(std::shared_ptr<Lives> lives) : lives_(std::move(lives)) {}
  ~ChildRuntime() override { lives_->listen(nullptr); }
  ChildRuntime(const ChildRuntime&) = delete;
  ChildRuntime& operator=(const ChildRuntime&) = delete;

  [[nodiscard]] Status open() {
    const auto link = lives_->current({});
    if (!link.ok()) return link.status();
    const Json told = lives_->opened();
    const MutexLock lock(mutex_);
    devices_ = devices_from_wire(told.at("devices"));
    info_ = told.at("info");
    return {};
  }

  // Returns the last known devices while the process is not running or a device does not answer.
  std::vector<Device> devices() const override {
    const auto link = lives_->alive();
    const auto answer = link == nullptr ? std::nullopt : std::optional(link->call(question("devices")));
    const MutexLock lock(mutex_);
    if (answer && answer->ok()) devices_ = devices_from_wire((*answer)->json.at("devices"));
    // Lost models have given their memory up, and take it again.
    const MemoryUse owed = lives_->owed();
    std::vector<Device> list = devices_;
    for (Device& one : list) {
      const std::string name = one.type == DeviceType::kCpu ? kMainMemory : one.name;
      one.free_bytes -= std::min(one.free_bytes, firm_bytes_on(owed, name));
    }
    return list;
  }

  Json info() const override {
    const auto link = lives_->alive();
    const auto answer = link == nullptr ? std::nullopt : std::optional(link->call(question("info")));
    const MutexLock lock(mutex_);
    if (answer && answer->ok()) info_ = (*answer)->json.at("info");
    Json info = info_;
    info["process"] = link == nullptr ? Json() : Json(link->pid());
    return info;
  }

  Result<std::shared_ptr<const ModelFiles>> open(const std::string& path, const LoadParams& params) const override {
    const std::string whole = whole_path(path);
    const auto link = lives_->current(whole);
    if (!link.ok()) return link.status();
    const auto opened =
        (*link)->call({.json = {{"op", "open_files"}, {"path", whole}, {"params", paths_made_whole(params)}},
                       .work_for = whole,
                       .undo = {"close_files", "files"}});
    if (!opened.ok()) return opened.status();
    const Json& json = opened->json;
    FileFacts facts{json.at("file_bytes"), json.at("layers"), json.at("training_context"), json.at("identity")};
    std::shared_ptr<const ModelFiles> files =
        std::make_shared<ChildFiles>(lives_, *link, whole, std::move(facts), json.at("files"));
    return files;
  }

  Result<MemoryUse> embedding_memory(const std::string& path, const LoadParams& params,
                                     PoolingType pooling) const override {
    const std::string whole = whole_path(path);
    const auto link = lives_->current(whole);
    if (!link.ok()) return link.status();
    const auto answer = (*link)->call({.json = {{"op", "embedding_memory"},
                                                {"path", whole},
                                                {"params", paths_made_whole(params)},
                                                {"pooling", static_cast<int>(pooling)}},
                                       .work_for = whole});
    if (!answer.ok()) return answer.status();
    return use_from_wire(answer->json.at("memory"));
  }

  void close() override { lives_->close(); }
  void listen(RuntimeListener* listener) override { lives_->listen(listener); }

 private:
  // The caller may be the thread of a user interface, and a device may be behind a network.
  [[nodiscard]] static Link::Call question(const char* op) {
    return {.json = {{"op", op}}, .patience = std::chrono::seconds(2)};
  }

  const std::shared_ptr<Lives> lives_;
  mutable Mutex mutex_;
  mutable std::vector<Device> devices_ LH_GUARDED_BY(mutex_);
  mutable Json info_ LH_GUARDED_BY(mutex_) = Json::object();
};

}  // namespace

Result<std::shared_ptr<ModelRuntime>> make_child_runtime(Lives::Options options) {
  auto runtime = std::make_shared<ChildRuntime>(std::make_shared<Lives>(std::move(options)));
  if (Status status = runtime->open(); !status.ok()) return status;
  std::shared_ptr<ModelRuntime> made = std::move(runtime);
  return made;
}

}  // namespace lh
