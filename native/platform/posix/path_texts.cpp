#include "platform/path_texts.h"

namespace lh {

PathTexts path_texts(const std::string& text, const std::filesystem::path& here) {
  return {{here / std::filesystem::path(std::u8string(text.begin(), text.end()))}};
}

bool is_remote(const std::filesystem::path&) { return false; }

}  // namespace lh
