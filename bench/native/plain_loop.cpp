// The limit that the engine is measured against: llama.cpp driven by the smallest loop that does the same work.
// Must not: use anything of the engine, or leave out what the engine cannot leave out (a thread pool, one sampler a
// sequence).
//
// plain_loop --model F [--libraries DIR] [--module F] [--gpu-layers N] [--prompt-tokens N] [--prompt-ids N,N,...]
//            [--tokens N] [--threads N] [--sequences N] [--context N] [--shared-prompt] [--no-pool]
//
// Evaluates a prompt, then decodes greedily, the end of text ignored. The prompt takes its tokens from --prompt-ids,
// again from the first after the last. With several sequences each step decodes a token of each; each prompt begins one
// token later than the one before, or with --shared-prompt there is one, evaluated once. --module is one more backend,
// that of a GPU; --gpu-layers -1 puts all layers there (0: none). Prints one line of JSON; `decodeTps` counts the
// tokens of all sequences.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "llama.h"

#ifndef _WIN32
#include <sys/resource.h>
#endif

namespace {

struct Options {
  std::string model;
  std::string libraries;
  std::string module;
  int gpu_layers = 0;
  int prompt_tokens = 64;
  std::vector<llama_token> prompt_ids;
  int tokens = 128;
  int threads = 2;
  int sequences = 1;
  int context = 2048;
  bool shared_prompt = false;
  bool pool = true;
};

std::vector<llama_token> parse_ids(const char* text) {
  std::vector<llama_token> ids;
  std::istringstream in(text);
  for (std::string id; std::getline(in, id, ',');) ids.push_back(static_cast<llama_token>(std::atoi(id.c_str())));
  return ids;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--no-pool") {
      options.pool = false;
      continue;
    }
    if (name == "--shared-prompt") {
      options.shared_prompt = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(name + " needs a value");
    if (name == "--model")
      options.model = argv[i];
    else if (name == "--libraries")
      options.libraries = argv[i];
    else if (name == "--module")
      options.module = argv[i];
    else if (name == "--gpu-layers")
      options.gpu_layers = std::atoi(argv[i]);
    else if (name == "--prompt-tokens")
      options.prompt_tokens = std::atoi(argv[i]);
    else if (name == "--prompt-ids")
      options.prompt_ids = parse_ids(argv[i]);
    else if (name == "--tokens")
      options.tokens = std::atoi(argv[i]);
    else if (name == "--threads")
      options.threads = std::atoi(argv[i]);
    else if (name == "--sequences")
      options.sequences = std::atoi(argv[i]);
    else if (name == "--context")
      options.context = std::atoi(argv[i]);
    else
      throw std::invalid_argument("unknown option " + name);
  }
  if (options.model.empty()) throw std::invalid_argument("--model is missing");
  if (std::min({options.prompt_tokens, options.tokens, options.threads, options.sequences, options.context}) < 1)
    throw std::invalid_argument("counts must be 1 or more");
  return options;
}

double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

long peak_rss_kib() {
#if defined(__linux__)
  // Not ru_maxrss, which includes the memory of the parent process until exec().
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
#endif
#if defined(_WIN32)
  return 0;
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
  return usage.ru_maxrss / 1024;
#else
  return usage.ru_maxrss;
#endif
#endif
}

template <typename Function>
Function* cpu_function(const char* name) {
  auto* device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  if (device == nullptr) throw std::runtime_error("no CPU backend found; name its folder with --libraries");
  auto* address = ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), name);
  if (address == nullptr) throw std::runtime_error(std::string("the CPU backend lacks ") + name);
  return reinterpret_cast<Function*>(address);
}

struct Deleter {
  void operator()(llama_model* model) const { llama_model_free(model); }
  void operator()(llama_context* context) const { llama_free(context); }
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
  void operator()(ggml_threadpool* pool) const {
    cpu_function<decltype(ggml_threadpool_free)>("ggml_threadpool_free")(pool);
  }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

class Batch {
 public:
  explicit Batch(int capacity) : batch_(llama_batch_init(capacity, 0, 1)) {}
  ~Batch() { llama_batch_free(batch_); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void clear() { batch_.n_tokens = 0; }
  void add(llama_token token, int position, int sequence, bool logits) {
    const int i = batch_.n_tokens++;
    batch_.token[i] = token;
    batch_.pos[i] = position;
    batch_.n_seq_id[i] = 1;
    batch_.seq_id[i][0] = sequence;
    batch_.logits[i] = logits ? 1 : 0;
  }
  void decode(llama_context* context) {
    if (llama_decode(context, batch_) != 0) throw std::runtime_error("llama_decode failed");
  }

 private:
  llama_batch batch_;
};

void load_backends(const Options& options) {
  if (options.libraries.empty())
    ggml_backend_load_all();
  else
    ggml_backend_load_all_from_path(options.libraries.c_str());
  if (!options.module.empty() && ggml_backend_load(options.module.c_str()) == nullptr)
    throw std::runtime_error("cannot load the backend " + options.module);
}

class Prompts {
 public:
  Prompts(const Options& options, llama_context* context) : options_(options), context_(context) {}

