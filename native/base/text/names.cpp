#include "base/text/names.h"

#include <atomic>
#include <cctype>

namespace lh {
namespace {

std::atomic<Names>& chosen() noexcept {
  static std::atomic<Names> names{Names::kC};
  return names;
}

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

// An underscore between letters makes the next one upper case.
std::string in_camel_case(std::string_view name, char (*other)(char)) {
  std::string camel;
  bool up = false;
  for (const char letter : name) {
    const bool joins = letter == '_' && !camel.empty() && camel.back() != '.';
    if (!joins) camel += up ? upper(letter) : other(letter);
    up = joins;
  }
  return camel;
}

}  // namespace

void set_names(Names names) noexcept { chosen().store(names, std::memory_order_relaxed); }
Names names() noexcept { return chosen().load(std::memory_order_relaxed); }

std::string shown_field(std::string_view name) {
  if (names() == Names::kC) return std::string(name);
  return in_camel_case(name, [](char letter) { return letter; });
}

std::string shown_point(std::string_view name) {
  if (names() == Names::kC) return std::string(name);
  if (name.starts_with("ON_")) name.remove_prefix(3);
  return in_camel_case(name, &lower);
}

}  // namespace lh
