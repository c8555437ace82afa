// A rule's condition on an argument: a pattern or a range for the value, of a kind that the rule may name.
// Must not: know which call or which rule it is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/json/json.h"
#include "base/status.h"

namespace lh {

// docs/concepts/permissions.md has the table of it.
class Condition {
 public:
  // A pattern, true or false, {"text" | "path" | "url": pattern} or {"number": number | {"min"?, "max"?}}. Errors:
  // kInvalidArgument; `where` names it there.
  [[nodiscard]] static Result<Condition> read(const Json& json, const std::string& where);

  // True, for rules that allow, if the value is of the kind and every reading of it matches. A list, if each of its
  // values does; an empty one does not.
  [[nodiscard]] bool allows(const Json& value) const;
  // True, for rules that deny or ask, if at least one reading of the value, or of a value in it, matches, or the value
  // is not of the kind.
  [[nodiscard]] bool forbids(const Json& value) const;
  // "the path data/**".
  [[nodiscard]] std::string words() const;

 private:
  enum class Kind : uint8_t { kPlain, kText, kPath, kUrl, kNumber };
  [[nodiscard]] bool allows_text(const std::string& text) const;
  [[nodiscard]] bool forbids_text(const std::string& text) const;
  [[nodiscard]] bool allows_path(const std::string& text) const;
  [[nodiscard]] bool forbids_path(const std::string& text) const;
  [[nodiscard]] bool forbids_plain(const Json& value, size_t& left) const;
  [[nodiscard]] bool is_within(const Json& number) const;
  [[nodiscard]] Status read_number(const Json& json, const std::string& where);

  Kind kind_ = Kind::kPlain;
  std::string pattern_;
  std::string path_;  // the pattern as it was given: the file system tells the spellings of a letter apart
  std::string url_;   // the pattern as one of URLs
  Json min_;          // null: none
  Json max_;
};

}  // namespace lh
