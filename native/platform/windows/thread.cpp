#include "platform/thread.h"

#include <process.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "platform/windows/system.h"

namespace lh {
namespace {

using Work = std::function<void()>;

unsigned __stdcall run(void* work) noexcept {
  const std::unique_ptr<Work> mine(static_cast<Work*>(work));
  (*mine)();
  return 0;
}

HANDLE handle_in(const std::array<unsigned char, sizeof(void*)>& place) {
  HANDLE handle = nullptr;
  std::memcpy(&handle, place.data(), sizeof handle);
  return handle;
}

}  // namespace

Thread::Thread(Work work) {
  auto mine = std::make_unique<Work>(std::move(work));
  const uintptr_t handle = _beginthreadex(nullptr, static_cast<unsigned>(kThreadStackBytes), run, mine.get(),
                                          STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (handle == 0) throw std::system_error(errno, std::generic_category(), "a thread cannot be started");
  std::memcpy(handle_.data(), &handle, sizeof handle);
  started_ = true;
  (void)mine.release();
}

bool Thread::is_current() const { return started_ && GetThreadId(handle_in(handle_)) == GetCurrentThreadId(); }

void Thread::join() {
  WaitForSingleObject(handle_in(handle_), INFINITE);
  detach();
}

void Thread::detach() {
  CloseHandle(handle_in(handle_));
  started_ = false;
}

}  // namespace lh
