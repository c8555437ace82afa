// The table of hook points for the engine. point_rows.h has the rows, generated from
// contract/points.json.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hooks/points/point_info.h"

namespace lh {

// Rows in ascending order of number. The index of a row is the point's slot in the registry.
std::span<const PointInfo> point_table();

// The slot of a point, or -1 for an unknown point.
int point_slot(int32_t number);

// The public part of points.json, which lh_hook_points_json returns.
std::string_view points_json();

}  // namespace lh
