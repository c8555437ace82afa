#include "llama/generator.h"

#include <algorithm>

#include "llama/base/device_choice.h"
#include "llama/base/memory.h"
#include "llama/base/model_file.h"
#include "llama/base/runtime.h"
#include "llama/base/vocab.h"
#include "llama/base/weights.h"
#include "llama/decode/adapters.h"
#include "llama/decode/context.h"
#include "llama/decode/draft.h"
#include "llama/decode/draft_model.h"
#include "llama/decode/scheduler.h"
#include "llama/description.h"
#include "llama/embed/embedder.h"
#include "llama/prompt/chat_prompt.h"
#include "llama/prompt/infill.h"
#include "model/model_runtime.h"

namespace lh {
namespace {

constexpr size_t kQueueCapacity = 32;  // tokens that the decode thread may be ahead of a reader

// The time that a cancelled reader waits for the step that its job is in. A longer step continues without the reader:
// it cannot be interrupted, or it is stuck.
constexpr auto kStepGrace = std::chrono::seconds(1);

// The reader's reference to a job: when the reader leaves, the job ends.
class JobStream final : public TokenStream {
 public:
  JobStream(std::shared_ptr<Job> job, LlamaScheduler& scheduler, CancelFlag& cancel)
      : job_(std::move(job)), scheduler_(scheduler), listening_(cancel, [this] {
          job_->queue->hurry(std::chrono::steady_clock::now() + kStepGrace);
          stop();
        }) {}

  ~JobStream() override {
    if (!ended_) stop();
    while (!ended_) static_cast<void>(next());  // so that its sequence is free for the caller's next generation
    scheduler_.leave(*job_);
  }

  JobStream(const JobStream&) = delete;
  JobStream& operator=(const JobStream&) = delete;

  Item next() override {
    Item item = job_->queue->next();
    ended_ = std::holds_alternative<EndOfStream>(item);
    return item;
  }

  bool ready() const override { return job_->queue->ready(); }

  void stop() override {
    job_->stopped = true;
    scheduler_.wake();
  }

  Usage usage() const override {
    const MutexLock lock(job_->usage_mutex);
    return job_->usage;
  }

 private:
  std::shared_ptr<Job> job_;
  LlamaScheduler& scheduler_;
  bool ended_ = false;
  const CancelListener listening_;  // last: it uses the other members
};

class LlamaGenerator final : public Generator {
 public:
  // `context` null: the model only embeds.
  LlamaGenerator(std::shared_ptr<LlamaWeights> weights, const GgufSummary& file, const LoadParams& params,
                 std::unique_ptr<LlamaChat> chat, std::unique_ptr<LlamaContext> context,
                 std::unique_ptr<DraftModel> draft, const LlamaScheduler::Limits& limits, MemoryFootprint memory)
      : context_size_(limits.context_size),
        parallel_(limits.parallel),
        memory_(std::move(memory)),
        weights_(std::move(weights)),
        model_(weights_->model.get()),
        threads_(threads_for(model_, params)),
        ends_(end_tokens(llama_model_get_vocab(model_))),
        chat_(std::move(chat)),
        adapters_(*weights_, file.architecture, file.tensors),
        embedder_(*weights_, file, params, chat_->tokenizer()) {
    if (context) scheduler_.emplace(model_, adapters_, std::move(context), std::move(draft), limits);
  }

  Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request, const SamplingParams& params) const override {
    if (!scheduler_) return writes_nothing();
    return chat_->prepare(request, params);
  }
  Result<std::string> infill_text(const Infill& infill) const override {
    if (!scheduler_) return writes_nothing();
    return lh::infill_text(vocab(), infill);
  }
  Status check_tool(const Tool& tool, bool strict) const override { return chat_->check_tool(tool, strict); }

  Result<MemoryUse> adapter_memory(const std::string& path) const override { return adapters_.need(path); }
  Result<Publish> load_adapter(const std::string& id, const std::string& path, double scale) override {
    return adapters_.load(id, path, scale);
  }
  Status unload_adapter(const std::string& id) override {
    return adapters_.unload(id, [this] {
      if (scheduler_) scheduler_->wake();
    });
  }
  Result<AdapterInfo> adapter(const std::string& id) const override { return adapters_.find(id); }
  std::vector<AdapterInfo> adapters() const override { return adapters_.list(); }

