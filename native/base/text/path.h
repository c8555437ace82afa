// Paths as the engine has them, in UTF-8, and as the C++ library has them.
#pragma once

#include <filesystem>
#include <string>

namespace lh {

[[nodiscard]] inline std::filesystem::path to_path(const std::string& utf8) {
  return {std::u8string(utf8.begin(), utf8.end())};
}

[[nodiscard]] inline std::string from_path(const std::filesystem::path& path) {
  const std::u8string utf8 = path.u8string();
  return {utf8.begin(), utf8.end()};
}

}  // namespace lh
