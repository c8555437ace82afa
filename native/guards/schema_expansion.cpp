#include "guards/schema_expansion.h"

#include <set>

namespace lh {

std::optional<SchemaExpansion::Fault> SchemaExpansion::check(size_t most) {
  std::set<std::string> begun{"#"};
  for (const auto& [at, place] : places_) {
    if (!place.target.empty()) begun.insert(place.target);
  }
  double all = 0;
  for (const std::string& at : begun) {
    all += whole(at);
    if (circle_) return Fault{*circle_, true};
    if (all > static_cast<double>(most)) return Fault{at, false};
  }
  return std::nullopt;
}

double SchemaExpansion::whole(const std::string& at) {
  Place& place = places_[at];
  if (place.whole == kOpen) circle_ = at;
  if (place.whole >= 0 || circle_) return place.whole;
  place.whole = kOpen;
  double parts = 1 + place.values;
  if (!place.target.empty()) {
    // The target has a rule of its own.
  } else if (place.kind == Kind::kAllOf) {
    for (const std::string& child : place.children) parts += alternatives_or_merged(child);
  } else {
    parts += sum_of_children(place);
  }
  return place.whole = parts;
}

double SchemaExpansion::alternatives_or_merged(const std::string& at) {
  const Place& place = places_[at];
  if (place.kind != Kind::kAnyOf) return merged(at);
  double parts = 0;
  for (const std::string& child : place.children) parts += merged(child);
  return parts;
}

double SchemaExpansion::merged(const std::string& at) {
  Place& place = places_[at];
  if (place.merged == kOpen) circle_ = at;
  if (place.merged >= 0 || circle_) return place.merged;
  place.merged = kOpen;
  double parts = 1 + place.values;
  if (!place.target.empty()) {
    parts += merged(place.target);
  } else if (place.kind == Kind::kObject) {
    parts += sum_of_children(place);
  }
  return place.merged = parts;
}

double SchemaExpansion::sum_of_children(const Place& place) {
  double parts = 0;
  for (const std::string& child : place.children) parts += whole(child);
  return parts;
}

}  // namespace lh
