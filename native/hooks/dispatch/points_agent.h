// The points of "agent", with the types of their contexts and answers.
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

// At the start of each iteration of the loop; once per iteration.
struct OnLoopIteration {
  static constexpr Point kPoint = LH_HOOK_ON_LOOP_ITERATION;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text goal;
    context::Integer iteration;
    context::Integer max_iterations;
    context::Text state;
    context::Integer consecutive_errors;

    void append(context::Members to) const {
      to.add(R"(,"goal":)", goal);
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"max_iterations":)", max_iterations);
      to.add(R"(,"state":)", state);
      to.add(R"(,"consecutive_errors":)", consecutive_errors);
    }
  };
};

// At each transition of the loop's state machine; once per transition.
struct OnStateChange {
  static constexpr Point kPoint = LH_HOOK_ON_STATE_CHANGE;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text previous;
    context::Text current;

    void append(context::Members to) const {
      to.add(R"(,"previous":)", previous);
      to.add(R"(,"current":)", current);
    }
  };
};

// Before a child run: a delegation, a pipeline stage or a plan step; once per child run.
struct OnDelegate {
  static constexpr Point kPoint = LH_HOOK_ON_DELEGATE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text target_tier;
    context::Text task;
    context::Integer depth;
    context::Text flow;

    void append(context::Members to) const {
      to.add(R"(,"target_tier":)", target_tier);
      to.add(R"(,"task":)", task);
      to.add(R"(,"depth":)", depth);
      to.add(R"(,"flow":)", flow);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> target_tier() const { return get<std::string>("target_tier"); }
    [[nodiscard]] Given<std::string> task() const { return get<std::string>("task"); }
  };
};

// After a child run ended or was refused; once per child run or refusal.
struct OnDelegateComplete {
  static constexpr Point kPoint = LH_HOOK_ON_DELEGATE_COMPLETE;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Text target_tier;
    context::Text task;
    context::Flag success;
    context::Text result_kind;
    context::Text summary;
    context::Number elapsed_ms;
    context::Value usage;