  Result<std::unique_ptr<TokenStream>> start(const Prompt& prompt, const SamplingParams& params, CancelFlag& cancel,
                                             int32_t priority, const CallOrigin& /*origin*/) override {
    if (!scheduler_) return writes_nothing();
    if (Status status = weights_->files.check(); !status.ok()) return status;
    const LlamaPrompt* own = chat_->own(prompt);
    if (own == nullptr) return Status(Code::kInvalidArgument, "the prompt was not prepared by this model");
    const int64_t length = prompt.length();
    if (length == 0) return Status(Code::kInvalidArgument, "the prompt is empty");
    if (length >= context_size_) {
      return Status(Code::kPromptTooLong, "the prompt has " + std::string(own->is_whole() ? "" : "at least ") +
                                              std::to_string(length) + " tokens and the context holds " +
                                              std::to_string(context_size_) + ", one of which the answer needs");
    }
    auto sampler = LlamaSampler::create(model_, *own, params, ends_);
    if (!sampler.ok()) return sampler.status();
    auto adapters = adapters_.stages_of(params.adapters, own->tokens());
    if (!adapters.ok()) return adapters.status();
    auto job = std::make_shared<Job>();
    job->adapters = *std::move(adapters);
    job->prompt = own->tokens();
    job->settled = settled_length(*own);
    {
      const MutexLock lock(job->usage_mutex);
      job->usage.prompt_tokens = static_cast<int32_t>(length);
    }
    job->sampler = *std::move(sampler);
    job->preserved = own->grammar().preserved;
    job->max_tokens = params.max_tokens.value_or(context_size_);
    job->ignore_eos = params.ignore_eos && own->grammar().grammar.empty();
    job->logprobs = wants_logprobs(params);
    job->top_logprobs = params.top_logprobs;
    job->priority = priority;
    job->queue = std::make_unique<TokenQueue>(kQueueCapacity, [this] { scheduler_->wake(); });
    scheduler_->submit(job);
    std::unique_ptr<TokenStream> stream = std::make_unique<JobStream>(std::move(job), *scheduler_, cancel);
    return stream;
  }

  Result<std::vector<int32_t>> tokenize(std::string_view text, bool add_special, bool parse_special,
                                        const CancelFlag* cancel) const override {
    auto made = chat_->tokenizer().tokenize(
        text, {.add_special = add_special, .parse_special = parse_special, .cancel = cancel});
    if (!made.ok()) return made.status();
    return std::move(made->tokens);
  }

  int64_t count(std::string_view text, const CancelFlag* cancel) const override {
    const auto tokens = tokenize(text, false, false, cancel);
    return tokens.ok() ? static_cast<int64_t>(tokens->size()) : 0;
  }

  Result<std::string> detokenize(const std::vector<int32_t>& tokens, bool special) const override {
    std::string bytes;
    for (const int32_t token : tokens) {
      if (token < 0 || token >= llama_vocab_n_tokens(vocab())) {
        return Status(Code::kInvalidArgument, "token " + std::to_string(token) + " is not in the vocabulary (0 to " +
                                                  std::to_string(llama_vocab_n_tokens(vocab()) - 1) + ")");
      }
      bytes += token_bytes(vocab(), token, special);
    }
    return bytes;
  }

  int32_t context_size() const override { return context_size_; }
  Embedder& embedder() override { return embedder_; }
  LlamaEmbedder& own_embedder() { return embedder_; }

  MemoryFootprint memory() const override {
    MemoryFootprint sum = memory_;
    add_use(sum.own, embedder_.memory());
    add_use(sum.own, adapters_.memory());
    if (scheduler_) sum.conversations = scheduler_->idle_conversations().stored();
    return sum;
  }

  bool held_up() const override { return scheduler_ && scheduler_->held_up(); }

  int64_t step_ms() const override { return scheduler_ ? scheduler_->step_ms() : 0; }

