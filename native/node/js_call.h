// The one file that calls JavaScript, through raw napi_call_function: node-addon-api's own path loses a thrown string,
// and aborts on a thrown null in some builds.
// Must not: run with a lock held, or off the JavaScript thread.
#pragma once

#include <napi.h>

#include <initializer_list>
#include <string>

namespace lh::node {

struct Called {
  enum class How { kReturned, kThrew, kCannotRun };
  How how;
  napi_value value;  // what was returned or thrown; null pointer when JavaScript cannot run any more (a worker ends)
};

// Calls `function` and leaves no exception pending, whatever was thrown.
Called call_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept;

// The same for a callback whose result nobody takes: what it throws is an uncaught exception of the process.
void notify_js(napi_env env, napi_value function, std::initializer_list<napi_value> args) noexcept;

// Has `listener` called when this environment's `process` emits "exit". Throws Napi::Error.
void on_process_exit(Napi::Env env, Napi::Function listener);

// The value of a JSON text; empty when it is not JSON.
Napi::Value parse_json(Napi::Env env, const char* json);

// A few words on a thrown value, of any type. Throws nothing.
std::string describe_thrown(napi_env env, napi_value thrown) noexcept;

}  // namespace lh::node
