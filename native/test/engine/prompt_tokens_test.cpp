// A prompt that is tokenized in segments has the tokens of the whole text: real vocabularies, and texts that contain
// their markers complete, truncated and doubled. Arguments: the folder of llama.cpp's libraries, vocabularies.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "llama/base/handles.h"
#include "llama/base/runtime.h"
#include "llama/base/vocab.h"
#include "llama/prompt/prompt_tokens.h"

namespace {

constexpr int kRounds = 10;  // each chooses another mark
constexpr int kTexts = 30;

std::vector<std::string> marks_of(const llama_vocab* vocab) {
  std::vector<std::string> marks;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    const bool special = llama_vocab_is_control(vocab, token) ||
                         (llama_vocab_get_attr(vocab, token) & LLAMA_TOKEN_ATTR_USER_DEFINED) != 0;
    if (special && marks.size() < 40) marks.emplace_back(llama_vocab_get_text(vocab, token));
  }
  return marks;
}

std::string random_text(std::mt19937& random, const std::vector<std::string>& marks) {
  static const std::vector<std::string> kWords = {" ",     "\n",     "\n\n",  "The weather", " is fine.",
                                                  "Grüße", "日本語", "  x",   "<",           "|>",
                                                  "a",     "[/",     "12345", "\t{}",        "e\u0301"};
  const auto any = [&random](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  const std::string& often = marks[any(marks.size())];
  std::string text;
  constexpr size_t kLong = 15;  // times; such a text is divided into pieces
  for (size_t parts = any(40) * (any(4) == 0 ? kLong : 1); parts > 0; --parts) {
    const size_t kind = any(8);
    const std::string& mark = kind < 2 ? often : marks[any(marks.size())];
    text += kind < 3 ? mark : kind == 3 ? mark.substr(any(mark.size() + 1)) : kWords[any(kWords.size())];
  }
  return text;
}

void compare(const char* path) {
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  const lh::ModelPtr model(llama_model_load_from_file(path, params));
  if (!CHECK(model != nullptr)) return;
  const llama_vocab* vocab = llama_model_get_vocab(model.get());
  const std::vector<std::string> marks = marks_of(vocab);
  if (!CHECK(!marks.empty())) return;
  const lh::Tokenizer whole(model.get());
  std::mt19937 random(7);
  for (int round = 0; round < kRounds; ++round) {
    lh::PromptTokenizer tokenizer(whole);
    for (int i = 0; i < kTexts; ++i) {
      const std::string text = random_text(random, marks);
      for (int time = 0; time < 2; ++time) {
        const auto made = tokenizer.tokenize(text);
        if (!CHECK(made.ok() && made->whole && made->tokens == lh::tokenize(vocab, text, true, true))) return;
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !CHECK(lh::init_runtime({argv[1], ""}).ok())) return 1;
  for (int i = 2; i < argc; ++i) compare(argv[i]);
  return check_result("prompt_tokens_test");
}