    void append(context::Members to) const {
      to.add(R"(,"target_tier":)", target_tier);
      to.add(R"(,"task":)", task);
      to.add(R"(,"success":)", success);
      to.add(R"(,"result_kind":)", result_kind);
      to.add(R"(,"summary":)", summary);
      to.add(R"(,"elapsed_ms":)", elapsed_ms);
      to.add(R"(,"usage":)", usage);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> summary() const { return get<std::string>("summary"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<std::string> retry() const { return get<std::string>("retry"); }
  };
};

// When the messages for the next model call are assembled; once per iteration.
struct OnContextAssemble {
  static constexpr Point kPoint = LH_HOOK_ON_CONTEXT_ASSEMBLE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Value messages;
    context::Integer token_count;
    context::Flag estimated;
    context::Integer limit;
    context::Integer budget;

    void append(context::Members to) const {
      to.add(R"(,"messages":)", messages);
      to.add(R"(,"token_count":)", token_count);
      to.add(R"(,"estimated":)", estimated);
      to.add(R"(,"limit":)", limit);
      to.add(R"(,"budget":)", budget);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> messages() const { return get<Json>("messages"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<Json> inject() const { return get<Json>("inject"); }
  };
};

// Before a compaction; once per compaction, not per iteration.
struct OnPreCompact {
  static constexpr Point kPoint = LH_HOOK_ON_PRE_COMPACT;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Value messages;
    context::Integer token_count;
    context::Flag estimated;
    context::Integer threshold;
    context::Integer limit;
    context::Flag force;
    context::Text strategy;

    void append(context::Members to) const {
      to.add(R"(,"messages":)", messages);
      to.add(R"(,"token_count":)", token_count);
      to.add(R"(,"estimated":)", estimated);
      to.add(R"(,"threshold":)", threshold);
      to.add(R"(,"limit":)", limit);
      to.add(R"(,"force":)", force);
      to.add(R"(,"strategy":)", strategy);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> messages() const { return get<Json>("messages"); }
    [[nodiscard]] Given<std::string> strategy() const { return get<std::string>("strategy"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<std::string> instructions() const { return get<std::string>("instructions"); }
  };
};

// After a compaction; once per compaction.
struct OnPostCompact {
  static constexpr Point kPoint = LH_HOOK_ON_POST_COMPACT;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::Integer tokens_before;
    context::Integer tokens_after;
    context::Integer removed;
    context::Text summary;
    context::Value messages;

    void append(context::Members to) const {
      to.add(R"(,"tokens_before":)", tokens_before);
      to.add(R"(,"tokens_after":)", tokens_after);
      to.add(R"(,"removed":)", removed);
      to.add(R"(,"summary":)", summary);
      to.add(R"(,"messages":)", messages);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> summary() const { return get<std::string>("summary"); }
    [[nodiscard]] Given<Json> messages() const { return get<Json>("messages"); }
  };
};

// Before each directive of a tool result, whatever its type; once per directive.
struct OnDirective {
  static constexpr Point kPoint = LH_HOOK_ON_DIRECTIVE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text type;
    context::Value params;

    void append(context::Members to) const {
      to.add(R"(,"type":)", type);
      to.add(R"(,"params":)", params);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> params() const { return get<Json>("params"); }
  };
};

// At a directive of a type that the engine does not know, after ON_DIRECTIVE; once per such directive.
struct OnCustomDirective {
  static constexpr Point kPoint = LH_HOOK_ON_CUSTOM_DIRECTIVE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text type;
    context::Value params;

    void append(context::Members to) const {
      to.add(R"(,"type":)", type);
      to.add(R"(,"params":)", params);
    }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<bool> handled() const { return get<bool>("handled"); }
    [[nodiscard]] Given<std::string> message() const { return get<std::string>("message"); }
  };
};

// When the loop of a run begins, child runs included; at depth 0 this is the start of a turn; once per loop.
struct OnLoopStart {
  static constexpr Point kPoint = LH_HOOK_ON_LOOP_START;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Value messages;
    context::Integer message_count;
    context::Integer delegation_depth;
    context::TextOrNull tier;

    void append(context::Members to) const {
      to.add(R"(,"messages":)", messages);
      to.add(R"(,"message_count":)", message_count);
      to.add(R"(,"delegation_depth":)", delegation_depth);
      to.add(R"(,"tier":)", tier);
    }
  };
};

// When the loop of a run ends, on every path; exactly once per loop.
struct OnLoopEnd {
  static constexpr Point kPoint = LH_HOOK_ON_LOOP_END;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Text final_state;
    context::TextOrNull reason;
    context::Integer iterations;
    context::Text response;
    context::Value usage;
    context::Number duration_ms;

    void append(context::Members to) const {
      to.add(R"(,"final_state":)", final_state);
      to.add(R"(,"reason":)", reason);
      to.add(R"(,"iterations":)", iterations);
      to.add(R"(,"response":)", response);
      to.add(R"(,"usage":)", usage);
      to.add(R"(,"duration_ms":)", duration_ms);
    }
  };
};

// When the model calls the tool complete to say that it is done, or has written the answer that the run's `answer`
// wants; once per such call or answer.
struct OnComplete {
  static constexpr Point kPoint = LH_HOOK_ON_COMPLETE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text summary;
    context::TextOrNull tier;
    context::Integer iteration;
    context::Value tool_results;

    void append(context::Members to) const {
      to.add(R"(,"summary":)", summary);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"tool_results":)", tool_results);
    }
  };
};

// When the first run of a session begins, or when the session is closed without a run; a restored history is there
// already; once per session.
struct OnSessionStart {
  static constexpr Point kPoint = LH_HOOK_ON_SESSION_START;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Value history;

    void append(context::Members to) const {
      to.add(R"(,"history":)", history);
    }
  };
};

// When a session is closed, also by the close of its engine; once per session.
struct OnSessionEnd {
  static constexpr Point kPoint = LH_HOOK_ON_SESSION_END;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Value history;
    context::Integer iterations;

