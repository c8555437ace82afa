#include "generation/event_stream.h"

#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "generation/conversation_json.h"

namespace lh {

void EventStream::start(const StartEvent& event) {
  if (sink_.wanted()) sink_.emit(event);
}

void EventStream::piece(const StreamedPiece& piece) {
  if (!piece.rated.empty()) rated_.insert(rated_.end(), piece.rated.begin(), piece.rated.end());
  if (!sink_.wanted()) return;
  TokenEvent event{piece.index, piece.token, piece.kind, piece.text, std::nullopt, {}, piece.rated};
  if (piece.top != nullptr) event.top = *piece.top;
  if (piece.logprob != nullptr && std::isfinite(*piece.logprob)) event.logprob = *piece.logprob;
  send(std::move(event));
}

void EventStream::add_rated(RatedTokens tokens) {
  rated_.insert(rated_.end(), std::make_move_iterator(tokens.begin()), std::make_move_iterator(tokens.end()));
}

void EventStream::send(Event event) {
  if (held_) {
    waiting_.push_back(std::move(event));
    return;
  }
  shown_ = true;
  sink_.emit(event);
}

void EventStream::progress(const PromptProgress& progress) {
  if (sink_.wanted()) sink_.emit(progress);
}

void EventStream::text(PieceKind kind, const std::string& text) {
  if (!text.empty()) piece({0, -1, kind, text, nullptr, nullptr, {}});
}

void EventStream::call(ToolCallDeltaEvent delta) {
  if (sink_.wanted()) send(std::move(delta));
}

void EventStream::calls(const std::vector<ToolCall>& calls) {
  if (!sink_.wanted()) return;
  for (size_t i = 0; i < calls.size(); ++i) {
    call({static_cast<int64_t>(i), calls[i].id, calls[i].name, {}});
    call({static_cast<int64_t>(i), calls[i].id, calls[i].name, dump_json(calls[i].args)});
  }
}

void EventStream::replace(const ParsedOutput& output) {
  rated_.clear();
  correct(output);
}

void EventStream::correct(const ParsedOutput& output) {
  waiting_.clear();  // even without a reader: a returning reader must not get replaced text
  if (!sink_.wanted()) return;
  if (!held_) {
    sink_.emit(ReplacedEvent{output.content, output.reasoning, to_json(output.tool_calls)});
    return;
  }
  text(PieceKind::kReasoning, output.reasoning);
  text(PieceKind::kContent, output.content);
  calls(output.tool_calls);
}

void EventStream::replace_calls(const ParsedOutput& output) {
  std::erase_if(waiting_, [](const Event& event) { return std::holds_alternative<ToolCallDeltaEvent>(event); });
  if (held_) return calls(output.tool_calls);
  if (sink_.wanted()) sink_.emit(ReplacedEvent{output.content, output.reasoning, to_json(output.tool_calls)});
}

void EventStream::discard() {
  rated_.clear();
  waiting_.clear();
  if (shown_) replace({});
  shown_ = false;
}

void EventStream::forget_candidates() {
  for (RatedToken& token : rated_) token.top.reset();
  for (Event& event : waiting_) {
    auto* token = std::get_if<TokenEvent>(&event);
    if (token == nullptr) continue;
    token->top.reset();
    for (RatedToken& rated : token->logprobs) rated.top.reset();
  }
}

void EventStream::release() {
  for (const Event& event : waiting_) sink_.emit(event);
  waiting_.clear();
}

}  // namespace lh
