// The addon's data for one Node environment: see env_data.h.
#include "env_data.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/threads/mutex.h"
#include "js/js_call.h"
#include "llama_hooks/engine.h"
#include "platform/process_end.h"

namespace lh::node {
namespace {

// The code that the process will end with, as far as JavaScript has said.
std::atomic<int> exit_code{0};

// A stuck thread may hold the lock of a stream, and the work uses what destructors of statics free.
void leave_at_once(int code) {
  if (lh_left_behind() != 0) end_process(code < 0 ? exit_code.load() : code);
}

// If work was left behind (see lh_left_behind), the process will end without destroying what that work uses.
bool leave_work_behind() {
  if (lh_left_behind() == 0) return false;
  before_destructors(&leave_at_once);
  return true;
}

// The environments of the process, for its exit. Never destroyed: exit handlers and static destructors interleave.
struct Environments {
  Mutex mutex;
  std::vector<EnvData*> all LH_GUARDED_BY(mutex);
};
Environments& environments() {
  static auto* const environments = new Environments;
  return *environments;
}

// The last resort for an exit that JavaScript does not see (process.reallyExit, exit() in C). It comes late: exit
// handlers run last in, first out, together with the destructors of statics that ggml creates at its first computation,
// so a running computation may crash. Therefore the "exit" listener.
void on_exit_in_c() {
  EnvData* ours = nullptr;
  {
    const MutexLock lock(environments().mutex);
    for (EnvData* data : environments().all) {
      // This thread cannot wait for an environment of another thread, which may be gone once the lock is released.
      if (data->js()->is_current()) ours = data;
    }
  }
  if (ours) ours->shut_down();
}

void on_exit_in_js(const Napi::CallbackInfo& info) {
  if (info[0].IsNumber()) exit_code = info[0].As<Napi::Number>().Int32Value();
  EnvData::of(info.Env()).shut_down();
}

void on_cleanup(void* data) { static_cast<EnvData*>(data)->shut_down(); }

}  // namespace

EnvData::EnvData(Napi::Env env) : js_(std::make_shared<JsThread>(env)) {
  // After the JsThread's function, so that this runs before Node removes that.
  napi_add_env_cleanup_hook(env, &on_cleanup, this);
  const MutexLock lock(environments().mutex);
  environments().all.push_back(this);
}

EnvData::~EnvData() {
  const MutexLock lock(environments().mutex);
  std::erase(environments().all, this);
}

void EnvData::add(Napi::Env env, std::shared_ptr<EngineState> engine) {
  engines_.push_back(std::move(engine));
  if (std::exchange(listens_, true)) return;
  on_process_exit(env, Napi::Function::New<on_exit_in_js>(env, "closeLlamaHooks"));
  static std::once_flag once;  // once per process, for all environments
  std::call_once(once, [] { std::atexit(&on_exit_in_c); });
}

void EnvData::retire(const std::shared_ptr<EngineState>& engine) {
  if (std::erase(engines_, engine) == 0) return;
  std::erase_if(retiring_, [](const Background& retired) { return retired.is_over(); });
  engine->stop();
  try {
    retiring_.emplace_back([engine] { engine->free_engine(); });
  } catch (const std::system_error&) {  // no thread can be started: the engine is freed with the environment
    engines_.push_back(engine);
  }
}

void EnvData::shut_down() {
  shut_down_ = true;
  js_->close();
  const auto engines = std::exchange(engines_, {});
  for (const auto& engine : engines) engine->stop();
  for (const auto& engine : engines) {
    // Before the tasks, because this gives up those that are stuck, all at the same time. Inside a hook on this thread
    // the engine itself cannot be freed: it ends with the process.
    if (engine->in_place_hooks == 0) engine->free_engine();
    engine->free_tasks();
  }
  retiring_.clear();
  if (!leave_work_behind() || std::exchange(told_, true)) return;
  std::fputs(
      "llama-hooks error: the process or worker ends although a thread has not come back from llama.cpp or from "
      "a native callback; what it uses is left behind (STUCK)\n",
      stderr);
}

}  // namespace lh::node
