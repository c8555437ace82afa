// How much llama.cpp's converter makes of a schema. It writes the target of a reference once, except in an allOf: there
// it copies the properties of the target each time, and never ends if they lead back.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lh {

class SchemaExpansion {
 public:
  // Places are JSON pointers of schemas. `at` is a part of `of`, which the converter visits.
  void child(const std::string& of, const std::string& at) { places_[of].children.push_back(at); }
  void refers(const std::string& at, const std::string& target) { places_[at].target = target; }
  void merges(const std::string& at) { places_[at].kind = Kind::kAllOf; }
  void alternates(const std::string& at) { places_[at].kind = Kind::kAnyOf; }
  void is_object(const std::string& at) { places_[at].kind = Kind::kObject; }
  void values(const std::string& at, size_t count) { places_[at].values = static_cast<double>(count); }

  struct Fault {
    std::string at;
    bool circle;  // false: too much
  };
  // `most`: parts of the whole, copies included.
  [[nodiscard]] std::optional<Fault> check(size_t most);

 private:
  enum class Kind { kOther, kObject, kAllOf, kAnyOf };
  static constexpr double kUnknown = -1;
  static constexpr double kOpen = -2;

  struct Place {
    Kind kind = Kind::kOther;
    std::string target;  // empty: not a reference
    std::vector<std::string> children;
    double values = 0;
    double whole = kUnknown;   // the parts that it becomes
    double merged = kUnknown;  // the same within an allOf
  };

  double whole(const std::string& at);
  double merged(const std::string& at);
  double alternatives_or_merged(const std::string& at);
  double sum_of_children(const Place& place);

  std::map<std::string, Place> places_;
  std::optional<std::string> circle_;
};

}  // namespace lh
