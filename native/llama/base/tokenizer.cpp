#include "llama/base/tokenizer.h"

#include <algorithm>
#include <string>

#include "llama/base/vocab.h"

namespace lh {
namespace {

// llama.cpp tokenizes these in one call; it cannot run long on them.
constexpr size_t kShort = 8UL << 10;
static_assert(kShort <= TextCutter::kMostRun);

// Every character that differs in a byte from the others: U+0020 to U+07FF, and one for each longer first byte.
std::string probe() {
  std::string text;
  for (char byte = ' '; byte < '\x7f'; ++byte) text += byte;
  for (int lead = 0xC2; lead <= 0xDF; ++lead) {
    for (int next = 0x80; next <= 0xBF; ++next) {
      text += static_cast<char>(lead);
      text += static_cast<char>(next);
    }
  }
  for (int lead = 0xE1; lead <= 0xEC; ++lead) (text += static_cast<char>(lead)) += "\x80\x81";
  return text + "\xE0\xA0\x81\xEE\x80\x81\xEF\xA4\x81\xF0\x90\x80\x81\xF1\x80\x80\x81\xF4\x80\x80\x81\n\t\r\x01";
}

bool strips(const SpecialToken& token) { return token.strips_left || token.strips_right; }

// The bytes of the longest token; 0 if the tokens of a text may have fewer bytes than the text.
size_t longest_token(const llama_vocab* vocab) {
  const auto type = llama_vocab_type(vocab);
  if (type != LLAMA_VOCAB_TYPE_BPE && type != LLAMA_VOCAB_TYPE_SPM) return 0;
  const std::string text = probe();
  size_t bytes = 0;
  for (const int32_t token : tokenize(vocab, text, false, false)) {
    if ((llama_vocab_get_attr(vocab, token) & LLAMA_TOKEN_ATTR_UNKNOWN) != 0) return 0;
    bytes += token_bytes(vocab, token, true).size();
  }
  if (bytes < text.size()) return 0;
  size_t longest = 1;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    longest = std::max(longest, token_bytes(vocab, token, true).size());
  }
  return longest;
}

}  // namespace

Tokenizer::ForLongText::ForLongText(const llama_model* model)
    : cutter(model), longest(longest_token(llama_model_get_vocab(model))) {}

Tokenizer::Tokenizer(const llama_model* model)
    : model_(model), vocab_(llama_model_get_vocab(model)), special_(vocab_) {}

const Tokenizer::ForLongText& Tokenizer::long_text() const {
  std::call_once(once_, [this] {
    long_text_.emplace(model_);
    if (std::ranges::any_of(special_.all(), strips)) long_text_->longest = 0;
  });
  return *long_text_;
}

size_t Tokenizer::least_tokens(size_t bytes) const {
  if (bytes <= kShort) return bytes == 0 ? 0 : 1;
  const size_t longest = long_text().longest;
  return longest == 0 ? 0 : (bytes + longest - 1) / longest;
}

Result<Tokenized> Tokenizer::tokenize(std::string_view text, const TokenizeHow& how) const {
  const bool marked = how.marks != nullptr && !how.marks->empty();
  Tokenized made;
  if (Status status = cancelled_while_tokenizing(how.cancel); !status.ok()) return status;
  if (text.size() <= kShort && !marked) {
    made.tokens = lh::tokenize(vocab_, text, how.add_special, how.parse_special);
    return made;
  }
  const auto fragments = special_.divide(text, how.parse_special, marked ? *how.marks : TokenMarks(), how.cancel);
  if (!fragments.ok()) return fragments.status();
  // The tokens around a text: those of an empty one. Each adds one at most.
  std::vector<int32_t> around;
  if (how.add_special) around = lh::tokenize(vocab_, "", true, false);
  const bool begins = around.size() > 1 || (around.size() == 1 && llama_vocab_get_add_bos(vocab_));
  if (begins) made.tokens.push_back(around.front());
  for (const Fragment& fragment : *fragments) {
    if (Status status = cancelled_while_tokenizing(how.cancel); !status.ok()) return status;
    if (made.tokens.size() > how.most) {
      made.whole = false;
      return made;
    }
    if (fragment.token >= 0) {
      made.tokens.push_back(fragment.token);
      continue;
    }
    Status status = append_text(text.substr(fragment.begin, fragment.end - fragment.begin), how, made);
    if (!status.ok()) return status;
  }
  if (made.whole && around.size() > (begins ? 1 : 0)) made.tokens.push_back(around.back());
  return made;
}

// `text` has no special token. llama.cpp treats each text after a special token as a beginning, so it can be tokenized
// separately.
Status Tokenizer::append_text(std::string_view text, const TokenizeHow& how, Tokenized& to) const {
  const auto append = [&](std::string_view piece, size_t skip) {
    const auto tokens = lh::tokenize(vocab_, piece, false, false);
    skip = std::min(skip, tokens.size());
    to.tokens.insert(to.tokens.end(), tokens.begin() + static_cast<std::ptrdiff_t>(skip), tokens.end());
  };
  if (text.size() <= kShort) {
    append(text, 0);
    return {};
  }
  const TextCutter& cutter = long_text().cutter;
  // Prevents the additional space at the beginning of a later piece: llama.cpp adds none behind a line end.
  const std::string before = cutter.adds_space() ? "\n" : "";
  const size_t skip = before.empty() ? 0 : lh::tokenize(vocab_, before, false, false).size();
  for (size_t begin = 0; begin < text.size();) {
    if (Status status = cancelled_while_tokenizing(how.cancel); !status.ok()) return status;
    if (to.tokens.size() > how.most) {
      to.whole = false;
      return {};
    }
    const size_t end = cutter.piece_end(text, begin);
    const std::string_view piece = text.substr(begin, end - begin);
    if (begin == 0 || skip == 0) {
      append(piece, 0);
    } else {
      append(before + std::string(piece), skip);
    }
    begin = end;
  }
  return {};
}

}  // namespace lh
