// NativeEngine: models, adapters, generation, sessions and queries.
#include "engine_wrap.h"
#include "js/convert.h"
#include "model_bridge.h"
#include "task_wrap.h"
#include "tool_bridge.h"

namespace lh::node {
namespace {

// This thread acts inside a hook call while it exists. A call that is over, or 0, has no effect.
class InsideCall {
 public:
  explicit InsideCall(uint64_t call_id) : entered_(call_id != 0 && lh_call_enter(call_id) == LH_OK) {}
  ~InsideCall() {
    if (entered_) lh_call_leave();
  }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;

 private:
  const bool entered_;
};

}  // namespace

template <typename Start>
Napi::Value EngineWrap::start_task(Napi::Env env, const Napi::Value& on_wake, const Napi::Value& on_end,
                                   bool subscribed, Start start, TaskState::Events how) {
  const Napi::Function wake = on_wake.IsUndefined() ? Napi::Function() : function_of(on_wake, "onWake");
  const auto on_over = [engine = state_](const TaskState& over) {
    std::erase_if(engine->running, [&over](const auto& one) { return one.get() == &over; });
    if (engine->object) engine->object->task_over();
  };
  const auto on_cancel = [weak = std::weak_ptr(state_)](napi_env in) {
    if (const auto engine = weak.lock()) engine->tell_cancelled(in);
  };
  const auto task = std::make_shared<TaskState>(state_->shared_js(), wake, function_of(on_end, "onEnd"), subscribed,
                                                how, on_over, on_cancel);
  const lh_task_callbacks callbacks = task->callbacks();
  lh_task* handle = nullptr;
  LhText error;
  // A callback may come before `start` returns: it only queues, and finds the task by shared_from_this.
  lh_status status = LH_OK;
  {
    const InsideCall inside(current_call(env));
    status = start(&callbacks, &handle, Out(error));
  }
  check(env, status, error);
  task->started(handle);
  state_->running.push_back(task);
  Ref();  // until task_over()
  return TaskWrap::create(env, task);
}

template <typename Start>
Napi::Value EngineWrap::start_call(Info info, const Napi::Value& on_wake, const Napi::Value& on_end, bool subscribed,
                                   const Napi::Value& scope, const Napi::Value& cancelled, Start start) {
  const bool has_hooks = number_of(scope, "scope") != 0;
  lh_registry* const own = has_hooks ? hooks(info, scope) : nullptr;
  const std::optional<std::string> reason = optional_words_of(cancelled, "cancelled");
  return start_task(info.Env(), on_wake, on_end, subscribed,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      lh_task_callbacks of_call = *callbacks;
                      of_call.hooks = own;
                      of_call.cancelled = c_str(reason);
                      return start(&of_call, out, error);
                    });
}

template <typename Read>
Napi::Value EngineWrap::read_text(Napi::Env env, Read read) {
  LhText json;
  LhText error;
  const lh_status status = read(Out(json), Out(error));
  check(env, status, error);
  return Napi::String::New(env, json.get());
}

Napi::Value EngineWrap::request(Info info, RequestFn function) {
  const std::optional<std::string> id = optional_text_of(info[0], "id");
  const std::string json = text_of(info[1], "request");
  return read_text(info.Env(), [&](char** out, char** error) {
    return function(engine(info), c_str(id), json.c_str(), out, error);
  });
}

