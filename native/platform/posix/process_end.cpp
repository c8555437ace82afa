#include "platform/process_end.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace lh {
namespace {

std::atomic<void (*)(int)> the_last{nullptr};

void call_last(int code) {
  if (auto* const last = the_last.load()) last(code);
}

void flush(std::FILE* stream) {
  if (ftrylockfile(stream) != 0) return;
  std::fflush(stream);
  funlockfile(stream);
}

}  // namespace

// Exit handlers run last in, first out.
void before_destructors(void (*last)(int code)) {
  the_last = last;
#if defined(__GLIBC__)
  on_exit([](int code, void*) { call_last(code); }, nullptr);
#else
  std::atexit([] { call_last(-1); });
#endif
}

void end_process(int code) {
  flush(stdout);
  flush(stderr);
  _exit(code);
}

}  // namespace lh
