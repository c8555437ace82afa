#include "hooks/hook_options.h"

#include "base/caller_struct.h"

namespace lh {

Result<HookSpec> read_hook_options(const lh_hook_options* options) {
  lh_hook_options known = LH_HOOK_OPTIONS_INIT;
  if (options != nullptr) {
    Result<lh_hook_options> read = read_struct(*options, known, "options");
    if (!read.ok()) return read.status();
    known = *read;
  }
  HookSpec spec;
  if (known.name != nullptr) spec.name = known.name;
  spec.priority = known.priority;
  spec.deadline_ms = known.deadline_ms;
  spec.flags = known.flags;
  spec.release = known.release;
  return spec;
}

}  // namespace lh
