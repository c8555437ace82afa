#include "platform/path_texts.h"

namespace lh {

std::string fold_case(const std::string& text, bool) { return text; }

}  // namespace lh
