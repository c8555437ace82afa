#include "inference/llama_scheduler.h"

#include <algorithm>
#include <exception>

#include "inference/llama_vocab.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(50);
// So many tokens must be saved by waiting. A batch more costs about as much as a few prompt tokens on a CPU; on a GPU
// as some tens, but there either is over in a moment.
constexpr int32_t kWorthABatch = 8;

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

LlamaScheduler::LlamaScheduler(const llama_model* model, std::unique_ptr<LlamaContext> context, int32_t parallel,
                               int32_t context_size, int32_t batch_size)
    : vocab_(llama_model_get_vocab(model)),
      context_size_(context_size),
      batch_size_(std::max(batch_size, parallel)),
      context_(std::move(context)),
      slots_(*context_, parallel),
      batch_(batch_size_) {
  // A decode is aborted only when nobody wants its result: the other generations of a batch must not pay for one.
  context_->set_abort([this] {
    return std::ranges::all_of(active_, [](const auto& job) { return job->in_batch == 0 || job->wants_stop(); });
  });
  thread_ = std::thread([this] { run(); });
}

LlamaScheduler::~LlamaScheduler() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
    for (const auto& job : waiting_) job->stopped = true;
  }
  work_.notify_one();
  thread_.join();
}

void LlamaScheduler::submit(std::shared_ptr<Job> job) {
  job->started = Clock::now();
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  work_.notify_one();
}

void LlamaScheduler::wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  work_.notify_one();
}

// A job whose reader is behind is left out of the batch; its KV cache stays.
bool LlamaScheduler::can_step(const Job& job) const { return job.prefilling() || !job.queue->full(); }

// Returns false when the thread is to end.
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
    try {
      end_stopped_jobs();
      admit();
      begin_jobs();
      if (fill_batch()) decode();
    } catch (const std::exception& error) {  // out of memory: the generations end, the thread stays
      for (const auto& job : std::vector(active_)) {
        slots_.rewind(job->sequence);
        finish(*job, {StreamEnd::kError, Status(Code::kInternal, error.what())});
      }
    }
  }
  for (const auto& job : std::vector(active_)) finish(*job, {StreamEnd::kCancelled, {}});
  const MutexLock lock(mutex_);
  for (const auto& job : waiting_) job->queue->end({StreamEnd::kCancelled, {}});
  waiting_.clear();
}

void LlamaScheduler::end_stopped_jobs() {
  for (const auto& job : std::vector(active_)) {
    if (job->wants_stop()) finish(*job, {StreamEnd::kCancelled, {}});
  }
  const MutexLock lock(mutex_);
  std::erase_if(waiting_, [](const auto& job) {
    if (!job->wants_stop()) return false;
    job->queue->end({StreamEnd::kCancelled, {}});
    return true;
  });
}

void LlamaScheduler::admit() {
  if (active_.size() == slots_.count()) return;
  const MutexLock lock(mutex_);
  while (!waiting_.empty()) {
    const std::shared_ptr<Job>& job = waiting_.front();
    const auto lease = slots_.acquire(job->prompt);
    if (!lease) return;
    job->sequence = lease->sequence;
    job->processed = lease->cached;
    job->last_progress = Clock::now();
    active_.push_back(job);
    waiting_.pop_front();
  }
}

// Of several that begin alike (one system prompt, one document), one evaluates what they share and the others wait for
// it.
void LlamaScheduler::begin_jobs() {
  for (const auto& job : active_) {
    if (job->begun || worth_waiting(*job)) continue;
    job->begun = true;
    job->cached = job->processed = slots_.extend(job->sequence, job->prompt);
    const MutexLock usage(job->usage_mutex);
    job->usage.cached_tokens = job->cached;
  }
}

// Only for a job before it in the line, so that no two wait for each other.
bool LlamaScheduler::worth_waiting(const Job& job) const {
  if (!context_->can_share()) return false;
  for (const auto& other : active_) {
    if (other.get() == &job) return false;
    if (!other->prefilling()) continue;
    const int32_t shared = common_prefix(other->prompt, job.prompt);
    if (shared > other->processed && shared >= job.processed + kWorthABatch) return true;
  }
  return false;
}

