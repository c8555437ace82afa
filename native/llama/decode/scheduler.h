// The decode thread of one model: continuous batching of all active generations, with one llama_decode per step.
// Must not: run a hook, or wait for a reader.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "llama/decode/adapters.h"
#include "llama/decode/context.h"
#include "llama/decode/draft.h"
#include "llama/decode/draft_model.h"
#include "llama/decode/sampler.h"
#include "llama/decode/slots.h"
#include "llama/decode/step_pace.h"
#include "llama/decode/token_queue.h"
#include "platform/thread.h"

namespace lh {

// One generation for the decode thread. Only that thread touches the members below the line.
struct Job {
  std::vector<int32_t> prompt;
  std::unique_ptr<LlamaSampler> sampler;
  std::set<llama_token> preserved;  // special tokens that count as text
  int32_t settled = 0;              // prompt tokens with which the next turn of the conversation will also begin
  int32_t max_tokens = 0;
  bool ignore_eos = false;
  bool logprobs = false;
  int32_t top_logprobs = 0;
  AdapterStages adapters;  // released at its end
  int32_t priority = 0;
  std::atomic<bool> stopped{false};  // the reader wants no more, or its caller has cancelled
  std::unique_ptr<TokenQueue> queue;
  mutable Mutex usage_mutex;
  Usage usage LH_GUARDED_BY(usage_mutex);
  // ----
  int32_t sequence = -1;
  int32_t cached = 0;       // prompt tokens that were in the cache
  int32_t processed = 0;    // prompt tokens evaluated or cached
  std::set<int32_t> marks;  // lengths of the prompt at which a batch ends, for a checkpoint or another set of adapters
  uint64_t served = 0;      // the last step of its turn, or the step of its arrival
  bool begun = false;       // its prompt may enter batches; false while it waits for tokens that another job evaluates
  int32_t in_batch = 0;     // tokens of this job in the current batch
  int32_t output = -1;      // the index of this job's first logits in the current batch
  DraftPace word_pace;
  DraftPace model_pace;
  std::vector<int32_t> draft;   // drafted tokens in the current batch, after next_token
  bool draft_by_model = false;  // whether the draft model made them
  int32_t next_token = -1;      // sampled, not yet evaluated
  int32_t produced = 0;
  std::chrono::steady_clock::time_point submitted;
  std::chrono::steady_clock::time_point started;  // its prompt may enter batches since then
  std::chrono::steady_clock::time_point first_token;
  std::chrono::steady_clock::time_point last_progress;

  [[nodiscard]] bool wants_stop() const { return stopped.load(std::memory_order_acquire); }
  // The adapters that compute its next tokens, drafts included: they change only within the prompt.
  [[nodiscard]] const AdapterSetPtr& acting() const { return adapters.at(processed); }
  [[nodiscard]] bool prefilling() const { return processed < static_cast<int32_t>(prompt.size()); }
};

class LlamaScheduler {
 public:
  struct Limits {
    int32_t parallel;
    int32_t context_size;  // tokens per sequence
    int32_t batch_size;
    size_t cache_bytes;  // of host memory, see LlamaSlots
    bool words;          // drafts from earlier text
    double fairness;     // see StepPace
  };
  // `draft`: the draft model, or null. `adapters`: the model's; they outlive this.
  LlamaScheduler(const llama_model* model, LlamaAdapters& adapters, std::unique_ptr<LlamaContext> context,
                 std::unique_ptr<DraftModel> draft, const Limits& limits);
  ~LlamaScheduler();  // cancels every job and joins the thread, which may be stuck: see held_up()
  LlamaScheduler(const LlamaScheduler&) = delete;
  LlamaScheduler& operator=(const LlamaScheduler&) = delete;

  void submit(std::shared_ptr<Job> job);
  void wake();  // a reader made room, or stopped
  // The reader of a job leaves before the job has ended.
  void leave(Job& job);
  // True while jobs whose readers have left have not ended: the decode thread is in a long step, or stuck in it.
  [[nodiscard]] bool held_up() const { return left_.load(std::memory_order_acquire) > 0; }
  // The milliseconds that the step under way has taken; 0: the thread waits for work.
  [[nodiscard]] int64_t step_ms() const;
  [[nodiscard]] StateStore& idle_conversations() { return slots_.store(); }
  [[nodiscard]] const StateStore& idle_conversations() const { return slots_.store(); }
  [[nodiscard]] int threads() const { return context_->threads(); }

 private:
  void run();
  bool wait_for_work();
  void end_stopped_jobs();
  void admit();
  void begin_jobs();
  [[nodiscard]] Job* worth_waiting(const Job& job) const;
  void take_turns();
  [[nodiscard]] bool in_turn(const Job& job) const { return same_adapters(job.acting(), context_->adapters()); }
  void let_go_of_adapters();
  void plan_step();
  void plan_drafts(int32_t decoding);
  void guess(Job& job, int32_t most);
  void share_out(int32_t room);
  void fill_batch();
  void step();
  bool decode();  // true: the whole batch was computed
  void give_up_batch(int32_t result, const Status& why);
  void collect(Job& job);
  std::optional<EndOfStream> take_token(Job& job, int32_t output);
  void take_tokens(Job& job);
  void report_progress(Job& job);
  void finish(Job& job, EndOfStream end);
  void end_queue(Job& job, EndOfStream end);
  void give_up_place(Job& job);
  [[nodiscard]] bool can_step(const Job& job) const;

  const llama_vocab* vocab_;
  const int32_t context_size_;
  const int32_t batch_size_;
  const bool words_;
  LlamaAdapters& adapters_;
  std::unique_ptr<LlamaContext> context_;
  std::unique_ptr<DraftModel> draft_;  // computes on the context's threads
  LlamaSlots slots_;
  Batch batch_;
  StepPace pace_;
  uint64_t steps_ = 0;
  std::chrono::steady_clock::time_point turn_began_;  // of the adapters in use
  std::vector<std::shared_ptr<Job>> active_;          // decode thread only, in order of arrival
  std::atomic<int> left_{0};                          // jobs without a reader
  std::atomic<uint64_t> step_began_us_{0};            // 0: none is under way
  std::atomic<bool> leaves_{false};                   // as stop_, for the decode thread while it computes
  Mutex mutex_;
  std::condition_variable work_;
  std::deque<std::shared_ptr<Job>> waiting_ LH_GUARDED_BY(mutex_);
  bool stop_ LH_GUARDED_BY(mutex_) = false;
  bool woken_ LH_GUARDED_BY(mutex_) = false;
  Thread thread_;  // last: it starts when all other members exist
};
static_assert(!std::is_copy_constructible_v<LlamaScheduler>);

}  // namespace lh
