// The models and engines of the targets, made once, when first needed.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "fuzz/fuzz.h"
#include "llama/base/handles.h"
#include "llama/base/runtime.h"

namespace lh::fuzz {
namespace {

// Longer than any work here takes; the work after a cancel must end well within libFuzzer's limit of 20 s.
constexpr std::chrono::seconds kPatience{4};

void end_into(lh_status status, const char*, void* user_data) { *static_cast<lh_status*>(user_data) = status; }

lh_engine* make_engine() {
  lh_engine* engine = nullptr;
  const std::string options =
      std::string(R"({"libraries": ")") + LH_FUZZ_LIBRARIES + R"(", "gpu": false, "memory_budget": 256})";
  require(lh_engine_create(options.c_str(), &engine, nullptr) == LH_OK, "the engine is created");
  return engine;
}

}  // namespace

const llama_model* vocabulary_model() {
  static const ModelPtr model = [] {
    require(init_runtime({LH_FUZZ_LIBRARIES, ""}).ok(), "llama.cpp is loaded");
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    return ModelPtr(llama_model_load_from_file(LH_FUZZ_MODEL, params));
  }();
  require(model != nullptr, "the bundled model is loaded");
  return model.get();
}

lh_task_callbacks callbacks_into(lh_status& status) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  status = -1;
  callbacks.on_end = end_into;
  callbacks.user_data = &status;
  return callbacks;
}

void wait_or_cancel(lh_task* task) {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread impatient([&] {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, kPatience, [&] { return over; })) lh_task_cancel(task, "the fuzzer waits no longer");
  });
  require(lh_task_wait(task) == LH_OK, "a task can be waited for");
  {
    const std::lock_guard lock(mutex);
    over = true;
  }
  changed.notify_one();
  impatient.join();
  lh_task_free(task);
}

lh_engine* bare_engine() {
  static lh_engine* const engine = make_engine();
  return engine;
}

lh_engine* engine_with_model() {
  static lh_engine* const engine = [] {
    lh_engine* const made = make_engine();
    const std::string options = std::string(R"({"path": ")") + LH_FUZZ_MODEL +
                                R"(", "threads": 1, "context_size": 768, "parallel": 2, "batch_size": 256})";
    lh_status status = -1;
    lh_task* task = nullptr;
    const lh_task_callbacks callbacks = callbacks_into(status);
    require(lh_model_load(made, "m", options.c_str(), &callbacks, &task, nullptr) == LH_OK, "a load begins");
    require(lh_task_wait(task) == LH_OK && status == LH_OK, "the bundled model is loaded");
    lh_task_free(task);
    return made;
  }();
  return engine;
}

const std::string& file_with(std::string_view content) {
  static const int file = memfd_create("lh_fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(file >= 0 && ftruncate(file, 0) == 0, "there is a file in memory");
  for (size_t at = 0; at < content.size();) {
    const ssize_t count = pwrite(file, content.data() + at, content.size() - at, static_cast<off_t>(at));
    require(count > 0 || errno == EINTR, "a file in memory takes its content");
    if (count > 0) at += static_cast<size_t>(count);
  }
  return path;
}

}  // namespace lh::fuzz
