// The strategies by which conversations are compacted.
// Generated from native/contract/strategies.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <string_view>

namespace lh {

enum class LeaveOut { kAll, kOldest, kNothing };

struct CompactionStrategy {
  std::string_view name;
  LeaveOut leave_out;
  bool summary;  // the model writes one in place of the messages
};

// In the order of the enumeration Compaction.
inline constexpr CompactionStrategy kCompactionStrategies[] = {
    {"summarize", LeaveOut::kAll, true},
    {"truncate", LeaveOut::kOldest, false},
    {"tool-results", LeaveOut::kNothing, false},
};

inline constexpr const char* kStrategyNames = "summarize, truncate or tool-results";

}  // namespace lh
