#include "llama/base/text_cutter.h"

#include <algorithm>
#include <array>
#include <string>

#include "llama/base/vocab.h"

namespace lh {
namespace {

std::string meta_text(const llama_model* model, const char* key) {
  std::array<char, 64> value{};
  return llama_model_meta_val_str(model, key, value.data(), value.size()) < 0 ? std::string() : value.data();
}

// True if llama.cpp finds the words with code that does not recurse, in place of std::regex.
bool has_own_splitter(std::string_view pre) {
  static constexpr std::array<std::string_view, 6> kOwn = {"llama-bpe", "llama3", "gpt-2", "qwen2", "qwen35", "gemma4"};
  return std::ranges::find(kOwn, pre) != kOwn.end();
}

bool is_small(char byte) { return byte >= 'a' && byte <= 'z'; }
bool is_white(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
bool is_graphic(char byte) { return byte > ' ' && byte < '\x7f'; }
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The forms of a byte in the texts of tokens: as it is, as GPT-2 writes it, and SentencePiece's space.
constexpr std::array<std::string_view, 3> kSpaces = {" ", "\u0120", "\u2581"};
constexpr std::array<std::string_view, 2> kLineEnds = {"\n", "\u010a"};
constexpr std::array<std::string_view, 9> kWhite = {" ",      "\n",     "\t",     "\r",    "\u0120",
                                                    "\u010a", "\u0109", "\u010d", "\u2581"};

template <size_t N>
size_t begins_with_one(std::string_view text, const std::array<std::string_view, N>& of) {
  for (const std::string_view one : of) {
    if (text.starts_with(one)) return one.size();
  }
  return 0;
}

}  // namespace

TextCutter::TextCutter(const llama_model* model) {
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const auto type = llama_vocab_type(vocab);
  const std::string name = meta_text(model, "tokenizer.ggml.model");
  if (type == LLAMA_VOCAB_TYPE_BPE && name != "hybriddna" && name != "whitespace") kind_ = Kind::kWords;
  if (type == LLAMA_VOCAB_TYPE_SPM) kind_ = Kind::kMerges;
  if (type == LLAMA_VOCAB_TYPE_WPM) kind_ = Kind::kWords;
  if (kind_ == Kind::kOther) return;
  constexpr int kSpecial = LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_USER_DEFINED | LLAMA_TOKEN_ATTR_UNKNOWN;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    if ((llama_vocab_get_attr(vocab, token) & kSpecial) == 0) look_at(llama_vocab_get_text(vocab, token));
  }
  if (type != LLAMA_VOCAB_TYPE_BPE || has_own_splitter(meta_text(model, "tokenizer.ggml.pre"))) {
    usual_ = kUsual;
    most_run_ = kMost;
  }
  if (kind_ == Kind::kMerges) {
    const auto tokens = tokenize(vocab, "a", false, false);
    adds_space_ = !tokens.empty() && token_bytes(vocab, tokens.front(), false).starts_with(' ');
    if (adds_space_ && !at_lines_) kind_ = Kind::kOther;
  }
}

void TextCutter::look_at(std::string_view token) {
  for (size_t at = 0; at < token.size(); ++at) {
    if (at > 0 && is_small(token[at - 1]) && begins_with_one(token.substr(at), kSpaces) > 0) at_spaces_ = false;
    const size_t line = begins_with_one(token.substr(at), kLineEnds);
    if (line == 0 || at + line == token.size()) continue;
    const std::string_view rest = token.substr(at + line);
    if (rest.front() != '/' && begins_with_one(rest, kWhite) == 0) at_lines_ = false;
  }
}

// True at places where the word patterns of all of llama.cpp's tokenizers begin a word, with any text around them.
bool TextCutter::is_safe(std::string_view text, size_t at) const {
  if (at < 2 || at + 2 >= text.size()) return false;
  if (at_spaces_ && text[at] == ' ' && is_small(text[at - 1]) && is_small(text[at - 2]) && is_small(text[at + 1]) &&
      is_small(text[at + 2])) {
    return true;
  }
  return at_lines_ && text[at - 1] == '\n' && is_graphic(text[at - 2]) && is_graphic(text[at]) && text[at] != '/';
}

size_t TextCutter::piece_end(std::string_view text, size_t begin) const {
  if (kind_ == Kind::kOther || text.size() - begin <= kMostRun) return text.size();
  size_t safe = begin;
  size_t run = begin;  // where the present run of white space, or of anything else, began
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (is_safe(text, at)) safe = at;
    if (is_white(text[at]) != is_white(text[at - 1])) run = at;
    if (at - begin >= usual_ && safe > begin) return safe;
    if ((at - run >= most_run_ || at - begin >= kMost) && begins_character(text[at])) return safe > begin ? safe : at;
  }
  return text.size();
}

}  // namespace lh
