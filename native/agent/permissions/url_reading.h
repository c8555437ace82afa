// URLs as the programs that fetch them may read them, which is not always the same. Must not: resolve a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

// The URLs that programs may read in the text, all in one spelling: scheme://host[:port]/path with query and fragment,
// in lower case up to the path, without user, default port and dot segments. Empty: the text is not an absolute URL
// with a host.
[[nodiscard]] std::vector<std::string> url_readings(std::string_view text);

// True if the host of a reading is not ASCII: programs fold such letters to others, some to ASCII.
[[nodiscard]] bool has_foreign_host(std::string_view url);

// True if the text has that spelling already, in ASCII, and hides nothing: no user, no escaped dot segment, nothing
// that two programs read differently.
[[nodiscard]] bool is_plain_url(std::string_view text);

// The pattern of a URL, in that spelling.
[[nodiscard]] std::string url_pattern(std::string_view pattern);

// True if a reading matches a pattern of url_pattern(): its origin and its path are matched separately.
[[nodiscard]] bool matches_whole_url(std::string_view pattern, std::string_view url);

// The same, but a ? in the pattern begins the query. A pattern without ? matches any query if it ends with **, and no
// query otherwise. `leniently`: such a pattern matches any query, and a / at the end of the path does not matter.
[[nodiscard]] bool matches_url(std::string_view pattern, std::string_view url, bool leniently);

}  // namespace lh
