#include "generation/output/token_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_generate.h"

namespace lh {
namespace {

using Changes = points::OnStreamToken::Changes;

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
  const auto build = [&piece = passage.piece, final](const auto& context) {
    const bool rated = piece.logprob != nullptr && std::isfinite(*piece.logprob);
    context({.token_index = piece.index,
             .token = piece.token,
             .text = piece.text,
             .kind = piece_kind_name(piece.kind),
             .logprob = rated ? std::optional<context::Number>(*piece.logprob) : std::nullopt,
             .final = final ? std::optional<context::Flag>(true) : std::nullopt});
  };
  bool begun = !final;  // a final pass has no new text: it begins with the text that the first hook holds
  const auto turn = [&](const Hook& hook, DispatchResult& so_far) {
    const Changes changes(so_far);
    std::optional<std::string> changed;
    if (const auto text = changes.text()) changed = std::move(*text);
    const bool joined = join(hook, passage, changed);
    if (changed) changes.set_text(*std::move(changed));
    begun = begun || joined;
    return joined ? Turn::kAskAnew : begun ? Turn::kAsk : Turn::kPassOver;
  };
  const Turns turns(turn);
  const DispatchExtras extras{.turns = held_.empty() ? nullptr : &turns};
  const auto outcome = fire<points::OnStreamToken>(dispatcher_, scope_, build, extras);
  const bool failed =
      std::ranges::any_of(outcome.decision().hooks, [](const HookRecord& hook) { return hook.failure.has_value(); });
  if (failed) keep_(outcome.decision());
  std::optional<std::string> left;
  if (const auto changed = outcome.changes().text()) left = std::move(*changed);
  // Text held by hooks after the last one, which have been removed.
  while (!outcome.ended_by() && !held_.empty()) join_first(passage, left);
  // A hook that would have changed this text was interrupted: the text must not pass unchanged.
  const bool cut_off = failed && scope_.cancel != nullptr && scope_.cancel->cancelled();
  if (cut_off || (outcome.ended_by() && outcome.answers().drop().or_else(false))) return leave_out(passage);
  if (left) passage.original = std::exchange(passage.piece.text, *std::move(left));
  if (!outcome.ended_by()) return release(passage);
  if (passage.piece.text.empty()) return leave_out(passage);
  unrate(passage.piece);  // owned by the caller, and valid for this token only
  held_.push_back({*outcome.ended_by(), std::move(passage)});
}

bool TokenStage::join(const Hook& hook, Passage& passage, std::optional<std::string>& changed) {
  const size_t held_before = held_.size();
  while (!held_.empty() && held_.back().by <= hook.place()) join_first(passage, changed);
  return held_.size() < held_before;
}

void TokenStage::join_first(Passage& passage, std::optional<std::string>& changed) {
  Passage held = std::move(held_.back().passage);
  held_.pop_back();
  StreamedPiece& piece = passage.piece;
  if (held.original || changed) changed = held.piece.text + (changed ? *changed : piece.text);
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
