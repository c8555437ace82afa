// A saved session that somebody has changed: restored, read, saved again, copied and closed.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/json/json.h"
#include "fuzz/fuzz.h"

namespace lh::fuzz {
namespace {

void close_session(lh_engine* engine, const char* id) {
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  if (lh_session_close(engine, id, &callbacks, &task, nullptr) == LH_OK) wait_or_cancel(task);
  require(status == LH_OK, "a session can be closed");
}

// Cancels the run that waits, if there is one: no call and no model runs.
void cancel_waiting(lh_engine* engine, const char* id) {
  char* waiting = nullptr;
  require(lh_session_waiting(engine, id, &waiting, nullptr) == LH_OK, "a restored session tells what waits");
  const Json calls = *parse_json(waiting, "waiting");
  lh_free(waiting);
  if (calls.empty()) return;
  const Json request = {{"resume", {{calls[0]["id"].get<std::string>(), "cancel"}}}};
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  if (lh_session_run(engine, id, dump_json(request).c_str(), &callbacks, &task, nullptr) == LH_OK) wait_or_cancel(task);
  require(status == LH_OK, "a run that waits can be cancelled");
  char* after = nullptr;
  require(lh_session_waiting(engine, id, &after, nullptr) == LH_OK && std::string_view(after) == "[]",
          "nothing waits behind it");
  lh_free(after);
}

}  // namespace

void fuzz_session_file(std::string_view input) {
  static const std::string saved =
      (std::filesystem::temp_directory_path() / ("lh-fuzz-session-" + std::to_string(getpid()) + ".json")).string();
  lh_engine* const engine = engine_with_model();
  const std::string options = R"({"restore": ")" + file_with(input) + R"("})";
  char* id = nullptr;
  if (lh_session_open(engine, options.c_str(), nullptr, 0, &id, nullptr) != LH_OK) return;
  char* history = nullptr;
  require(lh_session_history(engine, id, nullptr, &history, nullptr) == LH_OK, "a restored session has a history");
  lh_free(history);
  require(lh_session_save(engine, id, saved.c_str(), nullptr) == LH_OK, "a restored session can be saved");
  char* copy = nullptr;
  require(lh_session_fork(engine, id, &copy, nullptr) == LH_OK, "a restored session can be copied");
  char* again = nullptr;
  const std::string from_saved = R"({"restore": ")" + saved + R"("})";
  require(lh_session_open(engine, from_saved.c_str(), nullptr, 0, &again, nullptr) == LH_OK,
          "what a session has saved can be restored");
  for (char* each : {id, copy, again}) {
    cancel_waiting(engine, each);
    close_session(engine, each);
    lh_free(each);
  }
  static_cast<void>(std::remove(saved.c_str()));
}

}  // namespace lh::fuzz
