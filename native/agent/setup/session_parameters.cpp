// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#include "agent/setup/session_parameters.h"

#include <string_view>

namespace lh {
namespace {

constexpr std::string_view kOnLimitNames[] = {"stop", "answer"};
constexpr std::string_view kCompactionNames[] = {"summarize", "truncate", "tool-results", "off"};

}  // namespace

void read(ObjectReader& reader, SessionParams& out) {
  reader.name("model", out.model, "a string that is not empty");
  reader.text("system", out.system, "a string");
  reader.name("restore", out.restore, "a string that is not empty");
  reader.name("record", out.record, "a string that is not empty");
  reader.name("id", out.id, "a string that is not empty");
  reader.name("tier", out.tier, "a string that is not empty");
  read_tags(reader, "tags", out.tags);
  reader.integer("max_iterations", out.max_iterations, 1, 100000, "a whole number from 1 to 100000");
  reader.integer("max_tool_calls", out.max_tool_calls, 0, 1000000, "a whole number from 0 to 1000000");
  reader.choice("on_limit", out.on_limit, kOnLimitNames, "\"stop\" or \"answer\"");
  reader.integer("max_calls_in_a_row", out.max_calls_in_a_row, 1, 1000000, "a whole number from 1 to 1000000");
  reader.integer("max_identical_calls", out.max_identical_calls, 1, 1000000, "a whole number from 1 to 1000000");
  reader.integer("max_result_bytes", out.max_result_bytes, 256, 67108864, "a whole number from 256 to 67108864");
  reader.integer("max_parallel_tools", out.max_parallel_tools, 1, 1000000, "a whole number from 1 to 1000000");
  reader.integer("max_parts_bytes", out.max_parts_bytes, 0, 1073741824, "a whole number from 0 to 1073741824");
  reader.integer("injection_reserve", out.injection_reserve, 0, 16777216, "a whole number from 0 to 16777216");
  reader.choice("compaction", out.compaction, kCompactionNames, "\"summarize\", \"truncate\", \"tool-results\" or \"off\"");
  reader.number("compact_at", out.compact_at, 0.05, 1, "a number from 0.05 to 1");
  reader.integer("answer_reserve", out.answer_reserve, 0, 16777216, "a whole number from 0 to 16777216");
  reader.flag("reflect", out.reflect);
  reader.text("reflection_prompt", out.reflection_prompt, "a string");
  reader.text("critic_prompt", out.critic_prompt, "a string");
  reader.integer("max_delegation_depth", out.max_delegation_depth, 0, 64, "a whole number from 0 to 64");
  reader.integer("max_failed_delegations", out.max_failed_delegations, 1, 1000000, "a whole number from 1 to 1000000");
  reader.integer("max_delegation_retries", out.max_delegation_retries, 0, 1000000, "a whole number from 0 to 1000000");
  reader.integer("max_continuations", out.max_continuations, 0, 1000000, "a whole number from 0 to 1000000");
  reader.integer("max_completion_rejections", out.max_completion_rejections, 0, 1000000, "a whole number from 0 to 1000000");
  reader.integer("max_run_tokens", out.max_run_tokens, 0, 2147483647, "a whole number from 0 to 2147483647");
  reader.integer("max_run_ms", out.max_run_ms, 0, 2147483647, "a whole number from 0 to 2147483647");
  reader.flag("explicit_completion", out.explicit_completion);
  reader.integer("tool_deadline_ms", out.tool_deadline_ms, 0, 2147483647, "a whole number from 0 to 2147483647");
}

void read(ObjectReader& reader, TierParams& out) {
  reader.text("description", out.description, "a string");
  reader.name("model", out.model, "a string that is not empty");
  reader.text("system", out.system, "a string");
  reader.flag("explicit_completion", out.explicit_completion);
}

void read(ObjectReader& reader, PhaseParams& out) {
  reader.text("description", out.description, "a string");
}

void read(ObjectReader& reader, RunParams& out) {
  reader.text("content", out.content, "a string");
  reader.schema("answer", out.answer);
  reader.flag("dry_run", out.dry_run);
  reader.integer("priority", out.priority, -1000000, 1000000, "a whole number from -1000000 to 1000000");
  read_tags(reader, "tags", out.tags);
}

void read(ObjectReader& reader, HistoryParams& out) {
  reader.flag("compacted", out.compacted);
}

void read(ObjectReader& reader, CompactParams& out) {
  reader.name("strategy", out.strategy, "a string");
  reader.text("instructions", out.instructions, "a string");
}

void read(ObjectReader& reader, ElicitParams& out) {
  reader.text("message", out.message, "a string");
  reader.schema("schema", out.schema);
}

}  // namespace lh
