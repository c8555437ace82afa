#include "generation/output/token_stage.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace lh {
namespace {

template <typename Number>
void append_number(std::string& out, Number number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

// Built by hand, because this context is built for every token.
void append_context(std::string& out, const StreamedPiece& piece, bool final) {
  out += "\"token_index\":";
  append_number(out, piece.index);
  out += ",\"token\":";
  append_number(out, piece.token);
  out += ",\"text\":";
  append_json_string(out, piece.text);
  out += ",\"kind\":\"";
  out += piece_kind_name(piece.kind);
  out += '"';
  if (final) out += ",\"final\":true";
  if (piece.logprob == nullptr || !std::isfinite(*piece.logprob)) return;  // JSON has no infinity
  out += ",\"logprob\":";
  append_number(out, *piece.logprob);
}

// The probability of a token says nothing about other text.
void unrate(StreamedPiece& piece) {
  piece.logprob = nullptr;
  piece.top = nullptr;
}

}  // namespace

void TokenStage::piece(int32_t index, int32_t token, const double* logprob, Piece&& piece, const Candidates* top,
                       RatedTokens&& rated) {
  if (held_.empty() && !dispatcher_.has(LH_HOOK_ON_STREAM_TOKEN)) {  // a passage costs more than all the rest
    StreamedPiece streamed{index, token, piece.kind, std::move(piece.text), logprob, top, std::move(rated)};
    return emit(streamed);
  }
  if (!held_.empty()) {
    const PieceKind kind = held_.front().passage.piece.kind;
    if (piece.text.empty()) {  // a token without text yet does not end a part
      piece.kind = kind;
      piece.begin = held_.back().passage.end;
      piece.end = held_.back().passage.reach;
    }
    if (piece.kind != kind) flush();
  }
  const size_t end = piece.begin + piece.text.size();
  Passage passage{{index, token, piece.kind, std::move(piece.text), logprob, top, std::move(rated)},
                  std::nullopt,
                  piece.begin,
                  end,
                  piece.end};
  ask(passage, false);
}

void TokenStage::ask(Passage& passage, bool final) {
  if (held_.empty() && !dispatcher_.has(LH_HOOK_ON_STREAM_TOKEN)) return release(passage);
  asked_ = true;
  const auto build = [&passage, final](std::string& out) { append_context(out, passage.piece, final); };
  bool begun = !final;  // a final pass has no new text: it begins with the text that the first hook holds
  const auto turn = [&](const Hook& hook, Json& changes) {
    const bool joined = join(hook, passage, changes);
    begun = begun || joined;
    return joined ? Turn::kAskAnew : begun ? Turn::kAsk : Turn::kPassOver;
  };
  const Turns turns(turn);
  const DispatchExtras extras{.turns = held_.empty() ? nullptr : &turns};
  Outcome outcome = dispatcher_.fire(LH_HOOK_ON_STREAM_TOKEN, scope_, build, extras);
  bool failed = false;
  for (const HookRecord& hook : outcome->decision.hooks) failed = failed || hook.failure.has_value();
  if (failed) keep_(outcome->decision);
  Json left;
  if (Json* changed = outcome.changed("text")) left["text"] = std::move(*changed);
  // Text held by hooks after the last one, which have been removed.
  while (!outcome->ended_by && !held_.empty()) join_first(passage, left);
  // A hook that would have changed this text was interrupted: the text must not pass unchanged.
  const bool cut_off = failed && scope_.cancel != nullptr && scope_.cancel->cancelled();
  if (cut_off || (outcome->ended_by && outcome->answers.value("drop", false))) return leave_out(passage);
  if (!left.is_null()) {
    passage.original = std::move(passage.piece.text);
    passage.piece.text = std::move(left["text"].get_ref<std::string&>());
  }
  if (!outcome->ended_by) return release(passage);
  if (passage.piece.text.empty()) return leave_out(passage);
  unrate(passage.piece);  // owned by the caller, and valid for this token only
  held_.push_back({*outcome->ended_by, std::move(passage)});
}

bool TokenStage::join(const Hook& hook, Passage& passage, Json& changes) {
  const size_t held_before = held_.size();
  while (!held_.empty() && held_.back().by <= hook.place()) join_first(passage, changes);
  return held_.size() < held_before;
}

void TokenStage::join_first(Passage& passage, Json& changes) {
  Passage held = std::move(held_.back().passage);
  held_.pop_back();
  StreamedPiece& piece = passage.piece;
  const auto changed = changes.find("text");
  if (held.original || changed != changes.end()) {
    const std::string& behind = changed == changes.end() ? piece.text : changed->get_ref<const std::string&>();
    std::string all = held.piece.text + behind;
    changes["text"] = std::move(all);
  }
  piece.text.insert(0, held.original ? *held.original : held.piece.text);
  passage.begin = held.begin;
  passage.reach = std::max(passage.reach, held.reach);
  unrate(piece);
  piece.rated.insert(piece.rated.begin(), std::make_move_iterator(held.piece.rated.begin()),
                     std::make_move_iterator(held.piece.rated.end()));
}

void TokenStage::leave_out(Passage& passage) {
  if (!passage.original) passage.original = std::move(passage.piece.text);
  passage.piece.text.clear();
  if (held_.empty()) return release(passage);
  // The text before it is still held: together they are one range of the generated text.
  Passage& held = held_.back().passage;
  if (!held.original) held.original = held.piece.text;
  *held.original += *passage.original;
  held.end = passage.end;
  held.reach = std::max(held.reach, passage.reach);
}

void TokenStage::release(Passage& passage) {
  note_change(passage);
  emit(passage.piece);
}

void TokenStage::emit(StreamedPiece& piece) {
  if (piece.text.empty()) return;
  if (piece.top != nullptr && changed()) piece.top = nullptr;  // candidates may contain text that hooks removed
  if (!piece.rated.empty()) keep_shown(piece.rated);
  texts_[static_cast<size_t>(piece.kind)] += piece.text;
  emit_(piece);
}

void TokenStage::note_change(Passage& passage) {
  if (!passage.original || *passage.original == passage.piece.text) return;
  passage.piece.token = -1;  // the token would reveal the original text
  unrate(passage.piece);
  passage.piece.rated.clear();
  changed_to_ = std::max(changed_to_, passage.reach);
  changed_[static_cast<size_t>(passage.piece.kind)] = true;
  if (passage.piece.kind == PieceKind::kToolCall)
    call_edits_.push_back({passage.begin, passage.end, passage.piece.text});
}

void TokenStage::keep_shown(RatedTokens& rated) const {
  std::erase_if(rated,
                [this](const RatedToken& token) { return token.begin < changed_to_ || (asked_ && !token.is_seen); });
  if (!changed()) return;
  for (RatedToken& token : rated) token.top.reset();
}

void TokenStage::flush() {
  while (!held_.empty()) {
    const Passage& first = held_.back().passage;
    Passage rest{{first.piece.index, first.piece.token, first.piece.kind, {}, nullptr, nullptr, {}},
                 std::nullopt,
                 first.end,
                 first.end,
                 first.reach};
    ask(rest, true);
  }
}

}  // namespace lh
