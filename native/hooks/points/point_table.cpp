#include "hooks/points/point_table.h"

#include <string>

#include "hooks/points/point_rows.h"

namespace lh {
namespace {

using point_rows::kDescriptions;
using point_rows::kPoints;

constexpr int32_t kFirstOurNumber = 1000;
constexpr int kCount = std::size(kPoints);

// Rows before this one are numbered from 0, rows from it on from 1000.
constexpr int kFirstOurs = [] {
  int row = 0;
  while (row < kCount && kPoints[row].number < kFirstOurNumber) ++row;
  return row;
}();

// One text, put together at its first use: a compiler need not take a literal of this size.
std::string join_points() {
  std::string json = "[";
  for (int i = 0; i < kCount; ++i) {
    if (i > 0) json += ',';
    json += kDescriptions[i].head;
    json += R"(,"context":)";
    json += kDescriptions[i].context;
    json += R"(,"answer":)";
    json += kPoints[i].answer_schema;
    json += '}';
  }
  json += ']';
  return json;
}

}  // namespace

std::span<const PointInfo> point_table() { return kPoints; }

int point_slot(int32_t number) {
  if (number >= 0 && number < kFirstOurs) return number;
  const int32_t ours = number - kFirstOurNumber;
  return ours >= 0 && ours < kCount - kFirstOurs ? kFirstOurs + ours : -1;
}

std::string_view points_json() {
  static const std::string json = join_points();
  return json;
}

}  // namespace lh
