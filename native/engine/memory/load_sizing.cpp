#include "engine/memory/load_sizing.h"

#include <algorithm>

namespace lh {
namespace {

constexpr int32_t kStep = 256;  // llama.cpp rounds contexts up to it

// The largest size from `least` to `most`, in steps, that fits; nothing: none fits. If a size fits, all smaller ones
// do.
Result<std::optional<int32_t>> largest(int32_t least, int32_t most, int32_t step,
                                       FunctionRef<Result<bool>(int32_t)> fits) {
  auto all = fits(most);
  if (!all.ok()) return all.status();
  if (*all) return std::optional(most);
  int32_t good = 0;  // steps above the least
  int32_t bad = (most - least + step - 1) / step;
  if (bad == 0) return std::optional<int32_t>();
  const auto first = fits(least);
  if (!first.ok()) return first.status();
  if (!*first) return std::optional<int32_t>();
  while (bad - good > 1) {
    const int32_t middle = good + (bad - good) / 2;
    const auto there = fits(least + middle * step);
    if (!there.ok()) return there.status();
    (*there ? good : bad) = middle;
  }
  return std::optional(least + good * step);
}

// The layers, with such a context.
Status choose_layers(LoadParams& params, int32_t context, const LoadSizes& sizes, HasRoom has_room) {
  LoadParams tried = params;
  if (tried.context_size == kAutoNumber) tried.context_size = context;
  const auto layers = largest(0, sizes.most_layers, 1, [&](int32_t count) {
    tried.gpu_layers = count;
    return has_room(tried, Where::kGpus);
  });
  if (!layers.ok()) return layers.status();
  params.gpu_layers = layers->value_or(0);
  return {};
}

// The context, with as many layers as the parameters say.
Result<std::optional<LoadParams>> choose_context(LoadParams params, int32_t least, int32_t most, HasRoom has_room) {
  const bool is_auto = params.context_size == kAutoNumber;
  const int32_t given = params.context_size;
  const auto context = largest(is_auto ? least : given, is_auto ? most : given, kStep, [&](int32_t tokens) {
    params.context_size = tokens;
    return has_room(params, Where::kEverywhere);
  });
  if (!context.ok()) return context.status();
  if (!*context) return std::optional<LoadParams>();
  params.context_size = **context;
  return std::optional(params);
}

}  // namespace

Result<std::optional<LoadParams>> size_load(LoadParams params, const LoadSizes& sizes, HasRoom has_room) {
  const int32_t least = std::min(kStep, sizes.most_context);
  const bool any_layers = params.gpu_layers == kAutoNumber;
  Result<std::optional<LoadParams>> sized = std::optional<LoadParams>();
  // Tries more layers beside the smallest context if no layer fits beside a usual one.
  for (const int32_t beside : {std::min(sizes.usual_context, sizes.most_context), least}) {
    LoadParams tried = params;
    if (any_layers) {
      if (Status status = choose_layers(tried, beside, sizes, has_room); !status.ok()) return status;
    }
    sized = choose_context(tried, least, sizes.most_context, has_room);
    if (!sized.ok() || *sized || !any_layers || params.context_size != kAutoNumber) break;
  }
  return sized;
}

LoadParams least_load(LoadParams params, const LoadSizes& sizes) {
  if (params.gpu_layers == kAutoNumber) params.gpu_layers = 0;
  if (params.context_size == kAutoNumber) params.context_size = std::min(sizes.usual_context, sizes.most_context);
  return params;
}

}  // namespace lh
