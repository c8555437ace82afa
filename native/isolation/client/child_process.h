// A program that runs beside this process, with a socket to it.
// Must not: outlive this object.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "platform/child.h"
#include "platform/thread.h"

namespace lh {

class ChildProcess {
 public:
  // `libraries`: a folder that is searched for shared libraries first. Errors: kBackendUnavailable.
  // `environment`: of this process, see environment_now().
  [[nodiscard]] static Result<std::unique_ptr<ChildProcess>> start(const std::string& program,
                                                                   const std::string& libraries,
                                                                   const std::vector<std::string>& environment);
  ~ChildProcess();  // kills it if it runs, and waits for it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] int pid() const { return child_.pid; }
  // The caller's from now on. Once.
  [[nodiscard]] Socket take_socket();
  // At once. Any thread.
  void kill();

  // Waits for its end, and for the end of its stderr. If not even kill() ends it, because it is inside a driver, waits
  // only some seconds. None: it has not ended. One thread.
  [[nodiscard]] std::optional<ChildEnd> wait();
  // A line for last_lines().
  void note(std::string line);
  // The last lines that it wrote to stderr, or that were noted, joined by " | ".
  [[nodiscard]] std::string last_lines() const;

 private:
  ChildProcess(const Child& child, Socket socket);
  void read_errors();

  Child child_;
  Socket socket_;
  mutable Mutex mutex_;
  std::optional<ChildEnd> end_ LH_GUARDED_BY(mutex_);
  std::atomic<bool> given_up_{false};
  std::deque<std::string> lines_ LH_GUARDED_BY(mutex_);
  Thread reader_;  // last: it uses the other members
};
static_assert(!std::is_copy_constructible_v<ChildProcess>);

}  // namespace lh
