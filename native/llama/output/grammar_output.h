// The output of a caller's grammar, which is for the text of an answer: it is text from the beginning, also where the
// prompt opens the model's reasoning.
#pragma once

#include <memory>
#include <string>

#include "model/generator.h"

namespace lh {

// `whole`: the format of the template, for grammars that write its marks. `end_of_thought`: the mark that ends
// reasoning; may be empty. `opened`: the prompt has the mark that begins it.
[[nodiscard]] std::shared_ptr<const OutputFormat> make_grammar_format(std::shared_ptr<const OutputFormat> whole,
                                                                      const std::string& end_of_thought, bool opened);

}  // namespace lh
