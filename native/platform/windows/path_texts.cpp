#include "platform/path_texts.h"

#include <algorithm>
#include <array>
#include <cwctype>
#include <optional>
#include <string_view>

#include "platform/windows/system.h"

namespace lh {
namespace {

constexpr wchar_t kSlash = L'\\';

using Names = std::vector<std::wstring>;

bool is_drive(std::wstring_view text) {
  return text.size() >= 2 && text[1] == L':' && ((text[0] | 0x20) >= L'a' && (text[0] | 0x20) <= L'z');
}

bool is_network(std::wstring_view text) {
  if (!text.starts_with(L"\\\\")) return false;
  const std::wstring_view host = text.substr(2, text.find(kSlash, 2) - 2);
  const auto wrong = [](wchar_t c) {
    return c <= L' ' || std::wstring_view(L"<>:\"|?*").find(c) != std::wstring::npos;
  };
  return !host.empty() && host.size() + 2 < text.size() && std::ranges::none_of(host, wrong);
}

// `text` without the prefix of paths that Windows takes as they are, with the two slashes of a network path. None: the
// prefix is missing, or the path behind it names a device, a volume or an object of the kernel.
struct Prefixed {
  bool has_prefix = false;
  std::optional<std::wstring> path;
};

Prefixed without_prefix(const std::wstring& text) {
  constexpr std::array<std::wstring_view, 3> kPrefixes{L"\\\\?\\", L"\\\\.\\", L"\\??\\"};
  const auto begins = [&](std::wstring_view prefix) { return text.starts_with(prefix); };
  if (std::ranges::none_of(kPrefixes, begins)) return {};
  const std::wstring rest = text.substr(4);
  if (is_drive(rest) && rest.size() > 2 && rest[2] == kSlash) return {true, rest};
  constexpr std::wstring_view kNetwork = L"UNC\\";
  const bool is_unc = std::ranges::equal(rest.substr(0, kNetwork.size()), kNetwork, {},
                                         [](wchar_t c) { return static_cast<wchar_t>(std::towupper(c)); });
  if (is_unc && is_network(L"\\\\" + rest.substr(kNetwork.size())))
    return {true, L"\\\\" + rest.substr(kNetwork.size())};
  return {true, std::nullopt};
}

// The folder that is current on a drive, which programs may each have for every drive.
std::wstring folder_on(std::wstring_view drive) {
  const std::wstring asked = std::wstring(drive) + L".";
  wchar_t found[MAX_PATH + 1];
  const DWORD length = GetFullPathNameW(asked.c_str(), MAX_PATH + 1, found, nullptr);
  return length > 0 && length <= MAX_PATH ? std::wstring(found, length) : std::wstring(drive) + kSlash;
}

// The text as an absolute path.
std::wstring absolute(const std::wstring& text, const std::filesystem::path& here) {
  if (is_network(text)) return text;
  if (is_drive(text)) {
    if (text.size() > 2 && text[2] == kSlash) return text;
    return folder_on(text.substr(0, 2)) + kSlash + text.substr(2);
  }
  if (text.starts_with(kSlash)) return here.root_name().native() + text;
  return here.native() + kSlash + text;
}

// A name of a stream within a file names the file. Windows cuts blanks and dots off the end of names, with few
// exceptions.
std::wstring plain_name(std::wstring name, bool cut) {
  name.resize(std::min(name.find(L':'), name.size()));
  if (cut && name != L"..") name.resize(name.find_last_not_of(L". ") + 1);
  return name;
}

std::filesystem::path spelled(const std::filesystem::path& whole, bool cut) {
  std::filesystem::path path = whole.root_path();
  for (const auto& part : whole.relative_path()) {
    const std::wstring name = plain_name(part.native(), cut);
    if (name == L"..") {
      if (path.has_relative_path()) path = path.parent_path();
    } else if (!name.empty() && name != L".") {
      path /= name;
    }
  }
  return path;
}

}  // namespace

PathTexts path_texts(const std::string& text, const std::filesystem::path& here) {
  std::wstring wide = to_wide(text);
  std::ranges::replace(wide, L'/', kSlash);
  const Prefixed prefixed = without_prefix(wide);
  if (prefixed.has_prefix && !prefixed.path) return {{here / wide}, false};
  const std::filesystem::path whole = absolute(prefixed.path.value_or(wide), here);
  PathTexts texts{{spelled(whole, /*cut=*/true)}};
  auto uncut = spelled(whole, /*cut=*/false);
  if (uncut != texts.paths.front()) texts.paths.push_back(std::move(uncut));
  return texts;
}

bool is_remote(const std::filesystem::path& path) { return path.native().starts_with(L"\\\\"); }

// Folds letters as file systems compare names: by the letters alone, in every language.
std::string fold_case(const std::string& text, bool) {
  if (text.empty()) return text;
  const std::wstring wide = to_wide(text);
  const int size = static_cast<int>(wide.size());
  std::wstring upper(wide.size(), L'\0');
  const int length =
      LCMapStringEx(LOCALE_NAME_INVARIANT, LCMAP_UPPERCASE, wide.data(), size, upper.data(), size, nullptr, nullptr, 0);
  return length == size ? to_narrow(upper) : text;
}

}  // namespace lh
