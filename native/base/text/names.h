// Chooses the names for points, fields and options in messages: those of C or those of TypeScript.
// Must not: convert names that belong to a user (keys of a tool's arguments).
#pragma once

#include <string>
#include <string_view>

namespace lh {

enum class Names { kC, kTypeScript };

// Tells whose keys an object has: a user's or a model's, which messages repeat as they are, or the contract's, which
// have a name in each language.
enum class Keys { kOfUser, kOfContract };

// Sets the choice for the whole process.
void set_names(Names names) noexcept;
[[nodiscard]] Names names() noexcept;

// "top_p": "topP" for TypeScript. Segments of a path are converted, too: "params.top_p".
[[nodiscard]] std::string shown_field(std::string_view name);
[[nodiscard]] inline std::string shown_key(std::string_view name, Keys keys) {
  return keys == Keys::kOfContract ? shown_field(name) : std::string(name);
}
// "PRE_GENERATE", "ON_ERROR": "preGenerate", "error" for TypeScript.
[[nodiscard]] std::string shown_point(std::string_view name);

}  // namespace lh
