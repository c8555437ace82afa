#include "platform/host_memory.h"

#include <algorithm>

#include "platform/windows/system.h"

namespace lh {
namespace {

// A job of containers and services may limit the memory of its processes.
void apply_job(HostMemory& memory) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job{};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job, nullptr) == 0) return;
  const DWORD limits = job.BasicLimitInformation.LimitFlags;
  uint64_t limit = UINT64_MAX;
  if ((limits & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0) limit = job.ProcessMemoryLimit;
  if ((limits & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) limit = std::min<uint64_t>(limit, job.JobMemoryLimit);
  if (limit == UINT64_MAX) return;
  PROCESS_MEMORY_COUNTERS mine{};
  mine.cb = sizeof mine;
  const uint64_t taken = GetProcessMemoryInfo(GetCurrentProcess(), &mine, sizeof mine) != 0 ? mine.PagefileUsage : 0;
  memory.total = std::min(memory.total, limit);
  memory.free = std::min(memory.free, limit - std::min(limit, taken));
}

}  // namespace

HostMemory host_memory(const std::string&) {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) return {};
  HostMemory memory{status.ullTotalPhys, status.ullAvailPhys};
  apply_job(memory);
  return memory;
}

}  // namespace lh
