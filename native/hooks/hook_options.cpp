#include "hooks/hook_options.h"

#include <algorithm>
#include <cstring>

namespace lh {

Result<HookSpec> read_hook_options(const lh_hook_options* options) {
  lh_hook_options known = LH_HOOK_OPTIONS_INIT;
  if (options != nullptr) {
    if (options->struct_size < sizeof(size_t)) {
      return Status(Code::kInvalidArgument, "options: struct_size is not set; begin from LH_HOOK_OPTIONS_INIT");
    }
    std::memcpy(&known, options, std::min(options->struct_size, sizeof known));
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
