#include "base/system/atomic_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/system/unique_id.h"
#include "base/text/path.h"
#include "platform/files.h"

namespace lh {
namespace {

Status failed(Code code, const char* what, const std::string& path, const std::error_code& error) {
  return {code, std::string(what) + " " + path + ": " + error.message()};
}

/* Replacing a device or a pipe would take it away from everybody, and reading one may never end. */
bool is_no_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(to_path(path), error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

Status write_file_atomically(const std::string& path, std::string_view text) {
  if (is_no_file(path)) return {Code::kInvalidArgument, "cannot write " + path + ": it is no regular file"};
  const std::string beside = path + "." + unique_id() + ".tmp";
  std::error_code error = write_new_file(beside, text);
  if (!error) {
    error = replace_file(beside, path);
    if (error) remove_file(beside);
  }
  return error ? failed(Code::kInvalidArgument, "cannot write", path, error) : Status();
}

Result<std::string> read_file(const std::string& path) {
  if (is_no_file(path)) return Status{Code::kNotFound, "cannot read " + path + ": it is no regular file"};
  std::ifstream file(to_path(path), std::ios::binary);
  if (!file) return failed(Code::kNotFound, "cannot read", path, {errno, std::generic_category()});
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return failed(Code::kNotFound, "cannot read", path, {EIO, std::generic_category()});
  return text;
}

}  // namespace lh
