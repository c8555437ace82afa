// The tokens of long texts are llama.cpp's, though they are made part by part; and texts on which llama.cpp alone would
// exhaust the stack or never end are tokenized. Arguments: the folder of llama.cpp's libraries, vocabularies.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/threads/cancel.h"
#include "check.h"
#include "llama/base/handles.h"
#include "llama/base/runtime.h"
#include "llama/base/tokenizer.h"
#include "llama/base/vocab.h"

namespace {

using Tokens = std::vector<int32_t>;

std::vector<std::string> marks_of(const lh::SpecialTokenTable& tokens) {
  std::vector<std::string> marks;
  for (const lh::SpecialToken& token : tokens.all()) marks.emplace_back(token.text);
  if (marks.size() > 60) marks.erase(marks.begin() + 30, marks.end() - 30);
  return marks;
}

// Prose, code and tables, with special tokens complete, truncated and doubled.
std::string random_text(std::mt19937& random, const std::vector<std::string>& marks, size_t bytes) {
  static const std::vector<std::string> kParts = {"the quick brown fox ",
                                                  "Weather in Oslo: 12.5 degrees.",
                                                  "\n",
                                                  "\n\n",
                                                  "  \n",
                                                  "\r\n",
                                                  "int main() {\n    return 0;\n}\n",
                                                  "Grüße aus Köln ",
                                                  "日本語の文章。",
                                                  "x = [1, 2, 3]",
                                                  "don't ",
                                                  "\t",
                                                  " ",
                                                  "    ",
                                                  "/* a */",
                                                  "1234567 ",
                                                  "a/b\n/c",
                                                  "!\n",
                                                  "e\u0301 ",
                                                  "🙂",
                                                  "\u00a0",
                                                  "\u3000",
                                                  "it is so and so\nnext line of it",
                                                  "word word word word "};
  const auto any = [&random](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  std::string text;
  while (text.size() < bytes) {
    const size_t kind = any(16);
    if (kind == 0 && !marks.empty()) {
      const std::string& mark = marks[any(marks.size())];
      text += any(3) > 0 ? mark : mark.substr(any(mark.size()));
    } else {
      text += kParts[any(kParts.size())];
    }
  }
  return text;
}

Tokens made(const lh::Tokenizer& tokenizer, const std::string& text, bool add, bool parse) {
  const auto tokens = tokenizer.tokenize(text, {.add_special = add, .parse_special = parse});
  return CHECK(tokens.ok() && tokens->whole) ? tokens->tokens : Tokens();
}

std::string bytes_of(const llama_vocab* vocab, const Tokens& tokens) {
  std::string bytes;
  for (const int32_t token : tokens) bytes += lh::token_bytes(vocab, token, true);
  return bytes;
}

bool keeps_bytes(const llama_vocab* vocab) {
  return llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_BPE || llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_SPM;
}

void check(const char* path) {
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  const lh::ModelPtr model(llama_model_load_from_file(path, params));
  if (!CHECK(model != nullptr)) return;
  const llama_vocab* vocab = llama_model_get_vocab(model.get());
  const lh::Tokenizer tokenizer(model.get());
  const std::vector<std::string> marks = marks_of(tokenizer.special());
  std::mt19937 random(11);
  for (const size_t bytes : {100, 9000, 20000, 90000, 150000}) {
    const std::string text = random_text(random, marks, bytes);
    for (const bool parse : {true, false}) {
      if (CHECK(made(tokenizer, text, parse, parse) == lh::tokenize(vocab, text, parse, parse))) continue;
      std::printf("%s: other tokens for %zu bytes, parse %d\n", path, bytes, static_cast<int>(parse));
      return;
    }
  }
  // Tokens such as " " and "  " begin at each byte, so there are many times as many places as bytes.
  for (const std::string run : {" ", "\n", "\t", "  \n"}) {
    std::string text;
    while (text.size() < 3000) text += run;
    if (CHECK(made(tokenizer, text, false, true) == lh::tokenize(vocab, text, false, true))) continue;
    std::printf("%s: other tokens for empty lines\n", path);
  }
  // A run kills the process if it reaches std::regex in one piece.
  for (const std::string run : {"a", "=", "1", " ", "\u5b57"}) {
    std::string text;
    while (text.size() < 60000) text += run;
    const Tokens tokens = made(tokenizer, text, false, true);
    if (!keeps_bytes(vocab)) continue;
    const std::string back = bytes_of(vocab, tokens);
    if (!CHECK(back == text || back == " " + text)) std::printf("%s: a run of %s\n", path, run.c_str());
    CHECK(tokens.size() >= tokenizer.least_tokens(text.size()));
  }
  // llama.cpp takes time that grows with the square of the number of special tokens.
  if (marks.empty()) return;
  std::string text;
  while (text.size() < 1000000) text += marks.back();
  CHECK(!made(tokenizer, text, false, true).empty());
  lh::CancelFlag cancel;
  cancel.cancel("enough");
  const auto none = tokenizer.tokenize(text, {.parse_special = true, .cancel = &cancel});
  CHECK(!none.ok() && none.status().code() == lh::Code::kCancelled);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !CHECK(lh::init_runtime({argv[1], ""}).ok())) return 1;
  for (int i = 2; i < argc; ++i) check(argv[i]);
  return check_result("tokenizer_test");
}
