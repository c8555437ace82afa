#include "llama/jinja/nodes/memory.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

constexpr size_t kMostInVain = 16;             // runs of a loop
constexpr size_t kMostTapes = 4;               // of a loop
constexpr size_t kMostTapeBytes = 16UL << 20;  // of a tape

}  // namespace

void Tape::add(std::shared_ptr<const Record> record) {
  bytes += record->bytes;
  records.push_back(std::move(record));
}

bool Tape::is_full() const { return bytes > kMostTapeBytes; }

std::shared_ptr<const Record> with_item(std::shared_ptr<const Record> record, const jinja::value& item) {
  if (record->item == item) return record;
  auto changed = std::make_shared<Record>(*record);
  changed->item = item;
  return changed;
}

size_t common_items(const Tape& tape, const std::vector<jinja::value>& items) {
  const size_t most = std::min(tape.records.size(), items.size());
  size_t found = 0;
  while (found < most && same(tape.records[found]->item, items[found])) ++found;
  return found;
}

Tape LoopMemory::take(const std::vector<jinja::value>& items) {
  std::erase_if(tapes_, [](const Tape& one) { return *one.spoiled; });
  size_t most = 0;
  auto best = tapes_.end();
  for (auto one = tapes_.begin(); one != tapes_.end(); ++one) {
    const size_t common = common_items(*one, items);
    if (common <= most) continue;
    most = common;
    best = one;
  }
  ++in_vain_;
  if (best == tapes_.end()) return {};
  in_vain_ = 0;
  Tape taken = std::move(*best);
  tapes_.erase(best);
  return taken;
}

bool LoopMemory::is_worth_it() {
  if (in_vain_ < kMostInVain) return true;
  return ++in_vain_ % kMostInVain == 0;
}

void LoopMemory::keep(Tape tape) {
  if (tape.records.empty() || tape.is_full()) return;
  tapes_.push_back(std::move(tape));
  if (tapes_.size() > kMostTapes) tapes_.erase(tapes_.begin());
}

}  // namespace lh
