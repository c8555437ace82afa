// The part of LlamaScheduler that plans the next batch: which adapters take their turn, and how many tokens of each
// job.
#include <algorithm>

#include "llama/decode/scheduler.h"

namespace lh {
namespace {

using Clock = std::chrono::steady_clock;
// The time that one set of adapters computes while others wait. A change makes llama.cpp rebuild its graphs, which
// takes some milliseconds; readers do not notice the wait.
constexpr auto kTurn = std::chrono::milliseconds(50);

}  // namespace

// A context computes with one set of adapters at a time, so sets take turns: once the turn is over or idle, the set
// that has waited longest is next. Without adapters all jobs always have their turn.
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
  context_->set_adapters(next->acting(), adapters_.list_mutex());
  turn_began_ = Clock::now();
}

// The context must not keep an adapter that is being unloaded only because no further batch comes.
void LlamaScheduler::let_go_of_adapters() {
  const AdapterSetPtr& set = context_->adapters();
  if (!set || std::ranges::none_of(set->adapters, [](const auto& one) { return one->unloads.load(); })) return;
  if (std::ranges::any_of(active_, [this](const auto& job) { return in_turn(*job); })) return;
  context_->set_adapters(nullptr, adapters_.list_mutex());
}

// One token of each generation that has one, and as many prompt tokens as fit into the batch; fewer if generations
// would wait too long.
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
  // llama.cpp computes streams of equal length together: the first token of each prompt goes with those of the
  // generations.
  const int32_t beside = context_->unified() ? 0 : prompts;
  share_out(decoding > 0 ? std::min(room, std::max(prompts, pace_.prompt_tokens(room) + beside)) : room);
}

// Drafts cost computing time that further generations would use better.
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

// Drafts from earlier text are free; the draft model is used if there are none.
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

// Divides into equal parts, so that a short prompt does not wait for a long one. Unused parts go to the others.
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

// Keeps the order of sequences, which llama.cpp's streams require.
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

}  // namespace lh
