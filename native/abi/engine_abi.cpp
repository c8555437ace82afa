// The functions of engine.h. Must not: hold policy; each one casts, guards and calls.
#include <memory>
#include <string>
#include <utility>

#include "abi/guard.h"
#include "base/atomic_file.h"
#include "base/caller_struct.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/requests.h"
#include "generation/conversation_json.h"
#include "inference/llama_runtime.h"
#include "llama_hooks/engine.h"

using lh::Code;
using lh::Engine;
using lh::Json;
using lh::Result;
using lh::Status;
using lh::abi::guard;
using lh::abi::hand_out;
using lh::abi::missing;

namespace {

std::string_view text_or_empty(const char* text) { return text == nullptr ? std::string_view() : text; }

Result<lh_task_callbacks> read_callbacks(const lh_task_callbacks* given) {
  if (given == nullptr) return missing("callbacks");
  auto callbacks = lh::read_struct(*given, LH_TASK_CALLBACKS_INIT, "callbacks");
  if (callbacks.ok() && callbacks->on_end == nullptr) return missing("callbacks.on_end");
  return callbacks;
}

// The hooks of one call alone; null where it has none.
Result<std::shared_ptr<lh::HookScope>> hooks_of(const lh_task_callbacks& callbacks, lh::Engine& engine,
                                                lh::HookLevel level) {
  if (callbacks.hooks == nullptr) return std::shared_ptr<lh::HookScope>();
  const auto& scope = callbacks.hooks->scope;
  const bool fits = &callbacks.hooks->registry == &engine.hooks().registry && scope != nullptr;
  if (fits && scope->level() == level) return scope;
  return Status(Code::kInvalidArgument, std::string("callbacks.hooks: not made of this engine's hooks with ") +
                                            (level == lh::HookLevel::kRun ? "LH_SCOPE_RUN" : "LH_SCOPE_GENERATION"));
}

Result<lh::AgentTools> read_tools(const lh_tool* const* given, size_t count) {
  if (given == nullptr && count > 0) return missing("tools");
  lh::AgentTools tools;
  for (size_t i = 0; i < count; ++i) {
    if (given[i] == nullptr) return missing("tools[" + std::to_string(i) + "]");
    const auto filled = lh::read_struct(*given[i], LH_TOOL_INIT, "tools[" + std::to_string(i) + "]");
    if (!filled.ok()) return filled.status();
    auto tool = lh::AgentTool::create(*filled);
    if (!tool.ok()) return tool.status();
    tools.push_back(*std::move(tool));
  }
  return tools;
}

template <typename Act>
lh_status with_session(lh_engine* engine, const char* session_id, char** error_json, Act&& act) noexcept {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    const auto session = engine->engine->session(lh::to_utf8(text_or_empty(session_id)));
    return session.ok() ? act(**session) : session.status();
  });
}

// Checks what every task-starting function is given, then starts.
enum class Takes { kNoHooks, kHooks };
template <typename Start>
lh_status start_task(lh_engine* engine, const lh_task_callbacks* given, lh_task** out, char** error_json, Start&& start,
                     Takes takes = Takes::kNoHooks) noexcept {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out == nullptr) return missing("out");
    const auto callbacks = read_callbacks(given);
    if (!callbacks.ok()) return callbacks.status();
    if (takes == Takes::kNoHooks && callbacks->hooks != nullptr) {
      return {Code::kInvalidArgument, "callbacks.hooks: lh_session_run and lh_generate alone take hooks"};
    }
    // Made before the task begins: where there is no memory for it, nothing has begun that uses the caller's data.
    auto handle = std::make_unique<lh_task>();
    auto started = start(*engine->engine, *callbacks);
    if (!started.ok()) return started.status();
    handle->task = *std::move(started);
    *out = handle.release();
    return {};
  });
}

// Runs `body` on the generator of a model and hands out its JSON.
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
    const std::unique_ptr<lh_engine> owned(engine);
    return {};
  });
}

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
    task->task->cancel(reason == nullptr ? "cancelled" : lh::to_utf8(reason));
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
    task->task->wait();
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
    return it.unload(lh::to_utf8(text_or_empty(id)), reason == nullptr ? "requested" : lh::to_utf8(reason), to);
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
    return Json{{"tokens", model.generator->tokenize(request->text, request->add_special, request->parse_special)}};
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
    const auto request = lh::parse_render_request(text_or_empty(request_json));
    if (!request.ok()) return request.status();
    const auto prompt = model.generator->prepare(
        {&request->messages, &request->tools, {}, nullptr, request->add_generation_prompt}, request->params);
    if (!prompt.ok()) return prompt.status();
    return Json{{"prompt", (*prompt)->text()}};
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
        auto request = lh::parse_generate_request(text_or_empty(request_json));
        if (!request.ok()) return request.status();
        auto hooks = hooks_of(to, it, lh::HookLevel::kGeneration);
        if (!hooks.ok()) return hooks.status();
        request->hooks = *std::move(hooks);
        return it.generate(*std::move(request), to);
      },
      Takes::kHooks);
}

