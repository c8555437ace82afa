// Reports the end of the process that computes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "isolation/client/child_process.h"

namespace lh {

// `end`: none, where it does not end. `killed_for`: why the engine ended it; empty: it did not. `at_work_for`: models.
// kEngineCrashed.
[[nodiscard]] Status death_report(const std::optional<ChildEnd>& end, const std::string& killed_for,
                                  const std::vector<std::string>& at_work_for, const std::string& last_lines);

}  // namespace lh
