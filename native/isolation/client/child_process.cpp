#include "isolation/client/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/system/log.h"
#include "base/text/utf8.h"
#include "isolation/wire/hello.h"

extern char** environ;

namespace lh {
namespace {

constexpr size_t kMostLines = 12;
constexpr size_t kLongestLine = 400;                     // bytes
constexpr auto kEndTime = std::chrono::seconds(5);       // for a process that was killed
constexpr auto kEndLook = std::chrono::milliseconds(1);  // how often its end is looked for
constexpr int kErrorLook = 100;                          // milliseconds between looks whether all was given up

#ifdef __APPLE__
constexpr const char* kLibraryPath = "DYLD_LIBRARY_PATH";
#else
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
#endif

// The environment, with `folder` searched for libraries first.
std::vector<std::string> environment_with(const std::vector<std::string>& environment, const std::string& folder) {
  if (folder.empty()) return environment;
  const std::string name = std::string(kLibraryPath) + '=';
  std::vector<std::string> variables;
  std::string path = name + folder;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(name)) {
      variables.push_back(variable);
    } else if (variable.size() > name.size()) {
      path += ':' + variable.substr(name.size());
    }
  }
  variables.push_back(std::move(path));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& one : texts) list.push_back(one.data());
  list.push_back(nullptr);
  return list;
}

// Two connected sockets, or the ends of a pipe, which no program that this process starts inherits by itself.
struct Ends {
  int ours = -1;
  int theirs = -1;
};

// A number that is none of stdin, stdout, stderr and the child's socket, and that no program inherits.
int kept(int descriptor) {
  if (descriptor < 0) return descriptor;
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, kHostSocket + 1);
  close(descriptor);
  return higher;
}

Ends kept(const int (&both)[2]) { return {kept(both[0]), kept(both[1])}; }

bool make_sockets(Ends& ends) {
  int both[2] = {-1, -1};
#ifdef SOCK_CLOEXEC
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return false;
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, both) != 0) return false;
#endif
  ends = kept(both);
#ifdef SO_NOSIGPIPE
  const int on = 1;
  setsockopt(ends.ours, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  setsockopt(ends.theirs, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return ends.ours >= 0 && ends.theirs >= 0;
}

bool make_pipe(Ends& ends) {
  int both[2] = {-1, -1};
#ifdef __linux__
  if (pipe2(both, O_CLOEXEC) != 0) return false;
#else
  if (pipe(both) != 0) return false;
#endif
  ends = kept(both);
  return ends.ours >= 0 && ends.theirs >= 0;
}

void close_if_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

// Its own group: the keys that end or stop this program in a terminal are for this program to decide about.
int spawn(const std::string& program, std::vector<std::string> variables, const Ends& sockets, const Ends& errors,
          pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors.theirs, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.theirs, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, sockets.theirs, kHostSocket);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words = {program, kHostVersion};
  const int failed = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers_to(words).data(),
                                 pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

std::vector<std::string> environment_now() {
  std::vector<std::string> variables;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) variables.emplace_back(*one);
  return variables;
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& program, const std::string& libraries,
                                                          const std::vector<std::string>& environment) {
  Ends sockets;
  Ends errors;
  pid_t pid = -1;
  int failed = make_sockets(sockets) && make_pipe(errors) ? 0 : errno;
  if (failed == 0) failed = spawn(program, environment_with(environment, libraries), sockets, errors, pid);
  close_if_open(sockets.theirs);
  close_if_open(errors.theirs);
  if (failed == 0) {
    std::unique_ptr<ChildProcess> process(new ChildProcess(pid, sockets.ours, errors.ours));
    try {
      process->reader_ = std::thread([it = process.get()] { it->read_errors(); });
    } catch (const std::exception&) {
      return caught();  // the process ends with its object
    }
    return process;
  }
  close_if_open(sockets.ours);
  close_if_open(errors.ours);
  return Status(Code::kBackendUnavailable,
                "the engine's process \"" + program + "\" cannot be started: " + std::strerror(failed));
}

ChildProcess::ChildProcess(int pid, int socket, int errors) : pid_(pid), socket_(socket), errors_(errors) {}

ChildProcess::~ChildProcess() {
  kill();
  static_cast<void>(wait());
  close_if_open(socket_);
  close(errors_);
}

int ChildProcess::take_socket() { return std::exchange(socket_, -1); }

void ChildProcess::kill() {
  const MutexLock lock(mutex_);
  if (!end_) ::kill(pid_, SIGKILL);  // its number is its own until wait() has had its end
}

std::optional<ChildProcess::End> ChildProcess::wait() {
  const auto until = std::chrono::steady_clock::now() + kEndTime;
  for (;;) {
    {
      const MutexLock lock(mutex_);
      int state = 0;
      const pid_t found = end_ ? 0 : waitpid(pid_, &state, WNOHANG);
      if (found < 0 && errno == ECHILD) end_ = End{};  // somebody else has waited for it, or the system has
      if (found == pid_) {
        end_ = WIFSIGNALED(state) ? End{0, WTERMSIG(state)} : End{WEXITSTATUS(state), 0};
      }
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
  lines_.push_back(to_utf8(line));
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
    pollfd readable{errors_, POLLIN, 0};
    const int ready = poll(&readable, 1, kErrorLook);
    if (ready == 0 && given_up_) break;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(errors_, read_now, sizeof read_now);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
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
