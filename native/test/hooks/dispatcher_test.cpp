// The surroundings of a dispatch: scope, reports at ON_ERROR, deadlines, exceptions, the trace, cancelled operations.
#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/system/log.h"
#include "check.h"
#include "hooks/calls/allocator.h"
#include "hooks/dispatch/registry_handle.h"

namespace {

using lh::Json;
using Callback = std::function<int(const char* context, char** answer)>;

int call(int32_t, const char* context, char** answer, void* user_data) {
  return (*static_cast<Callback*>(user_data))(context, answer);
}

struct Hooks : lh_registry {
  uint64_t add(lh::Point point, Callback& callback, std::string name, uint32_t flags = 0, int64_t deadline_ms = 0) {
    lh::HookSpec spec;
    spec.point = point;
    spec.name = std::move(name);
    spec.flags = flags;
    spec.deadline_ms = deadline_ms;
    spec.callback = call;
    spec.user_data = &callback;
    return *registry.add(std::move(spec));
  }
  lh::Outcome fire(lh::Point point, const lh::Scope& scope = {}) {
    return dispatcher.fire(point, scope, [](std::string& out) { out += "\"tool_name\":\"x\""; });
  }
};

void nothing_is_built_without_a_hook() {
  Hooks hooks;
  bool built = false;
  const auto build = [&](std::string&) { built = true; };
  lh::Outcome outcome = hooks.dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, {}, build);
  CHECK(!built && outcome->changes.is_null() && outcome->decision.seq == 0);
  CHECK(outcome->decision.action == lh::Action::kProceed && outcome->decision.hooks.empty());
  outcome = hooks.dispatcher.fire(4711, {}, build);
  CHECK(!built && outcome->decision.hooks.empty());
}

// A builder that shows which fields it was asked for.
std::string wanted_fields(const Hooks& hooks, const lh::Scope& scope = {}) {
  std::string wanted = "none was built";
  const auto build = [&](std::string& out, const lh::FieldSet& fields) {
    wanted = fields.to_json().dump();
    out += "\"params\":{},\"messages\":[1],\"tools\":[]";
  };
  static_cast<void>(hooks.dispatcher.fire(LH_HOOK_PRE_GENERATE, scope, build));
  return wanted;
}

void only_fields_that_hooks_read_are_wanted() {
  Hooks hooks;
  std::string seen;
  Callback reads = [&](const char* context, char**) { return seen = context, 0; };
  const auto add = [&](const char* fields, const char* when = nullptr) {
    lh_hook_options options = LH_HOOK_OPTIONS_INIT;
    options.fields = fields;
    options.when = when;
    uint64_t id = 0;
    CHECK(lh_hook_add(&hooks, LH_HOOK_PRE_GENERATE, call, &reads, &options, &id, nullptr) == LH_OK);
    return id;
  };
  add("[]");
  CHECK(wanted_fields(hooks) == "[]");
  CHECK(seen.starts_with("{\"meta\":{") && seen.ends_with("}}"));
  add(R"(["params"])");
  const uint64_t tested = add(R"(["params","meta"])", R"({"tier":"lead","model":null})");
  lh::Scope scope;
  scope.tier = "lead";
  CHECK(wanted_fields(hooks, scope) == R"(["params","tier","model"])");
  CHECK(wanted_fields(hooks) == R"(["params","tier","model"])");  // an empty tier is not known before
  CHECK(lh_hook_retire(&hooks, tested) == LH_OK);
  CHECK(wanted_fields(hooks) == R"(["params"])");
  CHECK(seen.ends_with(R"(},"params":{}})"));
  add(nullptr, R"({"iteration":7})");
  scope.iteration = 8;
  CHECK(wanted_fields(hooks, scope) == R"(["params"])");  // the last hook cannot match
  scope.iteration = 7;
  CHECK(wanted_fields(hooks, scope) == "null");
}

