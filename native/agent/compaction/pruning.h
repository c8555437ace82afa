// Earlier results of tools, shortened so that the prompt is; what they were stays to be read.
// Must not: touch anything but results, or take a call from its result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/run/run_context.h"

namespace lh {

struct PruneSelection {
  std::optional<std::string> tool;              // of this tool only
  std::optional<std::vector<std::string>> ids;  // of these calls only
  int32_t keep_last = 0;                        // the number of the newest results that stay

  // {"tool"?, "ids"?, "keep_last"?}, at least one. Errors: kInvalidArgument.
  [[nodiscard]] static Result<PruneSelection> read(const Json& params);
};

// The result cut to `kept` bytes, with a note of its full size, and of the way to get it back if there is one; null:
// that would be hardly shorter.
[[nodiscard]] MessagePtr shortened_result(const RunContext& run, const Message& result, size_t kept);

// Shortens the selected results of earlier messages; returns their number.
int32_t prune(RunContext& run, const PruneSelection& which);

}  // namespace lh
