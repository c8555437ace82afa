// The directives that the engine carries out itself. Handlers: directives.cpp.
// Generated from native/contract/directives.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <string_view>

namespace lh {

enum class DirectiveType { kStopProcessing, kTierChange, kDelegate, kPipeline, kComplete, kClearTodos, kInjectContext, kPruneMessages, kContextAnchor, kPhaseChange, kNotify };

struct DirectiveRow {
  std::string_view name;
  std::string_view params;  // JSON Schema
};

// In the order of DirectiveType.
inline constexpr DirectiveRow kDirectives[] = {
    {"stop_processing",
     R"json({"type":"object","properties":{"reason":{"type":"string"}},"required":[],"additionalProperties":false})json"},
    {"tier_change",
     R"json({"type":"object","properties":{"tier":{"type":"string"}},"required":["tier"],"additionalProperties":false})json"},
    {"delegate",
     R"json({"type":"object","properties":{"tier":{"type":"string"},"task":{"type":"string"},"resume":{"type":"string"}},"required":["tier","task"],"additionalProperties":false})json"},
    {"pipeline",
     R"json({"type":"object","properties":{"task":{"type":"string"},"stages":{"type":"array","items":{"type":"object","properties":{"tier":{"type":"string"},"task":{"type":"string"}},"required":["tier"],"additionalProperties":false}}},"required":["task","stages"],"additionalProperties":false})json"},
    {"complete",
     R"json({"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false})json"},
    {"clear_todos",
     R"json({"type":"object","properties":{},"required":[],"additionalProperties":false})json"},
    {"inject_context",
     R"json({"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false})json"},
    {"prune_messages",
     R"json({"type":"object"})json"},
    {"context_anchor",
     R"json({"type":"object","properties":{"key":{"type":"string"},"content":{"type":"string"}},"required":["key","content"],"additionalProperties":false})json"},
    {"phase_change",
     R"json({"type":"object","properties":{"phase":{"type":"string"}},"required":["phase"],"additionalProperties":false})json"},
    {"notify",
     R"json({"type":"object"})json"},
};

}  // namespace lh
