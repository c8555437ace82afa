#include "isolation/client/death_report.h"

#include <utility>

#include "isolation/wire/hello.h"

namespace lh {
namespace {

std::string end_in_words(const std::optional<ChildEnd>& gone) {
  if (!gone) return "does not end";
  const ChildEnd& end = *gone;
  if (!end.broken.empty()) return "was ended by " + end.broken;
  if (end.exit_code == kWrongVersion) return "is of another version than this engine";
  return "ended with exit code " + std::to_string(end.exit_code);
}

}  // namespace

Status death_report(const std::optional<ChildEnd>& end, const std::string& killed_for,
                    const std::vector<std::string>& at_work_for, const std::string& last_lines) {
  std::string message = killed_for.empty() ? "the engine's process " + end_in_words(end)
                                           : "the engine's process was ended: " + killed_for;
  for (size_t i = 0; i < at_work_for.size(); ++i) {
    message += (i == 0 ? "; it was at work for " : ", ") + ('"' + at_work_for[i] + '"');
  }
  if (!last_lines.empty()) message += "; its last lines: " + last_lines;
  return {Code::kEngineCrashed, std::move(message)};
}

}  // namespace lh
