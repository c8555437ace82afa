#include "llama/decode/context.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "base/caught.h"
#include "base/threads/threads.h"
#include "llama/base/device_choice.h"
#include "llama/base/runtime.h"
#include "llama/decode/draft.h"
#include "platform/cores.h"

namespace lh {
namespace {

ggml_type ggml_type_of(KvType type) {
  switch (type) {
    case KvType::kF16: return GGML_TYPE_F16;
    case KvType::kQ8_0: return GGML_TYPE_Q8_0;
    case KvType::kF32: return GGML_TYPE_F32;
  }
  return GGML_TYPE_F16;
}

int32_t guesses_of_one(const LoadParams& load) { return guesses(load) ? kMaxDraft : 0; }

llama_context_params context_params(const LoadParams& load, int32_t context_size, int threads) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(context_size) * static_cast<uint32_t>(load.parallel);
  params.n_seq_max = static_cast<uint32_t>(load.parallel);
  params.n_batch = static_cast<uint32_t>(std::max(load.batch_size, load.parallel));
  params.n_ubatch = params.n_batch;
  params.n_threads = threads;
  params.n_threads_batch = threads;
  // llama.cpp computes attention up to the highest used cell, so in a common cache idle sequences slow down running
  // ones.
  params.kv_unified = load.kv_cache == KvCache::kUnified;
  params.swa_full = false;  // checkpoints do what a window that forgets nothing would be for, in a part of the memory
  params.n_outputs_max = static_cast<uint32_t>(most_outputs(load));
  params.n_outputs_max_per_seq = static_cast<uint32_t>(1 + guesses_of_one(load));
  params.type_k = ggml_type_of(load.kv_type);
  params.type_v = ggml_type_of(load.kv_type);
  params.no_perf = true;
  return params;
}

CutRule cut_rule_of(const llama_model* model) {
  if (llama_model_is_recurrent(model) || llama_model_is_hybrid(model)) return {false, 0};
  const int32_t window = llama_model_n_swa(model);
  return {window <= 0, std::max(0, window)};
}

llama_state_seq_flags flags_of(LlamaContext::Part part) {
  return part == LlamaContext::Part::kAll ? LLAMA_STATE_SEQ_FLAGS_NONE : LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY;
}

}  // namespace

int32_t most_outputs(const LoadParams& load) {
  // Each sequence needs its logits once per step, and those of its drafts. By default llama.cpp reserves logits for
  // every prompt token: 300 MB with a vocabulary of 150,000.
  const int32_t needed = load.parallel + kMostDraftsAtOnce * guesses_of_one(load);
  // llama.cpp reads prompts 12 to 15 % slower on CPUs with AMX if there is room for one or two logits only; from 64 on
  // it is as fast as with room for all. Other CPUs (AMD EPYC) are as fast with one.
  constexpr int32_t kFewestWithAmx = 64;
  const int32_t reserved = gpus_of(load).empty() && cpu_has_amx() ? std::max(needed, kFewestWithAmx) : needed;
  return std::min(std::max(load.batch_size, load.parallel), reserved);
}

// Threads meet at a barrier after every operation. For small models that costs more than the threads save, and on a
// busy machine each barrier waits for the scheduler: a model of 3 MB with two threads then drops from 500 tokens/s to
// 2.
int threads_for(const llama_model* model, const LoadParams& params) {
  if (params.threads > 0) return params.threads;
  constexpr uint64_t kBytesWorthAThread = uint64_t{8} << 20;
  const uint64_t useful = std::max<uint64_t>(1, llama_model_size(model) / kBytesWorthAThread);
  const auto cores = static_cast<uint64_t>(usable_cores());
  return static_cast<int>(std::min(useful, cores));
}

Result<ContextPtr> init_context(llama_model* model, const llama_context_params& settings, const std::string& what,
                                const std::string& size) {
  const auto no_memory = [&size](const std::string& words) {
    return Status(Code::kInsufficientMemory, size + " could not be made: " + words);
  };
  LogCapture capture;
  ContextPtr context;
  try {
    context.reset(llama_init_from_model(model, settings));
  } catch (const std::exception&) {
    const Status why = caught();
    if (why.code() == Code::kInsufficientMemory) return no_memory(why.message());
    return Status(why.code() == Code::kInternal ? Code::kModelLoadFailed : why.code(),
                  what + " could not be made: " + why.message());
  }
  if (context) return context;
  const std::string words = capture.text();
  if (words.empty() || capture.own_words().find("alloc") != std::string::npos) return no_memory(words);
  return Status(Code::kModelLoadFailed, what + " could not be made: " + words);
}

Result<std::unique_ptr<LlamaContext>> LlamaContext::create(LlamaWeights& weights, const LoadParams& params,
                                                           int32_t context_size, const LlamaContext* beside) {
  const MutexLock lock(weights.adapter_list);
  auto made = create(weights.model.get(), params, context_size, beside);
  if (made.ok()) (*made)->files_ = &weights.files;
  return made;
}

