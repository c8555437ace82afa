#include "inference/llama_slots.h"

#include <algorithm>

namespace lh {
namespace {

int32_t common_prefix(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t length = 0;
  while (length < limit && a[length] == b[length]) ++length;
  return static_cast<int32_t>(length);
}

}  // namespace

std::optional<LlamaSlots::Lease> LlamaSlots::acquire(const std::vector<int32_t>& prompt) {
  int32_t source = -1;  // the sequence that shares most, taken or not
  int32_t shared = 0;
  int32_t oldest = -1;  // the free sequence unused longest
  for (int32_t i = 0; i < static_cast<int32_t>(slots_.size()); ++i) {
    const int32_t prefix = common_prefix(slot(i).tokens, prompt);
    const bool better = prefix > shared || (prefix == shared && prefix > 0 && slot(source).taken && !slot(i).taken);
    if (better) {
      source = i;
      shared = prefix;
    }
    if (!slot(i).taken && (oldest < 0 || slot(i).used < slot(oldest).used)) oldest = i;
  }
  if (oldest < 0) return std::nullopt;

  // Continuing a sequence in place is free, but throws away what it holds past the shared prefix; another
  // conversation's longer history is worth more than that, so then the prefix is shared into an older sequence.
  const bool in_place = source >= 0 && !slot(source).taken && (shared * 2 >= length(source) || source == oldest);
  const int32_t chosen = in_place ? source : oldest;
  shared = std::min(shared, static_cast<int32_t>(prompt.size()) - 1);  // the last token's logits are needed
  if (in_place) {
    truncate(chosen, shared);
  } else {
    truncate(chosen, 0);
    if (source >= 0 && shared > 0 && context_.can_share()) {
      context_.share_prefix(source, chosen, shared);
      slot(chosen).tokens.assign(prompt.begin(), prompt.begin() + shared);
    }
  }
  slot(chosen).taken = true;
  slot(chosen).used = ++clock_;
  return Lease{chosen, length(chosen)};
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