void the_scope_becomes_meta() {
  Hooks hooks;
  std::string seen;
  Callback reads = [&](const char* context, char**) { return seen = context, 0; };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, reads, "reader");
  lh::Scope scope;
  scope.run_id = "r\"1";
  scope.session_id = "s1";
  scope.tier = "lead";
  scope.depth = 0;
  scope.iteration = 2;
  const lh::Outcome outcome = hooks.fire(LH_HOOK_PRE_TOOL_CALL, scope);
  CHECK_HAS(seen.c_str(), R"("run_id":"r\"1","parent_run_id":null,"session_id":"s1","model_id":null,"tier":"lead",)"
                          R"("depth":0,"iteration":2},"tool_name":"x"})");
  CHECK(outcome->decision.run_id == scope.run_id && outcome->decision.time_us > 1'700'000'000'000'000);
  CHECK(hooks.fire(LH_HOOK_PRE_TOOL_CALL)->decision.seq == outcome->decision.seq + 1);
}

void failures_reach_on_error_and_do_not_recurse() {
  Hooks hooks;
  std::vector<std::string> errors;
  Callback throws = [](const char*, char**) -> int { throw std::runtime_error("broken"); };
  Callback throws_odd = [](const char*, char**) -> int { throw 7; };
  Callback collects = [&](const char* context, char**) -> int {
    errors.emplace_back(context);
    static_cast<void>(hooks.fire(LH_HOOK_PRE_TOOL_CALL));  // fails again, and is not reported from inside ON_ERROR
    throw std::runtime_error("the reporter fails too");
  };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, throws, "thrower");
  hooks.add(LH_HOOK_PRE_TOOL_CALL, throws_odd, "odd");
  hooks.add(LH_HOOK_ON_ERROR, collects, "collector");
  lh::Scope scope;
  scope.iteration = 3;
  const lh::Outcome outcome = hooks.fire(LH_HOOK_PRE_TOOL_CALL, scope);
  CHECK(outcome->decision.hooks.size() == 2 && outcome->decision.hooks[0].outcome == lh::HookOutcome::kFailed);
  CHECK(errors.size() == 2);
  CHECK_HAS(errors[0].c_str(),
            R"("code":"HOOK_FAILED","message":"hook \"thrower\" at PRE_TOOL_CALL: threw an exception: broken",)"
            R"("where":"hook:thrower@PRE_TOOL_CALL","recoverable":true,"iteration":3,"consecutive":1)");
  CHECK_HAS(errors[1].c_str(), "not a std::exception");
  CHECK_HAS(errors[1].c_str(), R"("consecutive":2})");
  lh::ErrorStreak streak{3};
  lh::Scope own;
  own.errors = &streak;
  hooks.dispatcher.error(own, "DECODE_FAILED", "m", "generate", false);
  CHECK_HAS(errors[2].c_str(), R"("recoverable":false,"iteration":null,"consecutive":4})");
  const Json list = hooks.registry.list();
  CHECK(list[2]["name"] == "collector" && list[2]["failures"] == 3);
}

void errors_in_a_row_are_counted_also_when_nobody_listens() {
  Hooks hooks;
  std::vector<std::string> errors;
  Callback collects = [&](const char* context, char**) { return errors.emplace_back(context), 0; };
  const auto report = [&] { hooks.dispatcher.error({}, "DECODE_FAILED", "m", "generate", false); };
  report();
  hooks.add(LH_HOOK_ON_ERROR, collects, "collector");
  report();
  hooks.dispatcher.errors().reset();
  report();
  CHECK(errors.size() == 2);
  CHECK_HAS(errors[0].c_str(), R"("consecutive":2})");
  CHECK_HAS(errors[1].c_str(), R"("consecutive":1})");
}

void a_late_answer_counts_and_is_reported() {
  Hooks hooks;
  std::string error;
  Callback slow = [](const char*, char** answer) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    *answer = lh::copy_to_block(R"({"tool_name":"late"})");
    return 0;
  };
  Callback collects = [&](const char* context, char**) { return error = context, 0; };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, slow, "slow", 0, 1);
  hooks.add(LH_HOOK_ON_ERROR, collects, "collector");
  const lh::Outcome outcome = hooks.fire(LH_HOOK_PRE_TOOL_CALL);
  CHECK(outcome->changes["tool_name"] == "late" && outcome->decision.hooks[0].late);
  CHECK(lh::to_json(outcome->decision)["hooks"][0]["late"] == true);
  CHECK_HAS(error.c_str(), R"("code":"HOOK_TIMEOUT")");
  CHECK_HAS(error.c_str(), R"("where":"hook:slow@PRE_TOOL_CALL")");
}

