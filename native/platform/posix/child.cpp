#include "platform/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "platform/posix/descriptors.h"

extern char** environ;

namespace lh {
namespace {

#ifdef __APPLE__
constexpr const char* kLibraryPath = "DYLD_LIBRARY_PATH=";
#else
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH=";
#endif

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& one : texts) list.push_back(one.data());
  list.push_back(nullptr);
  return list;
}

// The ends of a pipe, which no program inherits by itself.
struct Pipe {
  int reads = -1;
  int writes = -1;
};

std::error_code make_pipe(Pipe& made) {
  int both[2] = {-1, -1};
#ifdef __linux__
  if (pipe2(both, O_CLOEXEC) != 0) return posix_error(errno);
#else
  if (pipe(both) != 0) return posix_error(errno);
#endif
  made = {above_standard(both[0]), above_standard(both[1])};
  return made.reads >= 0 && made.writes >= 0 ? std::error_code() : posix_error(errno);
}

// Starts the program in a separate process group: this program decides about the keys that end or stop it in a
// terminal.
int spawn(std::vector<std::string> words, std::vector<std::string> variables, int socket, int errors, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, errors, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, kChildSocket);
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
  const int failed = posix_spawn(&pid, words.front().c_str(), &actions, &attributes, pointers_to(words).data(),
                                 pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

void close_if_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

}  // namespace

std::vector<std::string> environment_now() {
  std::vector<std::string> variables;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) variables.emplace_back(*one);
  return variables;
}

std::vector<std::string> with_library_folder(const std::vector<std::string>& environment, const std::string& folder) {
  const std::string name = kLibraryPath;
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

std::error_code start_child(const std::string& program, const std::string& argument,
                            const std::vector<std::string>& environment, Socket socket, Child& child) {
  Pipe errors;
  pid_t pid = -1;
  std::error_code failed = make_pipe(errors);
  if (!failed) {
    failed = posix_error(spawn({program, argument, std::to_string(kChildSocket)}, environment, static_cast<int>(socket),
                               errors.writes, pid));
  }
  close_if_open(errors.writes);
  if (failed) {
    close_if_open(errors.reads);
    return failed;
  }
  child = {pid, -1, errors.reads};
  return {};
}

std::optional<ChildEnd> end_of(const Child& child) {
  int state = 0;
  const pid_t found = waitpid(child.pid, &state, WNOHANG);
  if (found < 0 && errno == ECHILD) return ChildEnd{};  // somebody else has waited for it, or the system has
  if (found != child.pid) return std::nullopt;
  if (!WIFSIGNALED(state)) return ChildEnd{WEXITSTATUS(state), {}};
  const int signal = WTERMSIG(state);
  return ChildEnd{0, "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"};
}

void kill_child(const Child& child) { ::kill(child.pid, SIGKILL); }

ptrdiff_t read_errors(const Child& child, char* to, size_t size, int wait_ms) {
  const auto descriptor = static_cast<int>(child.errors);
  pollfd readable{descriptor, POLLIN, 0};
  const int ready = poll(&readable, 1, wait_ms);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return 0;
  const ssize_t got = ::read(descriptor, to, size);
  if (got < 0 && errno == EINTR) return 0;
  return got > 0 ? got : -1;
}

void close_child(Child& child) {
  close_if_open(static_cast<int>(child.errors));
  child.errors = -1;
}

std::vector<std::string> program_arguments(int count, char** arguments) { return {arguments, arguments + count}; }

Socket inherited_socket(const std::string& argument) {
  const int descriptor = std::atoi(argument.c_str());
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // for programs that a driver may start
  return descriptor;
}

void ignore_broken_connections() { std::signal(SIGPIPE, SIG_IGN); }

void wait_for_end_of_stdin() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace lh
