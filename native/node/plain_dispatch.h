// One dispatch of functions of JavaScript, without an engine: for decisions by hand.
// Must not: wait for a promise, or keep anything.
#pragma once

#include <napi.h>

namespace lh::node {

// (point, [options, as addHook takes them], context, call): asks the hooks in their order, by calling
// `call(index, callId, context)` on this thread, and gives what lh_hook_dispatch does.
Napi::Value dispatch_plainly(const Napi::CallbackInfo& info);

}  // namespace lh::node