  // Evaluates the prompt of `sequence`; afterwards the logits of its last token are available.
  void evaluate(Batch& batch, int chunk, int sequence) const {
    for (int i = 0; i < options_.prompt_tokens;) {
      batch.clear();
      for (int added = 0; added < chunk && i < options_.prompt_tokens; ++added, ++i)
        batch.add(token(i + sequence), i, sequence, i + 1 == options_.prompt_tokens);
      batch.decode(context_);
    }
  }

  // Gives `sequence` the prompt of the first one; in a unified cache nothing is copied.
  void share(int sequence) const { llama_memory_seq_cp(llama_get_memory(context_), 0, sequence, -1, -1); }

 private:
  [[nodiscard]] llama_token token(int i) const {
    const auto& ids = options_.prompt_ids;
    if (!ids.empty()) return ids[static_cast<size_t>(i) % ids.size()];
    const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(context_)));
    return static_cast<llama_token>((1000 + i * 7919LL) % vocabulary);
  }

  const Options& options_;
  llama_context* const context_;
};

void run(const Options& options) {
  const double start = now_ms();
  load_backends(options);

  auto model_params = llama_model_default_params();
  model_params.n_gpu_layers = options.gpu_layers;
  static ggml_backend_dev_t no_devices[] = {nullptr};
  if (options.gpu_layers == 0) model_params.devices = no_devices;  // else a GPU would compute long prompts all the same
  Owned<llama_model> model(llama_model_load_from_file(options.model.c_str(), model_params));
  if (!model) throw std::runtime_error("cannot load " + options.model);

  auto context_params = llama_context_default_params();
  context_params.n_ctx = static_cast<uint32_t>(options.context);
  context_params.n_threads = context_params.n_threads_batch = options.threads;
  context_params.n_seq_max = static_cast<uint32_t>(options.sequences);
  context_params.kv_unified = true;
  context_params.no_perf = true;

  // Before the context, which uses it until it is freed.
  Owned<ggml_threadpool> pool;
  if (options.pool) {
    auto pool_params = ggml_threadpool_params_default(options.threads);
    pool.reset(cpu_function<decltype(ggml_threadpool_new)>("ggml_threadpool_new")(&pool_params));
  }
  Owned<llama_context> context(llama_init_from_model(model.get(), context_params));
  if (!context) throw std::runtime_error("cannot make a context");
  if (pool) llama_attach_threadpool(context.get(), pool.get(), nullptr);
  const double loaded = now_ms();

  const int chunk = static_cast<int>(llama_n_batch(context.get()));
  const Prompts prompts(options, context.get());
  Batch batch(std::max(chunk, options.sequences));
  std::vector<Owned<llama_sampler>> samplers;
  std::vector<llama_token> last;
  for (int sequence = 0; sequence < options.sequences; ++sequence) {
    if (sequence > 0 && options.shared_prompt)
      prompts.share(sequence);
    else
      prompts.evaluate(batch, chunk, sequence);
    samplers.emplace_back(llama_sampler_init_greedy());
    last.push_back(llama_sampler_sample(samplers.back().get(), context.get(), -1));
  }
  const double evaluated = now_ms();

  for (int step = 0; step < options.tokens; ++step) {
    batch.clear();
    for (int sequence = 0; sequence < options.sequences; ++sequence)
      batch.add(last[sequence], options.prompt_tokens + step, sequence, true);
    batch.decode(context.get());
    for (int sequence = 0; sequence < options.sequences; ++sequence)
      last[sequence] = llama_sampler_sample(samplers[sequence].get(), context.get(), sequence);
  }
  const double decoded = now_ms();

  const int prompt_count = options.shared_prompt ? 1 : options.sequences;
  const double prompt_total = static_cast<double>(options.prompt_tokens) * prompt_count;
  const double decode_total = static_cast<double>(options.tokens) * options.sequences;
  std::printf(
      "{\"loadMs\":%.2f,\"promptTokens\":%.0f,\"promptMs\":%.2f,\"promptTps\":%.2f,\"completionTokens\":%.0f,"
      "\"decodeMs\":%.2f,\"decodeTps\":%.2f,\"peakRssKib\":%ld}\n",
      loaded - start, prompt_total, evaluated - loaded, prompt_total * 1000 / (evaluated - loaded), decode_total,
      decoded - evaluated, decode_total * 1000 / (decoded - evaluated), peak_rss_kib());
}

}  // namespace

int main(int argc, char** argv) {
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "plain_loop: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plain_loop: %s\n", error.what());
    return 1;
  }
}
