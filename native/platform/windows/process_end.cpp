#include "platform/process_end.h"

#include <cstdio>

#include "platform/windows/system.h"

namespace lh {

void before_destructors(void (*)(int code)) {}

void end_process(int code) {
  // The runtime cannot try the lock of a stream; stderr has no buffer.
  std::fflush(stdout);
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(code));
  for (;;) Sleep(INFINITE);
}

}  // namespace lh
