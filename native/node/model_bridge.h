// A model that JavaScript computes: passes each of its requests to the JavaScript thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "engine_state.h"
#include "llama_hooks/engine.h"

namespace lh::node {

// Calls `add` with the functions of the model that JavaScript knows by `number`. With LH_OK the model owns them.
lh_status add_js_model(const std::shared_ptr<EngineState>& engine, uint32_t number,
                       const std::function<lh_status(const lh_generator& functions)>& add);

}  // namespace lh::node
