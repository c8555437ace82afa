// The functions of hooks.h. Must not: hold policy; each one casts, guards and calls.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "abi/guard.h"
#include "abi/plugin.h"
#include "base/caller_struct.h"
#include "base/system/log.h"
#include "base/system/native_library.h"
#include "base/text/names.h"
#include "hooks/calls/allocator.h"
#include "hooks/calls/call.h"
#include "hooks/dispatch/registry_handle.h"
#include "hooks/registry/hook_options.h"
#include "llama_hooks/hooks.h"

using lh::Code;
using lh::HookSpec;
using lh::Json;
using lh::Result;
using lh::Status;
using lh::abi::guard;
using lh::abi::hand_out;
using lh::abi::missing;

struct lh_pending {
  std::shared_ptr<lh::Pending> state;
};

namespace {

void free_or_report(void* block) noexcept {
  if (lh::free_block(block)) return;
  guard(nullptr, [] {
    lh::log_line(lh::LogLevel::kError, "lh_free: a pointer that is not a live block of lh_alloc was left alone");
    return Status();
  });
}

Status add_hook(lh_registry* registry, lh_hook_point point, lh_hook_fn hook, void* user_data,
                const lh_hook_options* options, uint64_t* out_id) {
  if (registry == nullptr) return missing("registry");
  if (out_id == nullptr) return missing("out_id");
  Result<HookSpec> spec = lh::read_hook_options(point, options);
  if (!spec.ok()) return spec.status();
  spec->callback = hook;
  spec->user_data = user_data;
  spec->owner = registry->owner();
  const Result<uint64_t> id = registry->registry.add(*std::move(spec));
  if (id.ok()) *out_id = *id;
  return id.status();
}

// Options for a plug-in's hooks would be lost, because a plug-in sets them itself.
Status check_plugin_options(const lh_hook_options* options) {
  if (options == nullptr) return {};
  const auto given = lh::read_struct(*options, LH_HOOK_OPTIONS_INIT, "options");
  if (!given.ok()) return given.status();
  const bool named = given->name != nullptr && *given->name != '\0';
  const bool asks = named || given->priority != 0 || given->deadline_ms != 0 || given->flags != 0;
  if (!asks && given->release == nullptr && given->when == nullptr && given->fields == nullptr) return {};
  return {Code::kInvalidArgument, "options: a plug-in sets the options of its own hooks; pass NULL"};
}

Status add_native(lh_registry* registry, const char* path, const char* symbol, lh_hook_point point,
                  const lh_hook_options* options, uint64_t* out_id) {
  if (registry == nullptr) return missing("registry");
  if (path == nullptr) return missing("path");
  if (out_id == nullptr) return missing("out_id");
  if (registry->registry.sealed()) return {Code::kClosed, "the engine is closed"};
  if (symbol == nullptr && point == -1) {
    if (Status status = check_plugin_options(options); !status.ok()) return status;
    if (Status status = lh::abi::register_plugin(registry, path); !status.ok()) return status;
    *out_id = 0;
    return {};
  }
  if (symbol == nullptr) return missing("symbol");
  if (lh::point_slot(point) < 0) return lh::unknown_point(point);
  const Result<void*> hook = lh::find_in_library(path, symbol);
  if (!hook.ok()) return hook.status();
  return add_hook(registry, point, reinterpret_cast<lh_hook_fn>(*hook), nullptr, options, out_id);
}

Result<Json> read_context(const char* context_json) {
  if (context_json == nullptr) return missing("context_json");
  Result<Json> context = lh::parse_json(context_json, "context_json");
  if (!context.ok()) return context;
  if (!context->is_object()) return Status(Code::kInvalidArgument, "context_json: not a JSON object");
  if (context->contains("meta")) return Status(Code::kInvalidArgument, "context_json: \"meta\" is the engine's");
  return context;
}

Status dispatch(lh_registry* registry, lh_hook_point point, const char* context_json, char** out_json) {
  if (registry == nullptr) return missing("registry");
  if (out_json == nullptr) return missing("out_json");
  if (lh::point_slot(point) < 0) return lh::unknown_point(point);
  if (registry->registry.sealed()) return {Code::kClosed, "the engine is closed"};
  Result<Json> context = read_context(context_json);
  if (!context.ok()) return context.status();
  lh::Scope scope;
  scope.owners = registry->owners();
  const lh::Outcome outcome =
      registry->dispatcher.fire(point, scope, [&](std::string& out) { lh::append_members(out, *context); });
  lh::Decision decision = outcome->decision;
  decision.point = point;  // also if no hook ran
  Json result = {{"decision", lh::to_json(decision)}};
  result["context"] = lh::with_changes(*std::move(context), *outcome);
  result["answers"] = outcome->answers.is_null() ? Json::object() : outcome->answers;
  return hand_out(lh::dump_json(result), out_json);
}

Result<lh::HookFailure> read_failure(lh_status status, const char* message, uint64_t cause_id) {
  switch (status) {
    case LH_ERR_CLOSED:
    case LH_ERR_CANCELLED:
    case LH_ERR_HOOK_CANCELLED:
    case LH_ERR_HOOK_FAILED:
    case LH_ERR_HOOK_TIMEOUT:
    case LH_ERR_HOOK_BAD_ANSWER: break;
    default: return Status(Code::kInvalidArgument, "status: not one that a hook call fails with");
  }
  return lh::HookFailure{static_cast<Code>(status), message == nullptr ? "" : message, cause_id};
}

Status no_call() { return {Code::kInvalidArgument, "no hook call is running on this thread"}; }

Status fail_call(lh_status status, const char* message, uint64_t cause_id) {
  lh::Call* call = lh::Call::current();
  if (call == nullptr) return no_call();
  Result<lh::HookFailure> failure = read_failure(status, message, cause_id);
  if (!failure.ok()) return failure.status();
  call->fail(*std::move(failure));
  return {};
}

Status defer_call(lh::Pending::OnOver on_over, void* user_data, lh_pending** out) {
  if (out == nullptr) return missing("out");
  if (lh::Call::current() == nullptr) return no_call();
  auto pending = std::make_unique<lh_pending>();  // before the call is deferred, because nothing may fail afterwards
  auto deferred = lh::Call::current()->defer(on_over, user_data);
  if (!deferred.ok()) return deferred.status();
  pending->state = *std::move(deferred);
  *out = pending.release();
  return {};
}

Status finish_pending(lh_pending* pending, lh::Pending::Answer answer) {
  char* const block = answer.block;
  const std::unique_ptr<lh_pending> owned(pending);
  const Code code = pending->state->finish(std::move(answer));
  if (code == Code::kOk) return {};
  free_or_report(block);
  return {code, "the hook call was over"};
}

}  // namespace