// One token of each generation that has one, then as much of the prompts as the batch holds, first come first served.
bool LlamaScheduler::fill_batch() {
  batch_.clear();
  for (const auto& job : active_) {
    job->in_batch = 0;
    job->output = -1;
    if (job->prefilling() || job->next_token < 0 || job->queue->full()) continue;
    job->output = batch_.size();
    job->in_batch = 1;
    batch_.add(job->next_token, slots_.length(job->sequence), job->sequence, true);
  }
  for (const auto& job : active_) {
    if (!job->begun) continue;
    const int32_t total = static_cast<int32_t>(job->prompt.size());
    const int32_t chunk = std::min(total - job->processed, batch_size_ - batch_.size());
    for (int32_t i = 0; i < chunk; ++i) {
      const int32_t position = job->processed + i;
      const bool last = position + 1 == total;
      if (last) job->output = batch_.size();
      batch_.add(job->prompt[static_cast<size_t>(position)], position, job->sequence, last);
    }
    if (chunk > 0) job->in_batch = chunk;
  }
  return batch_.size() > 0;
}

void LlamaScheduler::decode() {
  int32_t result = 0;
  std::string thrown;
  try {
    result = llama_decode(context_->get(), batch_.get());
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  const bool failed = result != 0 || !thrown.empty();
  for (const auto& job : std::vector(active_)) {
    if (job->in_batch == 0) continue;
    if (!failed) {
      collect(*job);
      continue;
    }
    slots_.rewind(job->sequence);  // what the cache holds of this batch is unknown
    if (job->wants_stop()) {
      finish(*job, {StreamEnd::kCancelled, {}});
    } else if (result != 2) {  // 2: aborted because everyone in the batch wanted to stop
      const std::string why = thrown.empty() ? "llama_decode returned " + std::to_string(result) : thrown;
      finish(*job, {StreamEnd::kError, Status(Code::kDecodeFailed, why)});
    }
  }
}

void LlamaScheduler::collect(Job& job) {
  if (job.prefilling()) {
    for (int32_t i = 0; i < job.in_batch; ++i) {
      slots_.append(job.sequence, job.prompt[static_cast<size_t>(job.processed + i)]);
    }
    job.processed += job.in_batch;
    report_progress(job);
  } else {
    slots_.append(job.sequence, job.next_token);
  }
  job.in_batch = 0;
  if (job.output < 0) return;
  try {
    take_token(job);
  } catch (const std::exception& error) {  // a grammar that llama.cpp can no longer follow
    finish(job, {StreamEnd::kError, Status(Code::kDecodeFailed, std::string("sampling failed: ") + error.what())});
  }
}

void LlamaScheduler::take_token(Job& job) {
  const int32_t token = job.sampler->sample(context_->get(), job.output);
  const auto now = Clock::now();
  bool more = true;
  int32_t produced = 0;
  {
    const MutexLock lock(job.usage_mutex);
    if (job.usage.completion_tokens == 0 && job.next_token < 0) {
      job.first_token = now;
      job.usage.prompt_ms = ms_between(job.started, now);
    }
    job.usage.decode_ms = ms_between(job.first_token, now);
    if (llama_vocab_is_eog(vocab_, token) && !job.ignore_eos) {
      more = false;
    } else {
      produced = ++job.usage.completion_tokens;
    }
  }
  job.next_token = token;
  if (!more) return finish(job, {StreamEnd::kStop, {}});
  Token out{token, token_bytes(vocab_, token, job.preserved.contains(token)), 0};
  if (job.logprobs) out.logprob = job.sampler->logprob(context_->get(), job.output, token);
  job.queue->push(std::move(out));
  if (produced >= job.max_tokens || slots_.length(job.sequence) >= context_size_) finish(job, {StreamEnd::kLength, {}});
}

void LlamaScheduler::report_progress(Job& job) {
  const auto now = Clock::now();
  if (now - job.last_progress < kProgressInterval) return;
  job.last_progress = now;
  job.queue->progress({job.processed, static_cast<int32_t>(job.prompt.size()), job.cached});
}

void LlamaScheduler::finish(Job& job, EndOfStream end) {
  if (job.sequence >= 0) slots_.release(job.sequence);
  job.sequence = -1;
  job.queue->end(std::move(end));
  std::erase_if(active_, [&job](const auto& other) { return other.get() == &job; });
}

}  // namespace lh
