#include "isolation/client/stuck_watch.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text/names.h"

namespace lh {
namespace {

constexpr int kMostUnanswered = 10;  // pings: a process that reads none for so long is stuck as a whole

// Requests that may take as long as files, or the caller's texts, are long.
bool may_take_long(std::string_view op) {
  constexpr std::string_view kLong[] = {
      "runtime",         "add_rpc_server", "load",  "load_adapter",     "unload_adapter", "measure",
      "measure_context", "embed",          "start", "embedding_memory", "make_embeddings"};
  return std::ranges::find(kLong, op) != std::end(kLong);
}

}  // namespace

std::string time_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

StuckWatch::Uncancellable::Uncancellable(StuckWatch& watch) : watch_(watch) {
  const MutexLock lock(watch_.mutex_);
  ++watch_.uncancellable_;
}

StuckWatch::Uncancellable::~Uncancellable() {
  const MutexLock lock(watch_.mutex_);
  --watch_.uncancellable_;
}

std::string StuckWatch::ping() {
  const MutexLock lock(mutex_);
  const bool matters = step_timeout_.count() > 0 || left_behind_ || uncancellable_ > 0;
  if (++unanswered_ <= kMostUnanswered || !matters) return {};
  return "it had answered nothing for " + std::to_string(kMostUnanswered) + " s";
}

std::string StuckWatch::pong(const Json& requests, int64_t longest_step) {
  {
    const MutexLock lock(mutex_);
    unanswered_ = 0;
    left_behind_ = false;
  }
  const int64_t limit = step_timeout_.count();
  if (limit <= 0) return {};
  std::string late;
  if (longest_step > limit) late = "a step of a model";
  for (const Json& one : requests) {
    const std::string op = one.at(0);
    if (one.at(1).get<int64_t>() > limit && !may_take_long(op)) late = "the request \"" + op + "\"";
    if (one.at(2).get<int64_t>() > limit) late = "the request \"" + op + "\", which was cancelled,";
  }
  if (late.empty()) return {};
  return late + " had not ended after " + time_text(step_timeout_) + " (" + shown_field("step_timeout_ms") + ")";
}

void StuckWatch::leave_behind() {
  const MutexLock lock(mutex_);
  left_behind_ = true;
}

bool StuckWatch::left_behind() const {
  const MutexLock lock(mutex_);
  return left_behind_;
}

}  // namespace lh
