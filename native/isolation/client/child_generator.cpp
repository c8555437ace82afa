#include "isolation/client/child_generator.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/mutex.h"
#include "isolation/client/child_embedder.h"
#include "isolation/client/child_prompt.h"
#include "isolation/client/incoming.h"
#include "isolation/wire/model_wire.h"

namespace lh {
namespace {

constexpr size_t kBytesPerToken = 4;  // roughly, for typical text

// The reader's reference to a generation there: when the reader leaves, it ends.
class ChildStream final : public TokenStream {
 public:
  ChildStream(std::shared_ptr<Link> link, std::shared_ptr<Incoming> incoming, CancelFlag& cancel)
      : link_(std::move(link)),
        incoming_(std::move(incoming)),
        listening_(cancel, [this, &cancel] { link_->cancel(*incoming_, cancel); }) {}
  // Waits for its end, so that its sequence is free for the caller's next generation; a cancel ends the wait.
  ~ChildStream() override {
    if (!ended_) stop();
    while (!ended_) static_cast<void>(next());
    link_->forget(incoming_->id);
  }
  ChildStream(const ChildStream&) = delete;
  ChildStream& operator=(const ChildStream&) = delete;

  Item next() override {
    Item item = incoming_->next(taken_);
    ended_ = std::holds_alternative<EndOfStream>(item);
    if (ended_ && incoming_->was_left()) link_->leave_behind();
    if (!ended_ && taken_ >= Incoming::kRoom / 2) link_->give_room(incoming_->id, std::exchange(taken_, 0));
    return item;
  }
  bool ready() const override { return incoming_->ready(); }
  void stop() override { link_->stop(*incoming_); }
  Usage usage() const override { return incoming_->usage(); }

 private:
  const std::shared_ptr<Link> link_;
  const std::shared_ptr<Incoming> incoming_;
  int32_t taken_ = 0;  // tokens, since room for more was last reported
  bool ended_ = false;
  const CancelListener listening_;  // last: it uses the other members
};

class ChildGenerator final : public Generator {
 public:
  explicit ChildGenerator(std::shared_ptr<ChildModel> model) : model_(std::move(model)), embedder_(model_) {
    model_->belongs_to(this);
  }
  ~ChildGenerator() override { model_->belongs_to(nullptr); }
  ChildGenerator(const ChildGenerator&) = delete;
  ChildGenerator& operator=(const ChildGenerator&) = delete;

  Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request, const SamplingParams& params) const override {
    ChildModel::Place place;
    const auto answer =
        model_->ask({{"op", "prepare"}, {"prompt", prompt_to_wire(request)}, {"params", params_to_wire(params)}}, {},
                    request.cancel, &place, {"free_prompt", "prompt"});
    if (!answer.ok()) return answer.status();
    std::unique_ptr<Prompt> prompt = std::make_unique<ChildPrompt>(*model_, std::move(place), *answer);
    const MutexLock lock(mutex_);
    folds_ = answer->json.at("folds");
    return prompt;
  }

  std::vector<std::string> folds() const override {
    const MutexLock lock(mutex_);
    return folds_;
  }

  Result<std::unique_ptr<TokenStream>> start(const Prompt& prompt, const SamplingParams& params, CancelFlag& cancel,
                                             int32_t priority, const CallOrigin& origin) override {
    const auto* const own = dynamic_cast<const ChildPrompt*>(&prompt);
    if (own == nullptr || own->maker() != model_.get()) {
      return Status(Code::kInvalidArgument, "the prompt was not prepared by this model");
    }
    const auto& [link, number] = own->place();
    auto incoming = link->begin_stream(
        {.json = {{"op", "start"},
                  {"model", number},
                  {"prompt", own->number()},
                  {"params", params_to_wire(params)},
                  {"priority", priority},
                  {"origin", Json::array({origin.run_id, origin.session_id, origin.conversation, origin.tier})},
                  {"room", Incoming::kRoom}},
         .work_for = model_->path(),
         .cancel = &cancel},
        static_cast<int32_t>(std::min<int64_t>(prompt.length(), INT32_MAX)));
    if (!incoming.ok()) return incoming.status();
    std::unique_ptr<TokenStream> stream = std::make_unique<ChildStream>(link, *std::move(incoming), cancel);
    return stream;
  }

