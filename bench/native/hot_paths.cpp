// Runs one hot path N times, for callgrind to count: hot_paths CASE N. Prints the allocations of the N calls.
// Must not: do anything else N times; scripts/check/instructions.mjs attributes the difference of two runs to the path.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <span>

#include "count_allocations.h"
#include "engine/tasks/task.h"
#include "generation/event_stream.h"
#include "generation/output/output_splitter.h"
#include "token_path.h"

namespace lh::bench {
namespace {

class PlainFormat : public OutputFormat {
 public:
  [[nodiscard]] bool plain() const override { return true; }
  const Marks& marks() const override {
    static const Marks kNone;
    return kNone;
  }
  [[nodiscard]] Result<ParsedOutput> parse(std::string_view, bool) const override { return ParsedOutput(); }
};

void has(int calls) {
  const TokenPath path;
  int found = 0;
  for (int i = 0; i < calls; ++i) found += path.dispatcher().has(LH_HOOK_ON_STREAM_TOKEN) ? 1 : 0;
  if (found != 0) std::abort();
}

void fire(int calls) {
  const TokenPath path;
  for (int i = 0; i < calls; ++i) {
    const Outcome outcome = path.dispatcher().fire(LH_HOOK_ON_STREAM_TOKEN, path.scope(), [](std::string&) {});
    if (outcome->decision.seq != 0) std::abort();
  }
}

void send_tokens(const TokenPath& path, int calls) {
  TokenStage stage = path.stage();
  for (int32_t i = 0; i < calls; ++i) stage.piece(i, 42, nullptr, Piece{PieceKind::kContent, kTokenText});
}

void token(int calls) { send_tokens(TokenPath(), calls); }

void c_hook(int calls) {
  TokenPath path;
  path.add(go_on);
  send_tokens(path, calls);
}

// Everything that the run thread does with a token of a model without a format.
void send_in_task(int calls, lh_event_fn reader) {
  lh_task_callbacks callbacks = LH_TASK_CALLBACKS_INIT;
  callbacks.on_event = reader;
  callbacks.on_end = [](lh_status, const char*, void*) {};
  const auto body = [calls](Task& task) {
    const TokenPath path;
    const PlainFormat format;
    EventStream events(task, false);
    OutputSplitter splitter(format, {});
    TokenStage stage(
        path.dispatcher(), path.scope(), [&events](const StreamedPiece& piece) { events.piece(piece); },
        [](const Decision&) {});
    for (int32_t i = 0; i < calls; ++i) {
      for (Piece& piece : splitter.push(kTokenText)) stage.piece(i, 42, nullptr, std::move(piece));
    }
    return TaskEnd();
  };
  const auto task = Task::make(callbacks, Task::Kind::kWork, body, [](Task*) {});
  if (!task->launch().ok()) std::abort();
  task->join();
}

// Nobody reads the events, so none is built.
void token_in_task(int calls) { send_in_task(calls, nullptr); }

// Each event is built and read at once.
void token_read(int calls) {
  send_in_task(calls, [](const char*, void*) {});
}

struct Case {
  const char* name;
  void (*run)(int calls);
};
constexpr Case kCases[] = {{"has", has},
                           {"fire", fire},
                           {"token", token},
                           {"c_hook", c_hook},
                           {"token_in_task", token_in_task},
                           {"token_read", token_read}};

int run(std::span<char*> arguments) {
  int calls = 0;
  if (arguments.size() == 3) {
    const char* text = arguments[2];
    std::from_chars(text, text + std::strlen(text), calls);
  }
  for (const Case& one : kCases) {
    if (calls < 1 || std::strcmp(one.name, arguments[1]) != 0) continue;
    const uint64_t before = allocations();
    one.run(calls);
    std::printf("%llu\n", static_cast<unsigned long long>(allocations() - before));
    return 0;
  }
  std::fputs("usage: hot_paths has|fire|token|c_hook|token_in_task|token_read CALLS\n", stderr);
  return 2;
}

}  // namespace
}  // namespace lh::bench

int main(int argc, char** argv) { return lh::bench::run({argv, static_cast<size_t>(argc)}); }
