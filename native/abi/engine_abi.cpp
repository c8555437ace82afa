// The functions of engine.h, except those for sessions. Must not: hold policy; each one casts, guards and calls.
#include <memory>
#include <string>
#include <utility>

#include "abi/engine_calls.h"
#include "base/text/reason.h"
#include "base/text/utf8.h"
#include "base/threads/left_behind.h"
#include "engine/tasks/render_prompt.h"
#include "engine/tasks/requests.h"
#include "generation/conversation_json.h"
#include "hooks/calls/operation.h"

using lh::Code;
using lh::Engine;
using lh::Json;
using lh::Result;
using lh::Status;
using lh::abi::guard;
using lh::abi::hand_out;
using lh::abi::hooks_of;
using lh::abi::missing;
using lh::abi::start_task;
using lh::abi::Takes;
using lh::abi::text_or_empty;

namespace {

// Runs `body` on the generator of a model and returns its JSON.
template <typename Body>
lh_status with_model(lh_engine* engine, const char* id, char** out_json, char** error_json, Body&& body) noexcept {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_json == nullptr) return missing("out_json");
    if (Status status = engine->engine->check_open(); !status.ok()) return status;
    const auto model = engine->engine->models().use(lh::to_utf8(text_or_empty(id)));
    if (!model.ok()) return model.status();
    const Result<Json> json = body(**model);
    return json.ok() ? hand_out(lh::dump_json(*json), out_json) : json.status();
  });
}

template <typename Body>
lh_status hand_out_json(const lh_engine* engine, char** out_json, char** error_json, Body&& body) noexcept {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_json == nullptr) return missing("out_json");
    if (Status status = engine->engine->check_open(); !status.ok()) return status;
    return hand_out(lh::dump_json(body()), out_json);
  });
}

}  // namespace

extern "C" {

lh_status lh_engine_create(const char* options_json, lh_engine** out, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (out == nullptr) return missing("out");
    const auto options = lh::parse_engine_options(text_or_empty(options_json));
    if (!options.ok()) return options.status();
    auto engine = Engine::create(*options);
    if (!engine.ok()) return engine.status();
    *out = std::make_unique<lh_engine>(lh_engine{*std::move(engine)}).release();
    return {};
  });
}

void lh_engine_free(lh_engine* engine) LH_NOEXCEPT {
  guard(nullptr, [&]() -> Status {
    if (engine == nullptr) return {};
    const std::unique_ptr<lh_engine> owned(engine);
    Engine::free(std::move(owned->engine));
    return {};
  });
}

int32_t lh_left_behind(void) LH_NOEXCEPT { return lh::LeftBehind::count(); }

lh_registry* lh_engine_hooks(lh_engine* engine) LH_NOEXCEPT {
  return engine == nullptr ? nullptr : &engine->engine->hooks();
}

lh_status lh_engine_trace(lh_engine* engine, lh_trace_fn sink, void* user_data) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    engine->engine->set_trace(sink, user_data);
    return {};
  });
}

void lh_task_cancel(lh_task* task, const char* reason) LH_NOEXCEPT {
  guard(nullptr, [&]() -> Status {
    if (task == nullptr) return missing("task");
    task->task->cancel(lh::reason_or(text_or_empty(reason), "cancelled"));
    return {};
  });
}

lh_status lh_task_subscribe(lh_task* task, lh_event_fn on_event) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (task == nullptr) return missing("task");
    task->task->subscribe(on_event);
    return {};
  });
}

uint64_t lh_task_number(const lh_task* task) LH_NOEXCEPT { return task == nullptr ? 0 : task->task->number(); }

uint64_t lh_current_task(void) LH_NOEXCEPT {
  const auto& work = lh::Operation::current();
  return work == nullptr ? 0 : work->number;
}

lh_status lh_task_wait(lh_task* task) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (task == nullptr) return missing("task");
    if (!task->task->may_wait()) return {Code::kReentrant, "the task waits for the one that this is called from"};
    task->task->wait();
    return {};
  });
}

void lh_task_free(lh_task* task) LH_NOEXCEPT {
  guard(nullptr, [&]() -> Status {
    if (task == nullptr) return {};
    if (!task->task->may_wait()) return {Code::kReentrant, "the task waits for the one that this is called from"};
    task->task->cancel("freed");
    task->task->wait_or_give_up(task->patience);
    task->task->join();
    const std::unique_ptr<lh_task> owned(task);
    return {};
  });
}

lh_status lh_model_load(lh_engine* engine, const char* id, const char* options_json, const lh_task_callbacks* callbacks,
                        lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_load_request(text_or_empty(options_json));
                      if (!request.ok()) return request.status();
                      return it.load(lh::to_utf8(text_or_empty(id)), *std::move(request), to);
                    });
}

lh_status lh_model_estimate(lh_engine* engine, const char* options_json, const lh_task_callbacks* callbacks,
                            lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_load_request(text_or_empty(options_json));
                      if (!request.ok()) return request.status();
                      return it.estimate(*std::move(request), to);
                    });
}

lh_status lh_model_unload(lh_engine* engine, const char* id, const char* reason, const lh_task_callbacks* callbacks,
                          lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json, [&](Engine& it, const lh_task_callbacks& to) {
    return it.unload(lh::to_utf8(text_or_empty(id)), lh::reason_or(text_or_empty(reason), "requested"), to);
  });
}

