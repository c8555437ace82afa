// The keywords of schemas that hold together, as those of one schema.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "guards/schema/schema_node.h"

namespace lh {

// Fills a node of the form kTyped: its types, its direct keywords and its children.
class TypedSchema {
 public:
  TypedSchema(const SchemaParts& parts, SchemaNode& node, SchemaFindings& findings, SchemaWork& work)
      : parts_(parts), node_(node), findings_(findings), work_(work) {}
  void fill();

 private:
  void find_types();
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> keys) const;
  void write_type();

  void add_numbers();
  void add_bound(const char* key, const char* exclusive, bool upper);
  void add_string();
  void add_count(const char* key, bool most);
  void add_array();
  void add_object();
  void add_properties(const std::vector<std::string>& names, const std::set<std::string>& required);
  void add_others(bool names_known);
  void add_property_counts(size_t names, size_t required);
  bool read_property_names();
  void add_unevaluated(bool undeclared);
  void add_conditions();
  void copy(const SchemaPart& part, const char* key);

  const SchemaParts& parts_;
  SchemaNode& node_;
  SchemaFindings& findings_;
  SchemaWork& work_;
  bool inferred_ = false;
  SchemaParts others_;  // what further properties must fit
  bool closed_ = false;
  bool open_ = false;
  bool limited_ = false;  // names are listed
  std::vector<std::string> allowed_;
};

// Members that do not assert anything, such as a description.
Json annotations_of(const Json& schema);

}  // namespace lh
