// Functions that an exception may pass.
#pragma once

namespace lh {

// True: functions of C too, as they have tables for it. Windows' compilers assume that no exception leaves one.
[[nodiscard]] bool exceptions_pass_c();

}  // namespace lh
