// The cost of a dispatch without JavaScript: a point without hooks, a C hook, many hooks, large contexts, answers. Run
// by bench/micro.mjs; the counter `allocs` is allocations per call.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>

#include "count_allocations.h"
#include "token_path.h"

namespace lh::bench {
namespace {

// Tokens per generation: the stage keeps all text, so an endless generation would grow forever.
constexpr int32_t kTokens = 4096;

// Calls `call` once per iteration.
template <typename Call>
void measure(benchmark::State& state, Call call) {
  call();  // one-time work: a thread's buffer for contexts
  const uint64_t before = allocations();
  for (auto _ : state) call();
  const auto allocated = static_cast<double>(allocations() - before);
  state.counters["allocs"] = allocated / static_cast<double>(state.iterations());
}

// Sends tokens of `text` through `path`, one per iteration, generation after generation.
void measure_tokens(benchmark::State& state, const TokenPath& path, const std::string& text) {
  std::optional<TokenStage> stage;
  int32_t index = kTokens;
  measure(state, [&] {
    if (index >= kTokens) {
      stage.reset();
      stage.emplace(
          path.dispatcher(), path.scope(), [](const StreamedPiece&) {}, [](const Decision&) {});
      index = 0;
    }
    stage->piece(index, 42, nullptr, Piece{PieceKind::kContent, text});
    ++index;
  });
}

void has(benchmark::State& state) {
  const TokenPath path;
  measure(state, [&] { benchmark::DoNotOptimize(path.dispatcher().has(LH_HOOK_ON_STREAM_TOKEN)); });
}

void fire(benchmark::State& state) {
  const TokenPath path;
  measure(state, [&] {
    benchmark::DoNotOptimize(path.dispatcher().fire(LH_HOOK_ON_STREAM_TOKEN, path.scope(), [](std::string&) {}));
  });
}

void token_without_hook(benchmark::State& state) {
  const TokenPath path;
  measure_tokens(state, path, kTokenText);
}

void token_hooks(benchmark::State& state) {
  TokenPath path;
  for (int64_t i = 0; i < state.range(0); ++i) path.add(go_on);
  measure_tokens(state, path, kTokenText);
}

void context_by_size(benchmark::State& state) {
  TokenPath path;
  path.add(go_on);
  measure_tokens(state, path, std::string(static_cast<size_t>(state.range(0)), 'a'));
}

void answer_by_size(benchmark::State& state) {
  const std::string text(static_cast<size_t>(state.range(0)), 'a');
  std::string answer(text.size(), 'A');
  TokenPath path;
  path.add(answer_text, &answer);
  measure_tokens(state, path, text);
}

BENCHMARK(has);
BENCHMARK(fire);
BENCHMARK(token_without_hook);
BENCHMARK(token_hooks)->Arg(1)->Arg(10)->Arg(100);
BENCHMARK(context_by_size)->RangeMultiplier(16)->Range(16, 65536);
BENCHMARK(answer_by_size)->RangeMultiplier(16)->Range(16, 65536);

}  // namespace
}  // namespace lh::bench

BENCHMARK_MAIN();
