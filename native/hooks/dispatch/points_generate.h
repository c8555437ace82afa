// The points of "generate", with the types of their contexts and answers.
// Generated from native/contract/points.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "hooks/dispatch/context_field.h"
#include "hooks/dispatch/given.h"
#include "hooks/points/point.h"
#include "hooks/points/point_info.h"

namespace lh::points {

// Before each model call; once per model call.
struct PreGenerate {
  static constexpr Point kPoint = LH_HOOK_PRE_GENERATE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Value messages;
    std::optional<context::Text> prompt = {};
    context::Value params;
    context::Value tools;
    context::TextOrNull tier;
    context::IntegerOrNull iteration;

    void append(context::Members to) const {
      to.add(R"(,"messages":)", messages);
      to.add(R"(,"prompt":)", prompt);
      to.add(R"(,"params":)", params);
      to.add(R"(,"tools":)", tools);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"iteration":)", iteration);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> messages() const { return get<Json>("messages"); }
    [[nodiscard]] Given<std::string> prompt() const { return get<std::string>("prompt"); }
    [[nodiscard]] Given<Json> params() const { return get<Json>("params"); }
    [[nodiscard]] Given<Json> tools() const { return get<Json>("tools"); }
    void set_params(Json value) const { set("params", std::move(value)); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<std::string> model() const { return get<std::string>("model"); }
    [[nodiscard]] Given<std::string> response() const { return get<std::string>("response"); }
  };
};

// After each model call, before its output is stored, returned or acted on; once per model call, but not if a hook
// gave the response.
struct PostGenerate {
  static constexpr Point kPoint = LH_HOOK_POST_GENERATE;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Text content;
    context::Text reasoning;
    context::Value tool_calls;
    context::Text finish_reason;
    context::Value usage;
    context::TextOrNull tier;
    context::Text system_prompt;
    context::Text tool_context;

    void append(context::Members to) const {
      to.add(R"(,"content":)", content);
      to.add(R"(,"reasoning":)", reasoning);
      to.add(R"(,"tool_calls":)", tool_calls);
      to.add(R"(,"finish_reason":)", finish_reason);
      to.add(R"(,"usage":)", usage);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"system_prompt":)", system_prompt);
      to.add(R"(,"tool_context":)", tool_context);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> content() const { return get<std::string>("content"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<std::string> halt() const { return get<std::string>("halt"); }
    [[nodiscard]] Given<std::string> retry() const { return get<std::string>("retry"); }
  };
};

// As tokens are generated, in order; once per token, not per byte. It fires twice for a token that ends one part
// (reasoning, content) and begins the next. The bytes of an unfinished character wait for the token that completes it.
// At the end of a part, it fires once more, with final, for each hook that holds text and for the hooks after that
// hook.
struct OnStreamToken {
  static constexpr Point kPoint = LH_HOOK_ON_STREAM_TOKEN;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Integer token_index;
    context::Integer token;
    context::Text text;
    context::Text kind;
    std::optional<context::Number> logprob = {};
    std::optional<context::Flag> final = {};

    void append(context::Members to) const {
      to.add(R"(,"token_index":)", token_index);
      to.add(R"(,"token":)", token);
      to.add(R"(,"text":)", text);
      to.add(R"(,"kind":)", kind);
      to.add(R"(,"logprob":)", logprob);
      to.add(R"(,"final":)", final);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> text() const { return get<std::string>("text"); }
    void set_text(Json value) const { set("text", std::move(value)); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<bool> drop() const { return get<bool>("drop"); }
    [[nodiscard]] Given<bool> hold() const { return get<bool>("hold"); }
  };
};

// Before each model call, before PRE_GENERATE; once per model call.
struct OnContextBudget {
  static constexpr Point kPoint = LH_HOOK_ON_CONTEXT_BUDGET;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Integer persona_tokens;
    context::Integer tool_schema_tokens;
    context::Integer history_tokens;
    context::Integer total_tokens;
    context::Integer max_tokens;
    context::Number utilization;
    context::Flag over_budget;
    context::Flag estimated;

    void append(context::Members to) const {
      to.add(R"(,"persona_tokens":)", persona_tokens);
      to.add(R"(,"tool_schema_tokens":)", tool_schema_tokens);
      to.add(R"(,"history_tokens":)", history_tokens);
      to.add(R"(,"total_tokens":)", total_tokens);
      to.add(R"(,"max_tokens":)", max_tokens);
      to.add(R"(,"utilization":)", utilization);
      to.add(R"(,"over_budget":)", over_budget);
      to.add(R"(,"estimated":)", estimated);
    }
  };
};

// While the model reads a long prompt; at most every 50 ms.
struct OnPromptProgress {
  static constexpr Point kPoint = LH_HOOK_ON_PROMPT_PROGRESS;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Integer processed;
    context::Integer total;
    context::Integer cached;

    void append(context::Members to) const {
      to.add(R"(,"processed":)", processed);
      to.add(R"(,"total":)", total);
      to.add(R"(,"cached":)", cached);
    }
  };
};

}  // namespace lh::points
