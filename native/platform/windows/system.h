// Windows' headers without the parts that are not used here, and its texts as UTF-8.
#pragma once

// windows.h defines min and max as macros otherwise.
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
// winsock2.h comes before it, and the others need both.
#include <windows.h>

#include <psapi.h>
#include <shellapi.h>

#include <string>
#include <string_view>
#include <system_error>

namespace lh {

// Invalid parts of UTF-8 or UTF-16 become U+FFFD.
[[nodiscard]] std::wstring to_wide(std::string_view utf8);
[[nodiscard]] std::string to_narrow(std::wstring_view wide);

// A path for the functions of Windows: absolute and with the prefix that lifts the limit of 260 characters, where it is
// longer than that.
[[nodiscard]] std::wstring wide_path(const std::string& utf8);

[[nodiscard]] std::error_code windows_error(unsigned long number);
// The last error of this thread.
[[nodiscard]] std::error_code last_error();

}  // namespace lh
