// lh_log_set of engine.h: sets the sink of the process's log.
#include "base/system/log.h"
#include "llama_hooks/engine.h"

extern "C" void lh_log_set(lh_log_fn sink, void* user_data) LH_NOEXCEPT {
  try {
    lh::set_log_sink(sink, user_data);
  } catch (...) {  // out of memory: the old sink stays, and the failure cannot be reported
  }
}
