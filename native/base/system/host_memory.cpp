#include "base/system/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace lh {
namespace {

// The number that a file contains. None: the file does not exist, or contains "max".
std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number after a key at the start of a line; 0 if there is none.
uint64_t number_behind(const std::string& key, const std::string& path) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    uint64_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return 0;
}

// The two versions of control groups: mount points and file names.
struct Hierarchy {
  const char* folder;
  const char* limit;
  const char* usage;
  const char* cached;  // in memory.stat: file pages that were not used lately
};
constexpr Hierarchy kSecond{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Hierarchy kFirst{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                           "total_inactive_file"};

// Without a limit, the file says "max" or a number larger than any memory.
void apply(HostMemory& memory, const Hierarchy& of, const std::string& group) {
  const auto limit = number_in(group + "/" + of.limit);
  const auto usage = number_in(group + "/" + of.usage);
  if (!limit || !usage) return;
  const uint64_t cached = std::min(*usage, number_behind(of.cached, group + "/memory.stat"));
  const uint64_t taken = *usage - cached;
  memory.total = std::min(memory.total, *limit);
  memory.free = std::min(memory.free, *limit - std::min(*limit, taken));
}

// Applies the limits of the process's group and of all groups around it. A container often sees its own group as the
// root, and its path nowhere.
void apply_all(HostMemory& memory, const Hierarchy& of, const std::string& root, std::string path) {
  for (;;) {
    if (path == "/") path.clear();
    apply(memory, of, root + of.folder + path);
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

// Whether a comma-separated list contains `one`.
bool lists(const std::string& controllers, const std::string& one) {
  return ("," + controllers + ",").find("," + one + ",") != std::string::npos;
}

}  // namespace

HostMemory host_memory(const std::string& root) {
  constexpr uint64_t kKib = 1024;
  const std::string meminfo = root + "/proc/meminfo";
  HostMemory memory{number_behind("MemTotal:", meminfo) * kKib, number_behind("MemAvailable:", meminfo) * kKib};
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {  // number:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || line.size() == second + 1 || line[second + 1] != '/') continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) apply_all(memory, kSecond, root, line.substr(second + 1));
    if (lists(controllers, "memory")) apply_all(memory, kFirst, root, line.substr(second + 1));
  }
  return memory;
}

}  // namespace lh
