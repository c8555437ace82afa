// Fields of a point's context: those that a hook reads, or that the hooks of a dispatch read together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "hooks/points/point_info.h"

namespace lh {

class FieldSet {
 public:
  // All fields.
  FieldSet() = default;
  static FieldSet none();
  // `json`: a list of names of the point's fields, as in lh_hook_options; `meta`, which every hook gets, may be among
  // them. Errors: INVALID_ARGUMENT, with the name.
  static Result<FieldSet> read(std::string_view json, const PointInfo& point);

  [[nodiscard]] bool all() const noexcept { return all_; }
  [[nodiscard]] bool has(std::string_view field) const { return all_ || lists(names_, field); }
  // `field` lives as long as this object.
  void add(std::string_view field);
  void add(const FieldSet& more);

  // `members`, the text of an object without its opening brace, reduced to these fields.
  [[nodiscard]] std::string cut(std::string_view members) const;
  // The names; null for all fields.
  [[nodiscard]] Json to_json() const;

 private:
  bool all_ = true;
  std::vector<std::string_view> names_;  // unless all_
};

}  // namespace lh
