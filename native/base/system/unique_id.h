// Ids that no other process, and no earlier run of this one, has given out.
// Must not: keep state, which a forked process would share.
#pragma once

#include <string>

namespace lh {

// 26 characters of 0-9 and a-z, in the form of a ULID: 48 bits of the time in milliseconds, then 80 random ones. Ids
// sort by the millisecond they were made in. Any thread. Throws when the system has no randomness to give.
[[nodiscard]] std::string unique_id();

}  // namespace lh