  Result<std::string> infill_text(const Infill& infill) const override {
    auto answer = model_->ask({{"op", "infill_text"}, {"infill", infill_to_wire(infill)}});
    if (!answer.ok()) return answer.status();
    return std::move(answer->bytes);
  }
  Status check_tool(const Tool& tool, bool strict) const override {
    return model_->ask({{"op", "check_tool"}, {"tool", tool_to_wire(tool)}, {"strict", strict}}).status();
  }

  Result<MemoryUse> adapter_memory(const std::string& path) const override {
    const auto answer = model_->ask({{"op", "adapter_memory"}, {"path", whole_path(path)}});
    if (!answer.ok()) return answer.status();
    return use_from_wire(answer->json.at("memory"));
  }
  Result<Publish> load_adapter(const std::string& id, const std::string& path, double scale) override {
    return model_->load_adapter(id, path, scale);
  }
  Status unload_adapter(const std::string& id) override { return model_->unload_adapter(id); }
  Result<AdapterInfo> adapter(const std::string& id) const override {
    for (AdapterInfo& one : model_->adapters()) {
      if (one.id == id) return std::move(one);
    }
    return Status(Code::kNotFound, "no adapter named \"" + id + "\" is loaded");
  }
  std::vector<AdapterInfo> adapters() const override { return model_->adapters(); }

  Result<std::vector<int32_t>> tokenize(std::string_view text, bool add_special, bool parse_special,
                                        const CancelFlag* cancel) const override {
    const auto answer = tokens(text, add_special, parse_special, false, cancel);
    if (!answer.ok()) return answer.status();
    return list_of<int32_t>(answer->bytes);
  }
  int64_t count(std::string_view text, const CancelFlag* cancel) const override {
    const auto answer = tokens(text, false, false, true, cancel);
    if (answer.ok()) return answer->json.at("count");
    if (cancel != nullptr && cancel->cancelled()) return 0;
    return static_cast<int64_t>(text.size() / kBytesPerToken) + 1;  // the process has died, which the next call reports
  }
  Result<std::string> detokenize(const std::vector<int32_t>& list, bool special) const override {
    auto answer = model_->ask({{"op", "detokenize"}, {"special", special}}, bytes_of_list(list));
    if (!answer.ok()) return answer.status();
    return std::move(answer->bytes);
  }

  int32_t context_size() const override { return model_->facts().at("context_size"); }
  Embedder& embedder() override { return embedder_; }
  MemoryFootprint memory() const override { return model_->footprint(); }
  bool may_send_again() const override { return model_->died_by_itself(); }
  bool held_up() const override {
    const ChildModel::Place place = model_->place_now();
    return place.link != nullptr && place.link->models().of(place.number).held_up;
  }
  uint64_t drop_conversations(uint64_t bytes) override {
    const ChildModel::Place place = model_->place_now();
    if (place.link == nullptr) return 0;
    const auto answer =
        place.link->call({.json = {{"op", "drop_conversations"}, {"model", place.number}, {"bytes", bytes}}});
    if (!answer.ok()) return 0;
    place.link->models().set_conversations(place.number, answer->json.at("conversations"));
    return answer->json.at("dropped");
  }
  Json describe() const override { return model_->facts().at("description"); }

 private:
  [[nodiscard]] Result<Link::Answer> tokens(std::string_view text, bool add_special, bool parse_special, bool count,
                                            const CancelFlag* cancel) const {
    return model_->ask(
        {{"op", "tokenize"}, {"add_special", add_special}, {"parse_special", parse_special}, {"count", count}}, text,
        cancel);
  }

  const std::shared_ptr<ChildModel> model_;
  ChildEmbedder embedder_;
  mutable Mutex mutex_;
  mutable std::vector<std::string> folds_ LH_GUARDED_BY(mutex_);  // as of the last prompt
};

}  // namespace

std::unique_ptr<Generator> make_child_generator(std::shared_ptr<ChildModel> model) {
  return std::make_unique<ChildGenerator>(std::move(model));
}

}  // namespace lh
