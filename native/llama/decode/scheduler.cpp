#include "llama/decode/scheduler.h"

#include <algorithm>
#include <exception>

#include "base/caught.h"
#include "base/shortage.h"
#include "base/system/time_us.h"
#include "base/threads/caught_here.h"
#include "llama/base/vocab.h"
#include "platform/thread.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(50);
// The least number of tokens that waiting must save. A further batch costs about as much as a few prompt tokens on a
// CPU, and as some tens on a GPU, where either takes only a moment.
constexpr int32_t kWorthABatch = 8;

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// The number of equal tokens at the start of the two jobs' memories.
int32_t shared_by(const Job& a, const Job& b) {
  return std::min(common_prefix(a.prompt, b.prompt), common_prefix(a.adapters.key, b.adapters.key));
}

}  // namespace

LlamaScheduler::LlamaScheduler(const llama_model* model, LlamaAdapters& adapters, std::unique_ptr<LlamaContext> context,
                               std::unique_ptr<DraftModel> draft, const Limits& limits)
    : vocab_(llama_model_get_vocab(model)),
      context_size_(limits.context_size),
      batch_size_(std::max(limits.batch_size, limits.parallel)),
      words_(limits.words && context->cut_rule().anywhere),
      adapters_(adapters),
      context_(std::move(context)),
      draft_(std::move(draft)),
      slots_(*context_, limits.parallel, limits.cache_bytes),
      batch_(batch_size_),
      pace_(limits.fairness) {
  // Aborts a decode only if no generation needs its result: one generation's cancel must not discard the others' work.
  // Never aborts with recurrent state: each layer moves the state, also that of sequences outside the batch, and a
  // partly updated state is useless. When the scheduler ends, no result is needed.
  context_->set_abort([this] {
    if (leaves_.load(std::memory_order_relaxed)) return true;
    if (context_->recurrent()) return false;
    return std::ranges::all_of(active_, [](const auto& job) { return job->in_batch == 0 || job->wants_stop(); });
  });
  active_.reserve(slots_.count());  // so that starting a job cannot fail once it has its sequence
  thread_ = Thread([this] { run(); });
}

LlamaScheduler::~LlamaScheduler() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
    leaves_ = true;
    for (const auto& job : waiting_) job->stopped = true;
  }
  work_.notify_one();
  thread_.join();
}

void LlamaScheduler::submit(std::shared_ptr<Job> job) {
  job->submitted = Clock::now();
  {
    const MutexLock lock(mutex_);
    const auto before = std::ranges::upper_bound(waiting_, job->priority, {}, &Job::priority);
    waiting_.insert(before, std::move(job));
  }
  work_.notify_one();
}

void LlamaScheduler::leave(Job& job) {
  if (job.queue->leave()) left_.fetch_add(1, std::memory_order_acq_rel);
}

void LlamaScheduler::wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  work_.notify_one();
}

// A job with a slow reader is left out of the batch, and keeps its KV cache.
bool LlamaScheduler::can_step(const Job& job) const { return job.prefilling() || !job.queue->full(); }

// Returns false if the thread must end.
bool LlamaScheduler::wait_for_work() {
  MutexLock lock(mutex_);
  const auto runnable = [this] {
    return std::ranges::any_of(active_, [this](const auto& job) { return can_step(*job); });
  };
  while (!stop_ && !woken_ && (waiting_.empty() || active_.size() == slots_.count()) && !runnable()) lock.wait(work_);
  woken_ = false;
  return !stop_;
}

void LlamaScheduler::run() {
  while (wait_for_work()) {
    const CaughtHere caught_here;
    step_began_us_.store(time_us(), std::memory_order_relaxed);
    try {
      end_stopped_jobs();
      admit();
      begin_jobs();
      take_turns();
      step();
      let_go_of_adapters();
    } catch (const std::exception&) {  // out of memory: the generations end, but not the thread
      for (const auto& job : std::vector(active_)) {
        slots_.rewind(job->sequence);
        finish(*job, {StreamEnd::kError, caught()});
      }
    }
    step_began_us_.store(0, std::memory_order_relaxed);
  }
  for (const auto& job : std::vector(active_)) finish(*job, {StreamEnd::kCancelled, {}});
  const MutexLock lock(mutex_);
  for (const auto& job : waiting_) give_up_place(*job);
  waiting_.clear();
}

int64_t LlamaScheduler::step_ms() const {
  const uint64_t began = step_began_us_.load(std::memory_order_relaxed);
  const uint64_t now = time_us();
  return began == 0 || now < began ? 0 : static_cast<int64_t>((now - began) / 1000);
}