Result<std::unique_ptr<LlamaContext>> LlamaContext::create(llama_model* model, const LoadParams& params,
                                                           int32_t context_size, const LlamaContext* beside) {
  std::unique_ptr<LlamaContext> made(new LlamaContext);
  made->threads_ = threads_for(model, params);
  if (beside != nullptr) made->threads_ = std::min(made->threads_, beside->threads_);
  llama_context_params settings = context_params(params, context_size, made->threads_);
  settings.abort_callback = [](void* self) {
    const auto* context = static_cast<LlamaContext*>(self);
    return context->should_abort_ && context->should_abort_();
  };
  settings.abort_callback_data = made.get();
  auto context = init_context(
      model, settings, "the context",
      "a context of " + std::to_string(context_size) + " tokens for " + std::to_string(params.parallel) + " sequences");
  if (!context.ok()) return context.status();
  made->context_ = *std::move(context);
  if (llama_get_memory(made->context_.get()) == nullptr) {
    return Status(Code::kUnsupportedArchitecture,
                  "not a model that writes text from left to right (an embedding or diffusion model)");
  }
  // Without a pool ggml starts new threads for every graph, and aborts if it cannot.
  if (beside == nullptr) {
    if (Status status = check_threads(made->threads_); !status.ok()) return status;
  }
  made->pool_ = beside != nullptr ? beside->pool_ : std::shared_ptr(make_thread_pool(made->threads_));
  if (made->pool_) llama_attach_threadpool(made->context_.get(), made->pool_.get(), made->pool_.get());
  made->unified_ = params.kv_cache == KvCache::kUnified;
  made->cut_rule_ = cut_rule_of(model);
  return made;
}

void LlamaContext::set_adapters(AdapterSetPtr adapters, Mutex& list) {
  std::vector<llama_adapter_lora*> loras;
  std::vector<float> scales;
  for (size_t i = 0; adapters && i < adapters->adapters.size(); ++i) {
    if (adapters->adapters[i]->lora() == nullptr) continue;
    loras.push_back(adapters->adapters[i]->lora());
    scales.push_back(adapters->scales[i]);
  }
  reads_list_ = &list;
  llama_set_adapters_lora(context_.get(), loras.data(), loras.size(), scales.data());
  steer(adapters ? std::span<const float>(adapters->steering) : std::span<const float>());
  adapters_ = std::move(adapters);
}

// If llama.cpp has no memory for control vectors, it must not be called again.
void LlamaContext::steer(std::span<const float> steering) {
  if (steering.empty() && steering_ == Steering::kNone) return;
  if (steering_ == Steering::kFailed) return;
  const llama_model* const model = llama_get_model(context_.get());
  const float* const data = steering.empty() ? nullptr : steering.data();
  const int32_t result = llama_set_adapter_cvec(context_.get(), data, steering.size(), llama_model_n_embd(model), 1,
                                                llama_model_n_layer(model));
  steering_ = result != 0 ? Steering::kFailed : steering.empty() ? Steering::kNone : Steering::kSteers;
}

int32_t LlamaContext::decode(const llama_batch& batch) {
  if (steering_ == Steering::kFailed && adapters_ && !adapters_->steering.empty()) {
    throw std::runtime_error("there was no memory for control vectors");
  }
  if (reads_list_ == nullptr) return compute(batch);
  const MutexLock lock(*reads_list_);
  const int32_t result = compute(batch);
  if (result == 0) reads_list_ = nullptr;
  return result;
}

int32_t LlamaContext::compute(const llama_batch& batch) {
  if (files_ != nullptr) {
    if (const Status status = files_->check(); !status.ok()) throw std::runtime_error(status.message());
  }
  return unbroken_.run([&] {
    const int32_t result = llama_decode(context_.get(), batch);
    // Waits, because with a GPU a batch without outputs would still be running, and its time would count for the next
    // one.
    llama_synchronize(context_.get());
    return result;
  });
}

void LlamaContext::cut(int32_t sequence, int32_t from) {
  llama_memory_t memory = llama_get_memory(context_.get());
  if (!llama_memory_seq_rm(memory, sequence, from, -1)) llama_memory_seq_rm(memory, sequence, -1, -1);
}

int32_t LlamaContext::first_position(int32_t sequence) const {
  return llama_memory_seq_pos_min(llama_get_memory(context_.get()), sequence);
}

void LlamaContext::share_prefix(int32_t from, int32_t to, int32_t length) {
  llama_memory_seq_cp(llama_get_memory(context_.get()), from, to, 0, length);
}

StateBytes LlamaContext::save(int32_t sequence, Part part) const {
  try {
    StateBytes state(llama_state_seq_get_size_ext(context_.get(), sequence, flags_of(part)));
    const size_t written =
        llama_state_seq_get_data_ext(context_.get(), state.data(), state.size(), sequence, flags_of(part));
    if (written == state.size()) return state;
  } catch (const std::bad_alloc&) {
  }
  return {};
}

bool LlamaContext::restore(int32_t sequence, const StateBytes& state, Part part) {
  const size_t read =
      llama_state_seq_set_data_ext(context_.get(), state.data(), state.size(), sequence, flags_of(part));
  if (read == state.size() && read > 0) return true;
  cut(sequence, 0);
  return false;
}

}  // namespace lh
