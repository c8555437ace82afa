// Options and requests of the C ABI: {"<function>": its JSON, ...}. A text is passed as it is.
#include <array>

#include "base/json/json.h"
#include "fuzz/fuzz.h"

namespace lh::fuzz {
namespace {

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : dump_json(json); }

int answer_done(const char*, char** result, void*) {
  *result = lh_strdup("done");
  return 0;
}

int do_nothing(lh_hook_point, const char*, char**, void*) { return 0; }

// The functions that answer at once, and those that start a task.
using Now = lh_status (*)(lh_engine*, const char*, const char*, char**, char**);
using Later = lh_status (*)(lh_engine*, const char*, const lh_task_callbacks*, lh_task**, char**);

void finish(lh_status begun, lh_task* task, const lh_status& status) {
  if (begun != LH_OK) return;
  wait_or_cancel(task);
  require(status >= 0, "a task that has begun reports its end");
  require(status != LH_ERR_INTERNAL, "no input is a defect of the library");
}

void call_now(Now function, const Json* request) {
  if (request == nullptr) return;
  char* out = nullptr;
  char* error = nullptr;
  const lh_status status = function(engine_with_model(), "m", text_of(*request).c_str(), &out, &error);
  require((status == LH_OK) == (out != nullptr) && (status == LH_OK) == (error == nullptr), "a result or an error");
  require(status != LH_ERR_INTERNAL, "no input is a defect of the library");
  lh_free(out);
  lh_free(error);
}

void call_later(Later function, const Json* request) {
  if (request == nullptr) return;
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  const std::string text = text_of(*request);
  finish(function(engine_with_model(), text.c_str(), &callbacks, &task, nullptr), task, status);
}

void load(const Json* options) {
  if (options == nullptr) return;
  Json given = *options;
  if (given.is_object() && given.contains("path")) given["path"] = LH_FUZZ_MODEL;
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  lh_engine* const engine = bare_engine();
  finish(lh_model_load(engine, "n", text_of(given).c_str(), &callbacks, &task, nullptr), task, status);
  finish(lh_model_unload(engine, "n", nullptr, &callbacks, &task, nullptr), task, status);
}

void add_hook(const Json* options) {
  if (options == nullptr) return;
  const std::string when = text_of(*options);
  lh_hook_options hook = LH_HOOK_OPTIONS_INIT;
  hook.when = when.c_str();
  uint64_t id = 0;
  lh_registry* const hooks = lh_engine_hooks(engine_with_model());
  if (lh_hook_add(hooks, LH_HOOK_PRE_GENERATE, do_nothing, nullptr, &hook, &id, nullptr) != LH_OK) return;
  static const Json messages = Json::array({{{"role", "user"}, {"content", "x"}}});
  call_later(lh_generate, &messages);  // refused, and yet the hook is known
  require(lh_hook_remove(hooks, id) == LH_OK, "a hook can be removed");
}

// Runs of one session, with a tool whose parameters may be anything.
void use_session(const Json& all, const Json* options, const Json* run) {
  lh_engine* const engine = engine_with_model();
  lh_tool tool = LH_TOOL_INIT;
  tool.name = "weather";
  std::string parameters;
  if (all.contains("parameters")) {
    parameters = text_of(all["parameters"]);
    tool.parameters_json = parameters.c_str();
  }
  tool.run = answer_done;
  const lh_tool* const tools[] = {&tool};
  char* id = nullptr;
  const std::string text = options == nullptr ? "{}" : text_of(*options);
  if (lh_session_open(engine, text.c_str(), tools, 1, &id, nullptr) != LH_OK) return;
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  if (all.contains("queue")) {
    static_cast<void>(lh_session_queue(engine, id, text_of(all["queue"]).c_str(), nullptr));
  }
  const std::string request = run == nullptr ? R"({"content": "What is 12 * 7?"})" : text_of(*run);
  finish(lh_session_run(engine, id, request.c_str(), &callbacks, &task, nullptr), task, status);
  if (all.contains("compact")) {
    const std::string compact = text_of(all["compact"]);
    finish(lh_session_compact(engine, id, compact.c_str(), &callbacks, &task, nullptr), task, status);
  }
  finish(lh_session_close(engine, id, &callbacks, &task, nullptr), task, status);
  require(status == LH_OK, "a session can be closed");
  lh_free(id);
}

}  // namespace

void fuzz_request(std::string_view input) {
  const Result<Json> parsed = parse_json(input, "case");
  if (!parsed.ok() || !parsed->is_object()) return;
  const auto part = [&](const char* name) -> const Json* {
    const auto found = parsed->find(name);
    return found == parsed->end() ? nullptr : &*found;
  };
  static_cast<void>(engine_with_model());
  static_cast<void>(bare_engine());
  const int64_t blocks = lh_alloc_balance();
  call_now(lh_tokenize, part("tokenize"));
  call_now(lh_detokenize, part("detokenize"));
  call_now(lh_render_prompt, part("render"));
  call_later(lh_generate, part("generate"));
  call_later(lh_embed, part("embed"));
  call_later(lh_rerank, part("rerank"));
  load(part("load"));
  add_hook(part("when"));
  if (part("session") != nullptr || part("run") != nullptr) use_session(*parsed, part("session"), part("run"));
  require(lh_alloc_balance() == blocks, "every block of the allocator is freed");
}

}  // namespace lh::fuzz
