#include <xlocale.h>

#include <cwchar>
#include <cwctype>

#include "platform/path_texts.h"

namespace lh {

// Volumes usually ignore case, but some do not. A volume compares folded letters, so some capitals need both steps.
std::string fold_case(const std::string& text, bool some) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "UTF-8", nullptr);
  if (!some || utf8 == nullptr) return text;
  std::string folded;
  std::mbstate_t state{};
  for (size_t at = 0; at < text.size();) {
    wchar_t letter = 0;
    const size_t length = mbrtowc_l(&letter, text.data() + at, text.size() - at, &state, utf8);
    char bytes[16];
    std::mbstate_t written{};
    const bool is_letter = length != 0 && length <= text.size() - at;
    const size_t size =
        is_letter ? wcrtomb_l(bytes, towupper_l(towlower_l(letter, utf8), utf8), &written, utf8) : sizeof bytes + 1;
    if (size <= sizeof bytes) {
      folded.append(bytes, size);
    } else {
      folded += text[at];  // a byte that belongs to no letter
      state = {};
    }
    at += is_letter ? length : 1;
  }
  return folded;
}

}  // namespace lh
