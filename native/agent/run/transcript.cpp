#include "agent/run/transcript.h"

#include <algorithm>
#include <utility>

#include "generation/answer_messages.h"

namespace lh {

MessagePtr Transcript::say(const AddedText& text) {
  messages_.push_back(text.shown);
  added_.push_back(text.shown);
  everything_.push_back(text.whole);
  return text.shown;
}

void Transcript::drop(const MessagePtr& message) {
  for (Messages* list : {&messages_, &added_}) {
    const auto at = std::ranges::find(*list, message->id, [](const MessagePtr& one) { return one->id; });
    if (at == list->end()) continue;
    if (list == &added_ && static_cast<size_t>(at - list->begin()) < committed_) --committed_;
    list->erase(at);
  }
}

void Transcript::show(Messages messages) { messages_ = std::move(messages); }

void Transcript::compact(Messages messages, std::function<void()> settle) {
  messages_ = std::move(messages);
  reshaped_ = everything_.size();
  settle_ = std::move(settle);
}

void Transcript::settle_compaction() {
  if (const auto settle = std::exchange(settle_, nullptr)) settle();
}

void Transcript::open_message(std::string content, std::string reasoning, size_t calls) {
  open_ = OpenMessage{std::move(content), std::move(reasoning), std::vector<OpenMessage::Call>(calls)};
  publish();
}

void Transcript::show_call(size_t index, const ToolCall& call, const std::string* result) {
  OpenMessage* const open = changeable();
  if (open == nullptr) return;
  open->calls[index] = {call, true, result == nullptr ? std::nullopt : std::optional(*result)};
  if (result != nullptr) open->under_way = nullptr;
  publish();
}

void Transcript::begin_own(size_t index, const ToolCall& call) {
  OpenMessage* const open = changeable();
  if (open == nullptr) return;
  open->under_way = &open->calls[index];
  open->under_way->call = call;
}

void Transcript::settle_args(Json args) {
  OpenMessage* const open = changeable();
  if (open == nullptr || open->under_way == nullptr) return;
  open->under_way->call.args = std::move(args);
  open->under_way->shown = true;
  publish();
}

void Transcript::publish() {
  Messages said(added_.begin() + static_cast<std::ptrdiff_t>(committed_), added_.end());
  if (open_) {
    std::vector<ToolCall> calls;
    Messages results;
    for (const auto& [call, shown, result] : open_->calls) {
      if (!shown) continue;
      calls.push_back(call);
      if (result) results.push_back(result_message({call.id, call.name, *result}));
    }
    if (!open_->content.empty() || !calls.empty()) {
      said.push_back(answer_message(open_->content, open_->reasoning, std::move(calls)));
    }
    said.insert(said.end(), results.begin(), results.end());
  }
  dialogue_.set_said(std::move(said));
}

void Transcript::commit() {
  settle_compaction();
  open_.reset();
  committed_ = added_.size();
  dialogue_.set_history(messages_, everything_, reshaped_);
  if (inbox_ != nullptr) inbox_->settle();
}

}  // namespace lh
