// One dispatch to JavaScript functions without an engine, for decisions by hand.
// Must not: wait for a promise; this thread would have to settle it.
#pragma once

#include <napi.h>

namespace lh::node {

// (point, [options, as addHook takes them], context, call): calls the hooks in order, with `call(index, callId,
// context)` on this thread, and returns the result of lh_hook_dispatch.
Napi::Value dispatch_plainly(const Napi::CallbackInfo& info);

}  // namespace lh::node
