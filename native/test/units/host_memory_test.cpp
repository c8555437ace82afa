// The memory that control groups leave, from files as Linux writes them.
#include "platform/host_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "check.h"

namespace {

constexpr uint64_t kMib = 1 << 20;

// A folder that represents the root of a machine with 1000 MiB, of which 600 are available.
class Machine {
 public:
  Machine() {
    write("/proc/meminfo", "MemTotal:        1024000 kB\nMemFree:          102400 kB\nMemAvailable:     614400 kB\n");
  }
  ~Machine() { std::filesystem::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void second(const std::string& group, const std::string& limit, uint64_t usage, uint64_t cached) const {
    const std::string folder = "/sys/fs/cgroup" + group;
    write(folder + "/memory.max", limit + "\n");
    write(folder + "/memory.current", std::to_string(usage) + "\n");
    write(folder + "/memory.stat", "anon 1\nfile 2\ninactive_file " + std::to_string(cached) + "\nactive_file 3\n");
  }
  void first(const std::string& group, const std::string& limit, uint64_t usage, uint64_t cached) const {
    const std::string folder = "/sys/fs/cgroup/memory" + group;
    write(folder + "/memory.limit_in_bytes", limit + "\n");
    write(folder + "/memory.usage_in_bytes", std::to_string(usage) + "\n");
    write(folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file " + std::to_string(cached) + "\n");
  }
  [[nodiscard]] bool has(uint64_t total, uint64_t free) const {
    const lh::HostMemory memory = lh::host_memory(root_);
    return memory.total == total && memory.free == free;
  }

 private:
  const std::string root_ =
      (std::filesystem::temp_directory_path() / ("host_memory_test-" + std::to_string(getpid()))).string();
};

void without_groups_it_is_the_machines() {
  const Machine machine;
  CHECK(machine.has(1000 * kMib, 600 * kMib));
  machine.write("/proc/self/cgroup", "0::/\n");
  CHECK(machine.has(1000 * kMib, 600 * kMib));
  machine.write("/proc/self/cgroup", "no colon\n1:\n::\n2:memory:\n0::relative\n");
  CHECK(machine.has(1000 * kMib, 600 * kMib));
  CHECK(lh::host_memory("/nowhere").total == 0);
}

void the_narrowest_group_counts() {
  const Machine machine;
  machine.write("/proc/self/cgroup", "0::/system/unit/service\n");
  machine.second("/system/unit/service", "max", 10 * kMib, 0);
  CHECK(machine.has(1000 * kMib, 600 * kMib));
  machine.second("/system", std::to_string(500 * kMib), 100 * kMib, 20 * kMib);
  CHECK(machine.has(500 * kMib, 420 * kMib));
  machine.second("/system/unit", std::to_string(400 * kMib), 390 * kMib, 100 * kMib);
  CHECK(machine.has(400 * kMib, 110 * kMib));
  // Memory used by others in the group above is not available.
  machine.second("/system", std::to_string(500 * kMib), 500 * kMib, 0);
  CHECK(machine.has(400 * kMib, 0));
}

void a_container_sees_its_own_group_at_the_top() {
  const Machine machine;
  machine.write("/proc/self/cgroup", "0::/../../docker/0123\n");
  machine.second("", std::to_string(300 * kMib), 100 * kMib, 0);
  CHECK(machine.has(300 * kMib, 200 * kMib));
}

void the_first_version_too() {
  const Machine machine;
  machine.write("/proc/self/cgroup", "5:devices:/\n4:cpu,memory:/docker/0123\n0::/\n");
  machine.first("/docker/0123", "9223372036854771712", kMib, 0);
  CHECK(machine.has(1000 * kMib, 600 * kMib));
  machine.first("/docker/0123", std::to_string(200 * kMib), 250 * kMib, 10 * kMib);
  CHECK(machine.has(200 * kMib, 0));
  machine.first("", std::to_string(100 * kMib), 60 * kMib, 100 * kMib);  // more cached than used
  CHECK(machine.has(100 * kMib, 0));
}

}  // namespace

int main() {
  without_groups_it_is_the_machines();
  the_narrowest_group_counts();
  a_container_sees_its_own_group_at_the_top();
  the_first_version_too();
  return check_result("host_memory_test");
}
