// Creates, replaces and identifies files. Paths are UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace lh {

// Writes a file that did not exist, readable by its owner only. It is on the disk when this returns.
[[nodiscard]] std::error_code write_new_file(const std::string& path, std::string_view text);

// Replaces `to` by `from` atomically: a program that opens `to` gets the old file or the new one.
[[nodiscard]] std::error_code replace_file(const std::string& from, const std::string& to);

// Best effort: of a file that cannot be removed nothing is said.
void remove_file(const std::string& path) noexcept;

// A text from device, file number, size and modification time: it differs between files, and changes when a file is
// written. Empty if the file does not exist.
[[nodiscard]] std::string file_identity(const std::string& path);

// A file that is kept open to watch it: by its handle, even if it was renamed.
class WatchedFile {
 public:
  // None: it cannot be opened, or the system never lets a mapped file become shorter.
  [[nodiscard]] static std::optional<WatchedFile> open(const std::string& path);
  WatchedFile(WatchedFile&& other) noexcept;
  WatchedFile& operator=(WatchedFile&& other) = delete;
  ~WatchedFile();

  // Bytes; negative: unknown.
  [[nodiscard]] int64_t size() const;

 private:
  explicit WatchedFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace lh
