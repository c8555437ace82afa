#include "llama/base/special_tokens.h"

#include <algorithm>
#include <cctype>

namespace lh {
namespace {

constexpr size_t kBytesBetweenChecks = 1UL << 16;

bool is_white_space(char byte) { return std::isspace(static_cast<unsigned char>(byte)) != 0; }

// True if a mark forbids the token `id` from `begin` to `end`.
bool forbidden(const TokenMarks& marks, size_t begin, size_t end, int32_t id) {
  auto mark = std::ranges::upper_bound(marks, begin, {}, &TokenMark::at);
  for (; mark != marks.end() && mark->at <= end; ++mark) {
    if (mark->at < end || mark->token == id) return true;
  }
  return false;
}

// Divides one text by one token.
class Divider {
 public:
  Divider(std::string_view text, const SpecialToken& token, const TokenMarks& marks, std::vector<Fragment>& to)
      : text_(text), token_(token), marks_(marks), to_(to) {}

  void divide(Fragment fragment) {
    size_t from = fragment.begin;
    while (true) {
      const size_t found = text_.substr(0, fragment.end).find(token_.text, from);
      if (found == text_.npos) break;
      const size_t end = found + token_.text.size();
      if (token_.control && forbidden(marks_, found, end, token_.id)) {
        from = found + 1;
        continue;
      }
      size_t left = found;
      while (token_.strips_left && left > fragment.begin && is_white_space(text_[left - 1])) --left;
      if (left > fragment.begin) to_.push_back({fragment.begin, left, -1});
      to_.push_back({found, end, token_.id});
      fragment.begin = end;
      while (token_.strips_right && fragment.begin < fragment.end && is_white_space(text_[fragment.begin]))
        ++fragment.begin;
      from = fragment.begin;
    }
    if (fragment.begin < fragment.end) to_.push_back(fragment);
  }

 private:
  const std::string_view text_;
  const SpecialToken& token_;
  const TokenMarks& marks_;
  std::vector<Fragment>& to_;
};

}  // namespace

Status cancelled_while_tokenizing(const CancelFlag* cancel) {
  if (cancel == nullptr || !cancel->cancelled()) return {};
  return {cancel->why(), "cancelled while the text was tokenized: " + cancel->reason()};
}

// llama.cpp sorts the tokens in the same way; the order of tokens of one length counts where their texts overlap.
SpecialTokenTable::SpecialTokenTable(const llama_vocab* vocab) {
  constexpr int kControl = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN;
  for (int32_t id = 0; id < llama_vocab_n_tokens(vocab); ++id) {
    const int attributes = llama_vocab_get_attr(vocab, id);
    if ((attributes & (kControl | LLAMA_TOKEN_ATTR_USER_DEFINED)) == 0) continue;
    tokens_.push_back({id, llama_vocab_get_text(vocab, id), (attributes & kControl) != 0,
                       (attributes & LLAMA_TOKEN_ATTR_LSTRIP) != 0, (attributes & LLAMA_TOKEN_ATTR_RSTRIP) != 0});
  }
  std::sort(tokens_.begin(), tokens_.end(),
            [](const SpecialToken& a, const SpecialToken& b) { return a.text.size() > b.text.size(); });
  for (size_t i = 0; i < tokens_.size(); ++i) texts_.add(tokens_[i].text, static_cast<int32_t>(i));
}

Result<std::vector<Fragment>> SpecialTokenTable::divide(std::string_view text, bool parse_special,
                                                        const TokenMarks& marks, const CancelFlag* cancel) const {
  std::vector<bool> occurs(tokens_.size());
  for (size_t at = texts_.skip(text, 0), next = 0; at < text.size(); at = texts_.skip(text, at + 1)) {
    texts_.walk(text, at, [&](int32_t token, size_t) { occurs[static_cast<size_t>(token)] = true; });
    if (at < next) continue;
    next = at + kBytesBetweenChecks;
    if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
  }
  std::vector<Fragment> fragments;
  if (!text.empty()) fragments.push_back({0, text.size(), -1});
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const SpecialToken& token = tokens_[i];
    if (!occurs[i] || (token.control && !parse_special)) continue;
    if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
    std::vector<Fragment> divided;
    divided.reserve(fragments.size());
    Divider divider(text, token, marks, divided);
    for (const Fragment& fragment : fragments) {
      if (fragment.token < 0) {
        divider.divide(fragment);
      } else {
        divided.push_back(fragment);
      }
    }
    fragments = std::move(divided);
  }
  return fragments;
}

}  // namespace lh
