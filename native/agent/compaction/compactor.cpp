#include "agent/compaction/compactor.h"

#include <algorithm>
#include <utility>

#include "agent/compaction/message_lists.h"
#include "agent/compaction/pruning.h"
#include "agent/run/side_question.h"
#include "agent/session/history_check.h"
#include "agent/session/session.h"
#include "base/text/cut_text.h"
#include "base/text/names.h"
#include "generation/answer_messages.h"
#include "generation/conversation_json.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {
namespace {

constexpr double kEnough = 0.9;     // of the threshold: with this few tokens nothing need be left out
constexpr double kWanted = 0.6;     // of the threshold: a compaction goes below this, so that the next call needs none
constexpr size_t kKeptBytes = 256;  // of a result, for each step of its tool's boost
constexpr size_t kLeast = 1024;     // of a share: below that there is little left to cut
constexpr int32_t kSummaryTokens = 512;
constexpr const char* kCutOff = "\n[the summary was cut off here]";
constexpr const char* kSummaryHead = "[summary of earlier messages]\n";
constexpr const char* kLeftOut = "[a text was left out]";
constexpr const char* kAsk =
    "Summarise the conversation so far, so that you can go on without it: what the user wants, what was done and "
    "found, "
    "and what is still to be done. Answer with the summary alone.";

// True for the message that replaces an added text which was left out.
bool is_mark(const Message& message) {
  return message.role == Role::kUser && message.origin != Origin::kUser && message.content == kLeftOut;
}

const CompactionStrategy* strategy_of(std::string_view name) {
  const auto* const found = std::ranges::find(kCompactionStrategies, name, &CompactionStrategy::name);
  return found == std::end(kCompactionStrategies) ? nullptr : found;
}

static_assert(std::size(kCompactionStrategies) == static_cast<size_t>(Compaction::kOff));

std::string name_of(Compaction strategy) {
  return std::string(kCompactionStrategies[static_cast<size_t>(strategy)].name);
}

}  // namespace

Compactor::Compactor(RunContext& run)
    : run_(run),
      limit_(run.model.generator->context_size()),
      room_(std::max<int64_t>(0, limit_ - run.setup.answer_reserve)),
      threshold_(static_cast<int64_t>(static_cast<double>(room_) * run.setup.compact_at)) {}

bool Compactor::compact_if_due(int64_t tokens) {
  const Compaction strategy = run_.setup.compaction;
  if (strategy == Compaction::kOff || tokens <= threshold_) return false;
  const auto done = compact_now(tokens, false, name_of(strategy), "");
  if (done.ok()) return done->compacted;
  run_.dispatcher.error(run_.scope, code_name(done.status().code()),
                        "the conversation cannot be compacted: " + done.status().message(), "compact", true);
  return false;
}

Result<Compactor::Done> Compactor::compact(const CompactParams& how) {
  std::string strategy = how.strategy;
  if (strategy.empty()) {
    const Compaction own = run_.setup.compaction;
    strategy = name_of(own == Compaction::kOff ? Compaction{} : own);
  }
  if (strategy_of(strategy) == nullptr) {
    return Status(Code::kInvalidArgument,
                  "strategy must be " + std::string(kStrategyNames) + ", got \"" + strategy + "\"");
  }
  const auto tokens = count(run_.transcript.messages());
  if (!tokens.ok()) return tokens.status();
  return compact_now(*tokens, true, std::move(strategy), how.instructions);
}

