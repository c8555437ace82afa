// What a rule wants of an argument: a value as a pattern says, of a kind that the rule may name.
// Must not: know which call or which rule it is about.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json.h"
#include "base/status.h"

namespace lh {

// docs/concepts/agent.md has the table of it.
class Condition {
 public:
  // A pattern, {"text" | "path" | "url": pattern} or {"number": number | {"min"?, "max"?}}. Errors: kInvalidArgument;
  // `where` names it there.
  [[nodiscard]] static Result<Condition> read(const Json& json, const std::string& where);

  // Whether the value is of the kind, and each of its readings as the pattern says: what a rule that allows wants.
  [[nodiscard]] bool allows(const Json& value) const;
  // Whether one of its readings is, or it is not of the kind: what a rule that denies or asks wants.
  [[nodiscard]] bool forbids(const Json& value) const;
  // "the path data/**".
  [[nodiscard]] std::string words() const;

 private:
  enum class Kind : uint8_t { kPlain, kText, kPath, kUrl, kNumber };
  [[nodiscard]] bool allows_text(const std::string& text) const;
  [[nodiscard]] bool forbids_text(const std::string& text) const;
  [[nodiscard]] bool forbids_plain(const Json& value) const;
  [[nodiscard]] bool is_within(const Json& number) const;
  [[nodiscard]] Status read_number(const Json& json, const std::string& where);

  Kind kind_ = Kind::kPlain;
  std::string pattern_;
  std::string url_;  // the pattern as one of URLs
  Json min_;         // null: none
  Json max_;
};

}  // namespace lh
