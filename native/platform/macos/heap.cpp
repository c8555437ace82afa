#include "platform/heap.h"

#include <malloc/malloc.h>

namespace lh {

void trim_heap() noexcept { malloc_zone_pressure_relief(nullptr, 0); }

}  // namespace lh
