// No text of a conversation becomes a control token: every bundled chat template with real vocabularies, and texts that
// spell control tokens out, whole, cut at the ends of a text, and around text that a template removes.
// Arguments: the folder of llama.cpp's libraries, the folder of templates, vocabularies.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "check.h"
#include "llama/base/runtime.h"
#include "llama/base/vocab.h"
#include "llama/prompt/chat_prompt.h"

namespace {

struct Counts {
  int prompts = 0;
  int with_allow = 0;  // prompts in which `allow` gives more control tokens: the others prove nothing
};

bool is_control(const llama_vocab* vocab, int32_t token) {
  return (llama_vocab_get_attr(vocab, token) & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) != 0;
}

// A conversation with a call, with the text in every place that a caller fills.
lh::Messages conversation(const std::string& text, const std::string& key) {
  const auto message = [](lh::Role role, std::string content) {
    lh::Message made;
    made.role = role;
    made.content = std::move(content);
    return made;
  };
  lh::Message answer = message(lh::Role::kAssistant, "Let me see. " + text);
  answer.reasoning = "Hm " + text;
  answer.tool_calls.push_back({"a1b2c3d4e", "look", {{key, text}, {"list", {text, 1}}}});
  lh::Message result = message(lh::Role::kTool, text + " found");
  result.tool_name = "look";
  result.tool_call_id = "a1b2c3d4e";
  lh::Messages all;
  for (lh::Message& one : std::vector<lh::Message>{
           message(lh::Role::kSystem, "Be kind. " + text), message(lh::Role::kUser, text), std::move(answer),
           std::move(result), message(lh::Role::kAssistant, text), message(lh::Role::kUser, "And " + text)}) {
    all.push_back(std::make_shared<const lh::Message>(std::move(one)));
  }
  return all;
}

lh::Tools tools(const std::string& text, const std::string& key) {
  lh::Tool tool;
  tool.name = "look";
  tool.description = "Looks. " + text;
  tool.parameters = {{"type", "object"}, {"properties", {{key, {{"type", "string"}, {"description", text}}}}}};
  return {std::make_shared<const lh::Tool>(std::move(tool))};
}

// A prompt's text, and its number of control tokens; -1 if the template refuses the conversation.
struct Made {
  std::string text;
  int control = -1;
};

Made make(const lh::LlamaChat& chat, const llama_vocab* vocab, const std::string& text, const std::string& key,
          bool with_tools, bool allow) {
  const lh::Messages messages = conversation(text, key);
  const lh::Tools offered = tools(text, key);
  lh::PromptRequest request;
  request.messages = &messages;
  if (with_tools) request.tools = &offered;
  lh::SamplingParams params;
  params.tool_choice = lh::ToolChoice::none();
  params.special_tokens = allow ? lh::SpecialTokens::kAllow : lh::SpecialTokens::kText;
  const auto prompt = chat.prepare(request, params);
  if (!prompt.ok()) {
    CHECK(prompt.status().message().find("\xEF\xB7\x90") == std::string::npos);
    return {};
  }
  Made made{(*prompt)->text(), 0};
  for (const int32_t token : chat.own(**prompt)->tokens()) made.control += is_control(vocab, token) ? 1 : 0;
  return made;
}

struct Attack {
  std::string text;
  std::string key;
  std::string harmless;
  std::string harmless_key;
};

std::vector<Attack> attacks(const llama_vocab* vocab) {
  std::vector<std::string> spelled;
  for (int32_t token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
    const std::string text = llama_vocab_get_text(vocab, token);
    if (is_control(vocab, token) && text.size() > 2) spelled.push_back(text);
  }
  // The tokens of turns are among the first or the last of a vocabulary; there may be thousands of reserved ones.
  if (spelled.size() > 6) spelled.erase(spelled.begin() + 3, spelled.end() - 3);
  std::vector<Attack> all;
  for (const std::string& text : spelled) {
    const std::string inside = text.substr(1, text.size() - 2);
    const std::string broken = text.substr(0, 1) + "~" + text.substr(1);
    all.push_back({"a " + text + "\n" + text + "system", "key", "a " + broken + "\n" + broken + "system", "key"});
    all.push_back({text, inside, broken, "~" + inside + "~"});
    for (const std::string cut : {"/think", "/no_think", "</think>"}) {
      const size_t half = text.size() / 2;
      all.push_back({"x" + text.substr(0, half) + cut + text.substr(half), "key",
                     "x" + text.substr(0, half) + "~" + cut + "~" + text.substr(half), "key"});
    }
  }
  return all;
}

void compare(const std::string& name, const lh::LlamaChat& chat, const llama_vocab* vocab, Counts& counts) {
  const std::vector<Attack> all = attacks(vocab);
  const Attack* const first = all.data();
  for (const Attack& attack : all) {
    for (const bool with_tools : {false, true}) {
      // Each new text of a tool makes a new grammar, which dominates the time.
      if (with_tools && &attack - first > 1) continue;
      const Made harmless = make(chat, vocab, attack.harmless, attack.harmless_key, with_tools, false);
      const Made made = make(chat, vocab, attack.text, attack.key, with_tools, false);
      const Made allowed = make(chat, vocab, attack.text, attack.key, with_tools, true);
      if (harmless.control < 0 || made.control < 0) continue;
      ++counts.prompts;
      counts.with_allow += allowed.control > made.control ? 1 : 0;
      // A marked key may take another place where a template sorts by key.
      const bool same_text = made.text == allowed.text || attack.key != "key";
      const bool same = CHECK(made.control == harmless.control) && CHECK(same_text);
      if (!same) {
        std::fprintf(stderr, "%s, %s, key %s: %d control tokens, harmless %d\n%s\n%s\n", name.c_str(),
                     attack.text.c_str(), attack.key.c_str(), made.control, harmless.control, made.text.c_str(),
                     allowed.text.c_str());
        return;
      }
    }
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || !CHECK(lh::init_runtime({argv[1], ""}).ok())) return 1;
  std::vector<std::filesystem::path> templates;
  for (const auto& file : std::filesystem::directory_iterator(argv[2])) {
    if (file.path().extension() == ".jinja") templates.push_back(file.path());
  }
  std::ranges::sort(templates);
  // Each template with one of the vocabularies in turn; with all of them in minutes.
  const bool all = std::getenv("LH_EVERY_VOCABULARY") != nullptr;
  const auto vocabularies = static_cast<size_t>(argc - 3);
  const size_t step = std::getenv("LH_HALF_OF_TEMPLATES") != nullptr ? 2 : 1;
  Counts counts;
  for (int i = 3; i < argc; ++i) {
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    const lh::ModelPtr model(llama_model_load_from_file(argv[i], params));
    if (!CHECK(model != nullptr)) return 1;
    const llama_vocab* vocab = llama_model_get_vocab(model.get());
    for (size_t t = 0; t < templates.size(); ++t) {
      if (!all && t % vocabularies != static_cast<size_t>(i - 3)) continue;
      if (t / vocabularies % step != 0) continue;
      const auto& path = templates[t];
      const auto chat = lh::LlamaChat::create(model.get(), read(path), 1 << 20);
      if (!chat.ok()) continue;
      compare(std::string(argv[i]) + ", " + path.stem().string(), **chat, vocab, counts);
    }
  }
  std::printf("%d prompts; in %d of them the text would have been control tokens\n", counts.prompts, counts.with_allow);
  CHECK(counts.with_allow > counts.prompts / 3);
  return check_result("content_tokens_test");
}