Result<Compactor::Done> Compactor::compact_now(int64_t tokens, bool force, std::string strategy,
                                               std::string instructions) {
  Done done{false, tokens, tokens, 0, ""};
  const auto batch =
      run_.transcript.messages().begin() + static_cast<std::ptrdiff_t>(batch_begin(run_.transcript.messages()));
  const auto end = tokens > room_ ? run_.transcript.messages().end() : batch;
  const auto may_shrink = [this](const auto& one) { return may_go(*one) || is_added(*one); };
  if (std::none_of(run_.transcript.messages().begin(), end, may_shrink)) return done;
  const auto outcome = run_.ask<points::OnPreCompact>([&](const auto& context) {
    context({.messages = run_.transcript.messages(),
             .token_count = tokens,
             .estimated = run_.model.generator->estimates(),
             .threshold = threshold_,
             .limit = limit_,
             .force = force,
             .strategy = strategy});
  });
  if (outcome.cancelled()) return done;
  CompactionDraft to;
  to.messages = run_.transcript.messages();
  if (const auto changed = outcome.changes().strategy()) strategy = *changed;
  if (const auto changed = outcome.changes().messages()) {
    auto messages = read_messages(*changed);
    Status status = messages.ok() ? check_history(*messages, "messages") : messages.status();
    if (!status.ok())
      return Status(status.code(), "after " + shown_point("PRE_COMPACT") + " hooks changed them: " + status.message());
    to.messages = recognised(*messages, run_.transcript.messages());
  }
  if (const auto more = outcome.answers().instructions()) instructions += (instructions.empty() ? "" : "\n") + *more;
  if (const CompactionStrategy* const how = strategy_of(strategy)) {  // null: "given", so the hook did the work
    shorten_results(to);
    auto now = count(to.messages);
    if (!now.ok()) return now.status();
    const auto share = [this](double of) { return static_cast<int64_t>(of * static_cast<double>(threshold_)); };
    const bool all = force && how->leave_out != LeaveOut::kNothing;
    if (all || *now > share(kEnough)) {
      Status status = leave_out(to, *how, instructions, *now, all ? 0 : share(kWanted));
      if (!status.ok()) return status;
    }
    if (tokens > room_) {
      Status status = shorten_batch(to);
      if (!status.ok()) return status;
    }
  }
  if (to.messages == run_.transcript.messages()) return done;
  if (Status status = ask_after(to, done); !status.ok()) return status;
  done.compacted = true;
  if (run_.work.events.wanted()) {
    run_.work.events.emit(CompactionEvent{strategy, done.before, done.after, done.removed});
  }
  install(std::move(to));
  return done;
}

// True for messages of the model, results, and the notes of earlier compactions. The user's messages and anchors stay.
bool Compactor::may_go(const Message& message) const {
  return message.role == Role::kAssistant || message.role == Role::kTool || is_note(message) || is_mark(message);
}

bool Compactor::is_note(const Message& message) const {
  return message.role == Role::kUser && message.content == run_.dialogue.compactions().note() &&
         !message.content.empty();
}

// True for texts that hooks, tools and the engine have added, apart from anchors and the note. If need be, they are
// dropped, the oldest first.
bool Compactor::is_added(const Message& message) const {
  return message.origin != Origin::kUser && message.origin != Origin::kAnchor && !is_note(message) && !is_mark(message);
}

void Compactor::shorten_results(CompactionDraft& to) const {
  const size_t end = batch_begin(to.messages);
  for (size_t i = 0; i < end; ++i) {
    const MessagePtr message = to.messages[i];
    if (message->role != Role::kTool || run_.dialogue.is_shortened(message->tool_call_id)) continue;
    const auto boost = static_cast<size_t>(run_.dialogue.compactions().boost(message->tool_name) - 1);
    MessagePtr now = shortened_result(run_, *message, kKeptBytes * boost);
    if (now == nullptr) continue;
    to.shortened.emplace_back(message, now);
    to.messages[i] = std::move(now);
  }
}

// Results and added texts that the model has not answered yet are cut last, and no more than needed: to a half, a
// quarter and so on, until the prompt has room.
Status Compactor::shorten_batch(CompactionDraft& to) {
  const Messages whole = to.messages;
  std::vector<std::pair<MessagePtr, MessagePtr>> cut;
  const bool can_inspect = run_.can_inspect();
  for (size_t share = 2; share <= kLeast; share *= 2) {
    const auto now = count(to.messages);
    if (!now.ok()) return now.status();
    if (*now <= room_) break;
    cut.clear();
    for (size_t i = batch_begin(whole); i < whole.size(); ++i) {
      const MessagePtr& message = whole[i];
      if (message->role != Role::kTool && !is_added(*message)) continue;
      const bool is_result = message->role == Role::kTool;
      const bool kept = is_result || is_said(run_.transcript.everything(), message->id);
      const std::string& id = is_result ? message->tool_call_id : message->id;
      std::string shown =
          cut_for_model(message->content, message->content.size() / share, can_inspect && kept ? id : "");
      if (shown.size() >= message->content.size()) continue;
      to.messages[i] = with_content(*message, std::move(shown));
      cut.emplace_back(message, to.messages[i]);
    }
    if (cut.empty()) break;
  }
  to.cut = std::move(cut);
  return {};
}

