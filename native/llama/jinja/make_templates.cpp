#include "llama/jinja/make_templates.h"

#include <exception>
#include <memory>
#include <utility>

#include "base/system/log.h"
#include "jinja/caps.h"
#include "jinja/lexer.h"
#include "jinja/parser.h"
#include "llama/jinja/chat_templates.h"
#include "llama/jinja/guarded.h"
#include "llama/jinja/known_caps.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/once.h"
#include "llama/jinja/source.h"

namespace lh {
namespace {

// A template that is certain to be harmless; llama.cpp makes its objects from it.
const std::string kNothing = " ";

void stop_if(const std::optional<std::string>& fault) {
  if (fault) TemplateBudget::stop("the chat template " + *fault);
}

// Converts line ends as llama.cpp's lexer does, in time that grows with the source and not with its square. The lexer
// drops one line feed at the end, but no carriage return.
std::string with_line_feeds(const std::string& source) {
  if (source.find('\r') == std::string::npos) return source;
  std::string text;
  text.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      text += source[i];
    } else if (i + 1 == source.size() || source[i + 1] != '\n') {
      text += '\n';
    }
  }
  if (source.back() == '\r') text += '\n';
  return text;
}

// Repairs two families of templates as llama.cpp does.
void repair(std::string& source) {
  if (source.find("<|channel|>") != std::string::npos && source.find("in message.content or") != std::string::npos) {
    string_replace_all(source,
                       "{%- if \"<|channel|>analysis<|message|>\" in message.content or "
                       "\"<|channel|>final<|message|>\" in message.content %}",
                       "{%- if false %}");
  }
  if (source.find("[TOOL_CALLS]") != std::string::npos &&
      source.find("if (message['content'] is none or") != std::string::npos) {
    string_replace_all(source,
                       "{%- if (message['content'] is none or message['content'] == '' or "
                       "message['content']|length == 0) and (message['tool_calls'] is not defined or "
                       "message['tool_calls'] is none or message['tool_calls']|length == 0) %}",
                       "{%- if false %}");
  }
}

std::unique_ptr<common_chat_template> made_once(const std::string& source, const std::string& bos,
                                                const std::string& eos) {
  auto made = std::make_unique<common_chat_template>(make_chat_template(source, bos, eos));
  render_once(made->prog, made->src);
  return made;
}

std::string own_template(const llama_model* model, const char* name) {
  const char* const source = llama_model_chat_template(model, name);
  return source == nullptr ? std::string() : source;
}

}  // namespace

common_chat_template make_chat_template(const std::string& source, const std::string& bos, const std::string& eos,
                                        const std::optional<chat_template_caps>& caps) {
  stop_if(fault_of_size(source));
  jinja::lexer lexer;
  const jinja::lexer_result lexed = lexer.tokenize(with_line_feeds(source));
  const TemplateShape shape = shape_of(lexed);
  stop_if(fault_of_shape(shape));
  common_chat_template made(kNothing, bos, eos);
  made.prog = jinja::parse_from_tokens(lexed);
  guard(made.prog, shape.names);
  made.src = lexed.source;
  const std::optional<chat_template_caps> known = caps ? caps : known_caps().find(made.src);
  made.caps = known ? *known : jinja::caps_get(made.prog);
  return made;
}

common_chat_templates_ptr make_chat_templates(const llama_model* model, const std::string& override_template) {
  std::string source = override_template.empty() ? own_template(model, nullptr) : override_template;
  std::string with_tools = override_template.empty() ? own_template(model, "tool_use") : std::string();
  const bool is_explicit = !source.empty() || !with_tools.empty();
  if ((source.empty() || source == "chatml") && !with_tools.empty()) source = with_tools;
  const bool chatml = source.empty() || source == "chatml";
  common_chat_templates_ptr templates = common_chat_templates_init(model, chatml ? "chatml" : kNothing);
  templates->has_explicit_template = is_explicit;
  if (chatml) source = templates->template_default->source();
  repair(source);
  const std::string bos = templates->template_default->bos_token();
  const std::string eos = templates->template_default->eos_token();
  templates->template_default = made_once(source, bos, eos);
  if (with_tools.empty()) return templates;
  try {
    templates->template_tool_use = made_once(with_tools, bos, eos);
  } catch (const std::exception& error) {
    log_line(LogLevel::kWarn,
             std::string("the chat template for tools does not parse, and is not used: ") + error.what());
  }
  return templates;
}

}  // namespace lh
