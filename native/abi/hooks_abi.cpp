// The functions of hooks.h. Must not: hold policy; each one casts, guards and calls.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "abi/guard.h"
#include "base/log.h"
#include "hooks/allocator.h"
#include "hooks/call.h"
#include "hooks/hook_options.h"
#include "hooks/native_library.h"
#include "hooks/registry_handle.h"
#include "llama_hooks/hooks.h"

using lh::Code;
using lh::HookSpec;
using lh::Json;
using lh::Result;
using lh::Status;
using lh::abi::guard;
using lh::abi::hand_out;
using lh::abi::missing;

#define LH_SAME_CODE(name, code) static_assert(static_cast<int>(Code::code) == LH_ERR_##name)
LH_SAME_CODE(INVALID_ARGUMENT, kInvalidArgument);
LH_SAME_CODE(NOT_FOUND, kNotFound);
LH_SAME_CODE(CLOSED, kClosed);
LH_SAME_CODE(CANCELLED, kCancelled);
LH_SAME_CODE(REENTRANT, kReentrant);
LH_SAME_CODE(INTERNAL, kInternal);
LH_SAME_CODE(MODEL_FILE_NOT_FOUND, kModelFileNotFound);
LH_SAME_CODE(MODEL_FILE_INVALID, kModelFileInvalid);
LH_SAME_CODE(UNSUPPORTED_ARCHITECTURE, kUnsupportedArchitecture);
LH_SAME_CODE(MODEL_LOAD_FAILED, kModelLoadFailed);
LH_SAME_CODE(INSUFFICIENT_MEMORY, kInsufficientMemory);
LH_SAME_CODE(MODEL_NOT_LOADED, kModelNotLoaded);
LH_SAME_CODE(MODEL_IN_USE, kModelInUse);
LH_SAME_CODE(PROMPT_TOO_LONG, kPromptTooLong);
LH_SAME_CODE(INVALID_GRAMMAR, kInvalidGrammar);
LH_SAME_CODE(INVALID_SCHEMA, kInvalidSchema);
LH_SAME_CODE(INVALID_MESSAGES, kInvalidMessages);
LH_SAME_CODE(TEMPLATE_FAILED, kTemplateFailed);
LH_SAME_CODE(DECODE_FAILED, kDecodeFailed);
LH_SAME_CODE(TOOLS_UNSUPPORTED, kToolsUnsupported);
LH_SAME_CODE(OUTPUT_TOO_DEEP, kOutputTooDeep);
LH_SAME_CODE(HOOK_CANCELLED, kHookCancelled);
LH_SAME_CODE(HOOK_FAILED, kHookFailed);
LH_SAME_CODE(HOOK_TIMEOUT, kHookTimeout);
LH_SAME_CODE(HOOK_BAD_ANSWER, kHookBadAnswer);
LH_SAME_CODE(UNKNOWN_HOOK_POINT, kUnknownHookPoint);
LH_SAME_CODE(LIBRARY_NOT_LOADED, kLibraryNotLoaded);
LH_SAME_CODE(SYMBOL_NOT_FOUND, kSymbolNotFound);
LH_SAME_CODE(RETRY_LIMIT, kRetryLimit);
LH_SAME_CODE(BACKEND_UNAVAILABLE, kBackendUnavailable);
LH_SAME_CODE(VERSION_MISMATCH, kVersionMismatch);
#undef LH_SAME_CODE

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
  Result<HookSpec> spec = lh::read_hook_options(options);
  if (!spec.ok()) return spec.status();
  spec->point = point;
  spec->callback = hook;
  spec->user_data = user_data;
  const Result<uint64_t> id = registry->registry.add(*std::move(spec));
  if (id.ok()) *out_id = *id;
  return id.status();
}

Status register_plugin(lh_registry* registry, const char* path, uint64_t* out_id) {
  const Result<void*> entry = lh::find_in_library(path, "lh_plugin_register");
  if (!entry.ok()) return entry.status();
  const lh_status status = reinterpret_cast<lh_plugin_register_fn>(*entry)(registry);
  if (status != LH_OK) {
    const std::string name = lh_status_name(status);
    return {name == "UNKNOWN" ? Code::kHookFailed : static_cast<Code>(status),
            "lh_plugin_register of \"" + std::string(path) + "\" returned " + std::to_string(status) + " (" + name + ")"};
  }
  *out_id = 0;
  return {};
}

