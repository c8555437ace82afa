// The tests of `when`: tests of plain fields, made before the hook is called, and before the context is built if the
// dispatch knows the values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hooks/points/field_set.h"
#include "hooks/points/point_table.h"
#include "hooks/points/scope.h"

namespace lh {

// A text field of a context that is known before the context is built.
struct KnownField {
  std::string_view name;
  std::string_view text;
};

// One way for a field to match.
struct FieldPattern {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kPart };
  Kind kind = Kind::kNull;
  bool boolean = false;
  double number = 0;
  std::string text;  // the whole text, or with kPart a part of it
  bool starts = false;
  bool ends = false;
};

// A field, and patterns; one of them must match.
struct FieldTest {
  // Fields of `meta` that the dispatch itself knows.
  enum class Of : uint8_t { kContext, kTier, kModelId, kDepth, kIteration, kSessionId, kRunId, kParentRunId, kTag };
  std::string field;  // for kTag: the name of the tag
  Of of = Of::kContext;
  bool in_context = false;  // the point has such a field, for values that the dispatch does not know
  std::vector<FieldPattern> any;
};

class Matcher {
 public:
  // `json`: an object of tests by field of the point or of `meta`, as in lh_hook_options. Errors: INVALID_ARGUMENT,
  // with the field.
  static Result<Matcher> read(std::string_view json, const PointInfo& point);

  // True: every event matches.
  [[nodiscard]] bool empty() const noexcept { return tests_.empty(); }
  // True: the event cannot match with any context. `known`: a known field, or null.
  [[nodiscard]] bool rules_out(const Scope& scope, const KnownField* known) const {
    return !tests_.empty() && fails(scope, known);
  }
  // True: rules_out() has made all tests.
  [[nodiscard]] bool needs_no_context(const Scope& scope, const KnownField* known) const {
    return tests_.empty() || knows_all(scope, known);
  }
  // Adds the fields of the context that the tests read, which live as long as this object.
  void add_fields(FieldSet& to) const;
  // Makes the remaining tests. `members`: the context, for json_member.
  [[nodiscard]] bool fits(const Scope& scope, std::string_view members) const;

 private:
  [[nodiscard]] bool fails(const Scope& scope, const KnownField* known) const;
  [[nodiscard]] bool knows_all(const Scope& scope, const KnownField* known) const;

  std::vector<FieldTest> tests_;  // empty: every event matches
};

}  // namespace lh
