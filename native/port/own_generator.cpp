#include "port/own_generator.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "generation/conversation_json.h"
#include "model/plain_format.h"
#include "port/counted.h"
#include "port/places.h"
#include "port/token_scale.h"

namespace lh {
namespace {

const PlainFormat kPlain;

class OwnPrompt final : public Prompt {
 public:
  OwnPrompt(const OwnModel* maker, std::string text, bool one_call, int64_t length)
      : maker_(maker), text_(std::move(text)), one_call_(one_call), length_(length) {}

  const std::string& text() const override { return text_; }
  int64_t length() const override { return length_; }
  bool is_typed() const override { return true; }
  const OutputFormat& format() const override { return kPlain; }
  bool one_call() const override { return one_call_; }
  const std::vector<std::string>& stops() const override { return no_stops_; }
  const OwnModel* maker() const { return maker_; }

 private:
  const OwnModel* const maker_;
  const std::string text_;  // the members of a request that make the prompt, as JSON
  const bool one_call_;
  const int64_t length_;
  const std::vector<std::string> no_stops_;
};

// The facts of a model that its streams share.
struct Shared {
  explicit Shared(int32_t count) : places(count) {}

  TokenScale scale;
  Places places;
};

class OwnStream final : public TokenStream {
 public:
  // `bytes`: of the prompt. `most`: tokens that fit into the context. The stream releases a place that the caller has
  // taken.
  OwnStream(std::shared_ptr<PieceQueue> queue, std::shared_ptr<Shared> shared, size_t bytes, int32_t most,
            CancelFlag& cancel)
      : queue_(std::move(queue)), shared_(std::move(shared)), bytes_(bytes), most_(most), listening_(cancel, [this] {
          queue_->stop();
        }) {}
  ~OwnStream() override {
    queue_->stop();
    shared_->places.give_back();
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  Item next() override {
    Item item = queue_->next();
    const auto* const end = std::get_if<EndOfStream>(&item);
    if (end == nullptr) return item;
    if (queue_->has_counted_prompt()) shared_->scale.learn(bytes_, queue_->usage().prompt_tokens);
    if (end->status.code() == Code::kPromptTooLong) shared_->scale.learn_least(bytes_, most_);
    return item;
  }
  void stop() override { queue_->stop(); }
  Usage usage() const override { return queue_->usage(); }
  std::string doubt() const override { return queue_->doubt(); }

 private:
  const std::shared_ptr<PieceQueue> queue_;
  const std::shared_ptr<Shared> shared_;
  const size_t bytes_;
  const int32_t most_;
  const CancelListener listening_;  // last: it uses the other members
};

// The stream of a call that was cancelled before it had a place.
class NoStream final : public TokenStream {
 public:
  Item next() override { return EndOfStream{StreamEnd::kCancelled, {}}; }
  void stop() override {}
  Usage usage() const override { return {}; }
};

class NoEmbedder final : public Embedder {
 public:
  explicit NoEmbedder(std::string id) : id_(std::move(id)) {}

  Result<PoolingType> pooling(std::optional<PoolingType>) const override { return none(); }
  Status check_ranks() const override { return unsupported(id_, "rerank"); }
  Result<TokenText> text(std::string_view, const CancelFlag&) const override { return none(); }
  Result<TokenText> pair(std::string_view, std::string_view, const CancelFlag&) const override { return none(); }
  int32_t max_tokens() const override { return 0; }
  int32_t dimensions() const override { return 0; }
  bool scores_are_probabilities() const override { return false; }
  bool has(PoolingType) const override { return false; }
  uint64_t rough_bytes() const override { return 0; }
  Result<Publish> make(PoolingType) override { return none(); }
  Result<std::vector<std::vector<float>>> compute(PoolingType, const std::vector<TokenText>&,
                                                  const CancelFlag&) override {
    return none();
  }
  Json describe() const override {
    return {{"dimensions", 0}, {"pooling", pooling_name(PoolingType::kNone)}, {"max_tokens", 0}, {"reranks", false}};
  }

