// The text of a context: `{"meta":{...},<members>}`. Built once per dispatch, in a buffer that the thread reuses. Must
// not: parse anything; this is a hot path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/function_ref.h"
#include "base/json/json.h"
#include "hooks/points/point_table.h"
#include "hooks/points/scope.h"

namespace lh {

// Appends the members of the context to `out`: `"key":value,"key":value`, valid JSON, without "meta" or braces.
using ContextBuilder = FunctionRef<void(std::string& out)>;

class ContextText {
 public:
  // Calls `build` once.
  ContextText(const PointInfo& point, const Scope& scope, uint64_t seq, int64_t time_us, ContextBuilder build);
  ~ContextText();
  ContextText(const ContextText&) = delete;
  ContextText& operator=(const ContextText&) = delete;

  // The context as it was built.
  [[nodiscard]] const std::string& original() const noexcept { return text_; }
  // The text of the "meta" object.
  [[nodiscard]] std::string_view meta_json() const noexcept;
  // The members after "meta" in `text`, which is original() or a result of with_members: `"a":1,"b":2}`, or `}`.
  [[nodiscard]] std::string_view members_of(std::string_view text) const noexcept;
  // The same meta with the members of `context` instead.
  [[nodiscard]] std::string with_members(const Json& context) const;

 private:
  std::string text_;
  size_t meta_end_ = 0;  // after the closing brace of "meta"
};
static_assert(!std::is_copy_constructible_v<ContextText>);

}  // namespace lh