  uint64_t drop_conversations(uint64_t bytes) override {
    return scheduler_ ? scheduler_->idle_conversations().drop_oldest(bytes) : 0;
  }

  std::vector<std::string> folds() const override { return chat_->folds(); }

  Json describe() const override {
    return describe_model(model_, *chat_, {context_size_, parallel_, threads_, scheduler_.has_value()},
                          embedder_.describe());
  }

 private:
  // The next turn begins with all of this prompt, except perhaps with the text that opens the answer.
  int32_t settled_length(const LlamaPrompt& prompt) const {
    const std::vector<int32_t>& tokens = prompt.tokens();
    const auto opening = lh::tokenize(vocab(), prompt.grammar().generation_prompt, false, true);
    const bool ends_with_it =
        opening.size() < tokens.size() && std::equal(opening.rbegin(), opening.rend(), tokens.rbegin());
    const size_t open = ends_with_it && !opening.empty() ? opening.size() : 1;
    return static_cast<int32_t>(tokens.size() - open);
  }

  static Status writes_nothing() {
    return {Code::kUnsupportedByModel, "the model makes vectors of texts, and writes none: see embed and rerank"};
  }

  const llama_vocab* vocab() const { return llama_model_get_vocab(model_); }

  const int32_t context_size_;
  const int32_t parallel_;
  const MemoryFootprint memory_;
  // The order matters: the scheduler joins its thread and frees the context before adapters and weights are freed.
  const std::shared_ptr<LlamaWeights> weights_;
  llama_model* const model_;
  const int threads_;
  const std::vector<int32_t> ends_;
  std::unique_ptr<LlamaChat> chat_;
  LlamaAdapters adapters_;
  LlamaEmbedder embedder_;
  std::optional<LlamaScheduler> scheduler_;
};

double kv_bytes(const GgufSummary& file, const LoadParams& params) {
  const double bytes_each = params.kv_type == KvType::kF32 ? 4.0 : params.kv_type == KvType::kQ8_0 ? 34.0 / 32.0 : 2.0;
  const int64_t cells = int64_t{effective_context_size(file.n_ctx_train, params)} * params.parallel;
  return static_cast<double>(cells) * static_cast<double>(file.kv_per_token) * bytes_each;
}

size_t cache_bytes(const GgufSummary& file, const LoadParams& params) {
  const double mib =
      params.cache_memory ? *params.cache_memory : std::clamp(kv_bytes(file, params) / (1 << 20), 16.0, 1024.0);
  return static_cast<size_t>(mib * (1 << 20));
}

std::string first_gpu(const LoadParams& params) {
  const std::vector<Device> gpus = gpus_of(params);
  return gpus.empty() ? "" : gpus.front().name;
}

MemoryFootprint estimate_one(const GgufSummary& file, const LoadParams& params) {
  const double kv = kv_bytes(file, params);
  // Activations of one micro-batch, the attention mask (4 bytes per cell and row), and the logits of each sequence.
  const double rows = params.batch_size;
  const double cells =
      effective_context_size(file.n_ctx_train, params) * (params.kv_cache == KvCache::kUnified ? params.parallel : 1.0);
  const double compute = rows * 32.0 * static_cast<double>(file.n_embd) + rows * cells * 4.0 +
                         4.0 * most_outputs(params) * static_cast<double>(file.n_vocab);
  const double layers = static_cast<double>(file.n_layers) + 1;
  const std::string gpu = first_gpu(params);
  const double offloaded = gpu.empty() ? 0 : params.gpu_layers < 0 ? 1.0 : std::min(1.0, params.gpu_layers / layers);
  MemoryFootprint use{{}, {{weights_key(file, params), {}}}};
  const auto part = [&](const std::string& device, double share, int32_t blocks) {
    const auto of = [share](double bytes) { return static_cast<uint64_t>(bytes * share); };
    const uint64_t weights = of(static_cast<double>(file.tensor_bytes));
    const bool mapped = params.mmap && device == kMainMemory;
    add_use(use.weights.front().memory, {device, weights, 0, 0, mapped ? weights : 0, blocks});
    add_use(use.own, {device, 0, of(kv), of(compute), 0});
  };
  const auto blocks = static_cast<int32_t>(file.n_layers);
  const auto on_gpu = static_cast<int32_t>(blocks * offloaded);
  part(kMainMemory, 1 - offloaded, blocks - on_gpu);
  if (offloaded > 0) part(gpu, offloaded, on_gpu);
  return use;
}

// Loads a model that only embeds, with its context.
Result<std::unique_ptr<Generator>> load_embedder(std::shared_ptr<LlamaWeights> weights, const GgufSummary& file,
                                                 const LoadParams& params, std::unique_ptr<LlamaChat> chat,
                                                 const std::string& key) {
  llama_model* const model = weights->model.get();
  const PoolingType pooling = own_pooling(model);
  auto context = EmbeddingContext::create(*weights, params, pooling);
  if (!context.ok()) return context.status();
  MemoryFootprint memory = (*context)->memory_with_model(key);
  memory.own.clear();  // the embedder's
  const int32_t most = std::min(params.batch_size, llama_model_n_ctx_train(model));
  const LlamaScheduler::Limits limits{params.parallel, most, params.batch_size, 0, false, params.fairness};
  auto generator = std::make_unique<LlamaGenerator>(std::move(weights), file, params, std::move(chat), nullptr, nullptr,
                                                    limits, std::move(memory));
  generator->own_embedder().keep(pooling, *std::move(context));
  return std::unique_ptr<Generator>(std::move(generator));
}

}  // namespace

