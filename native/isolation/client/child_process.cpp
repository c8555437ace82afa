#include "isolation/client/child_process.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "base/caught.h"
#include "base/system/log.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "isolation/wire/hello.h"
#include "platform/thread.h"

namespace lh {
namespace {

constexpr size_t kMostLines = 12;
constexpr size_t kLongestLine = 400;                     // bytes
constexpr auto kEndTime = std::chrono::seconds(5);       // for a process that was killed
constexpr auto kEndLook = std::chrono::milliseconds(1);  // how often its end is looked for
constexpr int kErrorLook = 100;                          // milliseconds between looks whether all was given up

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& program, const std::string& libraries,
                                                          const std::vector<std::string>& environment) {
  SocketPair sockets;
  Child child;
  std::error_code failed = make_sockets(sockets);
  if (!failed) {
    const auto variables = libraries.empty() ? environment : with_library_folder(environment, libraries);
    failed = start_child(program, kHostVersion, variables, sockets.theirs, child);
  }
  close_socket(sockets.theirs);
  if (failed) {
    close_socket(sockets.ours);
    return Status(Code::kBackendUnavailable,
                  "the engine's process \"" + program + "\" cannot be started: " + failed.message());
  }
  std::unique_ptr<ChildProcess> process(new ChildProcess(child, sockets.ours));
  try {
    process->reader_ = Thread([it = process.get()] { it->read_errors(); });
  } catch (const std::exception&) {
    return caught();  // the process ends with its object
  }
  return process;
}

ChildProcess::ChildProcess(const Child& child, Socket socket) : child_(child), socket_(socket) {}

ChildProcess::~ChildProcess() {
  kill();
  static_cast<void>(wait());
  close_socket(socket_);
  close_child(child_);
}

Socket ChildProcess::take_socket() { return std::exchange(socket_, kNoSocket); }

void ChildProcess::kill() {
  const MutexLock lock(mutex_);
  if (!end_) kill_child(child_);  // no other process gets its number before wait() has collected its end
}

std::optional<ChildEnd> ChildProcess::wait() {
  const auto until = std::chrono::steady_clock::now() + kEndTime;
  for (;;) {
    {
      const MutexLock lock(mutex_);
      if (!end_) end_ = end_of(child_);
      if (end_ || std::chrono::steady_clock::now() >= until) break;
    }
    std::this_thread::sleep_for(kEndLook);
  }
  given_up_ = true;
  if (reader_.joinable()) reader_.join();
  const MutexLock lock(mutex_);
  return end_;
}

void ChildProcess::note(std::string line) {
  if (line.size() > kLongestLine) line.resize(kLongestLine);
  const MutexLock lock(mutex_);
  lines_.push_back(printable(to_utf8(line)));
  if (lines_.size() > kMostLines) lines_.pop_front();
}

std::string ChildProcess::last_lines() const {
  const MutexLock lock(mutex_);
  std::string all;
  for (const std::string& line : lines_) all += (all.empty() ? "" : " | ") + line;
  return all;
}

void ChildProcess::read_errors() {
  std::string line;
  char read_now[4096];
  for (;;) {
    const ptrdiff_t got = lh::read_errors(child_, read_now, sizeof read_now, kErrorLook);
    if (got < 0 || (got == 0 && given_up_)) break;
    for (const char c : std::string_view(read_now, static_cast<size_t>(got))) {
      if (c != '\n' && line.size() < kLongestLine) {
        line += c;
      } else if (c == '\n' && !line.empty()) {
        note(line);
        log_line(LogLevel::kError, line);
        line.clear();
      }
    }
  }
  if (!line.empty()) note(line);
}

}  // namespace lh
