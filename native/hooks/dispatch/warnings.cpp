#include "hooks/dispatch/warnings.h"

#include <cstdio>
#include <utility>

#include "base/system/log.h"
#include "base/text/utf8.h"

namespace lh {

void Warnings::tell(std::string key, const Json& warning, std::string_view line) {
  {
    const MutexLock lock(mutex_);
    if (told_.size() >= kMost || !told_.insert(std::move(key)).second) return;
  }
  if (sink_.present()) return sink_.call(warning);
  if (has_log_sink()) return;  // the log has a line already
  std::fprintf(stderr, "llama-hooks: %s\n", to_utf8(line).c_str());
}

}  // namespace lh
