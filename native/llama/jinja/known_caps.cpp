#include "llama/jinja/known_caps.h"

#include <algorithm>

namespace lh {
namespace {

constexpr size_t kMost = 16;
constexpr size_t kLongest = 64UL << 10;  // bytes of a source

}  // namespace

KnownCaps& KnownCaps::here() {
  static auto* instance = new KnownCaps;  // never destroyed: threads may outlive static teardown
  return *instance;
}

std::optional<chat_template_caps> KnownCaps::of(const std::string& source) {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find(entries_, source, &Entry::source);
  if (found == entries_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found);
  return found->caps;
}

void KnownCaps::keep(const common_chat_template& made) {
  if (made.src.size() > kLongest) return;
  const MutexLock lock(mutex_);
  if (std::ranges::find(entries_, made.src, &Entry::source) != entries_.end()) return;
  entries_.push_front({made.src, made.caps});
  if (entries_.size() > kMost) entries_.pop_back();
}

}  // namespace lh