Napi::Value EngineWrap::request_task(Info info, TaskFn function) {
  const std::string json = text_of(info[0], "request");
  return start_task(info.Env(), info.Env().Undefined(), info[1], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return function(engine(info), json.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::model_task(Info info, ModelTaskFn function) {
  const std::optional<std::string> id = optional_text_of(info[0], "id");
  const std::string json = text_of(info[1], "request");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return function(engine(info), c_str(id), json.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::load_model(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string options = text_of(info[1], "options");
  const bool subscribed = info[4].ToBoolean();
  return start_task(
      info.Env(), info[2], info[3], subscribed,
      [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
        return lh_model_load(engine(info), id.c_str(), options.c_str(), callbacks, out, error);
      },
      TaskState::Events::kWaitedFor);
}

void EngineWrap::serve_models(Info info) {
  on_model_call_ = hold("onModelCall", function_of(info[0], "onModelCall"));
  on_model_released_ = hold("onModelReleased", function_of(info[1], "onModelReleased"));
}

Napi::Value EngineWrap::add_model(Info info) {
  const std::string id = text_of(info[0], "id");
  const auto number = static_cast<uint32_t>(number_of(info[1], "number"));
  const std::string description = text_of(info[2], "description");
  return start_task(
      info.Env(), info.Env().Undefined(), info[3], false,
      [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
        return add_js_model(state_, number, [&](const lh_generator& functions) {
          return lh_model_add(engine(info), id.c_str(), description.c_str(), &functions, callbacks, out, error);
        });
      },
      TaskState::Events::kWaitedFor);
}

Napi::Value EngineWrap::estimate_model(Info info) { return request_task(info, &lh_model_estimate); }

Napi::Value EngineWrap::unload_model(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::optional<std::string> reason = optional_words_of(info[1], "reason");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_model_unload(engine(info), id.c_str(), c_str(reason), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::load_adapter(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string options = text_of(info[1], "options");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_adapter_load(engine(info), id.c_str(), options.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::unload_adapter(Info info) {
  const std::string id = text_of(info[0], "id");
  return start_task(info.Env(), info.Env().Undefined(), info[1], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_adapter_unload(engine(info), id.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::list_adapters(Info info) {
  return read_text(info.Env(), [&](char** out, char**) { return lh_adapter_list(engine(info), out); });
}

Napi::Value EngineWrap::swap_adapters(Info info) {
  const std::string session = text_of(info[0], "sessionId");
  const std::string json = text_of(info[1], "request");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_adapter_swap(engine(info), session.c_str(), json.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::generate(Info info) {
  const std::string json = text_of(info[0], "request");
  const bool subscribed = info[3].ToBoolean();
  return start_call(info, info[1], info[2], subscribed, info[4], info[5],
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_generate(engine(info), json.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::open_session(Info info) {
  const std::string options = text_of(info[0], "options");
  if (!info[1].IsArray()) throw Napi::TypeError::New(info.Env(), "tools must be an array");
  JsTools tools(state_, info[1].As<Napi::Array>());
  return read_text(info.Env(), [&](char** out, char** error) {
    return tools.pass([&](const lh_tool* const* all, size_t count) {
      return lh_session_open(engine(info), options.c_str(), all, count, out, error);
    });
  });
}

void EngineWrap::set_session_tools(Info info) {
  const std::string id = text_of(info[0], "id");
  if (!info[1].IsArray()) throw Napi::TypeError::New(info.Env(), "tools must be an array");
  JsTools tools(state_, info[1].As<Napi::Array>());
  LhText error;
  const lh_status status = tools.pass([&](const lh_tool* const* all, size_t count) {
    return lh_session_set_tools(engine(info), id.c_str(), all, count, Out(error));
  });
  check(info.Env(), status, error);
}

void EngineWrap::set_session_tiers(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string tiers = text_of(info[1], "tiers");
  LhText error;
  const lh_status status = lh_session_set_tiers(engine(info), id.c_str(), tiers.c_str(), Out(error));
  check(info.Env(), status, error);
}

Napi::Value EngineWrap::run_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string json = text_of(info[1], "request");
  const bool subscribed = info[4].ToBoolean();
  const Napi::Value task =
      start_call(info, info[2], info[3], subscribed, info[5], info[6],
                 [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                   return lh_session_run(engine(info), id.c_str(), json.c_str(), callbacks, out, error);
                 });
  state_->running.back()->set_session(id);
  return task;
}

Napi::Value EngineWrap::session_history(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string request = text_of(info[1], "request");
  return read_text(info.Env(), [&](char** out, char** error) {
    return lh_session_history(engine(info), id.c_str(), request.c_str(), out, error);
  });
}

Napi::Value EngineWrap::session_waiting(Info info) {
  const std::string id = text_of(info[0], "id");
  return read_text(info.Env(),
                   [&](char** out, char** error) { return lh_session_waiting(engine(info), id.c_str(), out, error); });
}

void EngineWrap::queue_message(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string content = text_of(info[1], "content");
  LhText error;
  const lh_status status = lh_session_queue(engine(info), id.c_str(), content.c_str(), Out(error));
  check(info.Env(), status, error);
}

void EngineWrap::pause_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const auto act = info[1].ToBoolean() ? &lh_session_pause : &lh_session_resume;
  LhText error;
  const lh_status status = act(engine(info), id.c_str(), Out(error));
  check(info.Env(), status, error);
}

Napi::Value EngineWrap::compact_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string json = text_of(info[1], "request");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_session_compact(engine(info), id.c_str(), json.c_str(), callbacks, out, error);
                    });
}

Napi::Value EngineWrap::elicit(Info info) {
  const auto call_id = static_cast<uint64_t>(number_of(info[0], "callId"));
  const std::string json = text_of(info[1], "request");
  return start_task(info.Env(), info.Env().Undefined(), info[2], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_tool_elicit(engine(info), call_id, json.c_str(), callbacks, out, error);
                    });
}

void EngineWrap::save_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string path = text_of(info[1], "path");
  LhText error;
  const lh_status status = lh_session_save(engine(info), id.c_str(), path.c_str(), Out(error));
  check(info.Env(), status, error);
}

Napi::Value EngineWrap::session_record(Info info) {
  const std::string id = text_of(info[0], "id");
  return read_text(info.Env(),
                   [&](char** out, char** error) { return lh_session_record(engine(info), id.c_str(), out, error); });
}

Napi::Value EngineWrap::report_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string code = text_of(info[1], "code");
  const std::string message = text_of(info[2], "message");
  const std::string where = text_of(info[3], "where");
  return start_task(info.Env(), info.Env().Undefined(), info[4], false,
                    [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                      return lh_session_report(engine(info), id.c_str(), code.c_str(), message.c_str(), where.c_str(),
                                               callbacks, out, error);
                    });
}

Napi::Value EngineWrap::fork_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string message = text_of(info[1], "messageId");
  return read_text(info.Env(), [&](char** out, char** error) {
    return lh_session_fork_at(engine(info), id.c_str(), message.empty() ? nullptr : message.c_str(), out, error);
  });
}

void EngineWrap::rewind_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const std::string message = text_of(info[1], "messageId");
  LhText error;
  const lh_status status =
      lh_session_rewind(engine(info), id.c_str(), message.empty() ? nullptr : message.c_str(), Out(error));
  check(info.Env(), status, error);
}

Napi::Value EngineWrap::close_session(Info info) {
  const std::string id = text_of(info[0], "id");
  const Napi::Value closing = start_task(info.Env(), info.Env().Undefined(), info[1], false,
                                         [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                                           const lh_status status =
                                               lh_session_close(engine(info), id.c_str(), callbacks, out, error);
                                           for (const auto& task : state_->running) {
                                             if (status == LH_OK && task->session() == id) task->let_go();
                                           }
                                           return status;
                                         });
  state_->tell_cancelled(info.Env());
  return closing;
}

Napi::Value EngineWrap::close(Info info) {
  const Napi::Value closing = start_task(info.Env(), info.Env().Undefined(), info[0], false,
                                         [&](const lh_task_callbacks* callbacks, lh_task** out, char** error) {
                                           const lh_status status =
                                               lh_engine_close(engine(info), callbacks, out, error);
                                           if (status == LH_OK) {
                                             for (const auto& task : state_->running) task->let_go();
                                           }
                                           return status;
                                         });
  state_->tell_cancelled(info.Env());
  return closing;
}

Napi::Value EngineWrap::list_models(Info info) {
  return read_text(info.Env(), [&](char** out, char**) { return lh_model_list(engine(info), out); });
}

Napi::Value EngineWrap::describe_model(Info info) {
  const std::string id = text_of(info[0], "id");
  return read_text(info.Env(),
                   [&](char** out, char** error) { return lh_model_describe(engine(info), id.c_str(), out, error); });
}

Napi::Value EngineWrap::embed(Info info) { return request_task(info, &lh_embed); }
Napi::Value EngineWrap::rerank(Info info) { return request_task(info, &lh_rerank); }
Napi::Value EngineWrap::tokenize(Info info) { return request(info, &lh_tokenize); }
Napi::Value EngineWrap::tokenize_start(Info info) { return model_task(info, &lh_tokenize_start); }
Napi::Value EngineWrap::detokenize(Info info) { return request(info, &lh_detokenize); }
Napi::Value EngineWrap::render_prompt(Info info) { return model_task(info, &lh_render_prompt_start); }

Napi::Value EngineWrap::memory(Info info) {
  return read_text(info.Env(), [&](char** out, char**) { return lh_engine_memory(engine(info), out); });
}

Napi::Value EngineWrap::system_info(Info info) {
  return read_text(info.Env(), [&](char** out, char**) { return lh_system_info(engine(info), out); });
}

}  // namespace lh::node