lh_status lh_session_open(lh_engine* engine, const char* options_json, const lh_tool* const* tools, size_t tool_count,
                          char** out_id, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_id == nullptr) return missing("out_id");
    auto setup = lh::parse_session_options(options_json == nullptr ? "{}" : options_json);
    if (!setup.ok()) return setup.status();
    auto read = read_tools(tools, tool_count);
    if (!read.ok()) return read.status();
    setup->tools = *read;
    auto id = engine->engine->open_session(*std::move(setup));
    if (!id.ok()) return id.status();
    if (Status status = hand_out(*id, out_id); !status.ok()) {
      engine->engine->forget_session(*id);
      return status;
    }
    for (const auto& tool : *read) tool->keep();
    return {};
  });
}

lh_status lh_session_run(lh_engine* engine, const char* session_id, const char* request_json,
                         const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(
      engine, callbacks, out, error_json,
      [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
        auto request = lh::parse_run_request(text_or_empty(request_json));
        if (!request.ok()) return request.status();
        auto hooks = hooks_of(to, it, lh::HookLevel::kRun);
        if (!hooks.ok()) return hooks.status();
        request->hooks = *std::move(hooks);
        return it.run_session(lh::to_utf8(text_or_empty(session_id)), *std::move(request), to);
      },
      Takes::kHooks);
}

lh_status lh_session_hooks(lh_engine* engine, const char* session_id, lh_registry** out,
                           char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (out == nullptr) return missing("out");
    *out = std::make_unique<lh_registry>(engine->engine->hooks(), session.hooks()).release();
    return {};
  });
}

lh_status lh_session_history(lh_engine* engine, const char* session_id, const char* request_json, char** out_json,
                             char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (out_json == nullptr) return missing("out_json");
    const auto request = lh::parse_history_request(request_json == nullptr ? "{}" : request_json);
    if (!request.ok()) return request.status();
    return hand_out(lh::dump_json(lh::to_json(session.history(request->compacted))), out_json);
  });
}

lh_status lh_session_queue(lh_engine* engine, const char* session_id, const char* content,
                           char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (content == nullptr) return missing("content");
    session.inbox().put(lh::to_utf8(content));
    return {};
  });
}

lh_status lh_session_pause(lh_engine* engine, const char* session_id, char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [](lh::Session& session) -> Status {
    session.inbox().pause();
    return {};
  });
}

lh_status lh_session_resume(lh_engine* engine, const char* session_id, char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [](lh::Session& session) -> Status {
    session.inbox().resume();
    return {};
  });
}

lh_status lh_session_compact(lh_engine* engine, const char* session_id, const char* request_json,
                             const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_compact_request(request_json == nullptr ? "{}" : request_json);
                      if (!request.ok()) return request.status();
                      return it.compact_session(lh::to_utf8(text_or_empty(session_id)), *std::move(request), to);
                    });
}

lh_status lh_session_save(lh_engine* engine, const char* session_id, const char* path, char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (path == nullptr) return missing("path");
    return lh::write_file_atomically(path, lh::dump_json(session.record()) + "\n");
  });
}

lh_status lh_session_fork(lh_engine* engine, const char* session_id, char** out_id, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_id == nullptr) return missing("out_id");
    auto id = engine->engine->fork_session(lh::to_utf8(text_or_empty(session_id)));
    if (!id.ok()) return id.status();
    Status status = hand_out(*id, out_id);
    if (!status.ok()) engine->engine->forget_session(*id);
    return status;
  });
}

lh_status lh_session_close(lh_engine* engine, const char* session_id, const lh_task_callbacks* callbacks, lh_task** out,
                           char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json, [&](Engine& it, const lh_task_callbacks& to) {
    return it.close_session(lh::to_utf8(text_or_empty(session_id)), to);
  });
}

lh_status lh_engine_close(lh_engine* engine, const lh_task_callbacks* callbacks, lh_task** out,
                          char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [](Engine& it, const lh_task_callbacks& to) { return it.close(to); });
}

lh_status lh_system_info(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [] {
    Json info = {{"abi", LH_ABI_VERSION}};
    info.update(lh::runtime_info());
    return info;
  });
}

lh_status lh_engine_memory(lh_engine* engine, char** out_json) LH_NOEXCEPT {
  return hand_out_json(engine, out_json, nullptr, [&] { return engine->engine->memory(); });
}

}  // extern "C"
