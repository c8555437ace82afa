#include "llama/jinja/nodes/given.h"

#include <algorithm>
#include <utility>

#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/names.h"
#include "llama/jinja/nodes/variables.h"

namespace lh {
namespace {

thread_local GivenValues* current_values = nullptr;

// False if the caller has given the name of a constant another value.
bool is_sound(const std::string& name, const jinja::value& held) {
  if (!is_constant(name)) return true;
  if (name == "none" || name == "None") return held->is_none();
  return jinja::is_val<jinja::value_bool>(held) && held->as_bool() == (name == "true" || name == "True");
}

}  // namespace

bool GivenValues::are_whole() const { return changes().given == begun_; }

GivenValues* GivenValues::current() { return current_values; }

void GivenValues::share(jinja::value& given, const jinja::value* before) {
  if (before != nullptr && same(given, *before)) {
    given = *before;
    return;
  }
  const size_t known = before != nullptr && jinja::is_val<jinja::value_array>(given) ? (*before)->val_arr.size() : 0;
  for (size_t i = 0; i < given->val_arr.size(); ++i) {
    if (i < known) {
      share(given->val_arr[i], &(*before)->val_arr[i]);
    } else {
      mark_given(given->val_arr[i]);
    }
  }
  given->stats.used = true;
  for (const auto& [key, member] : given->val_obj) mark_given(member);
}

GivenValues::Rendering::Rendering(GivenValues& values, jinja::context& scope)
    : values_(values),
      outer_(std::exchange(current_values, &values)),
      outer_begun_(std::exchange(values.begun_, changes().given)) {
  ValueMembers& all = variables_of(scope)->val_obj;
  for (auto& [name, given] : all) {
    if (!is_sound(name->as_string().str(), given)) current_values = nullptr;
    const auto is_same = [&name = name](const auto& one) { return same(one.first, name); };
    const auto before = std::ranges::find_if(values.known_, is_same);
    values.share(given, before == values.known_.end() ? nullptr : &before->second);
  }
  values.known_ = all;
}

GivenValues::Rendering::~Rendering() {
  current_values = outer_;
  const bool whole = values_.are_whole();
  values_.begun_ = outer_begun_;
  if (whole) return;
  *values_.spoiled_ = true;
  values_.spoiled_ = std::make_shared<bool>(false);
  values_.known_.clear();
}

}  // namespace lh
