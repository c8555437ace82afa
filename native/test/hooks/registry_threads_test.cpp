// Adding, removing and dispatching from many threads at once. Run it under ThreadSanitizer.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "hooks/calls/allocator.h"
#include "hooks/dispatch/registry_handle.h"

namespace {

constexpr int kRounds = 300;

// Freed by `release`: a later call would be a use after free.
struct UserData {
  std::atomic<int> running{0};
  std::atomic<bool> alive{true};
};

std::atomic<int> living{0};
std::atomic<int> calls{0};

UserData* new_user_data() {
  ++living;
  return std::make_unique<UserData>().release();
}

void release(void* user_data) {
  const std::unique_ptr<UserData> data(static_cast<UserData*>(user_data));
  CHECK(data->running == 0 && data->alive);
  data->alive = false;
  --living;
}

int busy(int32_t, const char*, char** answer, void* user_data) {
  auto& data = *static_cast<UserData*>(user_data);
  ++data.running;
  CHECK(data.alive);
  ++calls;
  if (calls % 3 == 0) *answer = lh::copy_to_block("changed");
  std::this_thread::yield();
  --data.running;
  return 0;
}

uint64_t add(lh::Registry& registry, void* user_data, int32_t priority) {
  lh::HookSpec spec;
  spec.point = LH_HOOK_ON_STREAM_TOKEN;
  spec.priority = priority;
  spec.callback = busy;
  spec.user_data = user_data;
  spec.release = release;
  return *registry.add(std::move(spec));
}

void churn(lh_registry& hooks, int seed) {
  for (int i = 0; i < kRounds; ++i) {
    UserData* data = new_user_data();
    const uint64_t id = add(hooks.registry, data, (seed * 7 + i) % 5);
    std::this_thread::yield();
    const lh::Status status = (i + seed) % 2 == 0 ? hooks.registry.remove(id) : hooks.registry.retire(id);
    CHECK(status.ok() || status.code() == lh::Code::kNotFound);  // the clearing thread may have been first
  }
}

void token(lh_registry& hooks) {
  const lh::Outcome outcome = hooks.dispatcher.fire(LH_HOOK_ON_STREAM_TOKEN, lh::Scope{},
                                                    [](std::string& out) { out += "\"text\":\"hello\""; });
  if (outcome->decision.action == lh::Action::kModified) CHECK(outcome->changes["text"] == "changed");
}

void everything_at_once() {
  lh_registry hooks;
  std::atomic<bool> stop{false};
  std::atomic<int> decisions{0};
  std::vector<std::thread> workers;
  std::vector<std::thread> churners;
  workers.reserve(5);
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      while (!stop) token(hooks);
    });
  }
  workers.emplace_back([&] {
    while (!stop) {
      CHECK(hooks.registry.list().is_array());
      static_cast<void>(hooks.registry.has(LH_HOOK_ON_STREAM_TOKEN));
      CHECK(hooks.registry.clear(LH_HOOK_ON_STREAM_TOKEN).ok());
      std::this_thread::yield();
    }
  });
  workers.emplace_back([&] {
    while (!stop) {
      hooks.dispatcher.trace().set_sink([&](const lh::Json&) { ++decisions; });
      std::this_thread::yield();
      hooks.dispatcher.trace().set_sink(nullptr);
    }
  });
  for (int i = 0; i < 4; ++i) churners.emplace_back([&hooks, i] { churn(hooks, i); });
  for (std::thread& thread : churners) thread.join();
  stop = true;
  for (std::thread& thread : workers) thread.join();
  CHECK(hooks.registry.clear(-1).ok());
  CHECK(living == 0);
}

