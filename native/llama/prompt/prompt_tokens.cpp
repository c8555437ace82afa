#include "llama/prompt/prompt_tokens.h"

#include <algorithm>
#include <utility>

#include "llama/base/vocab.h"

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

}  // namespace

PromptTokenizer::PromptTokenizer(const llama_vocab* vocab) : vocab_(vocab), can_cut_(can_cut()) {
  if (!can_cut_) return;
  constexpr int kSpecial = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    if (has(vocab, token, kSpecial)) special_.push_back(token);
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

// True if the token is found wherever its text occurs: no other special token contains it or overlaps it.
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

// The most frequent special token of the text that is unambiguous. Empty if none divides the text.
std::string PromptTokenizer::find_mark(const Tokens& tokens) {
  std::map<int32_t, size_t> counts;
  for (const int32_t token : tokens) {
    if (std::ranges::binary_search(special_, token)) ++counts[token];
  }
  std::string mark;
  size_t most = 1;
  for (const auto& [token, count] : counts) {
    if (count <= most || !stands_alone(token)) continue;
    mark = llama_vocab_get_text(vocab_, token);
    most = count;
  }
  return mark;
}

std::vector<int32_t> PromptTokenizer::tokenize(const std::string& text) {
  if (!can_cut_) return lh::tokenize(vocab_, text, true, true);
  const MutexLock lock(mutex_);
  if (mark_.empty()) {
    Tokens tokens = lh::tokenize(vocab_, text, true, true);
    mark_ = find_mark(tokens);
    return tokens;
  }
  Tokens tokens;
  const std::string_view all = text;
  for (size_t begin = 0; begin < all.size() || begin == 0;) {
    const size_t found = all.find(mark_, begin);
    const size_t end = found == all.npos ? all.size() : found + mark_.size();
    append_segment(all.substr(begin, end - begin), begin == 0, tokens);
    if (end == 0) break;
    begin = end;
  }
  return tokens;
}

void PromptTokenizer::append_segment(std::string_view text, bool first, Tokens& tokens) {
  std::string key(1, first ? '+' : '-');
  key += text;
  auto found = known_.find(key);
  if (found == known_.end()) {
    segments_.push_front({std::move(key), lh::tokenize(vocab_, text, first, true)});
    found = known_.emplace(segments_.front().text, segments_.begin()).first;
    bytes_ += segments_.front().text.size() + segments_.front().tokens.size() * sizeof(int32_t);
  } else {
    segments_.splice(segments_.begin(), segments_, found->second);
  }
  tokens.insert(tokens.end(), segments_.front().tokens.begin(), segments_.front().tokens.end());
  while (bytes_ > kMostBytes) {
    const Segment& last = segments_.back();
    bytes_ -= last.text.size() + last.tokens.size() * sizeof(int32_t);
    known_.erase(last.text);
    segments_.pop_back();
  }
}

}  // namespace lh
