#include "hooks/registry/hook_options.h"

#include "base/caller_struct.h"
#include "hooks/registry/registry.h"

namespace lh {

Result<HookSpec> read_hook_options(Point point, const lh_hook_options* options) {
  lh_hook_options known = LH_HOOK_OPTIONS_INIT;
  if (options != nullptr) {
    Result<lh_hook_options> read = read_struct(*options, known, "options");
    if (!read.ok()) return read.status();
    known = *read;
  }
  const int slot = point_slot(point);
  if (slot < 0) return unknown_point(point);
  HookSpec spec;
  spec.point = point;
  if (known.name != nullptr) spec.name = known.name;
  if (known.location != nullptr) spec.location = known.location;
  spec.priority = known.priority;
  spec.deadline_ms = known.deadline_ms;
  spec.flags = known.flags;
  spec.release = known.release;
  const PointInfo& info = point_table()[static_cast<size_t>(slot)];
  if (known.fields != nullptr) {
    Result<FieldSet> fields = FieldSet::read(known.fields, info);
    if (!fields.ok()) return fields.status();
    spec.fields = *std::move(fields);
  }
  if (known.when != nullptr) {
    Result<Matcher> when = Matcher::read(known.when, info);
    if (!when.ok()) return when.status();
    spec.when = *std::move(when);
    spec.when_json = known.when;
  }
  return spec;
}

}  // namespace lh
