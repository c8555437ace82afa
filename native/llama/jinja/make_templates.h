// Makes llama.cpp's templates such that every run of their programs is bounded (budget.h).
// Must not: let llama.cpp make a template of a foreign source by itself, because it runs the template at once.
#pragma once

#include <optional>
#include <string>

#include "chat.h"
#include "llama/base/handles.h"

namespace lh {

// Throws std::exception if the source does not parse, TemplateStop if it is too large or runs too long. Within a
// TemplateBudget. `caps`: what llama.cpp would find out by running the template.
[[nodiscard]] common_chat_template make_chat_template(const std::string& source, const std::string& bos,
                                                      const std::string& eos,
                                                      const std::optional<chat_template_caps>& caps = std::nullopt);

// Makes templates as common_chat_templates_init() does.
[[nodiscard]] common_chat_templates_ptr make_chat_templates(const llama_model* model,
                                                            const std::string& override_template);

}  // namespace lh
