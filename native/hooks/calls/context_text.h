// The text of a context: `{"meta":{...},<members>}`. Built once per dispatch, in a buffer that the thread reuses. Must
// not: parse anything; this is a hot path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json/json.h"
#include "hooks/points/field_set.h"
#include "hooks/points/point_table.h"
#include "hooks/points/scope.h"

namespace lh {

// Appends the members of the context to `out`: `"key":value,"key":value`, valid JSON, without "meta" or braces. May
// leave out fields that are not `wanted`.
class ContextBuilder {
 public:
  // `build` takes `out`, or `out` and `wanted`. It outlives this object.
  template <typename Build>
  requires(!std::is_same_v<Build, ContextBuilder>)
      ContextBuilder(const Build& build)  // NOLINT: a parameter type; implicit by purpose
      : build_(&build), call_([](const void* object, std::string& out, const FieldSet& wanted) {
          const auto& made = *static_cast<const Build*>(object);
          if constexpr (std::is_invocable_v<const Build&, std::string&, const FieldSet&>) {
            made(out, wanted);
          } else {
            made(out);
          }
        }) {}

  void operator()(std::string& out, const FieldSet& wanted) const { call_(build_, out, wanted); }

 private:
  const void* build_;
  void (*call_)(const void*, std::string&, const FieldSet&);
};

class ContextText {
 public:
  // Calls `build` once.
  ContextText(const PointInfo& point, const Scope& scope, uint64_t seq, int64_t time_us, ContextBuilder build,
              const FieldSet& wanted);
  ~ContextText();
  ContextText(const ContextText&) = delete;
  ContextText& operator=(const ContextText&) = delete;

  // The context as it was built.
  [[nodiscard]] const std::string& original() const noexcept { return text_; }
  // The text of the "meta" object.
  [[nodiscard]] std::string_view meta_json() const noexcept;
  // The members after "meta" in `text`, which is original() or a result of with_members: `"a":1,"b":2}`, or `}`.
  [[nodiscard]] std::string_view members_of(std::string_view text) const noexcept;
  // The same meta with other members: `"a":1,"b":2`.
  [[nodiscard]] std::string with_members(std::string_view members) const;
  // `text`, which is original() or a result of with_members, reduced to these fields.
  [[nodiscard]] std::string cut(std::string_view text, const FieldSet& fields) const;

 private:
  std::string text_;
  size_t meta_end_ = 0;  // after the closing brace of "meta"
};
static_assert(!std::is_copy_constructible_v<ContextText>);

}  // namespace lh
