// Loads that are aborted at any moment, alone and beside another of the same file: each ends once, nothing is left of
// it, and the engine loads on. A sanitizer reports leaks. Arguments: the libraries, a model of some 40 MB.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "check.h"
#include "llama_hooks/engine.h"

namespace {

constexpr int kAborts = 100;

// One load, aborted at a share of its progress; 2: not by progress.
struct Load {
  double abort_at = 2;
  std::atomic<lh_task*> task{nullptr};
  std::atomic<bool> aborted{false};
  std::atomic<int> ends{0};
  std::atomic<lh_status> status{LH_OK};
};

void on_event(const char* event, void* user_data) {
  auto& load = *static_cast<Load*>(user_data);
  const char* const progress = std::strstr(event, "\"progress\":");
  if (progress == nullptr || std::strtod(progress + std::strlen("\"progress\":"), nullptr) < load.abort_at) return;
  lh_task* task = nullptr;
  while ((task = load.task.load()) == nullptr) std::this_thread::yield();  // lh_model_load() is about to return
  load.aborted = true;
  lh_task_cancel(task, nullptr);
}

void on_end(lh_status status, const char*, void* user_data) {
  auto& load = *static_cast<Load*>(user_data);
  ++load.ends;
  load.status = status;
}

class Loads {
 public:
  Loads(lh_engine* engine, const std::string& path) : engine_(engine), path_(path) {}

  void start(Load& load, const char* id, bool mmap) const {
    lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
    callbacks.on_event = on_event;
    callbacks.on_end = on_end;
    callbacks.user_data = &load;
    const std::string options = "{\"path\": \"" + path_ +
                                "\", \"context_size\": 256, \"parallel\": 1, \"threads\": 1, " +
                                "\"mmap\": " + (mmap ? "true}" : "false}");
    lh_task* task = nullptr;
    CHECK(lh_model_load(engine_, id, options.c_str(), &callbacks, &task, nullptr) == LH_OK);
    load.task = task;
  }

  // True: it was loaded, and is gone again.
  bool end(Load& load, const char* id) const {
    CHECK(lh_task_wait(load.task) == LH_OK);
    lh_task_free(load.task);
    CHECK(load.ends == 1);
    if (load.status != LH_OK) {
      CHECK(load.status == LH_ERR_CANCELLED);
      return false;
    }
    Load unload;
    lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
    callbacks.on_end = on_end;
    callbacks.user_data = &unload;
    lh_task* task = nullptr;
    CHECK(lh_model_unload(engine_, id, nullptr, &callbacks, &task, nullptr) == LH_OK);
    CHECK(lh_task_wait(task) == LH_OK);
    lh_task_free(task);
    CHECK(unload.ends == 1 && unload.status == LH_OK);
    return true;
  }

 private:
  lh_engine* engine_;
  std::string path_;
};

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string libraries = std::string("{\"gpu\": false, \"libraries\": \"") + argv[1] + "\"}";
  lh_engine* engine = nullptr;
  CHECK(lh_engine_create(libraries.c_str(), &engine, nullptr) == LH_OK);
  const Loads loads(engine, argv[2]);

  const auto begin = std::chrono::steady_clock::now();
  Load whole;
  loads.start(whole, "whole", false);
  CHECK(loads.end(whole, "whole"));
  const double whole_ms = ms_since(begin);

  std::mt19937 random(20260101);
  std::uniform_real_distribution<double> share(0, 0.98);
  int cancelled = 0;
  for (int i = 0; i < kAborts; ++i) {
    const bool by_progress = i % 2 == 0;
    const bool beside = i % 4 >= 2;  // another load of the same file, which continues
    Load load;
    Load other;
    if (by_progress) load.abort_at = share(random);
    const double wait_ms = share(random) * whole_ms;
    const bool mmap = random() % 2 == 0;
    loads.start(load, "aborted", mmap);
    if (beside) loads.start(other, "other", mmap);
    if (!by_progress) {
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wait_ms));
      lh_task_cancel(load.task, nullptr);
    }
    const bool loaded = loads.end(load, "aborted");
    CHECK(!by_progress || (load.aborted && !loaded));
    cancelled += loaded ? 0 : 1;
    if (beside) CHECK(loads.end(other, "other"));
  }
  std::printf("%d of %d loads were aborted before their end; a whole one takes %.0f ms\n", cancelled, kAborts,
              whole_ms);
  CHECK(cancelled >= kAborts / 2);

  char* memory = nullptr;
  CHECK(lh_engine_memory(engine, &memory) == LH_OK);
  CHECK_HAS(memory, "\"used_bytes\":0");
  lh_free(memory);
  Load last;
  loads.start(last, "last", true);
  CHECK(loads.end(last, "last"));
  lh_engine_free(engine);
  return check_result("engine_aborts_test");
}
