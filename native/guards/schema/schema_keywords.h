// The keywords of JSON Schema that restrict a value; others (title, description, default, $defs, ...) do not.
#pragma once

#include <set>
#include <string_view>

namespace lh {

using Keywords = std::set<std::string_view>;

inline const Keywords kAsserting = {"$ref",
                                    "$dynamicRef",
                                    "$recursiveRef",
                                    "type",
                                    "enum",
                                    "const",
                                    "allOf",
                                    "anyOf",
                                    "oneOf",
                                    "not",
                                    "if",
                                    "then",
                                    "else",
                                    "multipleOf",
                                    "minimum",
                                    "maximum",
                                    "exclusiveMinimum",
                                    "exclusiveMaximum",
                                    "minLength",
                                    "maxLength",
                                    "pattern",
                                    "format",
                                    "items",
                                    "prefixItems",
                                    "additionalItems",
                                    "unevaluatedItems",
                                    "contains",
                                    "minContains",
                                    "maxContains",
                                    "minItems",
                                    "maxItems",
                                    "uniqueItems",
                                    "properties",
                                    "patternProperties",
                                    "additionalProperties",
                                    "unevaluatedProperties",
                                    "propertyNames",
                                    "minProperties",
                                    "maxProperties",
                                    "required",
                                    "dependencies",
                                    "dependentRequired",
                                    "dependentSchemas"};

// Keywords that join schemas, and hold for a value as a whole.
inline const Keywords kComposing = {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf"};

// Keywords that hold for values of one type only.
inline const Keywords kOfNumbers = {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
inline const Keywords kOfStrings = {"minLength", "maxLength", "pattern", "format"};
inline const Keywords kOfArrays = {"items",       "prefixItems", "additionalItems", "unevaluatedItems", "contains",
                                   "minContains", "maxContains", "minItems",        "maxItems",         "uniqueItems"};
inline const Keywords kOfObjects = {
    "properties",    "patternProperties", "additionalProperties", "unevaluatedProperties",
    "propertyNames", "minProperties",     "maxProperties",        "required",
    "dependencies",  "dependentRequired", "dependentSchemas"};

}  // namespace lh
