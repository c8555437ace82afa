// Texts that are cut where they are too long, which they say. Must not: know what they are of, or whether there is a
// context_inspect.
#pragma once

#include <string>
#include <string_view>

#include "base/text/utf8.h"

namespace lh {

// Returns `text`. If it has more than `most` bytes: its beginning and a note, which says how much was cut and has
// `more`.
[[nodiscard]] inline std::string cut_text(std::string_view text, size_t most, const std::string& more = "") {
  const std::string_view cut = first_characters(text, most);
  std::string shown(cut);
  if (cut.size() == text.size()) return shown;
  return shown + "\n[shortened: " + std::to_string(cut.size()) + " of " + std::to_string(text.size()) + " bytes" +
         more + "]";
}

// The same where it is shown to a model. `id`: where context_inspect gives the rest by it; empty: it does not.
[[nodiscard]] inline std::string cut_for_model(std::string_view text, size_t most, const std::string& id) {
  return cut_text(text, most, id.empty() ? "" : "; context_inspect gives the rest: " + id);
}

}  // namespace lh
