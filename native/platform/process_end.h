// The end of this process.
#pragma once

namespace lh {

// Calls `last` late in exit(), before the destructors of statics that exist by now. `code`: the exit code; negative:
// the system does not tell it. Windows ends the other threads before, and calls nothing.
void before_destructors(void (*last)(int code));

// Ends the process without exit handlers and destructors. What stdout and stderr hold is written, unless a thread holds
// their locks.
[[noreturn]] void end_process(int code);

}  // namespace lh
