// What a dispatch belongs to. Must not: own the flags.
#pragma once

#include <string>

#include "base/cancel.h"

namespace lh {

// Becomes "meta" in the context. Empty strings and negative numbers read as null.
struct Scope {
  std::string run_id;
  std::string parent_run_id;
  std::string session_id;
  std::string model_id;
  std::string tier;
  int depth = -1;
  int iteration = -1;
  CancelFlag* cancel = nullptr;   // of the operation the hooks hold up; may be null
  CancelFlag* closing = nullptr;  // of the engine, for hooks that outlast `cancel`: see Pending::Limits; may be null
};

}  // namespace lh
