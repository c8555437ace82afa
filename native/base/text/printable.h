// Escapes untrusted text, such as that of a file, another process or a server, in a message that people read.
#pragma once

#include <string>

namespace lh {

// Replaces control characters, except line ends and tabs, and characters that change the direction of text by escapes
// such as "\u001b", because a terminal would act on them. Well-formed UTF-8 stays well-formed.
[[nodiscard]] std::string printable(std::string text);

}  // namespace lh
