#include "guards/schema/schema_normal.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/threads/cancel.h"
#include "guards/schema/schema_assembly.h"
#include "guards/schema/schema_conjunction.h"
#include "guards/schema/schema_keywords.h"
#include "guards/schema/schema_typed.h"

namespace lh {
namespace {

bool asserts(const Json& schema, bool with_composing) {
  if (!schema.is_object()) return true;
  return std::ranges::any_of(kAsserting, [&](std::string_view key) {
    return (with_composing || !kComposing.contains(key)) && schema.contains(key);
  });
}

// A reference beside which nothing is asked for.
bool is_reference(const Json& schema) {
  if (!schema.is_object() || !schema.contains("$ref")) return false;
  return std::ranges::none_of(kAsserting,
                              [&schema](std::string_view key) { return key != "$ref" && schema.contains(key); });
}

// The schemas of a document become nodes one by one, so that nothing recurses: a node is made of the schemas that hold
// together at one place.
class Normalizer {
 public:
  explicit Normalizer(const Json& root) : references_(root), conjunctions_(references_), values_(references_) {
    SchemaNode& first = nodes_.emplace_back();
    first.parts = {{&root, "#"}};
  }

  NormalSchema run() {
    for (size_t i = 0; i < nodes_.size() && !found_.fault; ++i) {
      expand(nodes_[i], i == 0);
      if (!found_.fault) queue_children(i);
    }
    NormalSchema out;
    if (!found_.fault) out.schema = assemble_schema(nodes_, definitions_, found_, out.written);
    out.found = std::move(found_);
    return out;
  }

 private:
  void expand(SchemaNode& node, bool is_root) {
    node.at = node.parts.empty() ? "#" : node.parts.front().at;
    for (const SchemaPart& part : node.parts) {
      if (!conjunctions_.add(node.base, part, node.path)) {
        const SchemaPlace& fault = *conjunctions_.fault();
        return found_.fail(fault.pointer, fault.what);
      }
    }
    const bool alone = node.parts.size() == 1 && !node.divided;
    if (alone) node.like = node.parts.front().schema;
    node.impossible = node.base.impossible;
    if (node.impossible) return;
    if (alone && node.like->is_boolean()) return void(node.made = true);
    if (node.base.referred && !is_root && !node.definition && !node.divided) return refer(node);
    const SchemaParts& parts = node.base.parts;
    if (!parts.empty()) node.own = annotations_of(*parts.front().schema);
    const bool lists = std::ranges::any_of(
        parts, [](const SchemaPart& part) { return part.schema->contains("const") || part.schema->contains("enum"); });
    if (lists) return list_values(node);
    limit_ways(node);
    if (!node.base.choices.empty()) return divide(node);
    TypedSchema(parts, node, found_).fill();
    node.impossible = node.types == 0;
  }

  // The target of a reference, merged with the siblings of `$ref`, becomes a definition, because it may refer back.
  void refer(SchemaNode& node) {
    SchemaParts parts = node.parts;
    if (parts.size() == 1 && is_reference(*parts.front().schema)) {
      parts = {references_.find((*parts.front().schema)["$ref"], parts.front().at).part};
      node.own = annotations_of(*node.parts.front().schema);
    }
    std::string key;
    for (const SchemaPart& part : parts) key += part.at + "\n";
    node.form = SchemaForm::kReference;
    node.children.push_back({SchemaRole::kTarget, std::move(key), std::move(parts)});
  }

  // Only values that fit everything else are left.
  void list_values(SchemaNode& node) {
    const SchemaParts& parts = node.base.parts;
    const auto lister = std::ranges::find_if(
        parts, [](const SchemaPart& part) { return part.schema->contains("const") || part.schema->contains("enum"); });
    const bool constant = lister->schema->contains("const");
    const Json values = constant ? Json::array({(*lister->schema)["const"]}) : (*lister->schema)["enum"];
    if (!values.is_array() || values.empty()) return found_.fail(lister->at, "enum must be a non-empty array");
    if (values.size() > kMaxSchemaValues) return fail_for_size(lister->at);
    values_.list(constant ? nullptr : &(*lister->schema)["enum"]);
    Json fitting = Json::array();
    std::vector<SchemaPlace> unknown;
    for (const Json& value : values) {
      const bool fits =
          std::ranges::all_of(parts, [&](const SchemaPart& part) { return values_.holds(value, part, unknown); });
      if (fits) fitting.push_back(value);
    }
    for (SchemaPlace& place : unknown) {
      if (!has_ignored(place)) found_.ignored.push_back(std::move(place));
    }
    node.base.choices.clear();
    node.impossible = fitting.empty();
    const auto type = lister->schema->find("type");
    const bool same = parts.size() == 1 && fitting.size() == values.size();
    if (same && type != lister->schema->end() && type->is_string()) node.own["type"] = *type;
    if (constant) {
      node.own["const"] = values.front();
    } else {
      node.own["enum"] = std::move(fitting);
    }
  }

