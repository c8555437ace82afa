// Whether messages use the names of C or those of TypeScript for points, fields and options.
// Must not: convert names that belong to a user (keys of a tool's arguments).
#pragma once

#include <string>
#include <string_view>

namespace lh {

enum class Names { kC, kTypeScript };

// For the whole process.
void set_names(Names names) noexcept;
[[nodiscard]] Names names() noexcept;

// "top_p": "topP" for TypeScript. Segments of a path are converted, too: "params.top_p".
[[nodiscard]] std::string shown_field(std::string_view name);
// "PRE_GENERATE", "ON_ERROR": "preGenerate", "error" for TypeScript.
[[nodiscard]] std::string shown_point(std::string_view name);

}  // namespace lh
