// What a hook is registered `when`: tests of plain fields, decided before it is called, and as far as they are about
// the dispatch itself before a context is built. Must not: know hooks, or change what it looks at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hooks/points/point_table.h"
#include "hooks/points/scope.h"

namespace lh {

// A text field of a context, known before the context is built.
struct KnownField {
  std::string_view name;
  std::string_view text;
};

// One way in which a field may fit.
struct FieldPattern {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kPart };
  Kind kind = Kind::kNull;
  bool boolean = false;
  double number = 0;
  std::string text;  // that it equals, or, as a part, that it has in it
  bool starts = false;
  bool ends = false;
};

// A field and the ways in which it may fit.
struct FieldTest {
  // What of `meta` the dispatch itself tells.
  enum class Of : uint8_t { kContext, kTier, kModelId, kDepth, kIteration, kSessionId, kRunId, kParentRunId };
  std::string field;
  Of of = Of::kContext;
  bool in_context = false;  // the point has such a field: what the dispatch does not tell may stand there
  std::vector<FieldPattern> any;
};

class Matcher {
 public:
  // `json`: an object of tests by field of the point or of `meta`, as lh_hook_options has it. Errors:
  // INVALID_ARGUMENT, which names the field.
  static Result<Matcher> read(std::string_view json, const PointInfo& point);

  // True: everything fits.
  [[nodiscard]] bool empty() const noexcept { return tests_.empty(); }
  // True: it does not fit, whatever the context holds. `known`: null, or a field of it.
  [[nodiscard]] bool rules_out(const Scope& scope, const KnownField* known) const {
    return !tests_.empty() && fails(scope, known);
  }
  // True: rules_out() has told all there is.
  [[nodiscard]] bool needs_no_context(const Scope& scope, const KnownField* known) const {
    return tests_.empty() || knows_all(scope, known);
  }
  // What is left. `members`: the context, as json_member takes it.
  [[nodiscard]] bool fits(const Scope& scope, std::string_view members) const;

 private:
  [[nodiscard]] bool fails(const Scope& scope, const KnownField* known) const;
  [[nodiscard]] bool knows_all(const Scope& scope, const KnownField* known) const;

  std::vector<FieldTest> tests_;  // empty: everything fits
};

}  // namespace lh
