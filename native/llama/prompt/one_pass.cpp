#include "llama/prompt/one_pass.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <sstream>
#include <utility>

#include "base/function_ref.h"
#include "jinja/caps.h"
#include "llama/jinja/make_templates.h"
#include "llama/jinja/nodes/given.h"
#include "llama/jinja/nodes/variables.h"
#include "llama/jinja/once.h"
#include "llama/prompt/chat_inputs.h"
#include "platform/local_time.h"

namespace lh {
namespace {

std::string piece_of(const llama_vocab* vocab, llama_token token) {
  return token == LLAMA_TOKEN_NULL ? std::string() : common_token_to_piece(vocab, token, true);
}

std::string run(jinja::context& context, const jinja::program& program) {
  jinja::runtime runtime(context);
  return jinja::runtime::gather_string_parts(runtime.execute(program))->as_string().str();
}

// The local date, as llama.cpp passes it to templates.
std::string date(std::chrono::system_clock::time_point now, const char* format) {
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  const std::tm local = local_time(time);
  std::ostringstream text;
  text << std::put_time(&local, format);
  return text.str();
}

}  // namespace

// A line end after the source is not part of a template; llama.cpp has already removed one.
OnePass::OnePass(const llama_vocab* vocab, const common_chat_template& parsed)
    : template_(make_chat_template(parsed.source() + "\n", piece_of(vocab, llama_vocab_bos(vocab)),
                                   piece_of(vocab, llama_vocab_eos(vocab)), parsed.caps)),
      adds_bos_(llama_vocab_get_add_bos(vocab)),
      adds_eos_(llama_vocab_get_add_eos(vocab)) {
  tail_ = cut_tail(template_.prog, template_.source(), true);
  switched_ = template_.source().find(kGenerationSwitch) != std::string::npos;
}

std::unique_ptr<const OnePass> OnePass::create(const llama_vocab* vocab, const common_chat_template& parsed) {
  const std::string& source = parsed.source();
  // StepFun's template: llama.cpp trims its messages.
  if (source.find("You have access to the following functions in JSONSchema format") != source.npos) return nullptr;
  std::unique_ptr<const OnePass> pass(new OnePass(vocab, parsed));
  const chat_template_caps caps = pass->template_.original_caps();
  return caps.supports_system_role && caps.supports_string_content ? std::move(pass) : nullptr;
}

void OnePass::give(const common_chat_templates_inputs& inputs, jinja::context& scope) const {
  common_json texts = common_json::object();
  // A variable that the source does not mention is not read; each variable costs time in each iteration of a loop.
  const auto reads = [&](const char* name) { return template_.source().find(name) != std::string::npos; };
  const auto give_text = [&](const char* name, auto value) {
    if (reads(name)) texts[name] = std::move(value);
  };
  give_text("bos_token", template_.bos_token());
  give_text("eos_token", template_.eos_token());
  give_text("enable_thinking", inputs.enable_thinking);
  if (!inputs.chat_template_kwargs.empty()) give_text("preserve_reasoning", true);
  give_text("datetime", date(inputs.now, "%b %d %Y"));
  give_text("date_string", date(inputs.now, "%d %b %Y"));
  jinja::global_from_json(scope, texts, true);
  known_.forget_if(values_.spoiled());
  if (reads("messages")) {
    scope.set_val("messages", known_.messages(inputs.messages, template_.caps.supports_object_arguments));
  }
  if (reads("tools") && !inputs.tools.empty()) scope.set_val("tools", known_.tools(inputs.tools));
}

// Without the tokens that the tokenizer adds.
std::string OnePass::as_prompt(std::string text) const {
  if (adds_bos_ && text.starts_with(template_.bos_token())) text.erase(0, template_.bos_token().size());
  if (adds_eos_ && text.ends_with(template_.eos_token())) text.resize(text.size() - template_.eos_token().size());
  return text;
}

std::optional<common_chat_params> OnePass::render(const common_chat_templates_inputs& inputs) const {
  // llama.cpp passes some of these under further names.
  const auto& given_names = inputs.chat_template_kwargs;
  const bool preserves = given_names.size() == 1 && given_names.begin()->first == kPreserveReasoning &&
                         given_names.begin()->second == "true";
  if (!given_names.empty() && !preserves) return std::nullopt;
  // `more` receives the variables at the end of the text, and the text.
  const auto render_with = [&](bool on, FunctionRef<std::string(jinja::context&, std::string)> more) {
    jinja::context scope(template_.source());
    if (preserves) jinja::caps_apply_preserve_reasoning(scope, true);
    give(inputs, scope);
    if (on) jinja::global_from_json(scope, common_json{{kGenerationSwitch, true}}, true);
    const GivenValues::Rendering rendering(values_, scope);
    return more(scope, run(scope, template_.prog));
  };
  std::string with;
  std::string without = render_with(false, [&](jinja::context& scope, std::string head) {
    if (tail_.body.empty()) return head;
    std::string whole = head + run(scope, tail_);
    set_variable(scope, text_value(kGenerationSwitch), jinja::mk_val<jinja::value_bool>(true));
    with = head + run(scope, tail_);
    return whole;
  });
  if (!switched_) {
    with = without;
  } else if (tail_.body.empty()) {
    with = render_with(true, [](jinja::context&, std::string whole) { return whole; });
  }
  without = as_prompt(std::move(without));
  with = as_prompt(std::move(with));
  common_chat_params rendered;
  const auto differ = std::ranges::mismatch(without, with);
  rendered.generation_prompt.assign(differ.in2, with.end());
  rendered.prompt = inputs.add_generation_prompt ? std::move(with) : std::move(without);
  return rendered;
}

}  // namespace lh
