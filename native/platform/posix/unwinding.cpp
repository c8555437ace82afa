#include "platform/unwinding.h"

namespace lh {

bool exceptions_pass_c() { return true; }

}  // namespace lh
