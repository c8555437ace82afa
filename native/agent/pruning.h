// Earlier results of tools, shortened so that the prompt is; what they were stays to be read.
// Must not: touch anything but results, or take a call from its result.
#pragma once

#include "agent/run_frame.h"

namespace lh {

struct Pruned {
  std::string tool;              // of this tool only; empty: any
  std::vector<std::string> ids;  // of these calls only; empty: any
  int32_t keep_last = 0;         // so many of the newest stay

  // {"tool"?, "ids"?, "keep_last"?}, at least one. Errors: kInvalidArgument.
  [[nodiscard]] static Result<Pruned> read(const Json& params);
};

// Shortens those of what was said before; gives how many.
int32_t prune(RunFrame& run, const Pruned& which);

}  // namespace lh
