// The paths that a text may mean, for rules that must hold for a file however its path is spelled. Texts are UTF-8.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lh {

struct PathTexts {
  std::vector<std::filesystem::path> paths;  // at least one
  bool known = true;  // false: a device or a volume, which may hold any file, and no path tells which
};

// The absolute paths that programs may open for a text, from the folder `here` on. They may have . and .. in them.
[[nodiscard]] PathTexts path_texts(const std::string& text, const std::filesystem::path& here);

// True if another machine, which the path names, must be asked for it. Such a machine may be this one by another name,
// and it learns the identity of the user.
[[nodiscard]] bool is_remote(const std::filesystem::path& path);

// `text` with its letters in one case, if file systems ignore the case of names: all of them, or with `some` those that
// this system usually has. Otherwise the text unchanged.
[[nodiscard]] std::string fold_case(const std::string& text, bool some);

}  // namespace lh
