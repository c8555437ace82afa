#include "llama/prompt/prompt_tokens.h"

#include <algorithm>
#include <utility>

namespace lh {
namespace {

bool has(const llama_vocab* vocab, int32_t token, int attributes) {
  return (llama_vocab_get_attr(vocab, token) & attributes) != 0;
}

// True if a proper suffix of `left` is a proper prefix of `right`.
bool overlap(std::string_view left, std::string_view right) {
  for (size_t length = 1; length < std::min(left.size(), right.size()); ++length) {
    if (left.ends_with(right.substr(0, length))) return true;
  }
  return false;
}

// Finds the ends of a text's pieces, in order.
class PieceEnds {
 public:
  PieceEnds(std::string_view text, const std::vector<std::string>& marks)
      : text_(text), marks_(marks), next_(marks.size(), 0) {}

  // The end of the first mark that ends at `least` or behind it; the end of the text if there is none.
  size_t behind(size_t least) {
    size_t end = text_.size();
    for (size_t i = 0; i < marks_.size(); ++i) {
      const size_t from = least - std::min(least, marks_[i].size());
      if (next_[i] != text_.npos && next_[i] <= from) next_[i] = text_.find(marks_[i], from);
      if (next_[i] != text_.npos) end = std::min(end, next_[i] + marks_[i].size());
    }
    return end;
  }

 private:
  const std::string_view text_;
  const std::vector<std::string>& marks_;
  std::vector<size_t> next_;  // where each mark begins next; npos: nowhere
};

}  // namespace

PromptTokenizer::PromptTokenizer(const Tokenizer& tokenizer)
    : tokenizer_(tokenizer), vocab_(tokenizer.vocab()), can_cut_(can_cut()) {
  if (!can_cut_) return;
  constexpr int kSpecial = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab_); ++token) {
    if (has(vocab_, token, kSpecial)) special_.push_back(token);
  }
}

// The tokenizer first finds special tokens, the longest first, and then tokenizes each text between them separately.
// Not used if special tokens absorb adjacent space, for other kinds of tokenizers, or if an end token is added.
bool PromptTokenizer::can_cut() const {
  const auto type = llama_vocab_type(vocab_);
  if (type != LLAMA_VOCAB_TYPE_BPE && type != LLAMA_VOCAB_TYPE_SPM) return false;
  if (llama_vocab_get_add_eos(vocab_)) return false;
  constexpr int kStrips = LLAMA_TOKEN_ATTR_LSTRIP | LLAMA_TOKEN_ATTR_RSTRIP;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab_); ++token) {
    if (has(vocab_, token, kStrips)) return false;
  }
  return true;
}

// True if every occurrence of its text is this token: no other special token contains it or overlaps it.
bool PromptTokenizer::stands_alone(int32_t token) {
  const auto known = alone_.find(token);
  if (known != alone_.end()) return known->second;
  const std::string_view text = llama_vocab_get_text(vocab_, token);
  const bool alone = !text.empty() && std::ranges::all_of(special_, [&](int32_t other) {
    const std::string_view also = llama_vocab_get_text(vocab_, other);
    if (overlap(text, also) || overlap(also, text)) return false;
    return other == token || also.find(text) == also.npos;
  });
  return alone_[token] = alone;
}

// Adds the unambiguous special tokens of a text. The most frequent one is the first, if it divides the text.
void PromptTokenizer::find_marks(const Tokens& tokens) {
  if (marks_.size() == kMostMarks) return;
  std::map<int32_t, size_t> counts;
  for (const int32_t token : tokens) {
    if (std::ranges::binary_search(special_, token) && stands_alone(token)) ++counts[token];
  }
  if (marks_.empty()) {
    const auto most = std::ranges::max_element(counts, {}, &std::pair<const int32_t, size_t>::second);
    if (most == counts.end() || most->second < 2) return;
    marks_.emplace_back(llama_vocab_get_text(vocab_, most->first));
  }
  for (const auto& [token, count] : counts) {
    if (marks_.size() == kMostMarks) break;
    std::string mark = llama_vocab_get_text(vocab_, token);
    if (std::ranges::find(marks_, mark) == marks_.end()) marks_.push_back(std::move(mark));
  }
}

