// The scope of the hooks that fire around loading, unloading and memory.
#pragma once

#include <string>

#include "base/threads/cancel.h"
#include "generation/work.h"
#include "hooks/dispatch/dispatcher.h"

namespace lh {

// The scope of hooks in work that can be cancelled.
inline Scope scope_of_work(const std::string& model_id, const Work& work) {
  Scope scope;
  scope.model_id = model_id;
  scope.cancel = &work.cancel;
  scope.span = work.span;
  return scope;
}

// The scope of hooks outside of work: nothing cancels them. `closing` bounds the wait for them.
inline Scope scope_of_engine(const std::string& model_id, CancelFlag& closing) {
  Scope scope;
  scope.model_id = model_id;
  scope.closing = &closing;
  return scope;
}

}  // namespace lh
