// Folds: write what a template cannot render in a form that it can, without losing a word. Each folds a message by what
// is before it, and by the results of its calls, so that a conversation keeps the beginning of its prompt as it grows;
// where a template writes the system message into the user's last turn, until the user speaks again.
#pragma once

#include "llama/prompt/fit/call_texts.h"
#include "llama/prompt/fit/traits.h"

namespace lh {

// The number of ways to fold a trait, not counting way 0, which leaves it unchanged.
[[nodiscard]] int ways_of(Trait trait);

// Folds a trait of the messages in the given way, from 1 on.
void fold(Trait trait, int way, CallSpelling spelling, ChatMessages& messages);

}  // namespace lh
