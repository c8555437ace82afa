// Completes the description of a model: adds the keys and tensors that llama.cpp misses, in the shapes that it expects
// for the description's numbers. So the numbers decide, and a change of one reaches the code that computes with it.
#pragma once

#include "base/json/json.h"

namespace lh::fuzz {

// False if nothing more can be added: the checks, or llama.cpp, refuse it for another reason.
bool complete(Json& recipe);

}  // namespace lh::fuzz
