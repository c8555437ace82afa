#include "inference/llama_scheduler.h"

#include <algorithm>
#include <exception>

#include "base/caught.h"
#include "inference/llama_vocab.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressInterval = std::chrono::milliseconds(50);
// So many tokens must be saved by waiting. A batch more costs about as much as a few prompt tokens on a CPU; on a GPU
// as some tens, but there either is over in a moment.
constexpr int32_t kWorthABatch = 8;
// How long one set of adapters computes while others wait. A change has llama.cpp make its graphs anew, which takes
// some milliseconds; who reads along does not notice the wait.
constexpr auto kTurn = std::chrono::milliseconds(50);

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
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
      batch_(batch_size_) {
  // A decode is aborted only when nobody wants its result: the other generations of a batch must not pay for one.
  // Nor one on recurrent state: each layer moves it about, that of sequences outside the batch too, and half is no
  // state.
  context_->set_abort([this] {
    if (context_->recurrent()) return false;
    return std::ranges::all_of(active_, [](const auto& job) { return job->in_batch == 0 || job->wants_stop(); });
  });
  active_.reserve(slots_.count());  // so that to begin a job cannot fail once it has its sequence
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
    const auto before = std::ranges::upper_bound(waiting_, job->priority, {}, &Job::priority);
    waiting_.insert(before, std::move(job));
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
      take_turns();
      step();
      let_go_of_adapters();
    } catch (const std::exception&) {  // out of memory: the generations end, the thread stays
      for (const auto& job : std::vector(active_)) {
        slots_.rewind(job->sequence);
        finish(*job, {StreamEnd::kError, caught()});
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
    const auto lease = slots_.acquire(job->prompt, key_of(job->adapters));
    if (!lease) return;
    job->sequence = lease->sequence;
    job->processed = lease->cached;
    job->served = steps_;
    job->last_progress = Clock::now();
    active_.push_back(job);
    waiting_.pop_front();
  }
}

// Of several that begin alike (one system prompt, one document), one evaluates what they share and the others wait for
// it.
void LlamaScheduler::begin_jobs() {
  for (const auto& job : active_) {
    if (job->begun) continue;
    if (Job* other = worth_waiting(*job)) {
      if (slots_.needs_checkpoints()) other->marks.insert(common_prefix(other->prompt, job->prompt));
      continue;
    }
    job->begun = true;
    job->cached = job->processed = slots_.extend(job->sequence, job->prompt);
    if (slots_.needs_checkpoints() && job->settled > job->processed) job->marks.insert(job->settled);
    const MutexLock usage(job->usage_mutex);
    job->usage.cached_tokens = job->cached;
  }
}

// Another that is about to evaluate what `job` needs too, or null. Only one before it in the line, so that no two wait
// for each other.
Job* LlamaScheduler::worth_waiting(const Job& job) const {
  if (!context_->cut_rule().anywhere && !slots_.needs_checkpoints()) return nullptr;
  for (const auto& other : active_) {
    if (other.get() == &job) return nullptr;
    if (!other->prefilling() || !same_adapters(other->adapters, job.adapters)) continue;
    const int32_t shared = common_prefix(other->prompt, job.prompt);
    if (shared > other->processed && shared >= job.processed + kWorthABatch) return other.get();
  }
  return nullptr;
}

// A context computes with one set of adapters at a time, so sets take turns: who has waited longest is next, once the
// turn is over or has nothing to do. Without adapters all are always in turn.
void LlamaScheduler::take_turns() {
  ++steps_;
  const Job* next = nullptr;
  bool goes_on = false;
  for (const auto& job : active_) {
    const bool ready = job->prefilling() ? job->begun : can_step(*job);
    if (in_turn(*job)) {
      job->served = steps_;
      goes_on |= ready;
    } else if (ready && (next == nullptr || job->served < next->served)) {
      next = job.get();
    }
  }
  if (next == nullptr || (goes_on && Clock::now() - turn_began_ < kTurn)) return;
  context_->set_adapters(next->adapters, adapters_.list_mutex());
  turn_began_ = Clock::now();
}

