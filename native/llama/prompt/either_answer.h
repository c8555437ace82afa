// The format of a message that is either calls of tools or an answer by a schema. llama.cpp makes a parser and a
// grammar for one or the other; here they are joined.
#pragma once

#include <string>

#include "llama/prompt/formats.h"

namespace lh {

// False if the format of plain answers, without tools, has no or several places for text: then llama.cpp's format for
// answers by a schema is used.
[[nodiscard]] bool has_one_text(const TemplateAnswer& plain);

// `calls`: for a message that must be calls. `answers`: for plain answers or, if those have several texts, for answers
// by the schema. `grammar`: of the schema alone.
TemplateAnswer either_answer(const TemplateAnswer& calls, const TemplateAnswer& answers, const std::string& grammar);

}  // namespace lh
