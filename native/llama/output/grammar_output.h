// The output of a caller's grammar that may write marks of the template's format. The grammar is for the text of an
// answer: what does not follow that format is text.
#pragma once

#include <memory>
#include <string>

#include "model/generator.h"

namespace lh {

// `whole`: the format of the template, for grammars that write its marks. `end_of_thought`: the mark that ends
// reasoning; may be empty.
[[nodiscard]] std::shared_ptr<const OutputFormat> make_grammar_format(std::shared_ptr<const OutputFormat> whole,
                                                                      const std::string& end_of_thought);

}  // namespace lh
