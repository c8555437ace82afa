// A context for JavaScript: large lists and objects are kept separate from the rest, so that JavaScript reads them on
// demand. Must not: be used on a hot path for a small context, which is one text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lh::node {

struct ContextParts {
  struct Field {
    std::string name;
    std::string json;
  };

  // The context, in which each field of `apart` is null.
  std::string text;
  std::vector<Field> apart;

  // Leaves the context as one text, as tools want it.
  static ContextParts whole(std::string_view context);
  static ContextParts divide(std::string_view context);
};

}  // namespace lh::node
