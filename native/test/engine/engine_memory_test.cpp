// Starting a task allocates nothing after its thread exists: an error then would make the caller free data that the
// task uses. Arguments: as engine_abi_test.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <new>
#include <string>

#include "check.h"
#include "llama_hooks/engine.h"

namespace {

thread_local bool armed = false;      // creating the next thread is the last successful allocation of this one
thread_local bool exhausted = false;  // this thread gets no memory

void* allocate(size_t size) {
  void* memory = exhausted ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

struct Outcome {
  int ends = 0;
  lh_status status = LH_OK;
};

lh_task_callbacks callbacks_for(Outcome& outcome) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_end = [](lh_status status, const char*, void* user_data) {
    auto* ended = static_cast<Outcome*>(user_data);
    ++ended->ends;
    ended->status = status;
  };
  callbacks.user_data = &outcome;
  return callbacks;
}

template <typename Start>
void check_start(const Start& start) {
  Outcome outcome;
  const lh_task_callbacks callbacks = callbacks_for(outcome);
  lh_task* task = nullptr;
  armed = true;
  const lh_status status = start(&callbacks, &task);
  CHECK(exhausted && !armed);  // a thread was made
  armed = exhausted = false;
  CHECK(status == LH_OK && task != nullptr);
  if (task == nullptr) std::abort();  // the running task refers to an outcome that is about to be destroyed
  CHECK(lh_task_wait(task) == LH_OK);
  lh_task_free(task);
  CHECK(outcome.ends == 1 && outcome.status == LH_OK);
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new[](size_t size) { return allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return exhausted ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

// Replaces the library's function (or a sanitizer's), which it calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* data) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  const int result = create(thread, attributes, run, data);
  if (armed) {
    armed = false;
    exhausted = true;
  }
  return result;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string libraries = std::string("{\"libraries\": \"") + argv[1] + "\"}";
  const std::string model = std::string("{\"path\": \"") + argv[2] + "\", \"threads\": 1, \"parallel\": 2}";
  const char* const request = "{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}";
  lh_engine* engine = nullptr;
  CHECK(lh_engine_create(libraries.c_str(), &engine, nullptr) == LH_OK);
  check_start([&](const lh_task_callbacks* callbacks, lh_task** task) {
    return lh_model_load(engine, "m", model.c_str(), callbacks, task, nullptr);
  });
  check_start([&](const lh_task_callbacks* callbacks, lh_task** task) {
    return lh_generate(engine, request, callbacks, task, nullptr);
  });
  check_start([&](const lh_task_callbacks* callbacks, lh_task** task) {
    return lh_model_unload(engine, "m", nullptr, callbacks, task, nullptr);
  });
  check_start([&](const lh_task_callbacks* callbacks, lh_task** task) {
    return lh_engine_close(engine, callbacks, task, nullptr);
  });
  lh_engine_free(engine);
  return check_result("engine_memory_test");
}
