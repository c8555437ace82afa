#include "platform/host_memory.h"

#include <mach/mach.h>
#include <sys/sysctl.h>

namespace lh {

// Memory that is free without swapping: unused pages, and pages of files that can be dropped without loss.
HostMemory host_memory(const std::string&) {
  HostMemory memory;
  size_t size = sizeof memory.total;
  if (sysctlbyname("hw.memsize", &memory.total, &size, nullptr, 0) != 0) memory.total = 0;
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const mach_port_t host = mach_host_self();
  if (host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) == KERN_SUCCESS) {
    memory.free = (uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * vm_kernel_page_size;
  }
  mach_port_deallocate(mach_task_self(), host);
  return memory;
}

}  // namespace lh
