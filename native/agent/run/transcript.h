// The messages of one run: those that the model sees, all that were said, and the message whose tool calls are under
// way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/session/dialogue.h"
#include "agent/session/inbox.h"
#include "agent/session/message_ids.h"
#include "model/conversation.h"

namespace lh {

// A text that a hook, a tool or the engine adds to the conversation, as a message with an id.
struct AddedText {
  MessagePtr shown;  // the beginning of a long text
  MessagePtr whole;
};

class Transcript {
 public:
  // Begins with the history of `dialogue`. `inbox`: settled by commit(); null for a run that another run started.
  Transcript(Dialogue& dialogue, Inbox* inbox)
      : dialogue_(dialogue),
        inbox_(inbox),
        messages_(dialogue.settled_history()),
        everything_(dialogue.settled_everything()),
        reshaped_(dialogue.reshaped()) {}
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // The conversation as the model sees it, with the messages of this run.
  [[nodiscard]] const Messages& messages() const { return messages_; }
  // The same with the messages that compactions left out.
  [[nodiscard]] const Messages& everything() const { return everything_; }
  // The messages that this run has added.
  [[nodiscard]] const Messages& added() const { return added_; }

  // Adds a message, with an id and the time if it has none; returns the added message.
  MessagePtr say(MessagePtr message) {
    if (message->id.empty()) message = with_id(*message);
    return say(AddedText{message, message});
  }
  // Returns the message that the model sees; everything() has the whole text.
  MessagePtr say(const AddedText& text);
  // The model no longer sees the message; everything() stays.
  void drop(const MessagePtr& message);
  // Called for a tool that changes which results are shown: the model sees `messages` from now on; everything() stays.
  void show(Messages messages);
  // The same for a compaction. `settle` records it in the conversation; settle_compaction() calls it once.
  void compact(Messages messages, std::function<void()> settle);
  // The model has answered to the compacted messages, so the compaction is final.
  void settle_compaction();

  // Makes the messages so far visible and saved, including the open message. It is lost with the run unless commit()
  // follows.
  void publish();
  // Adds the said messages to the conversation. Must not: be called while a tool call lacks its result.
  void commit();

  // Opens a message of the model with `calls` tool calls, which hooks have not seen yet. It is said when it has all
  // results; until then publish() shows the calls that show_call() and settle_args() have released.
  void open_message(std::string content, std::string reasoning, size_t calls);
  // Releases the call number `index` of the open message, and its result if it is not null, as hooks left them.
  // show_call(), begin_own() and settle_args() do nothing during a plan: its steps are not calls of the open message.
  void show_call(size_t index, const ToolCall& call, const std::string* result);
  // The call number `index`, of a control tool, begins.
  void begin_own(size_t index, const ToolCall& call);
  // Releases that call with these arguments, which hooks have seen.
  void settle_args(Json args);

  void begin_plan() { ++plan_depth_; }
  void end_plan() { --plan_depth_; }
  [[nodiscard]] bool in_plan() const { return plan_depth_ > 0; }

 private:
  struct OpenMessage {
    std::string content;
    std::string reasoning;
    struct Call {
      ToolCall call;
      bool shown = false;
      std::optional<std::string> result;
    };
    std::vector<Call> calls;
    Call* under_way = nullptr;  // of a control tool
  };
  // The open message, if a call of it may change now.
  [[nodiscard]] OpenMessage* changeable() { return open_ && !in_plan() ? &*open_ : nullptr; }

  Dialogue& dialogue_;
  Inbox* const inbox_;
  Messages messages_;
  Messages everything_;
  Messages added_;
  size_t committed_ = 0;  // the number of added_ that are committed, from the front
  std::optional<OpenMessage> open_;
  std::function<void()> settle_;  // null: no compaction is to be settled
  size_t reshaped_;               // the length of everything_ when the last compaction replaced messages_
  int plan_depth_ = 0;
};
static_assert(!std::is_copy_constructible_v<Transcript>);

}  // namespace lh
