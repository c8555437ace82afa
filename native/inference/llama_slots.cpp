#include "inference/llama_slots.h"

#include <algorithm>

namespace lh {

int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t length = 0;
  while (length < limit && a[length] == b[length]) ++length;
  return static_cast<int32_t>(length);
}

LlamaSlots::Match LlamaSlots::longest_match(const std::vector<int32_t>& prompt) const {
  Match best;
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    const int32_t length = common_prefix(slots_[static_cast<size_t>(i)].tokens, prompt);
    const bool as_good = length > 0 && length == best.length && taken(best.sequence) && !taken(i);
    if (length > best.length || as_good) best = {i, length};
  }
  return best;
}

std::optional<LlamaSlots::Lease> LlamaSlots::acquire(const std::vector<int32_t>& prompt) {
  int32_t oldest = -1;  // the free sequence unused longest
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    if (!taken(i) && (oldest < 0 || slot(i).used < slot(oldest).used)) oldest = i;
  }
  if (oldest < 0) return std::nullopt;

  // Continuing a sequence in place is free, but throws away what it holds past the shared prefix; another
  // conversation's longer history is worth more than that, so then the prefix is shared into an older sequence.
  const auto [source, shared] = longest_match(prompt);
  const bool in_place = source >= 0 && !taken(source) && (shared * 2 >= length(source) || source == oldest);
  const int32_t chosen = in_place ? source : oldest;
  const int32_t useful =
      std::min(shared, static_cast<int32_t>(prompt.size()) - 1);  // the last token's logits are needed
  if (in_place) {
    truncate(chosen, useful);
  } else {
    truncate(chosen, 0);
    if (source >= 0) copy_prefix(source, chosen, prompt, useful);
  }
  slot(chosen).taken = true;
  slot(chosen).used = ++clock_;
  return Lease{chosen, length(chosen)};
}

int32_t LlamaSlots::extend(int32_t sequence, const std::vector<int32_t>& prompt) {
  const auto [source, shared] = longest_match(prompt);
  const int32_t useful = std::min(shared, static_cast<int32_t>(prompt.size()) - 1);
  if (source >= 0 && source != sequence && useful > length(sequence) && context_.can_share()) {
    truncate(sequence, 0);
    copy_prefix(source, sequence, prompt, useful);
  }
  return length(sequence);
}

// `to` is empty.
void LlamaSlots::copy_prefix(int32_t from, int32_t to, const std::vector<int32_t>& prompt, int32_t length) {
  if (length == 0 || !context_.can_share()) return;
  context_.share_prefix(from, to, length);
  slot(to).tokens.assign(prompt.begin(), prompt.begin() + length);
}

void LlamaSlots::release(int32_t sequence) {
  slot(sequence).taken = false;
  slot(sequence).used = ++clock_;
}

void LlamaSlots::rewind(int32_t sequence) {
  if (!context_.truncate(sequence, length(sequence))) slot(sequence).tokens.clear();
}

void LlamaSlots::truncate(int32_t sequence, int32_t length) {
  Slot& target = slot(sequence);
  if (static_cast<int32_t>(target.tokens.size()) <= length) return;
  const bool kept = context_.truncate(sequence, length);
  target.tokens.resize(kept ? static_cast<size_t>(length) : 0);
}

}  // namespace lh
