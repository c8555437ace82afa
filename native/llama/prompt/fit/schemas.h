// Schemas of tools, written such that llama.cpp's templates render them as Jinja2 does. Templates that read a member
// which a schema lacks stop there: in Jinja2, reading it gives nothing, or a method of Python's dict.
#pragma once

#include <vector>

#include "chat.h"

namespace lh {

// The number of mends, counted from 1: each changes more, and the schema keeps its meaning.
inline constexpr int kSchemaMends = 3;

// Returns false if there was nothing to mend.
bool mend_schemas(int mend, std::vector<common_chat_tool>& tools);

}  // namespace lh
