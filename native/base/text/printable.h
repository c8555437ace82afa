// Text from elsewhere, such as a file, another process or a server, within a message that people read.
#pragma once

#include <string>

namespace lh {

// `text` with an escape, as "\u001b", in place of each control character except line ends and tabs, and of each that
// turns the direction of text: a terminal would act on them. Well-formed UTF-8 stays so.
[[nodiscard]] std::string printable(std::string text);

}  // namespace lh
