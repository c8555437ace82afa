// Two concurrent loads: memory reserved for one is not available to the other, though the device still reports it as
// free. Arguments: the libraries, a model of some 40 MB.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "check.h"
#include "llama_hooks/engine.h"

namespace {

constexpr uint64_t kCellBytes = 4096;  // of the model's KV cache: 4 layers, keys and values of 256 halves
constexpr uint64_t kParallel = 64;

struct Load {
  std::atomic<bool> held{true};  // while its memory is reserved, and it reads its file
  std::atomic<bool> reading{false};
  std::atomic<lh_task*> task{nullptr};
  lh_status status = LH_OK;
  std::string result;
};

void on_event(const char* event, void* user_data) {
  auto& load = *static_cast<Load*>(user_data);
  if (std::strstr(event, "\"progress\":") == nullptr) return;
  load.reading = true;
  while (load.held) std::this_thread::yield();
}

void on_end(lh_status status, const char* result, void* user_data) {
  auto& load = *static_cast<Load*>(user_data);
  load.status = status;
  load.result = result == nullptr ? "" : result;
  load.reading = true;  // or is past reading
}

void start(lh_engine* engine, const char* id, const std::string& options, Load& load) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_event = on_event;
  callbacks.on_end = on_end;
  callbacks.user_data = &load;
  lh_task* task = nullptr;
  CHECK(lh_model_load(engine, id, options.c_str(), &callbacks, &task, nullptr) == LH_OK);
  load.task = task;
}

void wait_until_reading(const Load& load) {
  while (!load.reading) std::this_thread::yield();
}

void end(Load& load) {
  load.held = false;
  CHECK(lh_task_wait(load.task) == LH_OK);
  lh_task_free(load.task);
}

uint64_t free_main_memory(lh_engine* engine) {
  char* memory = nullptr;
  CHECK(lh_engine_memory(engine, &memory) == LH_OK);
  const char* const key = "\"free_bytes\":";
  const char* const found = std::strstr(memory, key);
  const uint64_t bytes = found == nullptr ? 0 : std::strtoull(found + std::strlen(key), nullptr, 10);
  lh_free(memory);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string libraries = std::string("{\"gpu\": false, \"libraries\": \"") + argv[1] + "\"}";
  lh_engine* engine = nullptr;
  CHECK(lh_engine_create(libraries.c_str(), &engine, nullptr) == LH_OK);

  const std::string file = std::string("{\"path\": \"") + argv[2] + "\", \"threads\": 1";
  // Each alone would fit; none of them ever gets the memory.
  const uint64_t more_than_half = free_main_memory(engine) / 100 * 60;
  const uint64_t context = std::min<uint64_t>(more_than_half / kCellBytes / kParallel, 16'777'216);
  const std::string large =
      file + ", \"parallel\": " + std::to_string(kParallel) + ", \"context_size\": " + std::to_string(context);
  // Other weights in memory: loading them does not wait for those that the first load reads.
  const std::string apart = ", \"mmap\": false}";

  Load first;
  start(engine, "first", large + "}", first);
  wait_until_reading(first);
  CHECK(first.status == LH_OK);

  Load second;
  start(engine, "second", large + apart, second);
  wait_until_reading(second);
  lh_task_cancel(second.task, nullptr);
  end(second);
  CHECK(second.status == LH_ERR_INSUFFICIENT_MEMORY);
  CHECK_HAS(second.result.c_str(), "\\\"second\\\" needs");
  CHECK_HAS(second.result.c_str(), "held by loads under way");

  Load third;
  third.held = false;
  start(engine, "third", file + ", \"parallel\": 1, \"context_size\": 256" + apart, third);
  end(third);
  CHECK(third.status == LH_OK);

  lh_task_cancel(first.task, nullptr);
  end(first);
  CHECK(first.status == LH_ERR_CANCELLED);

  // The reserved memory is available again.
  Load again;
  start(engine, "again", large + "}", again);
  wait_until_reading(again);
  CHECK(again.status == LH_OK);
  lh_task_cancel(again.task, nullptr);
  end(again);
  CHECK(again.status == LH_ERR_CANCELLED);
  lh_engine_free(engine);
  return check_result("engine_loads_test");
}
