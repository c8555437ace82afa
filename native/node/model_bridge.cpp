// A model that JavaScript computes: see model_bridge.h.
#include "model_bridge.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "js/convert.h"
#include "js/js_call.h"
#include "stream_wrap.h"

namespace lh::node {
namespace {

// The user data of the functions.
struct JsModel {
  std::shared_ptr<EngineState> engine;
  uint32_t number;
};

// On the JavaScript thread. If JavaScript does not take the stream, it fails.
void deliver(napi_env raw, const EngineState& engine, uint32_t number, uint64_t task, const std::string& request,
             const std::shared_ptr<StreamState>& state) {
  const Napi::Env env(raw);
  const Napi::HandleScope scope(env);
  const napi_value function = engine.object == nullptr ? nullptr : engine.object->on_model_call();
  if (function == nullptr) {
    state->end(LH_ERR_CLOSED, R"({"message":"the engine was closed"})", nullptr);
    return;
  }
  const Napi::Object stream = StreamWrap::create(env, state);
  const Called called = call_js(env, function,
                                {Napi::Number::New(env, number), Napi::String::New(env, request), stream,
                                 Napi::Number::New(env, static_cast<double>(task))});
  if (called.how != Called::How::kReturned && state->stream() != nullptr) {
    state->end(LH_ERR_REMOTE_FAILED, R"({"message":"JavaScript did not take the request"})", nullptr);
  }
}

lh_status generate(const char* request_json, lh_stream* stream, void* user_data) {
  const auto& model = *static_cast<JsModel*>(user_data);
  const auto state = std::make_shared<StreamState>(model.engine->shared_js(), stream);
  try {
    model.engine->js().post([engine = model.engine, number = model.number, task = lh_current_task(),
                             request = std::string(request_json),
                             state](napi_env env) { deliver(env, *engine, number, task, request, state); });
  } catch (const std::exception&) {
    state->end(LH_ERR_INSUFFICIENT_MEMORY, R"({"message":"out of memory"})", nullptr);
  }
  return LH_OK;
}

void release(void* user_data) {
  const std::unique_ptr<JsModel> model(static_cast<JsModel*>(user_data));
  try {
    model->engine->js().post([engine = model->engine, number = model->number](napi_env env) {
      const Napi::HandleScope scope(env);
      const napi_value function = engine->object == nullptr ? nullptr : engine->object->on_model_released();
      if (function != nullptr) notify_js(env, function, {Napi::Number::New(env, number)});
    });
  } catch (const std::exception&) {  // no memory for the job: JavaScript keeps an unused model
  }
}

}  // namespace

lh_status add_js_model(const std::shared_ptr<EngineState>& engine, uint32_t number,
                       const std::function<lh_status(const lh_generator& functions)>& add) {
  auto model = std::make_unique<JsModel>(JsModel{engine, number});
  lh_generator functions = LH_GENERATOR_INIT;
  functions.generate = &generate;
  functions.user_data = model.get();
  functions.release = &release;
  const lh_status status = add(functions);
  if (status == LH_OK) static_cast<void>(model.release());  // now owned by the engine
  return status;
}

}  // namespace lh::node