// Returns which messages are dropped. A message with calls is dropped together with their results.
std::vector<bool> Compactor::choose(const Messages& messages, LeaveOut how, int64_t tokens, int64_t wanted) const {
  std::vector<bool> goes(messages.size());
  const size_t end = batch_begin(messages);
  const auto drop = [&](size_t i) {
    goes[i] = true;
    tokens -= tokens_of(*messages[i]);
  };
  for (size_t i = 0; i < end && how != LeaveOut::kNothing; ++i) {
    const Message& message = *messages[i];
    if (message.role == Role::kTool) {
      if (i > 0 && goes[i - 1]) drop(i);
    } else if ((may_go(message) && (how == LeaveOut::kAll || tokens > wanted)) ||
               (is_added(message) && how == LeaveOut::kOldest && tokens > wanted)) {
      drop(i);
    }
  }
  for (size_t i = 0; i < end && tokens > wanted; ++i) {
    if (!goes[i] && is_added(*messages[i])) drop(i);
  }
  return goes;
}

Status Compactor::leave_out(CompactionDraft& to, const CompactionStrategy& strategy, const std::string& instructions,
                            int64_t tokens, int64_t wanted) {
  const std::vector<bool> goes = choose(to.messages, strategy.leave_out, tokens, wanted);
  Messages kept;
  size_t first = to.messages.size();  // place of the first removed message, among those that stay
  size_t read = 0;                    // the summary covers the messages before this place
  const auto from_model = [](const Message& one) { return one.role == Role::kAssistant; };
  for (size_t i = 0; i < to.messages.size(); ++i) {
    const MessagePtr& message = to.messages[i];
    if (!goes[i]) {
      // Templates refuse two answers in a row; the note between them prevents that.
      const bool alone = i > 0 && goes[i - 1] && first != kept.size() && from_model(*message) &&
                         from_model(*kept.back()) && to.messages[i - 1]->role == Role::kUser;
      if (alone) kept.push_back(with_content(*to.messages[i - 1], kLeftOut));
      kept.push_back(message);
      continue;
    }
    if (read == 0) first = kept.size();
    // Notes and marks are not part of the conversation.
    if (!is_note(*message) && !is_mark(*message)) to.removed.push_back(message);
    read = i + 1;
  }
  if (to.removed.empty()) return {};
  const int32_t left_out = run_.dialogue.compactions().left_out() + static_cast<int32_t>(to.removed.size());
  to.summary = "[" + std::to_string(left_out) + " earlier messages were left out]";
  std::string note = to.summary;
  if (strategy.summary) {
    auto summary =
        summarize(Messages(to.messages.begin(), to.messages.begin() + static_cast<std::ptrdiff_t>(read)), instructions);
    if (summary.ok()) {
      to.summary = *std::move(summary);
      note = kSummaryHead + to.summary;
    } else if (summary.status().code() != Code::kPromptTooLong) {  // then it is left out without one
      return summary.status();
    }
  }
  to.note = run_.added_text(Origin::kEngine, std::move(note)).whole;
  kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(first), to.note);
  to.messages = std::move(kept);
  return {};
}

Result<std::string> Compactor::summarize(Messages said, const std::string& instructions) {
  const auto most = std::max<int32_t>(16, std::min(kSummaryTokens, static_cast<int32_t>(limit_ / 4)));
  const std::string question = instructions.empty() ? kAsk : std::string(kAsk) + "\n" + instructions;
  if (Status status = make_fit(said, question, most); !status.ok()) return status;
  auto summary = ask_side_question(run_, {std::move(said), question, most, std::nullopt});
  if (!summary.ok()) return Status(summary.status().code(), "the summary: " + summary.status().message());
  return summary->text + (summary->cut_off ? kCutOff : "");
}

// Cuts long messages to a half, a quarter and so on, until the question about them has room beside them.
Status Compactor::make_fit(Messages& said, const std::string& question, int32_t answer) {
  const Messages whole = said;
  for (size_t share = 2; share <= kLeast; share *= 2) {
    said.push_back(user_message(question));
    const auto now = count(said);
    said.pop_back();
    if (!now.ok()) return now.status();
    if (*now + answer <= limit_) break;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (!may_go(*whole[i]) && !is_added(*whole[i])) continue;
      auto cut = std::make_shared<Message>(*whole[i]);
      cut->content = cut_text(cut->content, cut->content.size() / share);
      cut->reasoning = {};
      if (cut->content.size() < whole[i]->content.size()) said[i] = std::move(cut);
    }
  }
  return {};
}

