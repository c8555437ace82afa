// Answers of hooks and results of tools: {"<POINT>": answer, ..., "tool": result}. A text is an answer as it is, other
// values are answered as JSON; [number, answer] is also the callback's return value. The characters of a text that
// begins with U+0001 are bytes: a callback in C may answer with bytes that are not UTF-8.
#include <map>
#include <mutex>

#include "base/json/json.h"
#include "fuzz/fuzz.h"
#include "hooks/points/point_table.h"

namespace lh::fuzz {
namespace {

struct Answer {
  int status = 0;
  std::string text;
};

std::mutex answers_lock;
std::map<std::string, Answer, std::less<>> answers;
constexpr int kMostCalls = 400;  // of hooks for one input: hooks may continue a run for long
int calls_left = 0;

bool find_answer(std::string_view name, Answer& out) {
  const std::lock_guard lock(answers_lock);
  const auto found = answers.find(name);
  if (found == answers.end() || calls_left-- <= 0) return false;
  out = found->second;
  return true;
}

int answer_hook(lh_hook_point point, const char*, char** modified, void*) {
  Answer answer;
  const int slot = point_slot(point);
  if (slot < 0 || !find_answer(point_table()[static_cast<size_t>(slot)].name, answer)) return 0;
  *modified = lh_strdup(answer.text.c_str());
  return answer.status;
}

int run_tool(const char*, char** result, void*) {
  Answer answer{0, "4 degrees"};
  find_answer("tool", answer);
  *result = lh_strdup(answer.text.c_str());
  return answer.status;
}

std::string bytes_of(const std::string& text) {
  if (!text.starts_with('\x01')) return text;
  std::string bytes;
  for (size_t i = 1; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool pair = (byte == 0xC2 || byte == 0xC3) && i + 1 < text.size();
    bytes += pair ? static_cast<char>((byte << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F)) : text[i];
  }
  return bytes;
}

Answer read_answer(const Json& json) {
  if (json.is_array() && json.size() == 2 && json[0].is_number_integer()) {
    Answer answer = read_answer(json[1]);
    answer.status = static_cast<int>(json[0].get<int64_t>());
    return answer;
  }
  return {0, json.is_string() ? bytes_of(json.get<std::string>()) : dump_json(json)};
}

lh_engine* hooked_engine() {
  static lh_engine* const engine = [] {
    lh_engine* const made = engine_with_model();
    uint64_t id = 0;
    for (const PointInfo& point : point_table()) {
      require(lh_hook_add(lh_engine_hooks(made), point.number, answer_hook, nullptr, nullptr, &id, nullptr) == LH_OK,
              "a hook is added");
    }
    return made;
  }();
  return engine;
}

// Hooks may make a run long: it is kept short by its limits.
void run_session(lh_engine* engine, bool planned) {
  lh_tool tool = LH_TOOL_INIT;
  tool.name = "weather";
  tool.description = "Tells the current weather of a city.";
  tool.parameters_json = R"({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})";
  tool.run = run_tool;
  tool.flags = LH_TOOL_JSON_RESULT | LH_TOOL_TRUSTED;
  const lh_tool* const tools[] = {&tool};
  char* id = nullptr;
  const char* const options =
      R"({"params": {"temperature": 0, "max_tokens": 24}, "max_iterations": 3, "max_tool_calls": 4,
          "max_run_tokens": 100, "control_tools": ["todo", "delegate", "complete"], "tiers": {"other": {}},
          "reflect": true, "permissions": [{"ask": "**"}]})";
  require(lh_session_open(engine, options, tools, 1, &id, nullptr) == LH_OK, "a session opens");
  lh_status status = -1;
  lh_task* task = nullptr;
  lh_task_callbacks callbacks = callbacks_into(status);
  const char* const request = planned ? R"({"content": "Again", "dry_run": true, "plan": {"flow": "sequence", "steps":
                                          [{"tool": "weather", "args": {"city": "Oslo"}}]}})"
                                      : R"({"content": "What is the weather in Oslo?"})";
  if (lh_session_run(engine, id, request, &callbacks, &task, nullptr) == LH_OK) wait_or_cancel(task);
  if (lh_session_compact(engine, id, R"({"strategy": "truncate"})", &callbacks, &task, nullptr) == LH_OK) {
    wait_or_cancel(task);
  }
  char* history = nullptr;
  require(lh_session_history(engine, id, nullptr, &history, nullptr) == LH_OK, "a session keeps its history");
  lh_free(history);
  if (lh_session_close(engine, id, &callbacks, &task, nullptr) == LH_OK) wait_or_cancel(task);
  require(status == LH_OK, "a session can be closed");
  lh_free(id);
}

}  // namespace

void fuzz_hooks(std::string_view input) {
  const Result<Json> parsed = parse_json(input, "answers");
  if (!parsed.ok() || !parsed->is_object()) return;
  lh_engine* const engine = hooked_engine();
  {
    const std::lock_guard lock(answers_lock);
    answers.clear();
    calls_left = kMostCalls;
    for (const auto& [name, answer] : parsed->items()) answers[name] = read_answer(answer);
  }
  const int64_t blocks = lh_alloc_balance();
  run_session(engine, input.size() % 4 == 0);
  require(lh_alloc_balance() == blocks, "every block of the allocator is freed");
}

}  // namespace lh::fuzz