void the_sink_gets_every_decision() {
  Hooks hooks;
  std::vector<std::string> points;
  Callback fails = [](const char*, char**) { return lh_call_fail(LH_ERR_HOOK_FAILED, nullptr, 0); };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, fails, "fails");
  hooks.add(LH_HOOK_ON_ERROR, fails, "fails");
  hooks.dispatcher.trace().set_sink([&](const lh::Json& event) { points.emplace_back(event["name"]); });
  static_cast<void>(hooks.fire(LH_HOOK_PRE_TOOL_CALL));
  static_cast<void>(hooks.fire(LH_HOOK_ON_COMPLETE));  // no hook, no decision
  CHECK((points == std::vector<std::string>{"PRE_TOOL_CALL", "ON_ERROR"}));
  hooks.dispatcher.trace().set_sink(nullptr);
  static_cast<void>(hooks.fire(LH_HOOK_PRE_TOOL_CALL));
  CHECK(points.size() == 2);
}

void a_waiting_hook_is_woken_by_the_operation() {
  Hooks hooks;
  lh::CancelFlag flag;
  std::atomic<bool> waiting{false};
  std::atomic<bool> woken{false};
  int errors = 0;
  Callback inner = [&](const char*, char**) {
    CHECK(lh_call_cancelled() == 0);
    CHECK(lh_call_on_cancel([](void* data) { *static_cast<std::atomic<bool>*>(data) = true; }, &woken) == LH_OK);
    waiting = true;
    while (!woken) std::this_thread::yield();
    CHECK(lh_call_cancelled() == 1);
    return lh_call_fail(LH_ERR_HOOK_CANCELLED, "gave up", 0);
  };
  // Through a nested dispatch, which belongs to the same operation.
  Callback outer = [&](const char*, char**) { return static_cast<void>(hooks.fire(LH_HOOK_ON_DELEGATE)), 0; };
  Callback collects = [&](const char*, char**) { return ++errors, 0; };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, outer, "outer");
  hooks.add(LH_HOOK_ON_DELEGATE, inner, "nested");
  hooks.add(LH_HOOK_ON_ERROR, collects, "collector");
  lh::Scope scope;
  scope.cancel = &flag;
  std::thread canceller([&] {
    while (!waiting) std::this_thread::yield();
    flag.cancel("stop");
  });
  const lh::Outcome outcome = hooks.fire(LH_HOOK_PRE_TOOL_CALL, scope);
  canceller.join();
  CHECK(woken && outcome->decision.hooks.size() == 1);
  Callback late = [&](const char*, char**) {
    woken = false;
    CHECK(lh_call_on_cancel([](void* data) { *static_cast<std::atomic<bool>*>(data) = true; }, &woken) == LH_OK);
    CHECK(woken);  // at once: it is cancelled already
    return lh_call_fail(LH_ERR_HOOK_CANCELLED, "gave up", 0);
  };
  CHECK(hooks.registry.clear(LH_HOOK_PRE_TOOL_CALL).ok());
  hooks.add(LH_HOOK_PRE_TOOL_CALL, late, "late", LH_HOOK_FAIL_CLOSED);
  CHECK(hooks.fire(LH_HOOK_PRE_TOOL_CALL, scope)->decision.status == lh::Code::kCancelled);
  CHECK(errors == 0);  // the operation was cancelled, which is not an error of a hook
}

