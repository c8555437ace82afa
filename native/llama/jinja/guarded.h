// Puts a guard around each node of a template's program: a node of the same type, made from the old one, which asks the
// budget of the thread (budget.h) before llama.cpp's code for the node runs, and counts the values that it makes.
#pragma once

#include <cstdint>

#include "jinja/runtime.h"

namespace lh {

// `variables`: about the number of different names in the source.
void guard(jinja::program& program, uint32_t variables);

}  // namespace lh
