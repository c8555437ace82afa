#include "platform/real_path.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "platform/windows/owned.h"

namespace lh {
namespace {

constexpr int kMostLinks = 40;
constexpr size_t kLongestPath = 32'000;

// The prefix makes the system take names unchanged, and never as a device.
std::wstring prefixed(const std::wstring& path) {
  return path.starts_with(L"\\\\") ? L"\\\\?\\UNC" + path.substr(1) : L"\\\\?\\" + path;
}

std::wstring unprefixed(const std::wstring& path) {
  if (path.starts_with(L"\\\\?\\UNC\\")) return L"\\" + path.substr(7);
  return path.starts_with(L"\\\\?\\") ? path.substr(4) : path;
}

OwnedHandle opened(const std::wstring& path, DWORD flags) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return OwnedHandle(CreateFileW(prefixed(path).c_str(), 0, kShared, nullptr, OPEN_EXISTING,
                                 FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr));
}

// The path with its links resolved, with long names in place of short ones, and letters as the folder has them.
std::optional<std::filesystem::path> final_path(HANDLE file) {
  std::wstring found(kLongestPath, L'\0');
  const DWORD length = GetFinalPathNameByHandleW(file, found.data(), static_cast<DWORD>(found.size()), 0);
  if (length == 0 || length >= found.size()) return std::nullopt;
  found.resize(length);
  return unprefixed(found);
}

bool is_missing(DWORD error) {
  constexpr std::array<DWORD, 10> kMissing{
      ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND,       ERROR_INVALID_NAME, ERROR_NOT_READY,    ERROR_BAD_PATHNAME,
      ERROR_INVALID_DRIVE,  ERROR_FILENAME_EXCED_RANGE, ERROR_BAD_NETPATH,  ERROR_BAD_NET_NAME, ERROR_DIRECTORY};
  return std::ranges::find(kMissing, error) != kMissing.end();
}

RealPath follow(const std::filesystem::path& whole, int links);

// A path whose part `there` exists; `missing` below it does not.
RealPath follow_missing(const std::filesystem::path& there, const std::filesystem::path& missing, int links) {
  const std::filesystem::path first = there / *missing.begin();
  std::error_code failed;
  if (opened(first.native(), FILE_FLAG_OPEN_REPARSE_POINT).is_open()) {
    // A link to a missing file: a program that creates a file by the link's name creates it at the target.
    const auto target = std::filesystem::read_symlink(first, failed);
    if (failed || links == kMostLinks) return {there / missing, false};
    return follow((there / target / missing.lexically_relative(*missing.begin())).lexically_normal(), links + 1);
  }
  const OwnedHandle folder = opened(there.native(), 0);
  const auto found = folder.is_open() ? final_path(folder.get()) : std::nullopt;
  // The drive does not exist if nothing is open.
  return {found ? *found / missing : there / missing, found.has_value() || !there.has_relative_path()};
}

RealPath follow(const std::filesystem::path& whole, int links) {
  if (const OwnedHandle file = opened(whole.native(), 0); file.is_open()) {
    const auto found = final_path(file.get());
    return found ? RealPath{*found} : RealPath{whole, false};
  }
  if (!is_missing(GetLastError())) return {whole, false};
  std::filesystem::path at = whole.root_path();
  const std::filesystem::path names = whole.relative_path();
  for (auto name = names.begin(); name != names.end(); ++name) {
    std::filesystem::path next = at / *name;
    if (!opened(next.native(), 0).is_open()) {
      const bool missing = is_missing(GetLastError());
      std::filesystem::path rest;
      for (auto left = name; left != names.end(); ++left) rest /= *left;
      return missing ? follow_missing(at, rest, links) : RealPath{whole, false};
    }
    at = std::move(next);
  }
  return {whole, false};  // it was created meanwhile
}

}  // namespace

RealPath real_path(const std::filesystem::path& whole) {
  std::filesystem::path path = whole.lexically_normal().make_preferred();
  if (!path.has_filename()) path = path.parent_path();
  const std::wstring& text = path.native();
  if (text.find(L'\0') != std::wstring::npos) return {path, false};
  if (text.size() > kLongestPath) return {path};  // no file can have such a path
  return follow(path, 0);
}

}  // namespace lh