void a_cancelled_operation_is_nobodys_veto() {
  for (const uint32_t flags : {uint32_t{0}, uint32_t{LH_HOOK_FAIL_CLOSED}, uint32_t{LH_HOOK_GUARD}}) {
    Hooks hooks;
    lh::CancelFlag flag;
    lh::Scope scope;
    scope.cancel = &flag;
    int later = 0;
    Callback pending = [&](const char*, char**) {
      flag.cancel("the user left");
      return lh_call_fail(LH_ERR_CANCELLED, "the operation was cancelled", 0);
    };
    Callback after = [&](const char*, char**) { return ++later, 0; };
    hooks.add(LH_HOOK_PRE_TOOL_CALL, pending, "pending", flags);
    hooks.add(LH_HOOK_PRE_TOOL_CALL, after, "after", LH_HOOK_GUARD);
    const lh::Decision decision = hooks.fire(LH_HOOK_PRE_TOOL_CALL, scope)->decision;
    CHECK(decision.action == lh::Action::kCancelled && !decision.decided_by && decision.reason == "the user left");
    CHECK(decision.status == lh::Code::kCancelled && later == 0);
    CHECK(decision.hooks.size() == 1 && decision.hooks[0].outcome == lh::HookOutcome::kAbandoned);
    CHECK(hooks.registry.list()[0]["cancels"] == 0 && hooks.registry.list()[0]["failures"] == 0);
  }
  Hooks hooks;  // a guard that fails with this code without a cancelled operation fails closed
  Callback gives_up = [](const char*, char**) { return lh_call_fail(LH_ERR_CANCELLED, "gave up", 0); };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, gives_up, "guard", LH_HOOK_GUARD);
  CHECK(hooks.fire(LH_HOOK_PRE_TOOL_CALL)->decision.decided_by->name == "guard");
}

void a_sealed_registry_takes_no_hook_and_runs_those_it_has() {
  Hooks hooks;
  int calls = 0;
  Callback counts = [&](const char*, char**) { return ++calls, 0; };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, counts, "before");
  hooks.registry.seal();
  lh::HookSpec late;
  late.point = LH_HOOK_PRE_TOOL_CALL;
  late.callback = call;
  CHECK(hooks.registry.add(late).status().code() == lh::Code::kClosed);
  static_cast<void>(hooks.fire(LH_HOOK_PRE_TOOL_CALL));
  CHECK(calls == 1 && hooks.registry.list().size() == 1 && hooks.registry.retire(1).ok());
}

void failures_are_logged_with_place_and_code() {
  std::vector<std::string> lines;
  lh_log_set(
      [](int32_t, const char* line, void* data) { static_cast<std::vector<std::string>*>(data)->emplace_back(line); },
      &lines);
  Hooks hooks;
  Callback fails = [](const char*, char**) { return lh_call_fail(LH_ERR_HOOK_FAILED, "boom \xFF", 0); };
  hooks.add(LH_HOOK_ON_LOOP_END, fails, "f");
  static_cast<void>(hooks.fire(LH_HOOK_ON_LOOP_END));
  int local = 0;
  lh_free(&local);
  lh_log_set(nullptr, nullptr);
  CHECK(lines.size() == 2);
  CHECK_HAS(lines[0].c_str(), "hook \"f\" at ON_LOOP_END failed (HOOK_FAILED): boom \xEF\xBF\xBD");
  CHECK_HAS(lines[1].c_str(), "lh_free");
}

void a_broken_builder_does_not_bring_the_hooks_down() {
  Hooks hooks;
  Callback changes = [](const char*, char** answer) {
    *answer = lh::copy_to_block(R"({"tool_name":"y"})");
    return 0;
  };
  hooks.add(LH_HOOK_PRE_TOOL_CALL, changes, "changes");
  const lh::Outcome outcome =
      hooks.dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, {}, [](std::string& out) { out += "\"broken\":"; });
  CHECK(outcome->changes == Json({{"tool_name", "y"}}));
  bool thrown = false;
  try {
    static_cast<void>(
        hooks.dispatcher.fire(LH_HOOK_PRE_TOOL_CALL, {}, [](std::string&) { throw std::runtime_error("builder"); }));
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  CHECK(thrown && hooks.fire(LH_HOOK_PRE_TOOL_CALL)->decision.action == lh::Action::kModified);
}

}  // namespace

int main() {
  const int64_t before = lh::live_blocks();
  nothing_is_built_without_a_hook();
  only_fields_that_hooks_read_are_wanted();
  the_scope_becomes_meta();
  failures_reach_on_error_and_do_not_recurse();
  errors_in_a_row_are_counted_also_when_nobody_listens();
  a_late_answer_counts_and_is_reported();
  the_sink_gets_every_decision();
  a_waiting_hook_is_woken_by_the_operation();
  a_cancelled_operation_is_nobodys_veto();
  a_sealed_registry_takes_no_hook_and_runs_those_it_has();
  failures_are_logged_with_place_and_code();
  a_broken_builder_does_not_bring_the_hooks_down();
  CHECK(lh::live_blocks() == before);
  return check_result("dispatcher_test");
}
