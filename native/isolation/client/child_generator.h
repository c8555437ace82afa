// Implements Generator with a model in the other process.
#pragma once

#include <memory>

#include "isolation/client/child_model.h"
#include "model/generator.h"

namespace lh {

[[nodiscard]] std::unique_ptr<Generator> make_child_generator(std::shared_ptr<ChildModel> model);

}  // namespace lh
