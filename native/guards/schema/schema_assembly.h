// Puts the nodes of the normal form together as one JSON Schema, without what no value fits.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "guards/schema/schema_node.h"

namespace lh {

// A node comes before its children, unless they are definitions. `definitions`: by key. Fails if no value fits the
// whole. `written`: by place in the result, where that is written.
Json assemble_schema(std::deque<SchemaNode>& nodes, const std::map<std::string, size_t>& definitions,
                     SchemaFindings& found, std::map<std::string, std::string>& written);

}  // namespace lh
