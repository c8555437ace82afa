#include "agent/permissions/path_reading.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lh {
namespace {

std::string as_path(const std::string& text, bool whole) {
  std::error_code failed;
  const auto here = std::filesystem::current_path(failed);
  std::filesystem::path path = (here / text).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!whole) {
    const auto relative = path.lexically_relative(here);
    if (!relative.empty()) path = relative;  // it is on another drive otherwise
  }
  return path.generic_string();
}

bool is_absolute(const std::string& path) { return std::filesystem::path(path).is_absolute(); }

}  // namespace

std::vector<std::string> path_readings(const std::string& text, const std::string& pattern) {
  const bool whole = is_absolute(pattern);
  std::vector<std::string> readings{as_path(text, whole)};
  if (text.find('\\') != std::string::npos) {
    std::string slashed = text;
    std::ranges::replace(slashed, '\\', '/');
    readings.push_back(as_path(slashed, whole));
  }
  // A program in C stops there.
  if (const size_t end = text.find('\0'); end != std::string::npos) {
    readings.push_back(as_path(text.substr(0, end), whole));
  }
  return readings;
}

std::string path_pattern(const std::string& pattern) { return as_path(pattern, is_absolute(pattern)); }

size_t folders_up(std::string_view path) {
  size_t count = 0;
  for (; path == ".." || path.starts_with("../"); ++count) path.remove_prefix(std::min<size_t>(3, path.size()));
  return count;
}

}  // namespace lh
