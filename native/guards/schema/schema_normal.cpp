#include "guards/schema/schema_normal.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "guards/schema/schema_assembly.h"
#include "guards/schema/schema_conjunction.h"
#include "guards/schema/schema_exclusion.h"
#include "guards/schema/schema_keywords.h"
#include "guards/schema/schema_typed.h"
#include "guards/schema/schema_values.h"
#include "guards/schema/schema_work.h"

namespace lh {
namespace {

bool asserts(const Json& schema, bool with_composing) {
  if (!schema.is_object()) return true;
  return std::ranges::any_of(kAsserting, [&](std::string_view key) {
    return (with_composing || !kComposing.contains(key)) && schema.contains(key);
  });
}

bool lists(const SchemaPart& part) { return part.schema->contains("const") || part.schema->contains("enum"); }

// A reference beside which nothing is asked for.
bool is_reference(const Json& schema) {
  if (!schema.is_object() || !schema.contains("$ref")) return false;
  return std::ranges::none_of(kAsserting,
                              [&schema](std::string_view key) { return key != "$ref" && schema.contains(key); });
}

// The schemas of a document become nodes one by one, so that nothing recurses: a node is made from the schemas that
// apply together at one place.
class Normalizer {
 public:
  explicit Normalizer(const Json& root)
      : references_(root, work_),
        conjunctions_(references_, work_),
        values_(references_, work_),
        exclusion_(references_, values_, work_) {
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
    const std::shared_ptr<const Conjunction> base = std::move(node.base);
    const bool divided = base != nullptr;
    Conjunction all = divided ? conjunctions_.copy(*base) : Conjunction{};
    node.at = node.parts.empty() ? "#" : node.parts.front().at;
    // An alternative that leads back to its choice adds nothing to the others.
    const size_t inherited = node.path.size();
    for (const SchemaPart& part : node.parts) {
      if (!conjunctions_.add(all, part, node.path)) {
        node.impossible = conjunctions_.led_back_into(inherited);
        if (node.impossible) return;
        const SchemaPlace& fault = *conjunctions_.fault();
        return found_.fail(fault.pointer, fault.what);
      }
    }
    const bool alone = node.parts.size() == 1 && !divided;
    if (alone) node.like = node.parts.front().schema;
    node.impossible = all.impossible;
    if (node.impossible) return;
    if (alone && node.like->is_boolean()) return void(node.made = true);
    if (!is_root && !node.definition && !divided && (all.referred || is_divided_again(node, all))) return refer(node);
    if (!all.parts.empty()) annotate(node, all.parts.front());
    if (std::ranges::any_of(all.parts, lists)) return list_values(node, all.parts);
    check_exclusion(all);
    if (const SchemaChoice* listing = listing_choice(all)) return list_alternatives(node, all.parts, *listing);
    limit_ways(node, all);
    if (!all.choices.empty()) return divide(node, std::move(all));
    TypedSchema(all.parts, node, found_, work_).fill();
    node.impossible = node.types == 0;
  }

  void annotate(SchemaNode& node, const SchemaPart& part) {
    if (work_.spend_on(*part.schema)) node.own = annotations_of(*part.schema);
  }

  // The target of a reference, merged with the siblings of `$ref`, becomes a definition, because it may refer back.
  void refer(SchemaNode& node) {
    SchemaParts parts = node.parts;
    if (parts.size() == 1 && is_reference(*parts.front().schema)) {
      parts = {references_.find((*parts.front().schema)["$ref"], parts.front().at).part};
      annotate(node, node.parts.front());
    }
    node.form = SchemaForm::kReference;
    node.children.push_back({SchemaRole::kTarget, key_of(parts), std::move(parts)});
  }

  static std::string key_of(const SchemaParts& parts) {
    std::string key;
    for (const SchemaPart& part : parts) key += part.at + "\n";
    return key;
  }

  // Alternatives merged with what is beside them take in the targets of references, which may lead to the choice.
  bool is_divided_again(const SchemaNode& node, const Conjunction& all) {
    return !all.choices.empty() && has_more(all) && !divided_.insert(key_of(node.parts)).second;
  }

  // Only values that fit everything else are left.
  void list_values(SchemaNode& node, const SchemaParts& parts) {
    const auto lister = std::ranges::find_if(parts, lists);
    const auto values = listed_values(*lister->schema);
    if (!values || values->empty()) return found_.fail(lister->at, "enum must be a non-empty array");
    Json fitting = Json::array();
    add_fitting(fitting, *values, parts);
    const Json* type = keyword_of(*lister, "type");
    const bool same = parts.size() == 1 && fitting.size() == values->size();
    if (same && type != nullptr && type->is_string()) node.own["type"] = *type;
    set_values(node, std::move(fitting), lister->schema->contains("const"));
  }

