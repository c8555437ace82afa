// Shortens a conversation for the model: first the results of tools, then earlier messages are summarised or left out.
// The user's messages and anchors stay, and a call and its result are dropped only together. Must not: touch the record
// of the messages.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/compaction/strategy_table.h"
#include "agent/run/run_context.h"
#include "agent/setup/session_parameters.h"

namespace lh {

class Compactor {
 public:
  // `run` outlives it.
  explicit Compactor(RunContext& run);
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  struct Done {
    bool compacted = false;
    int64_t before = 0;  // tokens of the prompt
    int64_t after = 0;
    int32_t removed = 0;  // messages
    std::string summary;
  };
  // Called before a model call; `tokens`: of its prompt. True: the messages of the transcript have changed. A failure
  // is reported at ON_ERROR and changes nothing.
  [[nodiscard]] bool compact_if_due(int64_t tokens);
  // Compacts a prompt of any size. Errors: those of the model call that writes a summary, kInvalidMessages for wrong
  // answers of hooks.
  [[nodiscard]] Result<Done> compact(const CompactParams& how);

 private:
  struct CompactionDraft {
    Messages messages;
    Messages removed;
    MessagePtr note;  // among `messages`; null: none
    std::string summary;
    std::vector<std::pair<MessagePtr, MessagePtr>> shortened;  // results, as they were and as they are
    std::vector<std::pair<MessagePtr, MessagePtr>> cut;        // likewise; these may be shortened later
  };
  [[nodiscard]] Result<Done> compact_now(int64_t tokens, bool force, std::string strategy, std::string instructions);
  void shorten_results(CompactionDraft& to) const;
  [[nodiscard]] Status shorten_batch(CompactionDraft& to);
  [[nodiscard]] Status leave_out(CompactionDraft& to, const CompactionStrategy& strategy,
                                 const std::string& instructions, int64_t tokens, int64_t wanted);
  [[nodiscard]] Result<std::string> summarize(Messages said, const std::string& instructions);
  [[nodiscard]] Status make_fit(Messages& said, const std::string& question, int32_t answer);
  [[nodiscard]] Status ask_after(CompactionDraft& to, Done& done);
  void install(CompactionDraft&& to);
  [[nodiscard]] Result<int64_t> count(const Messages& messages);
  [[nodiscard]] int64_t tokens_of(const Message& message) const;
  [[nodiscard]] std::vector<bool> choose(const Messages& messages, LeaveOut how, int64_t tokens, int64_t wanted) const;
  [[nodiscard]] bool may_go(const Message& message) const;
  [[nodiscard]] bool is_note(const Message& message) const;
  [[nodiscard]] bool is_added(const Message& message) const;

  RunContext& run_;
  const int64_t limit_;
  const int64_t room_;  // of it, for prompts
  const int64_t threshold_;
};
static_assert(!std::is_copy_constructible_v<Compactor>);

}  // namespace lh