Status add_native(lh_registry* registry, const char* path, const char* symbol, lh_hook_point point,
                  const lh_hook_options* options, uint64_t* out_id) {
  if (registry == nullptr) return missing("registry");
  if (path == nullptr) return missing("path");
  if (out_id == nullptr) return missing("out_id");
  if (symbol == nullptr && point == -1) return register_plugin(registry, path, out_id);
  if (symbol == nullptr) return missing("symbol");
  if (lh::point_slot(point) < 0) {
    return {Code::kUnknownHookPoint, "no hook point has the number " + std::to_string(point)};
  }
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
  if (lh::point_slot(point) < 0) {
    return {Code::kUnknownHookPoint, "no hook point has the number " + std::to_string(point)};
  }
  Result<Json> context = read_context(context_json);
  if (!context.ok()) return context.status();
  const lh::Outcome outcome = registry->dispatcher.fire(
      point, lh::Scope{}, [&](std::string& out) { lh::append_members(out, *context); });
  lh::Decision decision = outcome->decision;
  decision.point = point;  // also where nobody was asked
  Json result = {{"decision", lh::to_json(decision)}};
  result["context"] = lh::with_changes(*std::move(context), *outcome);
  result["answers"] = outcome->answers.is_null() ? Json::object() : outcome->answers;
  return hand_out(lh::dump_json(result), out_json);
}

Status fail_call(lh_status status, const char* message, uint64_t cause_id) {
  lh::Call* call = lh::Call::current();
  if (call == nullptr) return {Code::kInvalidArgument, "no hook call is running on this thread"};
  switch (status) {
    case LH_ERR_CANCELLED:
    case LH_ERR_HOOK_CANCELLED:
    case LH_ERR_HOOK_FAILED:
    case LH_ERR_HOOK_TIMEOUT:
    case LH_ERR_HOOK_BAD_ANSWER: break;
    default: return {Code::kInvalidArgument, "status: not one that a hook call fails with"};
  }
  call->fail({static_cast<Code>(status), message == nullptr ? "" : message, cause_id});
  return {};
}

}  // namespace

extern "C" {

const char* lh_status_name(lh_status status) LH_NOEXCEPT { return lh::code_name(static_cast<Code>(status)); }

void* lh_alloc(size_t size) LH_NOEXCEPT { return lh::allocate_block(size); }
void lh_free(void* block) LH_NOEXCEPT { free_or_report(block); }
char* lh_strdup(const char* text) LH_NOEXCEPT { return text == nullptr ? nullptr : lh::copy_to_block(text); }
int64_t lh_alloc_balance(void) LH_NOEXCEPT { return lh::live_blocks(); }

// The names by which hooks written for Entropic know the allocator.
LH_API void* entropic_alloc(size_t size) LH_NOEXCEPT { return lh::allocate_block(size); }
LH_API void entropic_free(void* block) LH_NOEXCEPT { free_or_report(block); }

lh_status lh_registry_create(lh_registry** out) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (out == nullptr) return missing("out");
    *out = std::make_unique<lh_registry>().release();
    return Status();
  });
}

void lh_registry_free(lh_registry* registry) LH_NOEXCEPT { const std::unique_ptr<lh_registry> owned(registry); }

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
  return guard(nullptr, [&] { return registry == nullptr ? missing("registry") : registry->registry.clear(point); });
}

int lh_hook_has(const lh_registry* registry, lh_hook_point point) LH_NOEXCEPT {
  return registry != nullptr && registry->registry.has(point) ? 1 : 0;
}

lh_status lh_hook_list(const lh_registry* registry, char** out_json) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (registry == nullptr) return missing("registry");
    if (out_json == nullptr) return missing("out_json");
    return hand_out(lh::dump_json(registry->registry.list()), out_json);
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

int lh_call_cancelled(void) LH_NOEXCEPT {
  const lh::Call* call = lh::Call::current();
  return call == nullptr || call->cancelled() ? 1 : 0;
}

lh_status lh_call_on_cancel(void (*wake)(void* user_data), void* user_data) LH_NOEXCEPT {
  return guard(nullptr, [&] {
    if (wake == nullptr) return missing("wake");
    if (lh::Call::current() == nullptr) return Status(Code::kInvalidArgument, "no hook call is running on this thread");
    lh::Call::current()->on_cancel([wake, user_data] { wake(user_data); });
    return Status();
  });
}

}  // extern "C"
