#include "platform/files.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "platform/windows/owned.h"

namespace lh {
namespace {

bool write_all(HANDLE file, std::string_view text) {
  constexpr size_t kAtOnce = 1UL << 30;
  while (!text.empty()) {
    DWORD written = 0;
    if (WriteFile(file, text.data(), static_cast<DWORD>(std::min(text.size(), kAtOnce)), &written, nullptr) == 0) {
      return false;
    }
    text.remove_prefix(written);
  }
  return FlushFileBuffers(file) != 0;
}

std::wstring absolute(const std::wstring& path) {
  const DWORD length = GetFullPathNameW(path.c_str(), 0, nullptr, nullptr);
  std::wstring whole(length, L'\0');
  whole.resize(GetFullPathNameW(path.c_str(), length, whole.data(), nullptr));
  return whole;
}

// Also replaces a file that is open, if all programs that have it open share it for deletion: they keep the old one.
// Windows 10 knows this since 1607, and not every file system does.
bool replace_open_file(const std::wstring& from, const std::wstring& to) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const OwnedHandle file(
      CreateFileW(from.c_str(), GENERIC_WRITE | DELETE, kShared, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!file.is_open()) return false;
  const std::wstring target = absolute(to);
  const size_t bytes = target.size() * sizeof(wchar_t);
  const size_t size = sizeof(FILE_RENAME_INFO) + bytes;  // that has room for the zero
  std::vector<std::max_align_t> room(size / sizeof(std::max_align_t) + 1);
  auto& info = *reinterpret_cast<FILE_RENAME_INFO*>(room.data());
  info.Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS;
  info.FileNameLength = static_cast<DWORD>(bytes);
  std::memcpy(info.FileName, target.data(), bytes);
  if (SetFileInformationByHandle(file.get(), FileRenameInfoEx, &info, static_cast<DWORD>(size)) == 0) return false;
  FlushFileBuffers(file.get());  // the new name, too
  return true;
}

}  // namespace

// The folder's rights say who may read it, as for all files of Windows.
std::error_code write_new_file(const std::string& path, std::string_view text) {
  std::error_code error;
  {
    const OwnedHandle file(
        CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.is_open()) return last_error();
    if (!write_all(file.get(), text)) error = last_error();
  }
  if (error) remove_file(path);
  return error;
}

std::error_code replace_file(const std::string& from, const std::string& to) {
  // A program that looks through new files, such as a virus scanner, has them open for a moment without sharing.
  constexpr int kTries = 20;
  constexpr DWORD kPauseMs = 10;
  const std::wstring source = wide_path(from);
  const std::wstring target = wide_path(to);
  for (int tries = 1;; ++tries) {
    if (replace_open_file(source, target) ||
        MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
      return {};
    }
    const std::error_code error = last_error();
    const bool held = error.value() == ERROR_SHARING_VIOLATION || error.value() == ERROR_ACCESS_DENIED;
    if (!held || tries == kTries) return error;
    Sleep(kPauseMs);
  }
}

void remove_file(const std::string& path) noexcept { DeleteFileW(wide_path(path).c_str()); }

std::string file_identity(const std::string& path) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const OwnedHandle file(CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES, kShared, nullptr, OPEN_EXISTING,
                                     FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION found{};
  if (!file.is_open() || GetFileInformationByHandle(file.get(), &found) == 0) return {};
  const auto whole = [](DWORD high, DWORD low) { return std::to_string(uint64_t{high} << 32 | low); };
  return std::to_string(found.dwVolumeSerialNumber) + ':' + whole(found.nFileIndexHigh, found.nFileIndexLow) + ':' +
         whole(found.nFileSizeHigh, found.nFileSizeLow) + ':' +
         whole(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
}

// Windows does not let a mapped file become shorter.
std::optional<WatchedFile> WatchedFile::open(const std::string&) { return std::nullopt; }
WatchedFile::WatchedFile(WatchedFile&& other) noexcept : descriptor_(other.descriptor_) {}
WatchedFile::~WatchedFile() = default;
int64_t WatchedFile::size() const { return -1; }

}  // namespace lh