    void append(context::Members to) const {
      to.add(R"(,"history":)", history);
      to.add(R"(,"iterations":)", iterations);
    }
  };
};

// When the system prompt is assembled, before the first ON_CONTEXT_ASSEMBLE; once per system prompt.
struct OnBootstrap {
  static constexpr Point kPoint = LH_HOOK_ON_BOOTSTRAP;
  static constexpr Kind kKind = Kind::kPost;
  struct Context {
    context::TextOrNull tier;
    context::Text system_prompt;
    context::Value parts;

    void append(context::Members to) const {
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"system_prompt":)", system_prompt);
      to.add(R"(,"parts":)", parts);
    }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<Json> parts() const { return get<Json>("parts"); }
  };
};

// After each iteration, also if it failed; once per iteration.
struct OnIterationEnd {
  static constexpr Point kPoint = LH_HOOK_ON_ITERATION_END;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Integer iteration;
    context::Text status;
    context::Value tool_call_counts;
    context::Flag task_completed;
    context::Integer continuations;
    context::Text output;

    void append(context::Members to) const {
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"status":)", status);
      to.add(R"(,"tool_call_counts":)", tool_call_counts);
      to.add(R"(,"task_completed":)", task_completed);
      to.add(R"(,"continuations":)", continuations);
      to.add(R"(,"output":)", output);
    }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<bool> complete() const { return get<bool>("complete"); }
    [[nodiscard]] Given<std::string> continue_() const { return get<std::string>("continue"); }
  };
};

// After a reflection step; once per step.
struct OnReflection {
  static constexpr Point kPoint = LH_HOOK_ON_REFLECTION;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Integer iteration;
    context::Text monologue;
    context::Flag should_proceed;

    void append(context::Members to) const {
      to.add(R"(,"iteration":)", iteration);
      to.add(R"(,"monologue":)", monologue);
      to.add(R"(,"should_proceed":)", should_proceed);
    }
  };
};

// At the end of a dry run: the plan was made, no tool ran; once per dry run.
struct OnDryRun {
  static constexpr Point kPoint = LH_HOOK_ON_DRY_RUN;
  static constexpr Kind kKind = Kind::kInfo;
  struct Context {
    context::Integer planned_steps;
    context::Value tools_used;
    context::Text estimated_cost;

    void append(context::Members to) const {
      to.add(R"(,"planned_steps":)", planned_steps);
      to.add(R"(,"tools_used":)", tools_used);
      to.add(R"(,"estimated_cost":)", estimated_cost);
    }
  };
};

// Before a plan starts; once per plan.
struct OnPlanExecution {
  static constexpr Point kPoint = LH_HOOK_ON_PLAN_EXECUTION;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text flow;
    context::Integer step_count;
    context::Value step_names;
    context::Value steps;

    void append(context::Members to) const {
      to.add(R"(,"flow":)", flow);
      to.add(R"(,"step_count":)", step_count);
      to.add(R"(,"step_names":)", step_names);
      to.add(R"(,"steps":)", steps);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<Json> steps() const { return get<Json>("steps"); }
  };
};

// When user input arrives (the input of a run, or a queued message), before it is stored anywhere; once per input.
struct OnUserMessage {
  static constexpr Point kPoint = LH_HOOK_ON_USER_MESSAGE;
  static constexpr Kind kKind = Kind::kPre;
  struct Context {
    context::Text content;
    context::TextOrNull tier;
    context::Flag queued;

    void append(context::Members to) const {
      to.add(R"(,"content":)", content);
      to.add(R"(,"tier":)", tier);
      to.add(R"(,"queued":)", queued);
    }
  };
  struct Changes : GivenChanges {
    using GivenChanges::GivenChanges;
    [[nodiscard]] Given<std::string> content() const { return get<std::string>("content"); }
  };
  struct Answers : GivenAnswers {
    using GivenAnswers::GivenAnswers;
    [[nodiscard]] Given<Json> additional_context() const { return get<Json>("additional_context"); }
  };
};

}  // namespace lh::points