 private:
  [[nodiscard]] Status none() const { return unsupported(id_, "embed"); }

  const std::string id_;
};

class OwnGenerator final : public Generator {
 public:
  OwnGenerator(std::string id, std::shared_ptr<OwnModel> model, const LoadParams& params)
      : id_(std::move(id)),
        model_(std::move(model)),
        context_size_(params.context_size),
        parallel_(params.parallel),
        shared_(std::make_shared<Shared>(params.parallel)),
        embedder_(id_) {}

  Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request, const SamplingParams& params) const override {
    if (Status status = model_->accept(request, id_); !status.ok()) return status;
    if (auto accepted = model_->accept(params, id_); !accepted.ok()) return accepted.status();
    if (Status status = check_tool_choice(request, params.tool_choice); !status.ok()) return status;
    const bool has_tools = request.tools != nullptr && !request.tools->empty();
    Json body = Json::object();
    if (request.messages != nullptr) {
      body["messages"] = to_json(*request.messages);
      body["tools"] = has_tools ? to_json(*request.tools) : Json::array();
    } else {
      body["prompt"] = to_utf8(request.raw);
    }
    body["continue_final_message"] = request.continue_final_message;
    std::string text = dump_json(body);
    const auto length = request.only_text ? Result<int64_t>(0) : count_of(text, request.cancel);
    if (!length.ok()) return length.status();
    std::unique_ptr<Prompt> prompt =
        std::make_unique<OwnPrompt>(model_.get(), std::move(text), has_tools && !params.parallel_tool_calls, *length);
    return prompt;
  }

  Result<std::string> infill_text(const Infill&) const override { return unsupported(id_, "infill"); }
  Status check_tool(const Tool&, bool) const override { return {}; }
  Result<MemoryUse> adapter_memory(const std::string&) const override { return no_adapters(); }
  Result<Publish> load_adapter(const std::string&, const std::string&, double) override { return no_adapters(); }
  Status unload_adapter(const std::string&) override { return no_adapters(); }
  Result<AdapterInfo> adapter(const std::string&) const override { return no_adapters(); }
  std::vector<AdapterInfo> adapters() const override { return {}; }

  Result<std::unique_ptr<TokenStream>> start(const Prompt& prompt, const SamplingParams& params, CancelFlag& cancel,
                                             int32_t priority, const CallOrigin& origin) override {
    const auto* const own = dynamic_cast<const OwnPrompt*>(&prompt);
    if (own == nullptr || own->maker() != model_.get()) {
      return Status(Code::kInvalidArgument, "the prompt was not prepared by this model");
    }
    if (!estimates() && own->length() >= context_size_) {
      return Status(Code::kPromptTooLong, "the prompt has " + std::to_string(own->length()) +
                                              " tokens and the context holds " + std::to_string(context_size_) +
                                              ", one of which the answer needs");
    }
    const auto accepted = model_->accept(params, id_);
    if (!accepted.ok()) return accepted.status();
    const Json about = {{"model_id", id_},
                        {"run_id", origin.run_id},
                        {"session_id", null_if_empty(std::string(origin.session_id))},
                        {"conversation", null_if_empty(std::string(origin.conversation))},
                        {"tier", null_if_empty(std::string(origin.tier))},
                        {"priority", priority},
                        {"params", *accepted}};
    std::string request = dump_json(about);
    request.back() = ',';
    request.append(own->text(), 1);
    if (!shared_->places.take(cancel, priority)) return std::unique_ptr<TokenStream>(std::make_unique<NoStream>());
    auto queue = std::make_shared<PieceQueue>(static_cast<int32_t>(std::min<int64_t>(own->length(), INT32_MAX)));
    std::unique_ptr<TokenStream> read =
        std::make_unique<OwnStream>(queue, shared_, own->text().size(), context_size_, cancel);
    lh_stream* const stream = answers_under_way().add({queue, model_});  // the caller's, until lh_stream_end
    if (Status status = call_generate(request, stream); !status.ok()) {
      const bool has_ended = answers_under_way().take(stream) == nullptr;
      queue->on_wake(nullptr, nullptr);  // its user data may no longer be valid
      if (!has_ended) return status;
      return Status(Code::kRemoteFailed, "the model \"" + id_ + "\" ended its answer, and then returned " +
                                             code_name(status.code()) + ", as if it had begun none");
    }
    return read;
  }

