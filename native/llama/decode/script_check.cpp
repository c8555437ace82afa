#include "llama/decode/script_check.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json/json.h"
#include "base/text/names.h"
#include "base/text/utf8.h"
#include "llama/base/vocab.h"
#include "llama/decode/logits.h"

namespace lh {
namespace {

// The key of the file's metadata with an object: it names the reply for the text of each control token that asks for
// one, and under "" the reply to a prompt without such a token.
constexpr const char* kNamesKey = "llama_hooks.script";
constexpr size_t kShown = 60;  // bytes of each text in the message

std::string metadata(const llama_model* model, const char* key) {
  const int32_t length = llama_model_meta_val_str(model, key, nullptr, 0);
  if (length <= 0) return {};
  std::string value(static_cast<size_t>(length) + 1, '\0');
  llama_model_meta_val_str(model, key, value.data(), value.size());
  value.pop_back();
  return value;
}

std::string quoted_start(std::string_view bytes) {
  return dump_json(std::string(first_characters(to_utf8(bytes), kShown)));
}

std::string quoted_end(std::string_view bytes) {
  std::string_view end = bytes.substr(bytes.size() - std::min(bytes.size(), kShown));
  constexpr auto kContinues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; };
  while (end.size() < bytes.size() && !end.empty() && kContinues(end.front())) end.remove_prefix(1);
  return dump_json(to_utf8(end));
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    if (all.size() > 2 * kShown) return all + ", ...";
    all += (all.empty() ? "" : ", ") + name;
  }
  return all;
}

std::string rule_of(const LlamaPrompt& prompt, const SamplingParams& params) {
  if (!params.grammar.empty()) return "params.grammar";
  const std::string schema = shown_field("params.json_schema");
  if (prompt.tools().empty()) return schema;
  const std::string tools = "the tools (" + listed(prompt.tools()) + ")";
  if (params.tool_choice.must_call()) return shown_field("params.tool_choice") + " with " + tools;
  return "the grammar of " + tools + (params.json_schema ? " and of " + schema : "");
}

}  // namespace

std::optional<std::string> ScriptCheck::reply_of(const llama_model* model, const std::vector<int32_t>& prompt) {
  const std::string text = metadata(model, kNamesKey);
  if (text.empty()) return std::nullopt;
  const Result<Json> names = parse_json(text, kNamesKey);
  if (!names.ok() || !names->is_object()) return std::nullopt;
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const auto name_at = [&](const char* asking) -> std::optional<std::string> {
    const auto found = names->find(asking);
    if (found == names->end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  for (auto token = prompt.rbegin(); token != prompt.rend(); ++token) {
    if (!llama_vocab_is_control(vocab, *token)) continue;
    if (auto name = name_at(llama_vocab_get_text(vocab, *token))) return name;
  }
  return name_at("");
}

ScriptCheck::ScriptCheck(const llama_model* model, std::string reply, const LlamaPrompt& prompt,
                         const SamplingParams& params, common_params_sampling alone)
    : model_(model),
      reply_(std::move(reply)),
      rule_(rule_of(prompt, params)),
      ends_(!params.ignore_eos),
      alone_(std::move(alone)) {
  if (!prompt.tools().empty()) {
    hint_ = "; a call has arguments by its tool's schema, in the schema's order, required ones first";
  }
}

bool ScriptCheck::follows(int32_t token, llama_context* context, int32_t index) {
  const llama_vocab* vocab = llama_model_get_vocab(model_);
  const int32_t vocabulary = llama_vocab_n_tokens(vocab);
  const float* logits = llama_get_logits_ith(context, index);
  const float top = largest_logit(logits, vocabulary);
  if (logits[token] >= top) {
    written_.push_back(token);
    return true;
  }
  const auto wanted = static_cast<int32_t>(std::find(logits, logits + vocabulary, top) - logits);
  if (!ends_ && llama_vocab_is_eog(vocab, wanted)) return false;
  const common_sampler_ptr sampler(common_sampler_init(model_, alone_));
  for (const int32_t before : written_) common_sampler_accept(sampler.get(), before, true);
  if (logits[common_sampler_sample(sampler.get(), context, index)] >= top) return false;
  throw refused(wanted);
}

ScriptRefused ScriptCheck::broken() {
  const int32_t token = written_.back();
  written_.pop_back();
  return refused(token);
}

ScriptRefused ScriptCheck::refused(int32_t token) const {
  const llama_vocab* vocab = llama_model_get_vocab(model_);
  std::string before;
  for (const int32_t one : written_) before += token_bytes(vocab, one, true);
  const std::string next = llama_vocab_is_eog(vocab, token) ? "end" : quoted_start(token_bytes(vocab, token, true));
  return ScriptRefused("the script cannot say " + reply_ + ": " + rule_ + " admits no " + next +
                       (before.empty() ? " at its beginning" : " after " + quoted_end(before)) + hint_);
}

}  // namespace lh
