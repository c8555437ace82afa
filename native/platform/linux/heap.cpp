#include "platform/heap.h"

#include <cstdlib>  // defines __GLIBC__ where it is glibc
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lh {

// musl returns pages by itself.
void trim_heap() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace lh