  [[nodiscard]] bool has_ignored(const SchemaPlace& place) const {
    return std::ranges::any_of(found_.ignored, [&place](const SchemaPlace& known) {
      return known.pointer == place.pointer && known.what == place.what;
    });
  }

  // Each choice multiplies the alternatives of the choices before it. A choice that exceeds the limit is ignored.
  void limit_ways(SchemaNode& node) {
    auto& choices = node.base.choices;
    for (const SchemaChoice& choice : choices) {
      const bool one = choice.key == std::string_view("oneOf") && !excluding(choice);
      if (one && !has_ignored({choice.at, "oneOf"})) found_.ignored.push_back({choice.at, "oneOf"});
    }
    if (choices.size() == 1 && !has_more(node)) return;
    std::ranges::stable_sort(choices, {}, [](const SchemaChoice& choice) { return choice.alternatives.size(); });
    while (!choices.empty() && node.ways * choices.back().alternatives.size() > kMostWays) {
      found_.ignored.push_back({choices.back().at, choices.back().key});
      choices.pop_back();
    }
  }

  // Each alternative excludes the others. Too many to be compared count as ones that do not.
  bool excluding(const SchemaChoice& choice) {
    constexpr size_t kMostCompared = 300;
    const SchemaParts& all = choice.alternatives;
    if (all.size() > kMostCompared) return false;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!conjunctions_.exclude(all[i], all[j])) return false;
      }
    }
    return true;
  }

  static bool has_more(const SchemaNode& node) {
    return std::ranges::any_of(node.base.parts, [](const SchemaPart& part) { return asserts(*part.schema, false); });
  }

  void divide(SchemaNode& node) {
    Conjunction rest = node.base;
    SchemaChoice choice = std::move(rest.choices.front());
    rest.choices.erase(rest.choices.begin());
    const bool alone = rest.choices.empty() && !has_more(node);
    node.form = SchemaForm::kChoice;
    node.choice = node.base.parts.size() == 1 ? choice.key : "anyOf";
    if (!alone) node.like = nullptr;
    for (const SchemaPart& alternative : choice.alternatives) {
      SchemaNode::Child child{SchemaRole::kAlternative, {}, {alternative}};
      if (!alone) child.base = rest;
      if (!alone) child.path = choice.path;
      node.children.push_back(std::move(child));
    }
  }

  void queue_children(size_t index) {
    const bool beside = nodes_[index].form == SchemaForm::kChoice;
    const size_t ways = beside ? nodes_[index].ways * nodes_[index].children.size() : 1;
    for (SchemaNode::Child& child : nodes_[index].children) {
      if (child.role == SchemaRole::kTarget) {
        const auto [known, fresh] = definitions_.try_emplace(child.name, nodes_.size());
        child.node = known->second;
        if (!fresh) continue;
      }
      child.node = nodes_.size();
      SchemaNode& made = nodes_.emplace_back();
      made.parts = std::move(child.parts);
      made.divided = !child.base.parts.empty() || !child.base.choices.empty();
      made.ways = made.divided ? ways : 1;
      made.base = std::move(child.base);
      made.path = std::move(child.path);
      made.definition = child.role == SchemaRole::kTarget;
      made.depth = made.definition ? 0 : nodes_[index].depth + 1;
      if (made.parts.empty() && !made.divided) made.made = true;
    }
    if (nodes_.size() > kMaxSchemaValues || CancelScope::cancelled()) {
      fail_for_size(nodes_[index].at);
    } else if (nodes_[index].depth > kMostDeep) {
      found_.fail(nodes_[index].at, "schemas nest deeper than " + std::to_string(kMostDeep));
    }
  }

  void fail_for_size(const std::string& at) {
    found_.fail(at, "the schema has more than " + std::to_string(kMaxSchemaValues) + " parts");
  }

  static constexpr size_t kMostWays = 256;
  static constexpr size_t kMostDeep = 400;

  SchemaReferences references_;
  SchemaConjunctions conjunctions_;
  SchemaValues values_;
  SchemaFindings found_;
  std::deque<SchemaNode> nodes_;
  std::map<std::string, size_t> definitions_;  // by the places of what they are made from
};

}  // namespace

std::string NormalSchema::written_at(std::string place) const {
  std::string rest;
  for (;;) {
    if (const auto known = written.find(place); known != written.end()) return known->second + rest;
    const size_t last = place.rfind('/');
    if (last == std::string::npos) return place + rest;
    rest.insert(0, place.substr(last));
    place.erase(last);
  }
}

NormalSchema normal_schema(const Json& schema) { return Normalizer(schema).run(); }

}  // namespace lh
