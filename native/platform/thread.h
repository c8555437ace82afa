// Threads with room enough on each system. What a system gives by default would not do everywhere: 8 MiB on Linux
// with glibc, 512 KiB on macOS, 128 KiB with musl; templates, grammars and llama.cpp's regular expressions recurse.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace lh {

inline constexpr size_t kThreadStackBytes = 8UL << 20;  // at least; only touched pages take memory

// Like std::thread: a started thread must be joined or detached before it is destroyed.
class Thread {
 public:
  Thread() = default;
  // Throws std::system_error if the system has no room for another thread.
  explicit Thread(std::function<void()> work);
  Thread(Thread&& other) noexcept { *this = std::move(other); }
  Thread& operator=(Thread&& other) noexcept {
    if (started_) std::terminate();
    handle_ = other.handle_;
    started_ = std::exchange(other.started_, false);
    return *this;
  }
  ~Thread() {
    if (started_) std::terminate();
  }

  [[nodiscard]] bool joinable() const { return started_; }
  [[nodiscard]] bool is_current() const;
  void join();
  void detach();

 private:
  // pthread_t is a number on Linux, a pointer on macOS; Windows has a handle.
  alignas(void*) std::array<unsigned char, sizeof(void*)> handle_{};
  bool started_ = false;
};

// Work on a separate thread, as std::async() starts it: the destructor waits for its end.
class Background {
 public:
  // Throws std::system_error if the system has no room for another thread.
  explicit Background(std::function<void()> work) {
    task_ = std::make_shared<std::packaged_task<void()>>(std::move(work));
    end_ = task_->get_future();
    thread_ = Thread([task = task_] { (*task)(); });
  }
  Background(Background&&) noexcept = default;
  Background& operator=(Background&& other) noexcept {
    wait();
    task_ = std::move(other.task_);
    end_ = std::move(other.end_);
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~Background() { wait(); }

  [[nodiscard]] bool is_over() const { return end_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // Waits for the end, and throws what the work has thrown. Once.
  void get() { end_.get(); }

 private:
  void wait() {
    if (thread_.joinable()) thread_.join();
  }

  std::shared_ptr<std::packaged_task<void()>> task_;  // its captures are destroyed with this object, not on the thread
  std::future<void> end_;
  Thread thread_;
};

}  // namespace lh
