#include "guards/schema/schema_assembly.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/stable_hash.h"
#include "guards/schema/schema_edit.h"
#include "guards/schema/schema_keywords.h"

namespace lh {
namespace {

using Nodes = std::deque<SchemaNode>;

void erase_all(Json& schema, const Keywords& keys) {
  for (const std::string_view key : keys) schema.erase(std::string(key));
}

bool is_impossible(const Nodes& nodes, const SchemaNode::Child& child) { return nodes[child.node].impossible; }

// The types that are left when schemas of values in it, which must be there, fit nothing.
TypeSet types_left(const Nodes& nodes, const SchemaNode& node) {
  TypeSet types = node.types;
  size_t elements = 0;
  for (const SchemaNode::Child& child : node.children) {
    const bool impossible = is_impossible(nodes, child);
    if (child.role == SchemaRole::kRequired && impossible) types &= static_cast<TypeSet>(~kObjectType);
    const bool item = child.role == SchemaRole::kItem && node.least_items > 0;
    const bool element = child.role == SchemaRole::kElement && elements++ < node.least_items;
    if ((item || element) && impossible) types &= static_cast<TypeSet>(~kArrayType);
  }
  return types;
}

bool becomes_impossible(const Nodes& nodes, SchemaNode& node) {
  if (node.impossible) return false;
  const auto fits = [&nodes](const SchemaNode::Child& child) { return !is_impossible(nodes, child); };
  if (node.form != SchemaForm::kTyped) return std::ranges::none_of(node.children, fits);
  const TypeSet types = types_left(nodes, node);
  if (types == node.types) return false;
  node.types = types;
  node.like = nullptr;
  if (node.own.contains("type")) {
    Json left = Json::array();
    for (const Json& name : node.own["type"]) {
      if ((type_named(name.get<std::string>()) & types) != 0) left.push_back(name);
    }
    node.own["type"] = left.size() == 1 ? left.front() : left;
  }
  return types == 0;
}

// Once nothing fits a node, its parents are looked at again.
void spread_impossible(Nodes& nodes) {
  std::vector<std::vector<size_t>> parents(nodes.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const SchemaNode::Child& child : nodes[i].children) parents[child.node].push_back(i);
    if (nodes[i].impossible) open.push_back(i);
  }
  while (!open.empty()) {
    const size_t last = open.back();
    open.pop_back();
    for (const size_t parent : parents[last]) {
      if (!becomes_impossible(nodes, nodes[parent])) continue;
      nodes[parent].impossible = true;
      open.push_back(parent);
    }
  }
}

// The place of the fault that leaves no value for the whole: the deepest schema to which one chain of causes leads.
const std::string& place_without_values(const Nodes& nodes) {
  size_t index = 0;
  for (std::set<size_t> seen; seen.insert(index).second;) {
    const SchemaNode& node = nodes[index];
    std::vector<size_t> causes;
    size_t elements = 0;
    for (const SchemaNode::Child& child : node.children) {
      const bool item = child.role == SchemaRole::kItem && node.least_items > 0;
      const bool element = child.role == SchemaRole::kElement && elements++ < node.least_items;
      const bool needed = child.role == SchemaRole::kRequired || item || element || node.form != SchemaForm::kTyped;
      if (needed && is_impossible(nodes, child)) causes.push_back(child.node);
    }
    const bool choice = node.form == SchemaForm::kChoice && node.children.size() > 1;
    if (causes.empty() || choice) break;
    index = causes.front();
  }
  return nodes[index].at;
}

class Assembly {
 public:
  Assembly(Nodes& nodes, std::map<std::string, std::string>& written) : nodes_(nodes), written_(written) {}

  void name_definitions(const std::map<std::string, size_t>& definitions, const std::string& prefix) {
    for (const auto& [_, index] : definitions) {
      names_[index] = prefix + "-" + std::to_string(names_.size());
    }
  }

  void make(SchemaNode& node) {
    if (!node.made.is_null()) return;
    switch (node.form) {
      case SchemaForm::kReference: node.own["$ref"] = "#/$defs/" + names_.at(node.children.front().node); break;
      case SchemaForm::kChoice: make_choice(node); break;
      case SchemaForm::kTyped: make_typed(node); break;
    }
    node.made = in_order(node);
  }