void removing_waits_for_the_running_call() {
  lh_registry hooks;
  struct Gate {
    std::atomic<bool> inside{false};
    std::atomic<bool> open{false};
    std::atomic<bool> left{false};
  } gate;
  lh::HookSpec spec;
  spec.point = LH_HOOK_PRE_TOOL_CALL;
  spec.user_data = &gate;
  spec.callback = [](int32_t, const char*, char**, void* data) {
    auto& g = *static_cast<Gate*>(data);
    g.inside = true;
    while (!g.open) std::this_thread::yield();
    g.left = true;
    return 0;
  };
  const uint64_t id = *hooks.registry.add(spec);
  std::thread caller(
      [&] { static_cast<void>(hooks.dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, lh::Scope{}, [](std::string&) {})); });
  while (!gate.inside) std::this_thread::yield();
  std::thread opener([&] {
    while (hooks.registry.has(LH_HOOK_PRE_TOOL_CALL)) std::this_thread::yield();  // the removal has begun
    gate.open = true;
  });
  CHECK(hooks.registry.remove(id).ok());
  CHECK(gate.left);
  caller.join();
  opener.join();
}

struct Pair {
  lh_registry hooks;
  uint64_t ids[2] = {0, 0};
  std::atomic<int> inside{0};
  std::atomic<int> refused{0};
  std::atomic<int> released{0};
};

// Hooks that remove each other while both are running.
void two_hooks_that_remove_each_other_do_not_wait_for_ever() {
  Pair pair;
  const auto callback = [](int32_t point, const char*, char**, void* data) {
    auto& p = *static_cast<Pair*>(data);
    ++p.inside;
    while (p.inside < 2) std::this_thread::yield();
    const lh::Status status = p.hooks.registry.remove(p.ids[point == LH_HOOK_PRE_TOOL_CALL ? 1 : 0]);
    if (status.code() == lh::Code::kReentrant) ++p.refused;
    return 0;
  };
  const lh::Point points[2] = {LH_HOOK_PRE_TOOL_CALL, LH_HOOK_ON_DELEGATE};
  for (int i = 0; i < 2; ++i) {
    lh::HookSpec spec;
    spec.point = points[i];
    spec.callback = callback;
    spec.user_data = &pair;
    spec.release = [](void* data) { ++static_cast<Pair*>(data)->released; };
    pair.ids[i] = *pair.hooks.registry.add(spec);
  }
  std::vector<std::thread> threads;
  for (const lh::Point point : points) {
    threads.emplace_back(
        [&pair, point] { static_cast<void>(pair.hooks.dispatcher.fire(point, lh::Scope{}, [](std::string&) {})); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(pair.refused == 1 && pair.released == 2);
}

void freeing_waits_for_the_dispatch() {
  auto hooks = std::make_unique<lh_registry>();
  std::atomic<bool> inside{false};
  std::atomic<bool> reported{false};
  lh::HookSpec spec;
  spec.point = LH_HOOK_PRE_TOOL_CALL;
  spec.user_data = &inside;
  spec.callback = [](int32_t, const char*, char**, void* data) {
    *static_cast<std::atomic<bool>*>(data) = true;
    std::this_thread::yield();
    return 0;
  };
  CHECK(hooks->registry.add(spec).ok());
  // The sink runs after the last call of a hook has ended, and still needs the dispatcher.
  hooks->dispatcher.trace().set_sink([&](const lh::Json&) {
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    reported = true;
  });
  std::thread caller([raw = hooks.get()] {
    static_cast<void>(raw->dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, lh::Scope{}, [](std::string&) {}));
  });
  while (!inside) std::this_thread::yield();
  hooks.reset();
  CHECK(reported);
  caller.join();
}

void blocks_move_between_threads() {
  const int64_t before = lh::live_blocks();
  std::vector<std::thread> threads;
  std::vector<std::atomic<void*>> slots(64);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&slots, t] {
      for (size_t i = 0; i < 5000; ++i) {
        void* old = slots[(i * 7 + static_cast<size_t>(t)) % slots.size()].exchange(lh::allocate_block(i % 200));
        CHECK(lh::free_block(old));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto& slot : slots) CHECK(lh::free_block(slot.load()));
  CHECK(lh::live_blocks() == before);
}

}  // namespace

int main() {
  everything_at_once();
  removing_waits_for_the_running_call();
  two_hooks_that_remove_each_other_do_not_wait_for_ever();
  freeing_waits_for_the_dispatch();
  blocks_move_between_threads();
  return check_result("registry_threads_test");
}
