#include "hooks/calls/call_frame.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/threads/mutex.h"

namespace lh {
namespace {

constexpr const char* kCallOver = "the call of the tool is over";

thread_local std::vector<std::shared_ptr<const CallFrame>> entered;

// The calls under way that have a frame.
struct Frames {
  Mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<CallFrame>> by_id LH_GUARDED_BY(mutex);
  uint64_t last_id LH_GUARDED_BY(mutex) = 0;
};

Frames& frames() {
  static auto& all = *new Frames;  // never destroyed: calls end while the process exits
  return all;
}

Result<ToolListener*> listener_of(Frames& all, uint64_t id, const char* what) LH_REQUIRES(all.mutex) {
  const auto found = all.by_id.find(id);
  if (found == all.by_id.end()) return Status(Code::kNotFound, kCallOver);
  ToolListener* const listener = found->second->listener;
  if (listener == nullptr) return Status(Code::kInvalidArgument, std::string("only the run of a tool ") + what);
  return listener;
}

}  // namespace

void CallFrame::add(const std::shared_ptr<CallFrame>& frame) {
  const MutexLock lock(frames().mutex);
  frame->id = frames().last_id + 1;
  frames().by_id.emplace(frame->id, frame);
  frames().last_id = frame->id;
}

void CallFrame::drop(const CallFrame& frame) noexcept {
  const MutexLock lock(frames().mutex);
  frames().by_id.erase(frame.id);
}

std::shared_ptr<const CallFrame> CallFrame::find(uint64_t id) {
  const MutexLock lock(frames().mutex);
  const auto found = frames().by_id.find(id);
  return found == frames().by_id.end() ? nullptr : found->second;
}

Status CallFrame::direct(uint64_t id, Json directive) {
  const MutexLock lock(frames().mutex);
  const auto found = frames().by_id.find(id);
  if (found == frames().by_id.end()) return {Code::kNotFound, kCallOver};
  CallFrame& frame = *found->second;
  if (frame.hook != nullptr) return {Code::kInvalidArgument, "a hook has no directives"};
  if (frame.directives.is_null()) frame.directives = Json::array();
  frame.directives.push_back(std::move(directive));
  return {};
}

Status CallFrame::tell_progress(uint64_t id, CallProgress progress) {
  const MutexLock lock(frames().mutex);
  const auto listener = listener_of(frames(), id, "has progress");
  if (listener.ok()) (*listener)->take(std::move(progress));
  return listener.status();
}

Status CallFrame::report(uint64_t id, CallFault fault) {
  const MutexLock lock(frames().mutex);
  const auto listener = listener_of(frames(), id, "reports a failure");
  if (listener.ok()) (*listener)->take(std::move(fault));
  return listener.status();
}

Result<std::shared_ptr<UserQuestion>> CallFrame::question(uint64_t id, UserRequest request) {
  const MutexLock lock(frames().mutex);
  const auto listener = listener_of(frames(), id, "may ask the user");
  return listener.ok() ? (*listener)->question(std::move(request)) : listener.status();
}

Json CallFrame::take_directives(CallFrame& frame) {
  const MutexLock lock(frames().mutex);
  frames().by_id.erase(frame.id);
  return std::exchange(frame.directives, Json());
}

Status CallFrame::enter(uint64_t id) {
  std::shared_ptr<const CallFrame> frame = find(id);
  if (frame == nullptr)
    return {Code::kNotFound, "no hook call has the number " + std::to_string(id) + ", or it is over"};
  entered.push_back(std::move(frame));
  return {};
}

void CallFrame::leave() noexcept {
  if (!entered.empty()) entered.pop_back();
}

std::shared_ptr<const CallFrame> CallFrame::last_entered() { return entered.empty() ? nullptr : entered.back(); }

size_t CallFrame::entered_count() noexcept { return entered.size(); }

int CallFrame::entered_depth() noexcept { return entered.empty() ? 0 : live_depth(entered.back().get()); }

bool CallFrame::any_entered(FunctionRef<bool(const std::shared_ptr<const CallFrame>&)> is) {
  return std::ranges::any_of(entered, [&](const auto& frame) { return is(frame); });
}

}  // namespace lh
