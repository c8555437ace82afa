// A program that this process starts, and the other side of it: what the program itself does at its start and end.
// Texts are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "platform/socket.h"

namespace lh {

// The variables of this process, "NAME=value" each. On a thread that may read them: another one may change them.
[[nodiscard]] std::vector<std::string> environment_now();

// The environment with `folder` searched for shared libraries first.
[[nodiscard]] std::vector<std::string> with_library_folder(const std::vector<std::string>& environment,
                                                           const std::string& folder);

struct ChildEnd {
  int exit_code = 0;
  std::string broken;  // what ended it, such as "signal 11 (Segmentation fault)"; empty: it ended by itself
};

// Handles of a running program. To be closed.
struct Child {
  int pid = -1;
  intptr_t process = -1;  // of the system, where it is not the pid
  intptr_t errors = -1;   // the reading end of its stdout and stderr
};

// Starts `program` with `argument` and the number of `socket` in it as arguments. It has no stdin, inherits nothing
// else, and keys that end this program in a terminal do not reach it.
[[nodiscard]] std::error_code start_child(const std::string& program, const std::string& argument,
                                          const std::vector<std::string>& environment, Socket socket, Child& child);
// Without waiting. None: it runs.
[[nodiscard]] std::optional<ChildEnd> end_of(const Child& child);
// At once, as nothing can refuse.
void kill_child(const Child& child);
// Takes up to `size` bytes that it has written to stdout and stderr, and waits up to `wait_ms` for them. Returns their
// number; 0: none came; negative: it will write no more.
[[nodiscard]] ptrdiff_t read_errors(const Child& child, char* to, size_t size, int wait_ms);
void close_child(Child& child);

// Called in the started program: its arguments, the socket that an argument names (no other program inherits it), and
// no signal for a connection whose other end is gone.
[[nodiscard]] std::vector<std::string> program_arguments(int count, char** arguments);
[[nodiscard]] Socket inherited_socket(const std::string& argument);
void ignore_broken_connections();
// Waits until stdin ends, which it does with the process that holds the other end.
void wait_for_end_of_stdin();

}  // namespace lh
