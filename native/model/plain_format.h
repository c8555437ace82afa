// The format of plain text: all of it is content, and nothing in it is parsed.
#pragma once

#include <string_view>

#include "model/generator.h"

namespace lh {

class PlainFormat final : public OutputFormat {
 public:
  [[nodiscard]] bool plain() const override { return true; }
  [[nodiscard]] const Marks& marks() const override {
    static const Marks kNone;
    return kNone;
  }
  [[nodiscard]] Result<ParsedOutput> parse(std::string_view text, bool /*partial*/) const override {
    return parse_calls(text);
  }
};

}  // namespace lh