  Json whole() {
    Json made = std::move(nodes_.front().made);
    Json definitions = Json::object();
    for (const auto& [index, name] : names_) {
      SchemaNode& node = nodes_[index];
      if (node.impossible) continue;
      node.place = "#/$defs/" + name;
      definitions.get_ref<Json::object_t&>().emplace_back(name, std::move(node.made));
    }
    if (made.is_object() && !definitions.empty()) made["$defs"] = std::move(definitions);
    note_places();
    return made;
  }

 private:
  void append(SchemaNode& node, const char* key, SchemaNode::Child& child) {
    Json& list = node.own[key];
    if (!list.is_array()) list = Json::array();
    SchemaNode& part = nodes_[child.node];
    part.place = std::string("/") + key + "/" + std::to_string(list.size());
    list.push_back(std::move(part.made));
  }

  void make_choice(SchemaNode& node) {
    for (SchemaNode::Child& child : node.children) {
      if (!is_impossible(nodes_, child)) append(node, node.choice, child);
    }
  }

  void make_typed(SchemaNode& node) {
    bool forbids = false;
    bool listing = true;
    Json properties = Json::object();
    Json others;
    for (SchemaNode::Child& child : node.children) {
      SchemaNode& part = nodes_[child.node];
      const bool fits = !part.impossible;
      switch (child.role) {
        case SchemaRole::kProperty:
        case SchemaRole::kRequired:
          forbids = forbids || !fits;
          if (!fits) break;
          part.place = "/properties/" + escape_pointer(child.name);
          properties.get_ref<Json::object_t&>().emplace_back(child.name, std::move(part.made));
          break;
        case SchemaRole::kOthers:
          part.place = "/additionalProperties";
          others = fits ? std::move(part.made) : Json(false);
          break;
        case SchemaRole::kItem:
          part.place = "/items";
          if (fits) {
            node.own["items"] = std::move(part.made);
          } else {
            node.own["prefixItems"] = Json::array();
            node.own.erase("maxItems");
          }
          break;
        case SchemaRole::kElement:
          listing = listing && fits;
          if (listing) append(node, node.list, child);
          if (!listing && !node.own.contains(node.list)) node.own[node.list] = Json::array();
          break;
        case SchemaRole::kAlternative:
        case SchemaRole::kTarget: break;
      }
    }
    if ((node.types & kArrayType) == 0) erase_all(node.own, kOfArrays);
    if ((node.types & kObjectType) == 0) return erase_all(node.own, kOfObjects);
    if (node.declares) node.own["properties"] = std::move(properties);
    if (!others.is_null()) node.own["additionalProperties"] = std::move(others);
    // The converter has no way to forbid a name among others.
    if (forbids && node.own.contains("additionalProperties")) node.own["additionalProperties"] = false;
  }

  // A schema that stays what it was keeps its text.
  static Json in_order(SchemaNode& node) {
    if (node.like == nullptr || !node.like->is_object()) return std::move(node.own);
    Json out = Json::object();
    for (const auto& [key, _] : node.like->items()) {
      if (node.own.contains(key)) out[key] = std::move(node.own[key]);
    }
    for (auto& [key, value] : node.own.items()) {
      if (!out.contains(key)) out[key] = std::move(value);
    }
    return out;
  }

  void note_places() {
    nodes_.front().place = "#";
    for (SchemaNode& node : nodes_) {
      if (!node.place.starts_with('#')) continue;
      written_.try_emplace(node.place, node.at);
      for (const SchemaNode::Child& child : node.children) {
        SchemaNode& part = nodes_[child.node];
        if (child.role != SchemaRole::kTarget && part.place.starts_with('/')) part.place.insert(0, node.place);
      }
    }
  }

  Nodes& nodes_;
  std::map<std::string, std::string>& written_;
  std::map<size_t, std::string> names_;  // of definitions, by node
};

// Tools of one call share the names of rules, so names must differ between documents.
std::string name_of(const Json& root) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(stable_hash(dump_json(root))));
  return digits;
}

}  // namespace

Json assemble_schema(Nodes& nodes, const std::map<std::string, size_t>& definitions, SchemaFindings& found,
                     std::map<std::string, std::string>& written) {
  const Json* root = nodes.front().parts.front().schema;
  spread_impossible(nodes);
  if (nodes.front().impossible) {
    found.fail(place_without_values(nodes), "no value fits");
    return {};
  }
  Assembly assembly(nodes, written);
  if (!definitions.empty()) assembly.name_definitions(definitions, name_of(*root));
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!node->impossible) assembly.make(*node);
  }
  return assembly.whole();
}

}  // namespace lh
