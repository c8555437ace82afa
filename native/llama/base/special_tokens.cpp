#include "llama/base/special_tokens.h"

#include <algorithm>

#include "base/text/white_space.h"

namespace lh {
namespace {

constexpr size_t kBytesBetweenChecks = 1UL << 16;
constexpr size_t kPlacesBetweenChecks = 1UL << 14;
constexpr size_t kFewPlaces = 1UL << 12;

// True if a mark forbids the token `id` from `begin` to `end`.
bool forbidden(const TokenMarks& marks, size_t begin, size_t end, int32_t id) {
  auto mark = std::ranges::upper_bound(marks, begin, {}, &TokenMark::at);
  for (; mark != marks.end() && mark->at <= end; ++mark) {
    if (mark->at < end || mark->token == id) return true;
  }
  return false;
}

}  // namespace

// Takes tokens out of one text, one after the other.
class SpecialTokenTable::Divider {
 public:
  Divider(std::string_view text, const TokenMarks& marks) : text_(text), marks_(marks), taken_(text.size()) {}

  // Takes the token at `at`. It stays text if an earlier token has a part of it, or if a mark forbids it.
  void take(const SpecialToken& token, size_t at) {
    const size_t end = at + token.text.size();
    for (size_t i = at; i < end; ++i) {
      if (taken_[i]) return;
    }
    if (token.control && forbidden(marks_, at, end, token.id)) return;
    size_t left = at;
    while (token.strips_left && left > 0 && !taken_[left - 1] && is_space(text_[left - 1])) --left;
    size_t right = end;
    while (token.strips_right && right < text_.size() && !taken_[right] && is_space(text_[right])) ++right;
    std::fill(taken_.begin() + static_cast<std::ptrdiff_t>(left), taken_.begin() + static_cast<std::ptrdiff_t>(right),
              true);
    found_.push_back({at, end, token.id});
  }

  // True if a token, or the white space of one, has taken the place.
  [[nodiscard]] bool is_taken(size_t at) const { return taken_[at]; }

  // The tokens, and the text between them.
  [[nodiscard]] std::vector<Fragment> fragments() && {
    std::ranges::sort(found_, {}, &Fragment::begin);
    std::vector<Fragment> all;
    size_t begin = 0;
    const auto add_text = [&](size_t end) {
      while (begin < end && taken_[begin]) ++begin;
      size_t last = end;
      while (last > begin && taken_[last - 1]) --last;
      if (begin < last) all.push_back({begin, last, -1});
    };
    for (const Fragment& token : found_) {
      add_text(token.begin);
      all.push_back(token);
      begin = token.end;
    }
    add_text(text_.size());
    return all;
  }

 private:
  const std::string_view text_;
  const TokenMarks& marks_;
  std::vector<bool> taken_;  // the bytes of tokens and of the white space that they strip
  std::vector<Fragment> found_;
};

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
  Divider divider(text, marks);
  std::vector<Place> places;
  // Takes the longest tokens first. If tokens occur very often, such as "\n" and "\n\n" in empty lines, takes one part
  // of the tokens after the other: text that one part has taken is not available to the next.
  std::vector<Ranks> parts = {{0, static_cast<int32_t>(tokens_.size())}};
  while (!parts.empty()) {
    const Ranks ranks = parts.back();
    parts.pop_back();
    const auto all = find(text, ranks, parse_special, divider, places, cancel);
    if (!all.ok()) return all.status();
    if (!*all) {
      const int32_t middle = ranks.begin + (ranks.end - ranks.begin) / 2;
      parts.push_back({middle, ranks.end});
      parts.push_back({ranks.begin, middle});
      continue;
    }
    std::ranges::stable_sort(places, {}, &Place::token);
    for (size_t i = 0; i < places.size(); ++i) {
      divider.take(tokens_[static_cast<size_t>(places[i].token)], places[i].at);
      if (i % kPlacesBetweenChecks != 0) continue;
      if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
    }
  }
  return std::move(divider).fragments();
}

// False: there are too many of them, and some are missing.
Result<bool> SpecialTokenTable::find(std::string_view text, Ranks ranks, bool parse_special, const Divider& divider,
                                     std::vector<Place>& places, const CancelFlag* cancel) const {
  const size_t most = ranks.end - ranks.begin > 1 ? std::max(text.size(), kFewPlaces) : SIZE_MAX;
  places.clear();
  for (size_t at = texts_.skip(text, 0), next = 0; at < text.size(); at = texts_.skip(text, at + 1)) {
    if (!divider.is_taken(at)) {
      texts_.walk(text, at, [&](int32_t token, size_t) {
        if (token < ranks.begin || token >= ranks.end) return;
        if (parse_special || !tokens_[static_cast<size_t>(token)].control) places.push_back({token, at});
      });
      if (places.size() > most) return false;
    }
    if (at < next) continue;
    next = at + kBytesBetweenChecks;
    if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
  }
  return true;
}

}  // namespace lh
