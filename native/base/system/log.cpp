#include "base/system/log.h"

#include <string>

#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "base/threads/sink_slot.h"

namespace lh {
namespace {

using LogSink = SinkSlot<LogLevel, const char*>;

LogSink& log_sink() {
  static auto& sink = *new LogSink;  // never destroyed: threads may log while the process exits
  return sink;
}

}  // namespace

void set_log_sink(lh_log_fn sink, void* user_data) {
  if (sink == nullptr) return log_sink().set(nullptr);
  log_sink().set([sink, user_data](LogLevel level, const char* message) {
    sink(static_cast<int32_t>(level), message, user_data);
  });
}

bool has_log_sink() noexcept { return log_sink().present(); }

void log_line(LogLevel level, std::string_view message) {
  if (!log_sink().present()) return;
  log_sink().call(level, printable(to_utf8(message)).c_str());
}

}  // namespace lh
