#include "llama/output/false_marks.h"

#include <functional>
#include <utility>

namespace lh {
namespace {

constexpr size_t kMostKnown = 16;  // texts that grow at the same time

}  // namespace

bool FalseMarks::is_of(const Known& known, std::string_view text) {
  return known.size <= text.size() && std::hash<std::string_view>()(text.substr(0, known.size)) == known.hash;
}

std::vector<size_t> FalseMarks::of(std::string_view text) {
  const MutexLock lock(mutex_);
  const Known* best = nullptr;
  for (const Known& one : known_) {
    if ((best == nullptr || one.size > best->size) && is_of(one, text)) best = &one;
  }
  return best != nullptr ? best->places : std::vector<size_t>();
}

void FalseMarks::add(std::string_view text, std::vector<size_t> places) {
  const MutexLock lock(mutex_);
  std::erase_if(known_, [text](const Known& one) { return is_of(one, text); });
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back({text.size(), std::hash<std::string_view>()(text), std::move(places)});
}

}  // namespace lh
