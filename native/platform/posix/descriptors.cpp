#include "platform/posix/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace lh {

int above_standard(int descriptor) {
  if (descriptor < 0) return descriptor;
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, kChildSocket + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return higher;
}

}  // namespace lh
