#include "llama/decode/slots.h"

#include <algorithm>
#include <new>
#include <tuple>

namespace lh {
namespace {

// Smaller states are not worth keeping: evaluating their tokens again takes one batch.
constexpr int32_t kWorthKeeping = 8;
// A state is copied whole. Measured at 0.5B, copying a token costs one part in some hundreds of evaluating it on a CPU,
// and one in some tens on a GPU: this pays if at least one token in this many is useful.
constexpr int32_t kTokensCopiedForOne = 16;
// Per sequence: each of the last turns of a conversation has one or two, and one for each aLoRA that it invokes.
constexpr size_t kMaxCheckpoints = 8;

bool worth_its_copy(const Resume& resume, int32_t length) {
  return resume.length >= kWorthKeeping && resume.length >= length / kTokensCopiedForOne;
}

int32_t most_useful(const std::vector<int32_t>& held, const std::vector<int32_t>& prompt) {
  return std::min(common_prefix(held, prompt), static_cast<int32_t>(prompt.size()) - 1);  // its logits are needed
}

}  // namespace

Resume LlamaSlots::resume_of(int32_t sequence, int32_t shared) const {
  if (shared == 0) return {};
  return resume_at(shared, length(sequence), context_.first_position(sequence), slot(sequence).checkpoints,
                   context_.cut_rule());
}

// llama.cpp copies only the part of a window that the next token sees, though the cache may hold more.
int32_t LlamaSlots::first_in_copy(int32_t sequence) const {
  const int32_t window = context_.cut_rule().window;
  const int32_t first = context_.first_position(sequence);
  return window > 0 && !shares_cells() ? std::max(first, length(sequence) - window) : first;
}

Resume LlamaSlots::resume_of_copy(int32_t sequence, int32_t shared) const {
  if (shared == 0) return {};
  return resume_at(shared, length(sequence), first_in_copy(sequence), slot(sequence).checkpoints, context_.cut_rule());
}

LlamaSlots::Match LlamaSlots::longest_match(const std::vector<int32_t>& prompt, const AdapterKey& adapters,
                                            Taking taking) const {
  Match best;
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    const int32_t shared = std::min(most_useful(slot(i).tokens, prompt), common_prefix(slot(i).adapters, adapters));
    const bool copied = taken(i) || taking == Taking::kCopy;
    Resume resume = copied ? resume_of_copy(i, shared) : resume_of(i, shared);
    const bool as_good = resume.length > 0 && resume.length == best.resume.length && taken(best.sequence) && !taken(i);
    if (resume.length > best.resume.length || as_good) best = {i, shared, std::move(resume)};
  }
  return best;
}

// llama.cpp computes streams of consecutive sequences together, so prefer the sequence that keeps the taken ones
// closest; among equals an empty one, then the one unused for longest.
int32_t LlamaSlots::free_sequence() const {
  const auto count = static_cast<int32_t>(slots_.size());
  int32_t lowest = count;
  int32_t highest = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (!taken(i)) continue;
    lowest = std::min(lowest, i);
    highest = i;
  }
  const auto span = [&](int32_t i) { return highest < 0 ? 0 : std::max(highest, i) - std::min(lowest, i); };
  const auto rank = [&](int32_t i) { return std::tuple(span(i), !slot(i).tokens.empty(), slot(i).used, i); };
  int32_t chosen = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (!taken(i) && (chosen < 0 || rank(i) < rank(chosen))) chosen = i;
  }
  return chosen;
}

std::optional<LlamaSlots::Lease> LlamaSlots::acquire(const std::vector<int32_t>& prompt, const AdapterKey& adapters) {
  const int32_t spare = free_sequence();
  if (spare < 0) return std::nullopt;

  Match match = longest_match(prompt, adapters, Taking::kInPlace);
  const auto stored = store_.best(prompt, adapters, context_.cut_rule(), [](const StateStore::Match& found) {
    return worth_its_copy(found.resume, found.state->length());
  });
  const bool from_store = stored.state != nullptr && stored.resume.length > match.resume.length;
  // Continuing in place is free, but discards the tokens of the sequence after the common prefix. Another
  // conversation's longer history is worth more than that.
  const bool in_place =
      !from_store && match.sequence >= 0 && !taken(match.sequence) && match.resume.length * 2 >= length(match.sequence);
  const int32_t chosen = in_place ? match.sequence : spare;
  if (in_place) {
    cut_back(chosen, match.resume);
  } else if (from_store) {
    park(chosen);
    bring_back(stored.state, chosen, stored.resume);
  } else if (chosen == match.sequence) {
    park(chosen);
    cut_back(chosen, match.resume);
  } else {
    park(chosen);
    clear(chosen);
    if (match.sequence >= 0) match.resume = resume_of_copy(match.sequence, match.shared);
    if (worth_copying(match)) copy(match.sequence, chosen, match.resume);
  }
  slot(chosen).adapters = adapters;
  slot(chosen).taken = true;
  slot(chosen).used = ++clock_;
  return Lease{chosen, length(chosen)};
}

