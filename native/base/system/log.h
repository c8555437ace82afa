// The process's one log sink, for lines of this library and of llama.cpp.
// Must not: write to stdout or stderr itself; these belong to the program. The one exception is a warning without
// another receiver (hooks/dispatch/warnings.h).
#pragma once

#include <string_view>

#include "llama_hooks/engine.h"

namespace lh {

enum class LogLevel : int { kError = 1, kWarn = 2, kInfo = 3, kDebug = 4 };

void set_log_sink(lh_log_fn sink, void* user_data);
void log_line(LogLevel level, std::string_view message);
// True if a sink receives the lines.
[[nodiscard]] bool has_log_sink() noexcept;

}  // namespace lh
