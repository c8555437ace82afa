// Ids that are unique across processes and time.
// Must not: keep state, which a forked process would share.
#pragma once

#include <string>

namespace lh {

// 26 characters of 0-9 and a-z, in the form of a ULID: 48 bits of the time in milliseconds, then 80 random bits. Ids
// sort by the millisecond of their creation. Any thread. Throws if the system has no randomness.
[[nodiscard]] std::string unique_id();

}  // namespace lh
