// Sizes of a template's values, counted before the interpreter walks them without limits.
#pragma once

#include <cstdint>

#include "jinja/value.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

inline constexpr uint64_t kValueBytes = 300;    // of a value, without its text and members
inline constexpr uint64_t kPartBytes = 48;      // of a string's part
inline constexpr uint32_t kDeepestValue = 640;  // values within each other; JSON of requests has at most 512

[[nodiscard]] inline bool is_container(const jinja::value_t& value) {
  return !value.val_arr.empty() || !value.val_obj.empty();
}

[[nodiscard]] inline uint64_t text_bytes(const jinja::value_t& value) {
  uint64_t bytes = 0;
  for (const jinja::string_part& part : value.val_str.parts) bytes += part.val.size();
  return bytes;
}

// The size of a value with all its members; a member counts each time that it is reached.
struct Weight {
  uint64_t values = 0;
  uint64_t bytes = 0;  // of texts
  uint32_t depth = 0;
};

// Counts in steps of the budget. Throws if the value is too deep to be walked, as one that contains itself.
[[nodiscard]] Weight weigh(const jinja::value& value, TemplateBudget& budget);

// Bytes that printing the value adds to the text around it.
[[nodiscard]] uint64_t printed_bytes(const jinja::value& value, TemplateBudget& budget);

// A value as a template prints it: llama.cpp prints nothing for none, and six decimals of a number. Jinja2's text for
// these, else the value.
[[nodiscard]] jinja::value printed(jinja::value value);

// Counts a value that a node has made, with what nothing else holds.
void count_made(const jinja::value& value, TemplateBudget& budget);

// A value that another will hold. Throws for a macro's caller: it holds all variables of its place, so that a chain of
// callers would be freed by a recursion of any depth.
void check_member(const jinja::value& value);

// True if a container of this value must be kept by the budget.
[[nodiscard]] bool nests(const jinja::value& value);

}  // namespace lh
