// Checks operators and built-in functions of the interpreter before they run.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "jinja/value.h"
#include "llama/jinja/nodes/budget.h"

namespace lh {

void check_binary(const std::string& op, const jinja::value& left, const jinja::value& right, TemplateBudget& budget);
// The name of a member, and the key of an object, are hashed with all that is in them.
void check_name(const jinja::value& name, TemplateBudget& budget);
void check_step(const jinja::value& step);
void check_new_member(const jinja::value& object, const jinja::value& member, bool known, TemplateBudget& budget);
void keep_if_nested(const jinja::value& made, TemplateBudget& budget);

// True for a list that a running loop is still unpacking: it must not become shorter.
using IsUnpacked = std::function<bool(const jinja::value& list)>;

// A filter, a test ("test_is_..."), a method or a global function. `given`: the input or object first.
void check_builtin(const std::string& name, std::span<const jinja::value> given, const IsUnpacked& is_unpacked,
                   TemplateBudget& budget);

// The search for `needle`, at its slowest.
void spend_search(uint64_t text, uint64_t needle, TemplateBudget& budget);

}  // namespace lh
