// The points of "tools", with the types of their contexts and answers.
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

// Before a tool call is validated and its permission is checked; once per tool call.
struct PreToolCall {
  static constexpr Point kPoint = LH_HOOK_PRE_TOOL_CALL;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text tool_name;
    context::Value args;
    context::Text tool_call_id;
    context::TextOrNull tier;
    context::Integer iteration;
    context::Value annotations;
    context::TextOrNull origin;

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"args":)", args);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"annotations":)", annotations);
      to.add(R"(,"origin":)", origin);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> tool_name() const { return get<std::string>("tool_name"); }
    [[nodiscard]] Given<Json> args() const { return get<Json>("args"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<Json> additional_context() const { return get<Json>("additional_context"); }
    [[nodiscard]] Given<std::string> permission() const { return get<std::string>("permission"); }
    [[nodiscard]] Given<std::string> response() const { return get<std::string>("response"); }
  };
};

// After a tool ran or was refused, before its result is stored anywhere; once per tool call.
struct PostToolCall {
  static constexpr Point kPoint = LH_HOOK_POST_TOOL_CALL;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Text tool_name;
    context::Value args;
    context::Text tool_call_id;
    context::Number elapsed_ms;
    context::TextOrNull tier;
    context::Integer iteration;
    context::Text result_kind;
    context::Flag is_error;
    context::Text result;
    context::Value directives;
    context::Value annotations;
    context::TextOrNull origin;
    std::optional<context::Value> parts = {};

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"args":)", args);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"elapsed_ms":)", elapsed_ms);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"result_kind":)", result_kind);
      to.add(R"(,"is_error":)", is_error);
      to.add(R"(,"result":)", result);
      to.add(R"(,"directives":)", directives);
      to.add(R"(,"annotations":)", annotations);
      to.add(R"(,"origin":)", origin);
      to.add(R"(,"parts":)", parts);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> result() const { return get<std::string>("result"); }
    [[nodiscard]] Given<bool> is_error() const { return get<bool>("is_error"); }
    [[nodiscard]] Given<Json> directives() const { return get<Json>("directives"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<Json> additional_context() const { return get<Json>("additional_context"); }
  };
};

// At each permission decision, after the tool call was validated; also when a waiting call has received its answer,
// before it runs; once per decision.
struct OnPermissionCheck {
  static constexpr Point kPoint = LH_HOOK_ON_PERMISSION_CHECK;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text tool_name;
    context::Value args;
    context::TextOrNull tool_call_id;
    context::Text permission;
    context::TextOrNull rule;
    context::TextOrNull tier;
    context::Value annotations;
    context::TextOrNull origin;
    std::optional<context::Value> answered = {};

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"args":)", args);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"permission":)", permission);
      to.add(R"(,"rule":)", rule);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"annotations":)", annotations);
      to.add(R"(,"origin":)", origin);
      to.add(R"(,"answered":)", answered);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> permission() const { return get<std::string>("permission"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<std::string> reason() const { return get<std::string>("reason"); }
    [[nodiscard]] Given<std::string> remember() const { return get<std::string>("remember"); }
    [[nodiscard]] Given<bool> defer() const { return get<bool>("defer"); }
    [[nodiscard]] Given<std::string> waits_for() const { return get<std::string>("waits_for"); }
  };
};

// After a validator has judged a tool call; once per validator and tool call.
struct OnToolValidation {
  static constexpr Point kPoint = LH_HOOK_ON_TOOL_VALIDATION;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text tool_name;
    context::Value args;
    context::Text tool_call_id;
    context::Text validator;
    context::Flag allowed;
    context::TextOrNull reason;

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"args":)", args);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"validator":)", validator);
      to.add(R"(,"allowed":)", allowed);
      to.add(R"(,"reason":)", reason);
    }
  };
};

// Before a tool result is stored in the history or in a saved session; once per result.
struct OnToolResultPersist {
  static constexpr Point kPoint = LH_HOOK_ON_TOOL_RESULT_PERSIST;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Text tool_name;
    context::Text tool_call_id;
    context::Text result;
    context::TextOrNull tier;

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"result":)", result);
      to.add(R"(,"tier":)", tier);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> result() const { return get<std::string>("result"); }
  };
};

// When the model calls a tool again with the same arguments, after compaction has removed the earlier result; once per
// such call.
struct OnCompactionMiss {
  static constexpr Point kPoint = LH_HOOK_ON_COMPACTION_MISS;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text tool_name;
    context::Text tool_call_id;
    context::Integer original_size;
    context::Integer compressed_size;
    context::Number boost;

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"original_size":)", original_size);
      to.add(R"(,"compressed_size":)", compressed_size);
      to.add(R"(,"boost":)", boost);
    }
  };
};

// When a tool asks the user for input while it runs; once per question.
struct OnElicitation {
  static constexpr Point kPoint = LH_HOOK_ON_ELICITATION;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text tool_name;
    context::Text tool_call_id;
    context::Text message;
    context::Value schema;
    context::Text action;
    context::Value content;
    context::TextOrNull tier;
    context::Value annotations;
    context::TextOrNull origin;

    void append(context::Members to) const {
      to.add(R"(,"tool_name":)", tool_name);
      to.add(R"(,"tool_call_id":)", tool_call_id);
      to.add(R"(,"message":)", message);
      to.add(R"(,"schema":)", schema);
      to.add(R"(,"action":)", action);
      to.add(R"(,"content":)", content);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"annotations":)", annotations);
      to.add(R"(,"origin":)", origin);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> action() const { return get<std::string>("action"); }
    [[nodiscard]] Given<Json> content() const { return get<Json>("content"); }
  };
};

}  // namespace lh::points
