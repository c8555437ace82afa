#include "llama/jinja/nodes/budget.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/system/stack.h"
#include "base/threads/cancel.h"

namespace lh {
namespace {

constexpr uint64_t kStepsBetweenLooks = 512;  // at the flag that cancels
constexpr uint64_t kKeptBytes = 400;          // of a container, without its members
constexpr uint32_t kMostNesting = 1500;       // nodes that run within each other
constexpr uintptr_t kLeastStack = 192 * 1024;
// A dead value that is watched still takes its 300 bytes.
constexpr size_t kMostWatched = 16 * 1024;

thread_local TemplateBudget* current_budget = nullptr;
thread_local uint64_t current_epoch = 0;

}  // namespace

TemplateBudget::TemplateBudget(TemplateLimits limits)
    : limits_(limits),
      cancel_(CancelScope::current()),
      lowest_stack_(stack_limit() + kLeastStack),
      outer_(std::exchange(current_budget, this)),
      next_look_(std::min(kStepsBetweenLooks, limits.steps)),
      most_watched_(kMostWatched) {}

TemplateBudget::~TemplateBudget() {
  empty_kept();
  current_budget = outer_;
}

TemplateBudget& TemplateBudget::current() {
  if (current_budget == nullptr) throw std::logic_error("a chat template runs without a budget");
  return *current_budget;
}

uint64_t TemplateBudget::epoch() { return current_epoch; }

void TemplateBudget::stop(std::string message) { throw TemplateStop{nullptr, std::move(message)}; }

void TemplateBudget::look() {
  if (steps_ >= limits_.steps) {
    stop("the chat template does more than " + std::to_string(limits_.steps) + " steps");
  }
  if (cancel_ != nullptr && cancel_->cancelled()) {
    throw TemplateStop{cancel_, "the chat template was interrupted: " + cancel_->reason()};
  }
  next_look_ = std::min(steps_ + kStepsBetweenLooks, limits_.steps);
}

void TemplateBudget::check_stack(uint32_t depth) const {
  if (depth > kMostNesting || stack_place() < lowest_stack_) {
    stop("the chat template nests its calls too deeply, or without end");
  }
}

void TemplateBudget::check_room(double bytes) {
  const auto most = static_cast<double>(limits_.bytes);
  if (bytes + static_cast<double>(held_ + stored_ + watched_bytes_) > most) {
    forget_dead();
    if (bytes + static_cast<double>(held_ + stored_ + watched_bytes_) > most) {
      stop("the chat template makes more than " + std::to_string(limits_.bytes >> 20) + " MiB of text and values");
    }
  }
}

void TemplateBudget::watch(const jinja::value& made, uint64_t bytes) {
  if (watched_.size() >= most_watched_) forget_dead();
  watched_.push_back({made, bytes});
  watched_bytes_ += bytes;
  set_held(held_);
}

void TemplateBudget::forget_dead() {
  spend(watched_.size() / 64);
  std::erase_if(watched_, [this](const Watched& one) {
    if (!one.value.expired()) return false;
    watched_bytes_ -= one.bytes;
    return true;
  });
  most_watched_ = std::max(kMostWatched, 2 * watched_.size());
}

void TemplateBudget::keep(const jinja::value& container) {
  if (!is_kept_.insert(container.get()).second) return;
  kept_.push_back(container);
  store(kKeptBytes);
}

void TemplateBudget::begin_rendering() {
  empty_kept();
  forget_dead();
  watched_.clear();
  held_ = stored_ = watched_bytes_ = 0;
}

// From the newest on: a value that one of them releases is held by an older one, too, or has few members.
void TemplateBudget::empty_kept() {
  ++current_epoch;
  is_kept_.clear();
  while (!kept_.empty()) {
    const jinja::value container = std::move(kept_.back());
    kept_.pop_back();
    container->val_arr.clear();
    container->val_obj.clear();
    if (auto* object = dynamic_cast<jinja::value_object_t*>(container.get())) object->unordered.clear();
  }
}

}  // namespace lh