void LlamaScheduler::end_stopped_jobs() {
  for (const auto& job : std::vector(active_)) {
    if (job->wants_stop()) finish(*job, {StreamEnd::kCancelled, {}});
  }
  const MutexLock lock(mutex_);
  std::erase_if(waiting_, [this](const auto& job) {
    if (!job->wants_stop()) return false;
    give_up_place(*job);
    return true;
  });
}

void LlamaScheduler::admit() {
  if (active_.size() == slots_.count()) return;
  const MutexLock lock(mutex_);
  while (!waiting_.empty()) {
    const std::shared_ptr<Job>& job = waiting_.front();
    const auto lease = slots_.acquire(job->prompt, job->adapters.key);
    if (!lease) return;
    job->sequence = lease->sequence;
    job->processed = lease->cached;
    job->served = steps_;
    job->last_progress = Clock::now();
    active_.push_back(job);
    waiting_.pop_front();
  }
}

// If several jobs begin alike (one system prompt, one document), one evaluates the common part and the others wait for
// it.
void LlamaScheduler::begin_jobs() {
  for (const auto& job : active_) {
    if (job->begun) continue;
    if (Job* other = worth_waiting(*job)) {
      if (slots_.needs_checkpoints()) other->marks.insert(shared_by(*other, *job));
      continue;
    }
    job->begun = true;
    job->started = Clock::now();
    job->cached = job->processed = slots_.extend(job->sequence, job->prompt);
    if (slots_.needs_checkpoints() && job->settled > job->processed) job->marks.insert(job->settled);
    for (const auto& stage : job->adapters.stages) job->marks.insert(stage.from);
    const MutexLock usage(job->usage_mutex);
    job->usage.cached_tokens = job->cached;
    job->usage.queue_ms = ms_between(job->submitted, job->started);
  }
}

// Another job that is about to evaluate tokens that `job` needs, too, or null. Only an earlier one, so that no two wait
// for each other.
Job* LlamaScheduler::worth_waiting(const Job& job) const {
  if (!context_->cut_rule().anywhere && !slots_.needs_checkpoints()) return nullptr;
  for (const auto& other : active_) {
    if (other.get() == &job) return nullptr;
    if (!other->prefilling()) continue;
    const int32_t shared = shared_by(*other, job);
    if (shared > other->processed && shared >= job.processed + kWorthABatch) return other.get();
  }
  return nullptr;
}

void LlamaScheduler::step() {
  plan_step();
  fill_batch();
  if (batch_.size() == 0) return;
  int32_t prompt_tokens = 0;
  bool decoding = false;
  bool drafts = false;
  for (const auto& job : active_) {
    if (job->prefilling()) {
      prompt_tokens += job->in_batch;
    } else {
      decoding |= job->in_batch > 0;
      drafts |= job->in_batch > 1;
    }
  }
  const auto start = Clock::now();
  const bool done = decode();
  if (done && !drafts) pace_.measured(prompt_tokens, decoding, ms_between(start, Clock::now()));
}

bool LlamaScheduler::decode() {
  int32_t result = 0;
  constexpr int32_t kNoMemory = -2;
  const Shortage shortage;
  Status thrown;
  try {
    result = context_->decode(batch_.get());
  } catch (const std::exception&) {
    thrown = caught_as(Code::kDecodeFailed);
  }
  if (result == kNoMemory || (result != 0 && shortage.seen())) {
    thrown = Status(Code::kInsufficientMemory, "llama.cpp has no memory for the batch");
  }
  if (result != 0 || !thrown.ok()) {
    give_up_batch(
        result, thrown.ok() ? Status(Code::kDecodeFailed, "llama_decode returned " + std::to_string(result)) : thrown);
    return false;
  }
  for (const auto& job : std::vector(active_)) {
    if (job->in_batch > 0) collect(*job);
  }
  return true;
}

// The memory of the batch is in an unknown state; recurrent memory is so for all sequences.
void LlamaScheduler::give_up_batch(int32_t result, const Status& why) {
  constexpr int32_t kAborted = 2;  // because everyone in the batch wanted to stop
  const bool all = context_->recurrent();
  for (const auto& job : std::vector(active_)) {
    if (job->in_batch == 0 && !all) continue;
    slots_.rewind(job->sequence);
    if (job->wants_stop()) {
      finish(*job, {StreamEnd::kCancelled, {}});
    } else if (result != kAborted || all) {
      finish(*job, {StreamEnd::kError, why});
    }
  }
  if (all) slots_.forget_idle();
}

