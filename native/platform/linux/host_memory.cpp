#include "platform/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace lh {
namespace {

// The number that a file consists of. None: the file does not exist, or it says "max".
std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number behind a key at the beginning of a line; 0 if the key is missing.
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

// The two versions of control groups: where they are mounted, and their files.
struct Hierarchy {
  const char* folder;
  const char* limit;
  const char* usage;
  const char* cached;  // in memory.stat: pages of files that were not used lately
};
constexpr Hierarchy kSecond{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Hierarchy kFirst{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                           "total_inactive_file"};

// A group without a limit says "max", or a number that is larger than any memory.
void apply(HostMemory& memory, const Hierarchy& of, const std::string& group) {
  const auto limit = number_in(group + "/" + of.limit);
  const auto usage = number_in(group + "/" + of.usage);
  if (!limit || !usage) return;
  const uint64_t cached = std::min(*usage, number_behind(of.cached, group + "/memory.stat"));
  const uint64_t taken = *usage - cached;
  memory.total = std::min(memory.total, *limit);
  memory.free = std::min(memory.free, *limit - std::min(*limit, taken));
}

// The process's group and all that it is in. A container often sees its group at the top, and its path nowhere.
void apply_all(HostMemory& memory, const Hierarchy& of, const std::string& root, std::string path) {
  for (;;) {
    if (path == "/") path.clear();
    apply(memory, of, root + of.folder + path);
    if (path.empty()) return;
    path.erase(path.rfind('/'));
  }
}

// True if the name occurs in a comma-separated list.
bool names_controller(const std::string& controllers, const std::string& one) {
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
    if (names_controller(controllers, "memory")) apply_all(memory, kFirst, root, line.substr(second + 1));
  }
  return memory;
}

}  // namespace lh
