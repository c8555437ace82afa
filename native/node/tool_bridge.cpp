// Tools that are JavaScript functions: see tool_bridge.h.
#include "tool_bridge.h"

#include "js/convert.h"
#include "js_callback.h"

namespace lh::node {

struct JsTools::Functions {
  CallbackRef run;
  CallbackRef check;
};

JsTools::JsTools(const std::shared_ptr<EngineState>& engine, const Napi::Array& tools) {
  const auto function = [&engine](const Napi::Value& id, const char* what) {
    return std::make_shared<JsCallback>(
        JsCallback{engine, JsCallback::Kind::kTool, static_cast<uint64_t>(number_of(id, what))});
  };
  for (uint32_t i = 0; i < tools.Length(); ++i) {
    const Napi::Value value = tools.Get(i);
    if (!value.IsObject()) throw Napi::TypeError::New(tools.Env(), "a tool must be an object");
    const Napi::Object fields = value.As<Napi::Object>();
    One one;
    one.name = text_of(fields.Get("name"), "name");
    one.description = text_of(fields.Get("description"), "description");
    one.parameters = text_of(fields.Get("parameters"), "parameters");
    one.deadline_ms = static_cast<int64_t>(number_of(fields.Get("deadlineMs"), "deadlineMs"));
    one.flags = static_cast<uint32_t>(number_of(fields.Get("flags"), "flags"));
    one.fault = optional_words_of(fields.Get("fault"), "fault");
    one.annotations = optional_words_of(fields.Get("annotations"), "annotations");
    one.origin = optional_words_of(fields.Get("origin"), "origin");
    one.functions.reset(new Functions{function(fields.Get("run"), "run"), function(fields.Get("check"), "check")});
    tools_.push_back(std::move(one));
  }
}

lh_status JsTools::pass(const std::function<lh_status(const lh_tool* const* tools, size_t count)>& take) {
  std::vector<lh_tool> tools;
  std::vector<const lh_tool*> pointers;
  for (const One& one : tools_) {
    lh_tool tool = LH_TOOL_INIT;
    tool.name = one.name.c_str();
    tool.description = one.description.c_str();
    tool.parameters_json = one.parameters.c_str();
    tool.run = &JsTools::on_run;
    tool.check = &JsTools::on_check;
    tool.user_data = one.functions.get();
    tool.release = &JsTools::on_release;
    tool.deadline_ms = one.deadline_ms;
    tool.flags = one.flags;
    tool.fault = c_str(one.fault);
    tool.annotations_json = c_str(one.annotations);
    tool.origin = c_str(one.origin);
    tools.push_back(tool);
  }
  for (const lh_tool& tool : tools) pointers.push_back(&tool);
  const lh_status status = take(pointers.data(), pointers.size());
  if (status == LH_OK) {
    for (One& one : tools_) static_cast<void>(one.functions.release());  // now owned by the session
  }
  return status;
}

int JsTools::on_run(const char* call_json, char** result, void* user_data) {
  return ask_js(static_cast<Functions*>(user_data)->run, call_json, result);
}

int JsTools::on_check(const char* call_json, char** result, void* user_data) {
  return ask_js(static_cast<Functions*>(user_data)->check, call_json, result);
}

void JsTools::Free::operator()(Functions* functions) const { delete functions; }

void JsTools::on_release(void* user_data) {
  const std::unique_ptr<Functions> functions(static_cast<Functions*>(user_data));
  tell_released(functions->run);
  tell_released(functions->check);
}

}  // namespace lh::node
