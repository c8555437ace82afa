#include "llama/embed/embedding_context.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <string>

#include "base/caught.h"
#include "base/threads/threads.h"
#include "llama/base/memory.h"
#include "llama/base/runtime.h"
#include "llama/decode/context.h"

namespace lh {
namespace {

constexpr int32_t kMostSequences = 64;
constexpr auto kCancelLook = std::chrono::milliseconds(10);  // of a call that waits for others
constexpr int32_t kMostWithoutFlash = 2048;                  // tokens of a batch

// A recurrent state takes memory for each sequence, used or not.
int32_t sequences_of(const llama_model* model, const LoadParams& params) {
  const bool states = llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
  return std::min(params.batch_size, states ? params.parallel : kMostSequences);
}

// llama.cpp reserves room for the logits of each token of a batch besides its vector, at the first batch of that size,
// and reports neither.
uint64_t output_bytes(const llama_model* model, int32_t tokens) {
  const auto each = static_cast<uint64_t>(llama_vocab_n_tokens(llama_model_get_vocab(model))) +
                    static_cast<uint64_t>(llama_model_n_embd_out(model));
  return each * static_cast<uint64_t>(tokens) * sizeof(float);
}

llama_context_params context_params(const LoadParams& load, PoolingType pooling, int32_t sequences, int threads) {
  llama_context_params params = llama_context_default_params();
  params.embeddings = true;
  params.pooling_type = static_cast<enum llama_pooling_type>(pooling);
  // A text is computed in one piece: pooling over several pieces would return the vector of the last one. A common
  // cache for all sequences keeps a batch from being split into pieces of equal length.
  params.n_batch = static_cast<uint32_t>(load.batch_size);
  params.n_ubatch = params.n_batch;
  params.n_ctx = params.n_batch;
  params.n_seq_max = static_cast<uint32_t>(sequences);
  params.kv_unified = true;
  params.n_threads = threads;
  params.n_threads_batch = threads;
  // On the CPU flash attention sums in 16 bits, by tiles of the batch: other texts in the batch would change the fourth
  // digit of a vector. Without it the memory for attention grows with the square of the batch.
  if (load.batch_size <= kMostWithoutFlash) params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.no_perf = true;
  return params;
}

std::string to_embed(int32_t tokens) { return "a context to embed " + std::to_string(tokens) + " tokens at a time"; }

Status out_of_memory(int32_t tokens, const std::string& words) {
  return {Code::kInsufficientMemory, to_embed(tokens) + " could not be made: " + words};
}

Status cancelled_by(const CancelFlag& cancel) {
  return {cancel.why(), "cancelled while texts were computed: " + cancel.reason()};
}

}  // namespace

// Waiting calls are served in order of arrival. A cancelled call leaves the queue before its turn.
class EmbeddingContext::Turn {
 public:
  Turn(EmbeddingContext& of, const CancelFlag& cancel) : of_(of) {
    MutexLock lock(of_.mutex_);
    of_.turns_.push_back(this);
    while (of_.turns_.front() != this && !cancel.cancelled()) {
      lock.wait_until(of_.changed_, std::chrono::steady_clock::now() + kCancelLook);
    }
    has_come_ = of_.turns_.front() == this;
  }
  ~Turn() {
    const MutexLock lock(of_.mutex_);
    std::erase(of_.turns_, this);
    of_.changed_.notify_all();
  }
  [[nodiscard]] bool has_come() const { return has_come_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  EmbeddingContext& of_;
  bool has_come_ = false;
};

EmbeddingContext::EmbeddingContext(const llama_model* model, const LoadParams& params, PoolingType pooling)
    : model_(model),
      pooling_(pooling),
      tokens_(params.batch_size),
      sequences_(sequences_of(model, params)),
      mmap_(params.mmap),
      batch_(tokens_) {}

Result<std::unique_ptr<EmbeddingContext>> EmbeddingContext::create(LlamaWeights& weights, const LoadParams& params,
                                                                   PoolingType pooling) {
  const MutexLock lock(weights.adapter_list);
  auto made = create(weights.model.get(), params, pooling);
  if (made.ok()) (*made)->files_ = &weights.files;
  return made;
}

Result<std::unique_ptr<EmbeddingContext>> EmbeddingContext::create(llama_model* model, const LoadParams& params,
                                                                   PoolingType pooling) {
  std::unique_ptr<EmbeddingContext> made(new EmbeddingContext(model, params, pooling));
  const int threads = threads_for(model, params);
  llama_context_params settings = context_params(params, pooling, made->sequences_, threads);
  settings.abort_callback = [](void* self) {
    const CancelFlag* cancel = static_cast<EmbeddingContext*>(self)->cancel_;
    return cancel != nullptr && cancel->cancelled();
  };
  settings.abort_callback_data = made.get();
  auto context = init_context(model, settings, "the context for embeddings", to_embed(made->tokens_));
  if (!context.ok()) return context.status();
  made->context_ = *std::move(context);
  if (Status status = check_threads(threads); !status.ok()) return status;
  made->pool_ = make_thread_pool(threads);
  if (made->pool_) llama_attach_threadpool(made->context_.get(), made->pool_.get(), made->pool_.get());
  made->own_ = made->memory_with_model({}).own;
  return made;
}

uint64_t EmbeddingContext::rough_bytes(const llama_model* model, const LoadParams& params, uint64_t feed_forward) {
  const auto tokens = static_cast<uint64_t>(params.batch_size);
  const auto width = static_cast<uint64_t>(llama_model_n_embd(model));
  const auto layers = static_cast<uint64_t>(llama_model_n_layer(model));
  const auto heads = static_cast<uint64_t>(std::max(1, llama_model_n_head(model)));
  const uint64_t cells = (tokens + 255) / 256 * 256;
  // Keys and values in f16; a state of one sequence takes no more than this many tokens.
  const uint64_t key = width * static_cast<uint64_t>(llama_model_n_head_kv(model)) / heads;
  const uint64_t cache = cells * layers * key * 2 * 2;
  // A layer's attention, its feed-forward network, the logits: one buffer serves them in turn.
  const uint64_t scores = params.batch_size <= kMostWithoutFlash ? cells * (heads + 1) : cells;
  const uint64_t attention = tokens * (6 * width + scores) * sizeof(float);
  const uint64_t network = tokens * (4 * width + 3 * feed_forward) * sizeof(float);
  const uint64_t outputs = output_bytes(model, params.batch_size);
  return cache + std::max({attention, network, outputs}) + outputs;
}

MemoryFootprint EmbeddingContext::memory_with_model(std::string weights_key) const {
  MemoryFootprint use = memory_of(context_.get(), std::move(weights_key), mmap_);
  add_use(use.own, {kMainMemory, 0, 0, output_bytes(model_, tokens_), 0});
  return use;
}

Result<std::vector<std::vector<float>>> EmbeddingContext::compute(const std::vector<TokenText>& texts,
                                                                  const CancelFlag& cancel) {
  std::vector<std::vector<float>> vectors;
  vectors.reserve(texts.size());
  while (vectors.size() < texts.size()) {
    const Turn turn(*this, cancel);
    if (!turn.has_come()) return cancelled_by(cancel);
    const size_t first = vectors.size();
    const size_t end = fill(texts, first);
    if (Status status = run(cancel); !status.ok()) return status;
    int32_t at = 0;
    for (size_t i = first; i < end; ++i) {
      const auto length = static_cast<int32_t>(texts[i].size());
      auto vector = vector_of(static_cast<int32_t>(i - first), at, length);
      if (!vector.ok()) return vector.status();
      vectors.push_back(*std::move(vector));
      at += length;
    }
  }
  return vectors;
}

size_t EmbeddingContext::fill(const std::vector<TokenText>& texts, size_t first) {
  batch_.clear();
  size_t i = first;
  for (; i < texts.size(); ++i) {
    const auto length = static_cast<int32_t>(texts[i].size());
    const auto sequence = static_cast<int32_t>(i - first);
    if (sequence == sequences_ || batch_.size() + length > tokens_) break;
    for (int32_t position = 0; position < length; ++position) {
      batch_.add(texts[i][static_cast<size_t>(position)], position, sequence, true);
    }
  }
  return i;
}

Status EmbeddingContext::run(const CancelFlag& cancel) {
  if (cancel.cancelled()) return cancelled_by(cancel);
  if (files_ != nullptr) {
    if (Status status = files_->check(); !status.ok()) return status;
  }
  if (llama_memory_t memory = llama_get_memory(context_.get()); memory != nullptr) llama_memory_clear(memory, false);
  LogCapture capture;
  cancel_ = &cancel;
  int32_t result = 0;
  try {
    result = decode();
  } catch (const std::exception&) {
    cancel_ = nullptr;
    const Status what = caught();
    if (what.code() == Code::kInsufficientMemory) return out_of_memory(tokens_, what.message());
    return {Code::kDecodeFailed, "the texts could not be computed: " + what.message()};
  }
  cancel_ = nullptr;
  if (result == 0) return {};
  if (cancel.cancelled()) return cancelled_by(cancel);
  const std::string words = capture.text();
  if (words.find("alloc") != std::string::npos || words.find("output buffer") != std::string::npos) {
    return out_of_memory(tokens_, words);
  }
  return {Code::kDecodeFailed, "llama.cpp could not compute the texts (" + std::to_string(result) + "): " + words};
}

int32_t EmbeddingContext::decode() {
  const bool remembers = llama_get_memory(context_.get()) != nullptr;
  return unbroken_.run([&] {
    const int32_t result =
        remembers ? llama_decode(context_.get(), batch_.get()) : llama_encode(context_.get(), batch_.get());
    llama_synchronize(context_.get());
    return result;
  });
}

Result<std::vector<float>> EmbeddingContext::vector_of(int32_t sequence, int32_t at, int32_t length) const {
  const auto width = static_cast<size_t>(pooling_ == PoolingType::kRank ? 1 : llama_model_n_embd_out(model_));
  const bool pooled = pooling_ != PoolingType::kNone;
  std::vector<float> vector;
  vector.reserve(width * static_cast<size_t>(pooled ? 1 : length));
  for (int32_t i = 0; i < (pooled ? 1 : length); ++i) {
    const float* found =
        pooled ? llama_get_embeddings_seq(context_.get(), sequence) : llama_get_embeddings_ith(context_.get(), at + i);
    if (found == nullptr) return Status(Code::kDecodeFailed, "llama.cpp returned no vector for a text");
    vector.insert(vector.end(), found, found + width);
  }
  if (std::ranges::all_of(vector, [](float one) { return std::isfinite(one); })) return vector;
  return Status(Code::kDecodeFailed, "the model returned a vector that contains NaN: its file may be damaged");
}

}  // namespace lh
