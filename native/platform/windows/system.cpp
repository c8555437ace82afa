#include "platform/windows/system.h"

#include <iterator>

namespace lh {

std::wstring to_wide(std::string_view utf8) {
  const int size = static_cast<int>(utf8.size());
  const int length = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0);
  std::wstring wide(static_cast<size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, wide.data(), length);
  return wide;
}

std::string to_narrow(std::wstring_view wide) {
  const int size = static_cast<int>(wide.size());
  const int length = WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, utf8.data(), length, nullptr, nullptr);
  return utf8;
}

std::wstring wide_path(const std::string& utf8) {
  std::wstring path = to_wide(utf8);
  constexpr size_t kLongestPlain = 247;  // a folder leaves room for a name of 8.3 in it
  if (path.size() <= kLongestPlain || path.starts_with(L"\\\\?\\")) return path;
  const DWORD length = GetFullPathNameW(path.c_str(), 0, nullptr, nullptr);
  std::wstring whole(length, L'\0');
  whole.resize(GetFullPathNameW(path.c_str(), length, whole.data(), nullptr));
  if (whole.empty()) return path;
  return whole.starts_with(L"\\\\") ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

namespace {

// The system's texts, which not every C++ library knows.
class WindowsErrors : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "windows"; }
  [[nodiscard]] std::string message(int number) const override {
    constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    wchar_t text[512];
    DWORD length = FormatMessageW(kFlags, nullptr, static_cast<DWORD>(number), 0, text, std::size(text), nullptr);
    while (length > 0 && (text[length - 1] == L'\n' || text[length - 1] == L'\r' || text[length - 1] == L'.')) --length;
    return (length > 0 ? to_narrow({text, length}) : "unknown") + " (error " + std::to_string(number) + ")";
  }
};

}  // namespace

std::error_code windows_error(unsigned long number) {
  static const auto& errors = *new WindowsErrors;  // never destroyed: errors may outlive statics
  return {static_cast<int>(number), errors};
}

std::error_code last_error() { return windows_error(GetLastError()); }

}  // namespace lh