int32_t LlamaSlots::extend(int32_t sequence, const std::vector<int32_t>& prompt) {
  const Match match = longest_match(prompt, slot(sequence).adapters, Taking::kCopy);
  if (match.sequence != sequence && match.resume.length > length(sequence) && worth_copying(match)) {
    AdapterKey own = slot(sequence).adapters;
    clear(sequence);
    copy(match.sequence, sequence, match.resume);
    slot(sequence).adapters = std::move(own);  // the key under which the rest of the copy is valid
  }
  return length(sequence);
}

// Copies the content of a sequence to host memory; the sequence keeps it.
void LlamaSlots::park(int32_t sequence) {
  const Slot& from = slot(sequence);
  if (!store_.enabled() || length(sequence) < kWorthKeeping) return;
  if (store_.holds(from.tokens, from.adapters, context_.cut_rule())) return;
  try {
    StoredState state;
    state.adapters = from.adapters;
    state.tokens = from.tokens;
    state.first = first_in_copy(sequence);
    state.checkpoints = from.checkpoints;
    state.state = context_.save(sequence, LlamaContext::Part::kAll);
    if (!state.state.empty()) store_.put(std::move(state), context_.cut_rule());
  } catch (const std::bad_alloc&) {  // it will be evaluated again when needed
  }
}

void LlamaSlots::clear(int32_t sequence) {
  context_.cut(sequence, 0);
  slot(sequence).tokens.clear();
  keep_checkpoints(sequence, {});
}

void LlamaSlots::cut_back(int32_t sequence, const Resume& resume) {
  Slot& target = slot(sequence);
  Checkpoints kept = target.checkpoints;
  std::erase_if(kept, [&](const auto& one) { return one->length > resume.length; });
  if (resume.checkpoint && !context_.restore(sequence, resume.checkpoint->state, LlamaContext::Part::kUncuttable)) {
    return clear(sequence);
  }
  if (resume.length < length(sequence)) context_.cut(sequence, resume.length);
  target.tokens.resize(static_cast<size_t>(resume.length));
  keep_checkpoints(sequence, std::move(kept));
}

bool LlamaSlots::worth_copying(const Match& match) const {
  if (match.sequence < 0 || match.resume.length == 0) return false;
  return shares_cells() || worth_its_copy(match.resume, length(match.sequence));
}

// `to` is empty. Afterwards it has the source's adapters; if memory runs out halfway, it may hold more than requested.
void LlamaSlots::copy(int32_t from, int32_t to, const Resume& resume) {
  const std::vector<int32_t>& tokens = slot(from).tokens;
  slot(to).adapters = slot(from).adapters;
  if (shares_cells()) {
    context_.share_prefix(from, to, resume.length);
    slot(to).tokens.assign(tokens.begin(), tokens.begin() + resume.length);
    return;
  }
  const StateBytes state = context_.save(from, LlamaContext::Part::kAll);
  if (state.empty() || !context_.restore(to, state, LlamaContext::Part::kAll)) return;
  slot(to).tokens = tokens;
  keep_checkpoints(to, slot(from).checkpoints);
  cut_back(to, resume);
}

// Replaces all of `to`. The store drops a state that continues where it stopped.
void LlamaSlots::bring_back(const StateStore::StatePtr& stored, int32_t to, const Resume& resume) {
  clear(to);  // first: if memory runs out halfway, an empty sequence is one that was not brought back
  std::vector<int32_t> tokens = stored->tokens;
  slot(to).adapters = stored->adapters;
  if (!context_.restore(to, stored->state, LlamaContext::Part::kAll)) return;
  slot(to).tokens = std::move(tokens);
  if (resume.length == stored->length()) {
    store_.drop(stored);
  } else {
    store_.used(stored);
  }
  keep_checkpoints(to, stored->checkpoints);
  cut_back(to, resume);
}

void LlamaSlots::checkpoint(int32_t sequence) {
  Checkpoints& own = slot(sequence).checkpoints;
  if (!needs_checkpoints() || (!own.empty() && own.back()->length >= length(sequence))) return;
  auto made = std::make_shared<Checkpoint>();
  made->length = length(sequence);
  made->state = context_.save(sequence, LlamaContext::Part::kUncuttable);
  if (made->state.empty()) return;
  Checkpoints all = own;
  if (all.size() == kMaxCheckpoints) all.erase(all.begin());
  all.push_back(std::move(made));
  keep_checkpoints(sequence, std::move(all));
}

// Drops checkpoints that do not fit, the earliest first.
void LlamaSlots::keep_checkpoints(int32_t sequence, Checkpoints checkpoints) {
  Checkpoints& own = slot(sequence).checkpoints;
  store_.unreserve(bytes_of(own));
  while (!checkpoints.empty() && !store_.reserve(bytes_of(checkpoints))) checkpoints.erase(checkpoints.begin());
  own = std::move(checkpoints);
}

void LlamaSlots::release(int32_t sequence) {
  slot(sequence).taken = false;
  slot(sequence).used = ++clock_;
}

void LlamaSlots::forget_idle() {
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    if (!taken(i)) clear(i);
  }
}

void LlamaSlots::rewind(int32_t sequence) {
  const CutRule& rule = context_.cut_rule();
  const int32_t first = context_.first_position(sequence);
  const bool possible = rule.anywhere || (rule.window > 0 && first <= std::max(0, length(sequence) - rule.window));
  if (!possible) return clear(sequence);
  context_.cut(sequence, length(sequence));
}

}  // namespace lh