extern "C" {

int32_t lh_abi_version(void) LH_NOEXCEPT { return LH_ABI_VERSION; }

const char* lh_status_name(lh_status status) LH_NOEXCEPT { return lh::code_name(static_cast<Code>(status)); }

void* lh_alloc(size_t size) LH_NOEXCEPT { return lh::allocate_block(size); }
void lh_free(void* block) LH_NOEXCEPT { free_or_report(block); }
char* lh_strdup(const char* text) LH_NOEXCEPT { return text == nullptr ? nullptr : lh::copy_to_block(text); }
int64_t lh_alloc_balance(void) LH_NOEXCEPT { return lh::live_blocks(); }

// The allocator's names in hooks written for Entropic.
LH_EXPORT void* entropic_alloc(size_t size) LH_NOEXCEPT { return lh::allocate_block(size); }
LH_EXPORT void entropic_free(void* block) LH_NOEXCEPT { free_or_report(block); }

lh_status lh_registry_create(lh_registry** out) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (out == nullptr) return missing("out");
    *out = std::make_unique<lh_registry>().release();
    return Status();
  });
}

lh_status lh_registry_scope(lh_registry* registry, lh_hook_scope scope, lh_registry** out) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (registry == nullptr) return missing("registry");
    if (out == nullptr) return missing("out");
    if (registry->scope != nullptr) return {Code::kInvalidArgument, "registry: is a scope itself"};
    if (scope != LH_SCOPE_RUN && scope != LH_SCOPE_GENERATION) {
      return {Code::kInvalidArgument, "scope: is neither LH_SCOPE_RUN nor LH_SCOPE_GENERATION"};
    }
    if (registry->registry.sealed()) return {Code::kClosed, "the engine is closed"};
    const lh::HookLevel level = scope == LH_SCOPE_RUN ? lh::HookLevel::kRun : lh::HookLevel::kGeneration;
    *out = std::make_unique<lh_registry>(*registry, registry->dispatcher.open_scope(level)).release();
    return {};
  });
}

void lh_registry_free(lh_registry* registry) LH_NOEXCEPT { const std::unique_ptr<lh_registry> owned(registry); }

lh_status lh_registry_warnings(lh_registry* registry, lh_warning_fn receiver, void* user_data) LH_NOEXCEPT {
  return guard(nullptr, [&]() -> Status {
    if (registry == nullptr) return missing("registry");
    if (receiver == nullptr) {
      registry->dispatcher.warnings().set_sink(nullptr);
      return {};
    }
    registry->dispatcher.warnings().set_sink(
        [receiver, user_data](const Json& warning) { receiver(lh::dump_json(warning).c_str(), user_data); });
    return {};
  });
}

void lh_names_set(int typescript) LH_NOEXCEPT {
  lh::set_names(typescript != 0 ? lh::Names::kTypeScript : lh::Names::kC);
}

