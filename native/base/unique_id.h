// Ids that no other process, engine or restart gives out: a saved conversation must never meet its own numbers again.
// Must not: be guessable by counting, or taken for a secret.
#pragma once

#include <string>

namespace lh {

// 16 characters of a-z and 0-9, about 82 random bits. Any thread.
std::string unique_id();

}  // namespace lh
