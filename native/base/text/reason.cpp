#include "base/text/reason.h"

#include "base/text/utf8.h"

namespace lh {
namespace {

bool can_be_read(std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with(kReplacementCharacter)) {
      text.remove_prefix(kReplacementCharacter.size());
    } else if (const auto byte = static_cast<unsigned char>(text.front()); byte <= ' ' || byte == 0x7f) {
      text.remove_prefix(1);
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string reason_or(std::string_view given, std::string_view otherwise) {
  std::string reason = to_utf8(given);
  return can_be_read(reason) ? reason : std::string(otherwise);
}

}  // namespace lh
