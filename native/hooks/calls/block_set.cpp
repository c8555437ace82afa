#include "hooks/calls/block_set.h"

#include <utility>

namespace lh {

void BlockSet::reserve_one() {
  if ((count_ + 1) * 2 <= entries_.size()) return;
  std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
  old.swap(entries_);
  count_ = 0;
  for (const Entry& entry : old) {
    if (entry.block != nullptr) insert(entry.block, entry.size);
  }
}

void BlockSet::insert(const void* block, size_t size) noexcept {
  size_t at = home(block);
  while (entries_[at].block != nullptr && entries_[at].block != block) at = next(at);
  if (entries_[at].block == nullptr) ++count_;
  entries_[at] = {block, size};
}

const size_t* BlockSet::find(const void* block) const noexcept {
  if (entries_.empty()) return nullptr;
  for (size_t at = home(block); entries_[at].block != nullptr; at = next(at)) {
    if (entries_[at].block == block) return &entries_[at].size;
  }
  return nullptr;
}

bool BlockSet::erase(const void* block) noexcept {
  if (entries_.empty()) return false;
  size_t hole = home(block);
  while (entries_[hole].block != block) {
    if (entries_[hole].block == nullptr) return false;
    hole = next(hole);
  }
  // Fills the hole: an entry moves into it unless its home lies cyclically between the two.
  const size_t mask = entries_.size() - 1;
  for (size_t at = next(hole); entries_[at].block != nullptr; at = next(at)) {
    const size_t distance_from_home = (at - home(entries_[at].block)) & mask;
    const size_t distance_from_hole = (at - hole) & mask;
    if (distance_from_home < distance_from_hole) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = Entry{};
  --count_;
  return true;
}

}  // namespace lh
