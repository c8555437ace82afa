// Fires token hooks from an engine's own thread, without a model's decoding in between. Linked into bench_addon.node,
// which is the addon plus this file, and added to an engine as a plug-in (hooks.addNative({ library })).
// Must not: be in the published addon.
//
// A generation with the prompt {"fire": {"calls", "context_bytes", "gap_us"}} is answered, at PRE_GENERATE, with the
// nanoseconds of each call, after `calls` tokens went through the token stage, `gap_us` apart.
#include <chrono>
#include <string>
#include <thread>

#include "base/json/json.h"
#include "generation/output/token_stage.h"
#include "hooks/calls/allocator.h"
#include "hooks/dispatch/registry_handle.h"

namespace lh::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Tokens per generation: the stage keeps all text.
constexpr int32_t kTokens = 256;

int measure_context(int32_t, const char* context, char**, void* size) {
  *static_cast<size_t*>(size) = std::char_traits<char>::length(context);
  return 0;
}

void send(const lh_registry& registry, const Scope& scope, int32_t index, const std::string& text) {
  TokenStage(
      registry.dispatcher, scope, [](const StreamedPiece&) {}, [](const Decision&) {})
      .piece(index, 42, nullptr, Piece{PieceKind::kContent, text});
}

// Text that makes a token's context as long as requested, or as short as possible.
std::string text_for(const Scope& scope, size_t context_bytes) {
  lh_registry own;
  size_t bytes = 0;
  HookSpec spec;
  spec.point = LH_HOOK_ON_STREAM_TOKEN;
  spec.callback = measure_context;
  spec.user_data = &bytes;
  const auto id = own.registry.add(std::move(spec));
  if (id.ok()) send(own, scope, 0, "a");
  return std::string(context_bytes > bytes ? context_bytes - bytes + 1 : 1, 'a');
}

Json fire(const lh_registry& registry, const Scope& scope, const Json& job) {
  const std::string text = text_for(scope, job.at("context_bytes").get<size_t>());
  const auto gap = std::chrono::microseconds(job.at("gap_us").get<int>());
  const int calls = job.at("calls").get<int>();
  Json durations = Json::array();
  while (durations.size() < static_cast<size_t>(calls)) {
    TokenStage stage(
        registry.dispatcher, scope, [](const StreamedPiece&) {}, [](const Decision&) {});
    for (int32_t i = 0; i < kTokens && durations.size() < static_cast<size_t>(calls); ++i) {
      const Clock::time_point start = Clock::now();
      stage.piece(i, 42, nullptr, Piece{PieceKind::kContent, text});
      durations.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
      if (gap.count() > 0) std::this_thread::sleep_for(gap);
    }
  }
  return durations;
}

int on_generate(int32_t, const char* context_json, char** answer, void* user_data) {
  const Json context = Json::parse(context_json);
  const Json request = Json::parse(context.at("prompt").get<std::string>());
  const Json& meta = context.at("meta");
  Scope scope;  // of the generation that asks, so that a hook sees what it sees of a token
  scope.run_id = meta.at("run_id").get<std::string>();
  scope.model_id = meta.at("model_id").get<std::string>();
  const Json durations = fire(*static_cast<const lh_registry*>(user_data), scope, request.at("fire"));
  *answer = copy_to_block(dump_json({{"response", dump_json(durations)}}));
  return 0;
}

}  // namespace
}  // namespace lh::bench

extern "C" LH_EXPORT lh_status lh_plugin_register(lh_registry* registry) LH_NOEXCEPT {
  uint64_t id = 0;
  return lh_hook_add(registry, LH_HOOK_PRE_GENERATE, lh::bench::on_generate, registry, nullptr, &id, nullptr);
}
