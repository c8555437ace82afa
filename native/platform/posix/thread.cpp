#include "platform/thread.h"

#include <pthread.h>

#include <array>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace lh {
namespace {

using Work = std::function<void()>;

void* run(void* work) noexcept {
  const std::unique_ptr<Work> mine(static_cast<Work*>(work));
  (*mine)();
  return nullptr;
}

pthread_t handle_in(const std::array<unsigned char, sizeof(void*)>& place) {
  pthread_t handle{};
  static_assert(sizeof handle == sizeof(void*));
  std::memcpy(&handle, place.data(), sizeof handle);
  return handle;
}

}  // namespace

Thread::Thread(Work work) {
  auto mine = std::make_unique<Work>(std::move(work));
  pthread_attr_t attributes;
  int fault = pthread_attr_init(&attributes);
  if (fault == 0) {
    pthread_t handle{};
    size_t usual = 0;  // with glibc the user may set it, by ulimit -s
    pthread_attr_getstacksize(&attributes, &usual);
    if (usual < kThreadStackBytes) fault = pthread_attr_setstacksize(&attributes, kThreadStackBytes);
    if (fault == 0) fault = pthread_create(&handle, &attributes, run, mine.get());
    pthread_attr_destroy(&attributes);
    std::memcpy(handle_.data(), &handle, sizeof handle);
  }
  if (fault != 0) throw std::system_error(fault, std::generic_category(), "a thread cannot be started");
  started_ = true;
  (void)mine.release();
}

bool Thread::is_current() const { return started_ && pthread_equal(handle_in(handle_), pthread_self()) != 0; }

void Thread::join() {
  pthread_join(handle_in(handle_), nullptr);
  started_ = false;
}

void Thread::detach() {
  pthread_detach(handle_in(handle_));
  started_ = false;
}

}  // namespace lh