MemoryFootprint estimate_memory(const CheckedFiles& files, const LoadParams& params) {
  MemoryFootprint sum = estimate_one(files.model, params);
  if (files.draft) add_draft(sum, estimate_one(*files.draft, draft_params(params)));
  return sum;
}

Result<std::unique_ptr<Generator>> load_generator(WeightsTable& table, const std::string& path,
                                                  const CheckedFiles& files, const LoadParams& params,
                                                  const std::function<bool(float)>& progress) {
  const auto bytes = static_cast<float>(files.model.tensor_bytes);
  const float share = files.draft ? bytes / (bytes + static_cast<float>(files.draft->tensor_bytes)) : 1;
  const std::string key = weights_key(files.model, params);
  auto weights =
      table.open(key, path, files.model.paths, params, [&](float fraction) { return progress(fraction * share); });
  if (!weights.ok()) return weights.status();
  llama_model* const model = (*weights)->model.get();
  const int32_t context_size = effective_context_size(files.model.n_ctx_train, params);
  auto chat = LlamaChat::create(model, params.chat_template, context_size);
  if (!chat.ok()) return chat.status();
  auto context = LlamaContext::create(**weights, params, context_size);
  if (!context.ok() && only_embeds(model, params, context.status())) {
    return load_embedder(*std::move(weights), files.model, params, *std::move(chat), key);
  }
  if (!context.ok()) return context.status();
  MemoryFootprint memory = memory_of((*context)->get(), key, params.mmap);
  std::unique_ptr<DraftModel> draft;
  if (files.draft) {
    const std::string draft_key = weights_key(*files.draft, params);
    auto small = table.open(draft_key, params.draft_model, files.draft->paths, params,
                            [&](float fraction) { return progress(share + fraction * (1 - share)); });
    if (!small.ok()) return small.status();
    auto made = DraftModel::create(params.draft_model, *std::move(small), model, **context, params, context_size);
    if (!made.ok()) return made.status();
    draft = *std::move(made);
    add_draft(memory, memory_of(draft->context().get(), draft_key, params.mmap));
  }
  const LlamaScheduler::Limits limits{params.parallel,
                                      context_size,
                                      params.batch_size,
                                      cache_bytes(files.model, params),
                                      params.speculation == Speculation::kNgram,
                                      params.fairness};
  std::unique_ptr<Generator> generator =
      std::make_unique<LlamaGenerator>(*std::move(weights), files.model, params, *std::move(chat), *std::move(context),
                                       std::move(draft), limits, std::move(memory));
  return generator;
}

}  // namespace lh
