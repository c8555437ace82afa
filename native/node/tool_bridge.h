// Passes tools that are JavaScript functions to a session. js_callback.h calls them.
// Must not: outlive the call that passes them.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine_state.h"

namespace lh::node {

class JsTools {
 public:
  // [{"name", "description", "parameters": JSON, "deadlineMs", "flags", "fault": text or null, "annotations":
  // JSON or null, "origin": text or null, "run": number, "check": number}]; the numbers identify the functions in
  // JavaScript. Throws Napi::Error.
  JsTools(const std::shared_ptr<EngineState>& engine, const Napi::Array& tools);
  JsTools(const JsTools&) = delete;
  JsTools& operator=(const JsTools&) = delete;

  // Calls `take` with these tools, which owns them if it returns LH_OK. Once.
  lh_status pass(const std::function<lh_status(const lh_tool* const* tools, size_t count)>& take);

 private:
  struct Functions;
  struct Free {
    void operator()(Functions* functions) const;
  };
  struct One {
    std::string name;
    std::string description;
    std::string parameters;
    int64_t deadline_ms = 0;
    uint32_t flags = 0;
    std::optional<std::string> fault;
    std::optional<std::string> annotations;
    std::optional<std::string> origin;
    std::unique_ptr<Functions, Free> functions;
  };
  static int on_run(const char* call_json, char** result, void* user_data);
  static int on_check(const char* call_json, char** result, void* user_data);
  static void on_release(void* user_data);

  std::vector<One> tools_;
};

}  // namespace lh::node
