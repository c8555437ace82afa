#include "engine/token_stage.h"

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
void append_context(std::string& out, const StreamedPiece& piece) {
  out += "\"token_index\":";
  append_number(out, piece.index);
  out += ",\"token\":";
  append_number(out, piece.token);
  out += ",\"text\":";
  append_json_string(out, piece.text);
  out += ",\"kind\":\"";
  out += piece_kind_name(piece.kind);
  out += '"';
  if (piece.logprob == nullptr || !std::isfinite(*piece.logprob)) return;  // JSON has no infinity
  out += ",\"logprob\":";
  append_number(out, *piece.logprob);
}

}  // namespace

void TokenStage::piece(int32_t index, int32_t token, const double* logprob, Piece piece) {
  if (!held_.empty() && piece.kind != held_piece_.kind) flush();
  if (!held_.empty()) piece.text.insert(0, std::exchange(held_, {}));
  StreamedPiece current{index, token, piece.kind, std::move(piece.text), logprob};
  if (!dispatcher_.has(LH_HOOK_ON_STREAM_TOKEN)) return release(std::move(current));

  Outcome outcome = dispatcher_.fire(LH_HOOK_ON_STREAM_TOKEN, scope_,
                                     [&current](std::string& out) { append_context(out, current); });
  bool failed = false;
  for (const HookRecord& hook : outcome->decision.hooks) failed = failed || hook.failure.has_value();
  if (failed) keep_(outcome->decision);
  // A hook that was to change this text was cut off: it must not slip through unchanged.
  if (failed && scope_.cancel != nullptr && scope_.cancel->cancelled()) {
    changed_[static_cast<size_t>(piece.kind)] = true;
    return;
  }
  if (outcome->decision.action != Action::kModified) return release(std::move(current));
  if (Json* text = outcome.changed("text")) current.text = std::move(text->get_ref<std::string&>());
  changed_[static_cast<size_t>(piece.kind)] = true;
  if (outcome->answers.is_object() && outcome->answers.value("drop", false)) return;
  if (outcome->answers.is_object() && outcome->answers.value("hold", false)) {
    held_ = std::move(current.text);
    held_piece_ = {index, token, piece.kind, "", nullptr};
    return;
  }
  release(std::move(current));
}

void TokenStage::release(StreamedPiece piece) {
  if (piece.text.empty()) return;
  texts_[static_cast<size_t>(piece.kind)] += piece.text;
  emit_(piece);
}

void TokenStage::flush() {
  if (held_.empty()) return;
  StreamedPiece piece = held_piece_;
  piece.text = std::move(held_);
  held_.clear();
  release(std::move(piece));
}

}  // namespace lh
