// URLs as the programs that fetch them may read them, which is not always the same. Must not: resolve a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh {

// What programs may make of the text, each in one spelling: scheme://host[:port]/path, with its query and fragment; in
// lower case up to the path, without a user, a default port and dot segments. Empty: it is no absolute URL with a host.
[[nodiscard]] std::vector<std::string> url_readings(std::string_view text);

// Whether a reading has a host that is not ASCII: programs fold such letters to others, some to ASCII.
[[nodiscard]] bool has_foreign_host(std::string_view url);

// Whether it is spelled so already, in ASCII, and hides nothing: no user, no dot segment behind escapes, nothing that
// one program takes for something else than another.
[[nodiscard]] bool is_plain_url(std::string_view text);

// The pattern of a URL, in that spelling.
[[nodiscard]] std::string url_pattern(std::string_view pattern);

// Whether a reading is as url_pattern() says: origin and path each for itself.
[[nodiscard]] bool matches_whole_url(std::string_view pattern, std::string_view url);

// The same with a ? in the pattern that begins the query. A pattern without one means any query where it ends with **,
// and else none; `leniently`: any, and whether or not a / ends the path.
[[nodiscard]] bool matches_url(std::string_view pattern, std::string_view url, bool leniently);

}  // namespace lh