lh_status lh_hook_add(lh_registry* registry, lh_hook_point point, lh_hook_fn hook, void* user_data,
                      const lh_hook_options* options, uint64_t* out_id, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&] { return add_hook(registry, point, hook, user_data, options, out_id); });
}

lh_status lh_hook_add_native(lh_registry* registry, const char* path, const char* symbol, lh_hook_point point,
                             const lh_hook_options* options, uint64_t* out_id, char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&] { return add_native(registry, path, symbol, point, options, out_id); });
}

lh_status lh_hook_remove(lh_registry* registry, uint64_t id) LH_NOEXCEPT {
  return guard(nullptr, [&] { return registry == nullptr ? missing("registry") : registry->registry.remove(id); });
}

lh_status lh_hook_retire(lh_registry* registry, uint64_t id) LH_NOEXCEPT {
  return guard(nullptr, [&] { return registry == nullptr ? missing("registry") : registry->registry.retire(id); });
}

lh_status lh_hook_clear(lh_registry* registry, lh_hook_point point) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    return registry == nullptr ? missing("registry") : registry->registry.clear(point, registry->owner());
  });
}

int lh_hook_has(const lh_registry* registry, lh_hook_point point) LH_NOEXCEPT {
  return registry != nullptr && registry->registry.has(point, registry->owner()) ? 1 : 0;
}

lh_status lh_hook_list(const lh_registry* registry, char** out_json) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (registry == nullptr) return missing("registry");
    if (out_json == nullptr) return missing("out_json");
    return hand_out(lh::dump_json(registry->registry.list(registry->owner())), out_json);
  });
}

lh_status lh_hook_dispatch(lh_registry* registry, lh_hook_point point, const char* context_json, char** out_json,
                           char** error_json) LH_NOEXCEPT {
  return guard(error_json, [&] { return dispatch(registry, point, context_json, out_json); });
}

const char* lh_hook_points_json(void) LH_NOEXCEPT { return lh::points_json().data(); }

lh_status lh_call_fail(lh_status status, const char* message, uint64_t cause_id) LH_NOEXCEPT {
  return guard(nullptr, [&] { return fail_call(status, message, cause_id); });
}

lh_status lh_call_pass(void) LH_NOEXCEPT {
  lh::Call* call = lh::Call::current();
  if (call == nullptr) return LH_ERR_INVALID_ARGUMENT;
  call->pass();
  return LH_OK;
}

int lh_call_cancelled(void) LH_NOEXCEPT {
  const lh::Call* call = lh::Call::current();
  return call == nullptr || call->cancelled() ? 1 : 0;
}

lh_status lh_call_on_cancel(void (*wake)(void* user_data), void* user_data) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (wake == nullptr) return missing("wake");
    if (lh::Call::current() == nullptr) return no_call();
    lh::Call::current()->on_cancel([wake, user_data] { wake(user_data); });
    return Status();
  });
}

lh_status lh_call_defer(void (*on_over)(lh_status status, void* user_data), void* user_data,
                        lh_pending** out) LH_NOEXCEPT {
  return guard(nullptr, [&] { return defer_call(on_over, user_data, out); });
}

lh_status lh_pending_finish(lh_pending* pending, int result, char* modified_json) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (pending == nullptr) return missing("pending");
    return finish_pending(pending, {result, modified_json, std::nullopt, false});
  });
}

lh_status lh_pending_pass(lh_pending* pending) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (pending == nullptr) return missing("pending");
    lh::Pending::Answer passed;
    passed.passed = true;
    return finish_pending(pending, std::move(passed));
  });
}

lh_status lh_pending_queue(lh_pending* pending) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (pending == nullptr) return missing("pending");
    pending->state->queue();
    return Status();
  });
}

lh_status lh_pending_begin(lh_pending* pending) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (pending == nullptr) return missing("pending");
    const Code code = pending->state->begin();
    return code == Code::kOk ? Status() : Status(code, "nobody waits for the answer");
  });
}

lh_status lh_pending_fail(lh_pending* pending, lh_status status, const char* message, uint64_t cause_id) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (pending == nullptr) return missing("pending");
    Result<lh::HookFailure> failure = read_failure(status, message, cause_id);
    if (!failure.ok()) return failure.status();
    return finish_pending(pending, {0, nullptr, *std::move(failure), false});
  });
}

uint64_t lh_call_id(void) LH_NOEXCEPT {
  uint64_t id = 0;
  guard(nullptr, [&] {
    if (const auto frame = lh::Call::current_frame()) id = frame->id;
    return Status();
  });
  return id;
}

lh_status lh_call_enter(uint64_t call_id) LH_NOEXCEPT {
  return guard(nullptr, [&] { return lh::CallFrame::enter(call_id); });
}

void lh_call_leave(void) LH_NOEXCEPT { lh::CallFrame::leave(); }

}  // extern "C"
