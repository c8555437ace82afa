// The only file that calls JavaScript, through raw napi_call_function: the path of node-addon-api loses a thrown
// string, and aborts on a thrown null in some builds.
// Must not: run with a lock held, or off the JavaScript thread.
#pragma once

#include <napi.h>

#include <initializer_list>
#include <string>

namespace lh::node {

struct Called {
  enum class How { kReturned, kThrew, kCannotRun };
  How how;
  napi_value value;  // the returned or thrown value; null pointer if JavaScript cannot run any more (a worker ends)
};

// Calls `function` and leaves no exception pending.
Called call_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept;

// The same for a callback whose result is not used: an exception becomes an uncaught exception of the process.
void notify_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept;

// Calls `listener` when this environment's `process` emits "exit". Throws Napi::Error.
void on_process_exit(Napi::Env env, Napi::Function listener);

// The value of a JSON text; empty if it is not JSON.
Napi::Value parse_json(Napi::Env env, const char* json);

// Describes a thrown value of any type in a few words. Does not throw.
std::string describe_thrown(napi_env env, napi_value thrown) noexcept;

}  // namespace lh::node
