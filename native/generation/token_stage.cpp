#include "generation/token_stage.h"

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

// By hand: this context is built for every token.
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

// How likely one token was says nothing of other text.
void unrate(StreamedPiece& piece) {
  piece.logprob = nullptr;
  piece.top = nullptr;
}

}  // namespace

std::string apply(const std::vector<Edit>& edits, const std::string& text) {
  std::string edited;
  size_t at = 0;
  for (const Edit& edit : edits) {
    edited.append(text, at, edit.begin - at);
    edited += edit.text;
    at = edit.end;
  }
  return edited.append(text, at);
}

void TokenStage::piece(int32_t index, int32_t token, const double* logprob, Piece piece, const Candidates* top) {
  if (held_ && piece.text.empty()) piece.kind = held_->piece.kind;  // a token that adds nothing yet ends no part
  if (held_ && piece.kind != held_->piece.kind) flush();
  const size_t end = piece.begin + piece.text.size();
  Passage passage{{index, token, piece.kind, std::move(piece.text), logprob, top}, std::nullopt, piece.begin, end};
  if (held_) {
    Passage held = *std::exchange(held_, std::nullopt);
    if (held.original) passage.original = *std::move(held.original) + passage.piece.text;
    passage.piece.text.insert(0, held.piece.text);
    passage.begin = held.begin;
    unrate(passage.piece);
  }
  ask(passage, false);
}

void TokenStage::ask(Passage& passage, bool final) {
  if (!dispatcher_.has(LH_HOOK_ON_STREAM_TOKEN)) return release(passage);
  Outcome outcome = dispatcher_.fire(LH_HOOK_ON_STREAM_TOKEN, scope_, [&passage, final](std::string& out) {
    append_context(out, passage.piece, final);
  });
  bool failed = false;
  for (const HookRecord& hook : outcome->decision.hooks) failed = failed || hook.failure.has_value();
  if (failed) keep_(outcome->decision);
  const auto answered = [&outcome](const char* field) {
    return outcome->answers.is_object() && outcome->answers.value(field, false);
  };
  // A hook that was to change this text was cut off: it must not slip through unchanged.
  const bool cut_off = failed && scope_.cancel != nullptr && scope_.cancel->cancelled();
  std::string* text = nullptr;
  if (Json* changed = outcome.changed("text")) text = &changed->get_ref<std::string&>();
  if (cut_off || answered("drop")) {
    if (!passage.original) passage.original = std::move(passage.piece.text);
    passage.piece.text.clear();
    return release(passage);
  }
  if (text != nullptr) {
    if (!passage.original) passage.original = std::move(passage.piece.text);
    passage.piece.text = std::move(*text);
  }
  if (!final && answered("hold") && !passage.piece.text.empty()) {
    unrate(passage.piece);  // the caller's, for this token only
    held_ = std::move(passage);
    return;
  }
  release(passage);
}

void TokenStage::release(Passage& passage) {
  note_change(passage);
  if (passage.piece.text.empty()) return;
  if (passage.piece.top != nullptr && changed()) passage.piece.top = nullptr;  // what hooks took out may be likely here
  texts_[static_cast<size_t>(passage.piece.kind)] += passage.piece.text;
  emit_(passage.piece);
}

void TokenStage::note_change(Passage& passage) {
  if (!passage.original || *passage.original == passage.piece.text) return;
  passage.piece.token = -1;  // it would give away what was there
  unrate(passage.piece);
  changed_[static_cast<size_t>(passage.piece.kind)] = true;
  if (passage.piece.kind == PieceKind::kToolCall)
    call_edits_.push_back({passage.begin, passage.end, passage.piece.text});
}

void TokenStage::flush() {
  if (!held_) return;
  Passage held = *std::exchange(held_, std::nullopt);
  ask(held, true);
}

}  // namespace lh
