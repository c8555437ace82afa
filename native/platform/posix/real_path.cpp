#include "platform/real_path.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace lh {
namespace {

// Names that are looked up. Linux follows 40 links; programs that follow links themselves go further.
constexpr int kMostLooks = 4096;
// Names of links' targets that wait to be looked up.
constexpr size_t kMostWaiting = 200'000;
// Linux takes no longer path. A name that is too long where the path is not does not exist; a path that is too long
// may.
constexpr size_t kLongestPath = 4096;

class PathWalk {
 public:
  explicit PathWalk(const std::filesystem::path& whole) { start(whole); }

  RealPath walk() {
    while (!left_.empty()) {
      std::string name = std::move(left_.back());
      left_.pop_back();
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        up();
      } else if (missing_ > 0) {  // nothing is in it
        down(name);
      } else {
        step(name);
      }
    }
    return {at_, readable_};
  }

 private:
  void start(const std::filesystem::path& whole) {
    at_ = whole.root_path().generic_string();
    root_ = at_.size();
    add(whole);
  }

  // The names of the path are the next ones.
  void add(const std::filesystem::path& path) {
    const std::string names = path.relative_path().generic_string();
    for (size_t end = names.size();;) {
      const size_t slash = end == 0 ? std::string::npos : names.rfind('/', end - 1);
      const size_t begin = slash == std::string::npos ? 0 : slash + 1;
      left_.push_back(names.substr(begin, end - begin));
      if (begin == 0) return;
      end = slash;
    }
  }

  void up() {
    if (missing_ > 0) --missing_;
    at_.resize(std::max(root_, std::min(at_.rfind('/'), at_.size())));
  }

  [[nodiscard]] std::string below(const std::string& name) const {
    return at_.size() == root_ ? at_ + name : at_ + "/" + name;
  }

  // Goes down to a name that does not exist.
  void down(const std::string& name) {
    if (at_.size() > root_) at_ += '/';
    at_ += name;
    ++missing_;
  }

  void unreadable(const std::string& name) {
    readable_ = false;
    down(name);
  }

  void step(const std::string& name) {
    if (name.size() >= kLongestPath) return down(name);
    if (name.find('\0') != std::string::npos || ++looks_ > kMostLooks) return unreadable(name);
    std::string next = below(name);
    std::error_code failed;
    const auto status = std::filesystem::symlink_status(next, failed);
    if (status.type() == std::filesystem::file_type::not_found) return down(name);
    if (failed == std::errc::filename_too_long && next.size() < kLongestPath) return down(name);
    if (failed) return unreadable(name);
    if (status.type() != std::filesystem::file_type::symlink) {
      at_ = std::move(next);
      return;
    }
    const auto target = std::filesystem::read_symlink(next, failed);
    if (failed || left_.size() > kMostWaiting) return unreadable(name);
    if (target.is_absolute()) return start(target);
    add(target);
  }

  std::string at_;                 // exists, but for its last missing_ names
  size_t root_ = 0;                // the length of its root, which ends with a /
  std::vector<std::string> left_;  // the next name is the last
  size_t missing_ = 0;
  int looks_ = 0;
  bool readable_ = true;
};

}  // namespace

RealPath real_path(const std::filesystem::path& whole) { return PathWalk(whole).walk(); }

}  // namespace lh