lh_status lh_model_list(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [&] { return engine->engine->models().list(); });
}

lh_status lh_model_describe(lh_engine* engine, const char* id, char** out_json, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_json == nullptr) return missing("out_json");
    if (Status status = engine->engine->check_open(); !status.ok()) return status;
    const auto json = engine->engine->models().describe(lh::to_utf8(text_or_empty(id)));
    return json.ok() ? hand_out(lh::dump_json(*json), out_json) : json.status();
  });
}

lh_status lh_embed(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks, lh_task** out,
                   char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_embed_request(text_or_empty(request_json));
                      if (!request.ok()) return request.status();
                      return it.embed(*std::move(request), to);
                    });
}

lh_status lh_rerank(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks, lh_task** out,
                    char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_rerank_request(text_or_empty(request_json));
                      if (!request.ok()) return request.status();
                      return it.rerank(*std::move(request), to);
                    });
}

lh_status lh_tokenize(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                      char** error_json) LH_NOEXCEPT {
  return with_model(engine, id, out_json, error_json, [&](const lh::LoadedModel& model) -> Result<Json> {
    const auto request = lh::parse_tokenize_request(text_or_empty(request_json));
    if (!request.ok()) return request.status();
    auto tokens = model.generator->tokenize(request->text, request->add_special, request->parse_special, nullptr);
    if (!tokens.ok()) return tokens.status();
    return Json{{"tokens", *std::move(tokens)}};
  });
}

lh_status lh_tokenize_start(lh_engine* engine, const char* id, const char* request_json,
                            const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_tokenize_request(text_or_empty(request_json));
                      if (!request.ok()) return request.status();
                      return it.tokenize(lh::to_utf8(text_or_empty(id)), *std::move(request), to);
                    });
}

lh_status lh_detokenize(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                        char** error_json) LH_NOEXCEPT {
  return with_model(engine, id, out_json, error_json, [&](const lh::LoadedModel& model) -> Result<Json> {
    const auto request = lh::parse_detokenize_request(text_or_empty(request_json));
    if (!request.ok()) return request.status();
    const auto text = model.generator->detokenize(request->tokens, request->special);
    if (!text.ok()) return text.status();
    return Json{{"text", lh::to_utf8(*text)}};
  });
}

lh_status lh_render_prompt(lh_engine* engine, const char* id, const char* request_json, char** out_json,
                           char** error_json) LH_NOEXCEPT {
  return with_model(engine, id, out_json, error_json, [&](const lh::LoadedModel& model) -> Result<Json> {
    auto& recent = engine->engine->recent_conversations();
    const auto request = lh::parse_render_request(text_or_empty(request_json), recent);
    if (!request.ok()) return request.status();
    return lh::render_prompt(*model.generator, *request, nullptr);
  });
}

lh_status lh_render_prompt_start(lh_engine* engine, const char* id, const char* request_json,
                                 const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_render_request(text_or_empty(request_json), it.recent_conversations());
                      if (!request.ok()) return request.status();
                      return it.render_prompt(lh::to_utf8(text_or_empty(id)), *std::move(request), to);
                    });
}

lh_status lh_adapter_load(lh_engine* engine, const char* id, const char* options_json,
                          const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_adapter_request(text_or_empty(options_json));
                      if (!request.ok()) return request.status();
                      return it.load_adapter(lh::to_utf8(text_or_empty(id)), *std::move(request), to);
                    });
}

lh_status lh_adapter_unload(lh_engine* engine, const char* id, const lh_task_callbacks* callbacks, lh_task** out,
                            char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json, [&](Engine& it, const lh_task_callbacks& to) {
    return it.unload_adapter(lh::to_utf8(text_or_empty(id)), to);
  });
}

lh_status lh_adapter_list(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [&] { return engine->engine->adapters().list(); });
}

lh_status lh_adapter_swap(lh_engine* engine, const char* session_id, const char* request_json,
                          const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto choices = lh::parse_swap_request(text_or_empty(request_json));
                      if (!choices.ok()) return choices.status();
                      return it.swap_adapters(lh::to_utf8(text_or_empty(session_id)), *std::move(choices), to);
                    });
}

lh_status lh_generate(lh_engine* engine, const char* request_json, const lh_task_callbacks* callbacks, lh_task** out,
                      char** error_json) LH_NOEXCEPT {
  return start_task(
      engine, callbacks, out, error_json,
      [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
        auto request = lh::parse_generate_request(text_or_empty(request_json), it.recent_conversations());
        if (!request.ok()) return request.status();
        auto hooks = hooks_of(to, it, lh::HookLevel::kGeneration);
        if (!hooks.ok()) return hooks.status();
        request->hooks = *std::move(hooks);
        return it.generate(*std::move(request), to);
      },
      Takes::kHooks);
}

lh_status lh_engine_close(lh_engine* engine, const lh_task_callbacks* callbacks, lh_task** out,
                          char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [](Engine& it, const lh_task_callbacks& to) { return it.close(to); });
}

lh_status lh_system_info(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [&] {
    Json info = {{"abi", LH_ABI_VERSION}};
    info.update(engine->engine->models().runtime_info());
    return info;
  });
}

lh_status lh_engine_memory(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [&] { return engine->engine->memory(); });
}

}  // extern "C"