  // All alternatives of a choice list values, as tools write enums whose values have titles.
  void list_alternatives(SchemaNode& node, const SchemaParts& parts, const SchemaChoice& choice) {
    Json fitting = Json::array();
    values_.take_from(choice.list);
    SchemaParts all = parts;
    all.emplace_back();
    for (const SchemaPart& alternative : choice.alternatives) {
      all.back() = alternative;
      add_fitting(fitting, *listed_values(*alternative.schema), all);
    }
    values_.take_from(nullptr);
    set_values(node, std::move(fitting), false);
  }

  void add_fitting(Json& fitting, std::span<const Json> values, const SchemaParts& parts) {
    for (const Json& value : values) {
      if (fitting.size() > kMaxSchemaValues || !work_.spend_on(value)) return;
      if (fits(value, parts)) fitting.push_back(value);
    }
  }

  void set_values(SchemaNode& node, Json fitting, bool constant) {
    values_listed_ += fitting.size();
    node.impossible = fitting.empty();
    if (node.impossible) return;
    if (constant) {
      node.own["const"] = std::move(fitting.front());
    } else {
      node.own["enum"] = std::move(fitting);
    }
  }

  // A value stays unless it is known to be wrong; keywords that leave it open are reported as ignored.
  bool fits(const Json& value, const SchemaParts& parts) {
    std::vector<SchemaPlace> unknown;
    for (const SchemaPart& part : parts) {
      if (values_.fits(value, part, unknown) == ValueFit::kNo) return false;
    }
    for (const SchemaPlace& place : unknown) found_.ignore(place.pointer, place.what);
    return true;
  }

  void check_exclusion(const Conjunction& all) {
    for (const SchemaChoice& choice : all.choices) {
      const bool one = choice.key == std::string_view("oneOf");
      if (one && !exclusion_.all_differ(choice.alternatives)) found_.ignore(choice.at, "oneOf");
    }
  }

  // A choice beside which something is asked for.
  static const SchemaChoice* listing_choice(const Conjunction& all) {
    if (all.choices.empty() || (all.choices.size() == 1 && !has_more(all))) return nullptr;
    const auto found = std::ranges::find_if(all.choices, [](const SchemaChoice& choice) {
      return std::ranges::all_of(choice.alternatives, [](const SchemaPart& alternative) {
        const auto values = listed_values(*alternative.schema);
        return values && !values->empty();
      });
    });
    return found == all.choices.end() ? nullptr : &*found;
  }

  // Each choice multiplies the alternatives of the choices before it. A choice that exceeds the limit is ignored.
  void limit_ways(const SchemaNode& node, Conjunction& all) {
    auto& choices = all.choices;
    std::ranges::stable_sort(choices, {}, [](const SchemaChoice& choice) { return choice.alternatives.size(); });
    const auto multiply = [&] { return choices.size() > 1 || (node.ways > 1 && !choices.empty()); };
    while (multiply() && node.ways * choices.back().alternatives.size() > kMostWays) {
      found_.ignore(choices.back().at, choices.back().key);
      choices.pop_back();
    }
  }

  static bool has_more(const Conjunction& all) {
    return std::ranges::any_of(all.parts, [](const SchemaPart& part) { return asserts(*part.schema, false); });
  }

  void divide(SchemaNode& node, Conjunction all) {
    const SchemaChoice choice = std::move(all.choices.front());
    all.choices.erase(all.choices.begin());
    const bool alone = all.choices.empty() && !has_more(all);
    node.form = SchemaForm::kChoice;
    node.choice = all.parts.size() == 1 ? choice.key : "anyOf";
    if (!alone) node.like = nullptr;
    const auto rest = alone ? nullptr : std::make_shared<const Conjunction>(std::move(all));
    for (const SchemaPart& alternative : choice.alternatives) {
      if (!work_.spend_on(alternative.at) || !work_.spend(choice.path.size())) return;
      SchemaNode::Child child{SchemaRole::kAlternative, {}, {alternative}};
      if (!alone) child.base = rest;
      child.path = choice.path;
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
      made.base = std::move(child.base);
      made.ways = made.base ? ways : 1;
      made.path = std::move(child.path);
      made.definition = child.role == SchemaRole::kTarget;
      made.depth = made.definition ? 0 : nodes_[index].depth + 1;
      if (made.parts.empty() && !made.base) made.made = true;
    }
    if (work_.over()) {
      found_.fail(nodes_[index].at, kTooMuchWork);
    } else if (nodes_.size() + values_listed_ > kMaxSchemaValues) {
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

  SchemaWork work_;
  SchemaReferences references_;
  SchemaConjunctions conjunctions_;
  SchemaValues values_;
  SchemaExclusion exclusion_;
  SchemaFindings found_;
  std::deque<SchemaNode> nodes_;
  size_t values_listed_ = 0;
  std::set<std::string> divided_;              // choices with siblings, by their places
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