// What is being unloaded must not stay with the context for want of another batch.
void LlamaScheduler::let_go_of_adapters() {
  const AdapterSetPtr& set = context_->adapters();
  if (!set || std::ranges::none_of(set->adapters, [](const auto& one) { return one->unloads.load(); })) return;
  if (std::ranges::any_of(active_, [this](const auto& job) { return in_turn(*job); })) return;
  context_->set_adapters(nullptr, adapters_.list_mutex());
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

// One token of each generation that has one, and of the prompts as much as the batch holds; less where generations
// would wait too long for it.
void LlamaScheduler::plan_step() {
  int32_t decoding = 0;
  int32_t prompts = 0;
  for (const auto& job : active_) {
    job->draft.clear();
    job->in_batch = 0;
    if (!in_turn(*job)) continue;
    job->in_batch = !job->prefilling() && job->next_token >= 0 && !job->queue->full() ? 1 : 0;
    decoding += job->in_batch;
    prompts += job->begun && job->prefilling() ? 1 : 0;
  }
  if (prompts == 0) return plan_drafts(decoding);
  const int32_t room = batch_size_ - decoding;
  // llama.cpp computes streams of one length together: the first token of each prompt goes with the generations'.
  const int32_t beside = context_->unified() ? 0 : prompts;
  share_out(decoding > 0 ? std::min(room, std::max(prompts, pace_.prompt_tokens(room) + beside)) : room);
}

// A guess costs computing time that more generations would use better.
void LlamaScheduler::plan_drafts(int32_t decoding) {
  if ((!words_ && !draft_) || decoding > kMostDraftsAtOnce) return;
  int32_t room = batch_size_ - decoding;
  for (const auto& job : active_) {
    if (job->in_batch == 0) continue;
    const int32_t held = slots_.length(job->sequence);
    const int32_t most = std::min({room, context_size_ - held - 1, job->max_tokens - job->produced - 1});
    if (most > 0) guess(*job, most);
    job->in_batch += static_cast<int32_t>(job->draft.size());
    room -= static_cast<int32_t>(job->draft.size());
  }
}

// What came before costs nothing to ask; the model is for what did not.
void LlamaScheduler::guess(Job& job, int32_t most) {
  const std::vector<int32_t>& held = slots_.tokens(job.sequence);
  job.draft_by_model = false;
  if (words_ && job.word_pace.ready()) job.draft = draft_from_words(held, job.next_token, most);
  if (!draft_ || !job.draft.empty() || !job.model_pace.ready()) return;
  auto drafted = draft_->draft(job.sequence, held, job.next_token, most);
  if (!drafted) return;
  job.draft = *std::move(drafted);
  job.draft_by_model = true;
  if (job.draft.empty()) job.model_pace.judged(-draft_->cost());
}

// In equal parts: a short prompt does not wait until a long one is read. What one does not need goes to the others.
void LlamaScheduler::share_out(int32_t room) {
  std::vector<std::pair<int32_t, Job*>> wanted;
  for (const auto& job : active_) {
    if (!job->begun || !job->prefilling() || !in_turn(*job)) continue;
    const auto mark = job->marks.upper_bound(job->processed);
    const int32_t end = mark == job->marks.end() ? static_cast<int32_t>(job->prompt.size()) : *mark;
    wanted.emplace_back(end - job->processed, job.get());
  }
  std::ranges::stable_sort(wanted, {}, &std::pair<int32_t, Job*>::first);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto left = static_cast<int32_t>(wanted.size() - i);
    const auto& [tokens, job] = wanted[i];
    job->in_batch = std::min(tokens, (room + left - 1) / left);
    room -= job->in_batch;
  }
}

// In the order of the sequences, which llama.cpp's streams ask for.
void LlamaScheduler::fill_batch() {
  batch_.clear();
  std::vector<Job*> jobs;
  for (const auto& job : active_) {
    job->output = -1;
    if (job->in_batch > 0) jobs.push_back(job.get());
  }
  std::ranges::sort(jobs, {}, &Job::sequence);
  for (Job* job : jobs) {
    if (!job->prefilling()) {
      job->output = batch_.size();
      int32_t position = slots_.length(job->sequence);
      batch_.add(job->next_token, position, job->sequence, true);
      for (const int32_t token : job->draft) batch_.add(token, ++position, job->sequence, true);
      continue;
    }
    const int32_t end = job->processed + job->in_batch;
    for (int32_t position = job->processed; position < end; ++position) {
      const bool last = position + 1 == static_cast<int32_t>(job->prompt.size());
      if (last) job->output = batch_.size();
      batch_.add(job->prompt[static_cast<size_t>(position)], position, job->sequence, last);
    }
  }
}

bool LlamaScheduler::decode() {
  int32_t result = 0;
  std::string thrown;
  try {
    result = context_->decode(batch_.get());
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  if (result != 0 || !thrown.empty()) {
    give_up_batch(result, thrown.empty() ? "llama_decode returned " + std::to_string(result) : thrown);
    return false;
  }
  for (const auto& job : std::vector(active_)) {
    if (job->in_batch > 0) collect(*job);
  }
  return true;
}

// What the memory holds of the batch is unknown; what recurrent memory holds of any sequence.
void LlamaScheduler::give_up_batch(int32_t result, const std::string& why) {
  constexpr int32_t kAborted = 2;  // because everyone in the batch wanted to stop
  const bool all = context_->recurrent();
  for (const auto& job : std::vector(active_)) {
    if (job->in_batch == 0 && !all) continue;
    slots_.rewind(job->sequence);
    if (job->wants_stop()) {
      finish(*job, {StreamEnd::kCancelled, {}});
    } else if (result != kAborted || all) {
      finish(*job, {StreamEnd::kError, Status(Code::kDecodeFailed, why)});
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
  } catch (const std::exception& error) {  // a grammar that llama.cpp can no longer follow
    slots_.rewind(job.sequence);
    finish(job, {StreamEnd::kError, Status(Code::kDecodeFailed, std::string("sampling failed: ") + error.what())});
  }
}

// The token after what the memory held, and as many more as the draft had right: each is sampled as if alone.
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

// Samples from the logits at `output`. Gives the end of the stream if that came with it.
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
  job.queue->push(std::move(out));
  if (job.produced < job.max_tokens && slots_.length(job.sequence) < context_size_) return std::nullopt;
  return EndOfStream{StreamEnd::kLength, {}};
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
  job.adapters.reset();
  job.queue->end(std::move(end));
  std::erase_if(active_, [&job](const auto& other) { return other.get() == &job; });
}

}  // namespace lh