Status Compactor::ask_after(CompactionDraft& to, Done& done) {
  auto after = count(to.messages);
  if (!after.ok()) return after.status();
  done.after = *after;
  done.removed = static_cast<int32_t>(to.removed.size());
  const auto outcome = run_.ask<points::OnPostCompact>([&](const auto& context) {
    context({.tokens_before = done.before,
             .tokens_after = done.after,
             .removed = done.removed,
             .summary = to.summary,
             .messages = to.messages});
  });
  const auto summary = outcome.changes().summary();
  if (summary) {
    to.summary = *summary;
    if (to.note != nullptr) {
      const MessagePtr note = with_content(*to.note, kSummaryHead + to.summary);
      std::ranges::replace(to.messages, to.note, note);
      to.note = note;
    }
  }
  if (const auto changed = outcome.changes().messages()) {
    auto messages = read_messages(*changed);
    Status status = messages.ok() ? check_history(*messages, "messages") : messages.status();
    if (!status.ok())
      return {status.code(), "after " + shown_point("POST_COMPACT") + " hooks changed them: " + status.message()};
    to.messages = recognised(*messages, to.messages);
    // Forget shortened and cut results, and the note, if the hooks have left out their messages.
    const auto is_there = [&to](const MessagePtr& message) {
      return std::ranges::any_of(to.messages, [&message](const MessagePtr& one) {
        return one->role == message->role && one->content == message->content;
      });
    };
    std::erase_if(to.shortened, [&](const auto& one) { return !is_there(one.second); });
    std::erase_if(to.cut, [&](const auto& one) { return !is_there(one.second); });
    if (to.note != nullptr && !is_there(to.note)) {
      to.note = nullptr;
      if (!summary) to.summary.clear();
    }
  }
  done.summary = to.summary;
  if (!outcome.changes().any()) return {};
  after = count(to.messages);
  if (!after.ok()) return after.status();
  done.after = *after;
  return {};
}

// Records the compaction in the conversation only when the model has answered the shortened prompt: until then the run
// may end without it.
void Compactor::install(CompactionDraft&& to) {
  Messages messages = std::move(to.messages);
  auto settle = [&run = run_, to = std::move(to)] {
    CompactionMemory& memory = run.dialogue.compactions();
    for (const auto& [before, now] : to.shortened) run.dialogue.shorten(before->tool_call_id, before->content);
    for (const auto& [before, now] : to.cut) {
      if (before->role == Role::kTool) run.dialogue.keep_original(before->tool_call_id, before->content);
    }
    for (const auto* list : {&to.shortened, &to.cut}) {
      for (const auto& [before, now] : *list) {
        const ToolCall* const call = call_of(run.transcript.everything(), *before);
        if (call != nullptr) memory.lose(*call, {before->content.size(), now->content.size()});
      }
    }
    for (const MessagePtr& message : to.removed) {
      if (message->role != Role::kTool) continue;
      const ToolCall* const call = call_of(run.transcript.everything(), *message);
      const size_t size = run.dialogue.original(message->tool_call_id).value_or(message->content).size();
      if (call != nullptr) memory.lose(*call, {size, 0});
    }
    if (to.note != nullptr) {
      memory.set_note(to.note->content, memory.left_out() + static_cast<int32_t>(to.removed.size()));
    }
  };
  run_.transcript.compact(std::move(messages), std::move(settle));
}

Result<int64_t> Compactor::count(const Messages& messages) {
  const auto request = run_.requests.build(messages);
  if (!request.ok()) return request.status();
  PromptRequest whole = request->prompt_request();
  whole.cancel = &run_.work.cancel;
  const auto prompt = run_.model.generator->prepare(whole, request->params);
  if (!prompt.ok()) return prompt.status();
  return (*prompt)->length();
}

int64_t Compactor::tokens_of(const Message& message) const {
  std::string text = message.content;
  for (const ToolCall& call : message.tool_calls) text += call.name + dump_json(call.args);
  return run_.model.generator->count(text, &run_.work.cancel);
}

}  // namespace lh