// Marks are rare, and forbid tokens that a segment's text alone would have: such a text is tokenized as a whole. No
// lock is held meanwhile: other prompts must not wait for a long one.
Result<Tokenized> PromptTokenizer::tokenize(const std::string& text, TokenizeHow how) {
  how.add_special = true;
  how.parse_special = true;
  if (!can_cut_ || (how.marks != nullptr && !how.marks->empty())) return tokenizer_.tokenize(text, how);
  std::string mark;
  {
    const MutexLock lock(mutex_);
    if (!marks_.empty()) mark = marks_.front();
  }
  if (mark.empty()) {
    auto made = tokenizer_.tokenize(text, how);
    if (!made.ok()) return made.status();
    const MutexLock lock(mutex_);
    find_marks(made->tokens);
    return made;
  }
  Tokenized made;
  const std::string_view all = text;
  for (size_t begin = 0; begin < all.size() || begin == 0;) {
    const size_t found = all.find(mark, begin);
    const size_t end = found == all.npos ? all.size() : found + mark.size();
    Status status = append_segment(all.substr(begin, end - begin), begin == 0, how, made);
    if (!status.ok()) return status;
    if (end < all.size() && made.tokens.size() > how.most) made.whole = false;
    if (end == 0 || !made.whole) break;
    begin = end;
  }
  return made;
}

// Some templates write the tools in front of the last question, whose segment then has both: the tools become a
// separate piece, so that a new question does not make them new.
Status PromptTokenizer::append_segment(std::string_view text, bool first, TokenizeHow how, Tokenized& to) {
  if (text.size() <= kLongPiece) return append_piece(text, first, how, to);
  std::vector<std::string> marks;
  {
    const MutexLock lock(mutex_);
    marks = marks_;
  }
  PieceEnds ends(text, marks);
  for (size_t begin = 0; begin < text.size() && to.whole;) {
    const size_t end = ends.behind(begin + kLongPiece);
    Status status = append_piece(text.substr(begin, end - begin), first && begin == 0, how, to);
    if (!status.ok()) return status;
    begin = end;
  }
  return {};
}

Status PromptTokenizer::append_piece(std::string_view text, bool first, TokenizeHow how, Tokenized& to) {
  std::string key(1, first ? '+' : '-');
  key += text;
  if (append_known(key, to.tokens)) return {};
  how.add_special = first;
  how.most -= std::min(how.most, to.tokens.size());
  auto made = tokenizer_.tokenize(text, how);
  if (!made.ok()) return made.status();
  to.tokens.insert(to.tokens.end(), made->tokens.begin(), made->tokens.end());
  to.whole = made->whole;
  if (!made->whole) return {};
  {
    const MutexLock lock(mutex_);
    find_marks(made->tokens);
  }
  keep(std::move(key), std::move(made->tokens));
  return {};
}

bool PromptTokenizer::append_known(const std::string& key, Tokens& to) {
  const MutexLock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return false;
  segments_.splice(segments_.begin(), segments_, found->second);
  to.insert(to.end(), segments_.front().tokens.begin(), segments_.front().tokens.end());
  return true;
}

void PromptTokenizer::keep(std::string key, Tokens tokens) {
  const MutexLock lock(mutex_);
  if (known_.contains(key)) return;  // another thread was faster
  segments_.push_front({std::move(key), std::move(tokens)});
  known_.emplace(segments_.front().text, segments_.begin());
  bytes_ += segments_.front().text.size() + segments_.front().tokens.size() * sizeof(int32_t);
  while (bytes_ > kMostBytes) {
    const Segment& last = segments_.back();
    bytes_ -= last.text.size() + last.tokens.size() * sizeof(int32_t);
    known_.erase(last.text);
    segments_.pop_back();
  }
}

}  // namespace lh