  Result<std::vector<int32_t>> tokenize(std::string_view, bool, bool, const CancelFlag*) const override {
    return unsupported(id_, "tokenize");
  }
  int64_t count(std::string_view text, const CancelFlag* cancel) const override {
    if (estimates()) return shared_->scale.estimate(text.size());
    const auto counted = count_of(dump_json({{"text", to_utf8(text)}}), cancel);
    return counted.ok() ? *counted : shared_->scale.estimate(text.size());
  }
  bool estimates() const override { return model_->functions().count == nullptr; }
  Result<std::string> detokenize(const std::vector<int32_t>&, bool) const override {
    return unsupported(id_, "detokenize");
  }

  int32_t context_size() const override { return context_size_; }
  Embedder& embedder() override { return embedder_; }
  MemoryFootprint memory() const override { return {}; }
  std::string fallback() const override { return model_->description().fallback; }
  bool held_up() const override { return false; }
  uint64_t drop_conversations(uint64_t) override { return 0; }

  Json describe() const override {
    const OwnModelParams& own = model_->description();
    return {{"architecture", ""},
            {"description", own.description},
            {"parameters", 0},
            {"layers", 0},
            {"gpu_layers", 0},
            {"training_context_size", 0},
            {"vocabulary_size", 0},
            {"context_size", context_size_},
            {"parallel", parallel_},
            {"threads", 0},
            {"chat_template", nullptr},
            {"generates", true},
            {"infills", false},
            {"embedding", embedder_.describe()},
            {"features",
             {{"tools", model_->has("tools")},
              {"json_schema", model_->has("json_schema")},
              {"logprobs", model_->has("logprobs")},
              {"grammar", model_->has("grammar")},
              {"raw", model_->has("raw")},
              {"continue_final_message", model_->has("continue_final_message")},
              {"infill", false},
              {"adapters", false},
              {"tokens", false},
              {"embeddings", false}}}};
  }

 private:
  [[nodiscard]] Status no_adapters() const { return unsupported(id_, "the option adapters"); }

  [[nodiscard]] Result<int64_t> count_of(const std::string& request, const CancelFlag* cancel) const {
    if (estimates()) return shared_->scale.estimate(request.size());
    return counted_by(model_, request, cancel);
  }

  // One of the places where exceptions stop: a C++ function may throw though it must not.
  [[nodiscard]] Status call_generate(const std::string& request, lh_stream* stream) const {
    const lh_generator& functions = model_->functions();
    try {
      const lh_status status = functions.generate(request.c_str(), stream, functions.user_data);
      if (status == LH_OK) return {};
      return {code_of(status), "the model \"" + id_ + "\" began no answer"};
    } catch (const std::exception& error) {
      return {Code::kInternal, "the model \"" + id_ + "\" threw an exception: " + to_utf8(error.what())};
    } catch (...) {
      return {Code::kInternal, "the model \"" + id_ + "\" threw something that is not a std::exception"};
    }
  }

  const std::string id_;
  const std::shared_ptr<OwnModel> model_;
  const int32_t context_size_;
  const int32_t parallel_;
  const std::shared_ptr<Shared> shared_;
  NoEmbedder embedder_;
};

}  // namespace

std::unique_ptr<Generator> make_own_generator(const std::string& id, std::shared_ptr<OwnModel> model,
                                              const LoadParams& params) {
  return std::make_unique<OwnGenerator>(id, std::move(model), params);
}

// Never destroyed: the caller's threads may end answers while the process exits.
PointerHandles<lh_stream, AnswerUnderWay>& answers_under_way() {
  static auto& all = *new PointerHandles<lh_stream, AnswerUnderWay>;
  return all;
}

}  // namespace lh
