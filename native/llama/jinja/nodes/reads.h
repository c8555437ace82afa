// Repeatable expressions: they change nothing, and their value follows from the variables that they name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/names.h"

namespace lh {

struct Repeatable;

// The data that a repeatable expression reads.
struct Reads {
  bool repeatable = false;
  bool is_name = false;  // the expression is the name of a variable
  bool place = false;    // the expression reads a member of `loop` that no later item changes, such as `loop.first`
  bool last = false;     // the expression reads `loop.last`
  std::vector<jinja::value> names;     // variables; `loop` if it reads another member that tells how many items follow
  std::vector<jinja::value> lists;     // those of `names` of which it reads `variable[...]` alone
  jinja::value variable;               // of `variable.member` and `variable[...]`; null for another expression
  jinja::value member;                 // of `variable.member`; null for another expression
  const Repeatable* object = nullptr;  // the node of `variable`
};

// A node whose expression can run any number of times.
struct Repeatable {
  virtual jinja::value again(jinja::context& scope) const = 0;
  [[nodiscard]] virtual const Reads& reads() const = 0;

 protected:
  ~Repeatable() = default;
};

// Counts the items at the beginning of lists that expressions depend on while the object lives.
class ListReach {
 public:
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();

  ListReach() : outer_(std::exchange(current, this)) {}
  ~ListReach() { current = outer_; }
  ListReach(const ListReach&) = delete;
  ListReach& operator=(const ListReach&) = delete;

  // A node has read `list[place]`.
  static void note(const jinja::value& list, int64_t place) {
    if (current == nullptr) return;
    const auto at = static_cast<size_t>(place);
    const bool within = place >= 0 && at < list->val_arr.size();
    current->items_ = std::max(current->items_, within ? at + 1 : kAll);
  }
  // kAll if the expression depends on the length of a list.
  [[nodiscard]] size_t items() const { return items_; }

 private:
  static thread_local ListReach* current;
  ListReach* const outer_;
  size_t items_ = 0;
};

// The node, if its expression is repeatable.
[[nodiscard]] const Repeatable* repeatable(const jinja::statement_ptr& node);

[[nodiscard]] Reads reads_of(const jinja::statement& node, ProgramNames& names);

}  // namespace lh
