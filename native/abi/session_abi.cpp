// The functions of engine.h for sessions. Must not: hold policy; each one casts, guards and calls.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "abi/engine_calls.h"
#include "base/system/atomic_file.h"
#include "base/text/utf8.h"
#include "engine/tasks/requests.h"
#include "generation/conversation_json.h"
#include "hooks/calls/call.h"

using lh::Engine;
using lh::Result;
using lh::Status;
using lh::abi::check_optional_id;
using lh::abi::guard;
using lh::abi::hand_out;
using lh::abi::hooks_of;
using lh::abi::missing;
using lh::abi::start_task;
using lh::abi::Takes;
using lh::abi::text_or_empty;

namespace {

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

}  // namespace

extern "C" {

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

lh_status lh_tool_directive(uint64_t call_id, const char* type, const char* params_json,
                            char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (type == nullptr || *type == '\0') return missing("type");
    auto params = lh::parse_json(params_json == nullptr ? "{}" : params_json, "params_json");
    if (!params.ok()) return params.status();
    if (!params->is_object()) return {lh::Code::kInvalidArgument, "params_json must be an object"};
    return lh::CallFrame::direct(call_id, {{"type", lh::to_utf8(type)}, {"params", *std::move(params)}});
  });
}

lh_status lh_tool_progress(uint64_t call_id, double done, double total, const char* message,
                           char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (!std::isfinite(done) || done < 0) return {lh::Code::kInvalidArgument, "done must be a number of at least 0"};
    if (std::isnan(total) || std::isinf(total)) return {lh::Code::kInvalidArgument, "total must be a number"};
    lh::CallProgress progress{done, {}, {}};
    if (total >= 0) progress.total = total;
    if (message != nullptr) progress.message = lh::to_utf8(message);
    return lh::Call::tell_progress(call_id, std::move(progress));
  });
}

lh_status lh_tool_report(uint64_t call_id, const char* code, const char* message, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (code == nullptr || *code == '\0') return missing("code");
    if (message == nullptr) return missing("message");
    return lh::CallFrame::report(call_id, {lh::to_utf8(code), lh::to_utf8(message)});
  });
}

lh_status lh_tool_elicit(lh_engine* engine, uint64_t call_id, const char* request_json,
                         const lh_task_callbacks* callbacks, lh_task** out, char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      auto request = lh::parse_elicit_request(text_or_empty(request_json));
                      if (!request.ok()) return request.status();
                      return it.elicit(call_id, *std::move(request), to);
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
    return hand_out(lh::dump_json(lh::history_json(session.history(request->compacted))), out_json);
  });
}

lh_status lh_session_waiting(lh_engine* engine, const char* session_id, char** out_json,
                             char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (out_json == nullptr) return missing("out_json");
    const auto waiting = session.waiting();
    return hand_out(lh::dump_json(waiting ? lh::waiting_calls(*waiting) : lh::Json::array()), out_json);
  });
}

lh_status lh_session_queue(lh_engine* engine, const char* session_id, const char* content,
                           char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    if (content == nullptr) return missing("content");
    session.inbox().put({lh::to_utf8(content)});
    return {};
  });
}

lh_status lh_session_set_tools(lh_engine* engine, const char* session_id, const lh_tool* const* tools,
                               size_t tool_count, char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    const auto read = read_tools(tools, tool_count);
    if (!read.ok()) return read.status();
    if (Status status = session.set_tools(*read); !status.ok()) return status;
    for (const auto& tool : *read) tool->keep();
    return {};
  });
}

lh_status lh_session_set_tiers(lh_engine* engine, const char* session_id, const char* tiers_json,
                               char** error_json) LH_NOEXCEPT {
  return with_session(engine, session_id, error_json, [&](lh::Session& session) -> Status {
    const auto json = lh::parse_json(tiers_json == nullptr ? "{}" : tiers_json, "tiers");
    if (!json.ok()) return json.status();
    auto tiers = lh::read_tiers(*json);
    return tiers.ok() ? session.set_tiers(*std::move(tiers)) : tiers.status();
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

lh_status lh_session_record(lh_engine* engine, const char* session_id, char** out_json, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_json == nullptr) return missing("out_json");
    const auto record = engine->engine->session_record(lh::to_utf8(text_or_empty(session_id)));
    return record.ok() ? hand_out(lh::dump_json(*record), out_json) : record.status();
  });
}

lh_status lh_session_report(lh_engine* engine, const char* session_id, const char* code, const char* message,
                            const char* where, const lh_task_callbacks* callbacks, lh_task** out,
                            char** error_json) LH_NOEXCEPT {
  return start_task(engine, callbacks, out, error_json,
                    [&](Engine& it, const lh_task_callbacks& to) -> Engine::TaskResult {
                      if (code == nullptr || *code == '\0') return missing("code");
                      if (message == nullptr) return missing("message");
                      if (where == nullptr || *where == '\0') return missing("where");
                      return it.report_session(lh::to_utf8(text_or_empty(session_id)), lh::to_utf8(code),
                                               lh::to_utf8(message), lh::to_utf8(where), to);
                    });
}

lh_status lh_session_fork(lh_engine* engine, const char* session_id, char** out_id, char** error_json) LH_NOEXCEPT {
  return lh_session_fork_at(engine, session_id, nullptr, out_id, error_json);
}

lh_status lh_session_rewind(lh_engine* engine, const char* session_id, const char* message_id,
                            char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (Status status = check_optional_id(message_id, "message_id"); !status.ok()) return status;
    return engine->engine->rewind_session(lh::to_utf8(text_or_empty(session_id)),
                                          lh::to_utf8(text_or_empty(message_id)));
  });
}

lh_status lh_session_fork_at(lh_engine* engine, const char* session_id, const char* message_id, char** out_id,
                             char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&]() -> Status {
    if (engine == nullptr) return missing("engine");
    if (out_id == nullptr) return missing("out_id");
    if (Status status = check_optional_id(message_id, "message_id"); !status.ok()) return status;
    auto id =
        engine->engine->fork_session(lh::to_utf8(text_or_empty(session_id)), lh::to_utf8(text_or_empty(message_id)));
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

}  // extern "C"