void LlamaScheduler::collect(Job& job) {
  if (job.prefilling()) {
    for (int32_t i = 0; i < job.in_batch; ++i) {
      slots_.append(job.sequence, job.prompt[static_cast<size_t>(job.processed + i)]);
    }
    job.processed += job.in_batch;
    if (job.marks.contains(job.processed)) slots_.checkpoint(job.sequence);
    report_progress(job);
  } else {
    slots_.append(job.sequence, job.next_token);
  }
  job.in_batch = 0;
  if (job.output < 0) return;
  try {
    take_tokens(job);
  } catch (const GrammarTooSlow& slow) {
    slots_.rewind(job.sequence);
    finish(job, {StreamEnd::kError, Status(Code::kInvalidGrammar, slow.what())});
  } catch (const NoTokenLeft& none) {
    slots_.rewind(job.sequence);
    finish(job, {StreamEnd::kError, Status(Code::kInvalidArgument, none.what())});
  } catch (const ScriptRefused& refused) {
    slots_.rewind(job.sequence);
    finish(job, {StreamEnd::kError, Status(Code::kUnsupportedByModel, refused.what())});
  } catch (const std::exception&) {  // llama.cpp can no longer follow the grammar
    Status why = caught_as(Code::kDecodeFailed, "sampling failed: ");
    slots_.rewind(job.sequence);
    finish(job, {StreamEnd::kError, std::move(why)});
  }
}

// Takes the token after those in memory, and the drafted tokens that are right: each is sampled as without drafts.
void LlamaScheduler::take_tokens(Job& job) {
  auto end = take_token(job, job.output);
  size_t accepted = 0;
  while (!end && accepted < job.draft.size() && job.draft[accepted] == job.next_token) {
    slots_.append(job.sequence, job.next_token);
    end = take_token(job, job.output + static_cast<int32_t>(++accepted));
  }
  if (!job.draft.empty()) {
    {
      const MutexLock lock(job.usage_mutex);
      job.usage.drafted_tokens += static_cast<int32_t>(job.draft.size());
      job.usage.accepted_tokens += static_cast<int32_t>(accepted);
    }
    const double cost = kCheckCost + (job.draft_by_model ? draft_->cost() : 0);
    (job.draft_by_model ? job.model_pace : job.word_pace)
        .judged(static_cast<double>(accepted) - cost * static_cast<double>(job.draft.size()));
    if (accepted < job.draft.size()) slots_.rewind(job.sequence);
  }
  if (end) finish(job, *std::move(end));
}

// Samples from the logits at `output`. Returns the end of the stream if the token ended it.
std::optional<EndOfStream> LlamaScheduler::take_token(Job& job, int32_t output) {
  const int32_t token = job.sampler->sample(context_->get(), output);
  const auto now = Clock::now();
  const bool more = job.ignore_eos || !llama_vocab_is_eog(vocab_, token);
  {
    const MutexLock lock(job.usage_mutex);
    if (job.next_token < 0) {
      job.first_token = now;
      job.usage.prompt_ms = ms_between(job.started, now);
    }
    job.usage.decode_ms = ms_between(job.first_token, now);
    if (more) job.usage.completion_tokens = ++job.produced;
  }
  job.next_token = token;
  if (!more) return EndOfStream{StreamEnd::kStop, {}};
  Token out{token, token_bytes(vocab_, token, job.preserved.contains(token)), 0, nullptr};
  if (job.logprobs) job.sampler->add_logprobs(context_->get(), output, job.top_logprobs, out);
  job.queue->push(std::move(out), active_.size());
  if (job.produced < job.max_tokens && slots_.length(job.sequence) < context_size_) return std::nullopt;
  return EndOfStream{StreamEnd::kLength, {}};
}

void LlamaScheduler::report_progress(Job& job) {
  const auto now = Clock::now();
  if (now - job.last_progress < kProgressInterval) return;
  job.last_progress = now;
  job.queue->progress({job.processed, static_cast<int32_t>(job.prompt.size()), job.cached});
}

// Last for the job: afterwards its reader may be gone.
void LlamaScheduler::end_queue(Job& job, EndOfStream end) {
  if (job.queue->end(std::move(end))) left_.fetch_sub(1, std::memory_order_acq_rel);
}

// Used for a job that has no sequence yet.
void LlamaScheduler::give_up_place(Job& job) {
  job.adapters = {};
  end_queue(job, {StreamEnd::kCancelled, {}});
}

void LlamaScheduler::finish(Job& job, EndOfStream end) {
  if (job.sequence >= 0) slots_.release(job.sequence);
  job.sequence = -1;
  job.adapters = {};
  end_queue(job, std::move(end));
  std::erase_if(active_, [&job](const auto& other) { return other.get() == &job; });
}

}  // namespace lh
