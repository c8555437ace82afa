#include "llama/jinja/source.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace lh {
namespace {

using jinja::token;
using Names = std::set<std::string, std::less<>>;

// Adds up what can lie within each other: brackets, the operators of each expression around them, blocks.
class Nesting {
 public:
  explicit Nesting(const std::vector<token>& tokens) : tokens_(tokens) {}

  uint32_t deepest() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      look(tokens_[at_]);
      deepest_ = std::max(deepest_, blocks_ + brackets_);
    }
    return deepest_;
  }

 private:
  void look(const token& one) {
    switch (one.t) {
      case token::open_statement:
        begin_expression();
        block();
        break;
      case token::open_expression:
      case token::close_expression:
      case token::close_statement: begin_expression(); break;
      case token::open_paren:
      case token::open_square_bracket:
      case token::open_curly_bracket:
        levels_.push_back(0);
        deepen();
        break;
      case token::close_paren:
      case token::close_square_bracket:
      case token::close_curly_bracket:
        if (levels_.size() > 1) {
          brackets_ -= levels_.back();
          levels_.pop_back();
        }
        deepen();  // of a chain of calls
        break;
      case token::comma:
        brackets_ -= levels_.back();
        levels_.back() = 0;
        deepen();
        break;
      case token::identifier: {
        static const Names kOperators = {"not", "and", "or", "in", "is", "if", "else"};
        if (kOperators.contains(one.value)) deepen();
        break;
      }
      case token::additive_binary_operator:
      case token::multiplicative_binary_operator:
      case token::comparison_binary_operator:
      case token::unary_operator:
      case token::pipe:
      case token::dot:
      case token::equals: deepen(); break;
      default: break;
    }
  }

  void deepen() {
    ++levels_.back();
    ++brackets_;
  }

  void begin_expression() {
    levels_.assign(1, 0);
    brackets_ = 0;
  }

  // {% name, with `at_` before the name. Each elif lies within the if before it.
  void block() {
    static const Names kBlocks = {"if", "for", "macro", "call", "filter"};
    if (at_ + 1 >= tokens_.size()) return;
    const std::string& name = tokens_[at_ + 1].value;
    if (kBlocks.contains(name) || (name == "set" && !assigns())) {
      open_.push_back(1);
      ++blocks_;
    } else if (name == "elif" && !open_.empty()) {
      ++open_.back();
      ++blocks_;
    } else if (name.starts_with("end") && name != "endgeneration" && !open_.empty()) {
      blocks_ -= open_.back();
      open_.pop_back();
    }
  }

  [[nodiscard]] bool assigns() const {
    for (size_t i = at_; i < tokens_.size() && tokens_[i].t != token::close_statement; ++i) {
      if (tokens_[i].t == token::equals) return true;
    }
    return false;
  }

  const std::vector<token>& tokens_;
  size_t at_ = 0;
  std::vector<uint32_t> levels_ = {0};  // of brackets, with the operators in each
  std::vector<uint32_t> open_;          // blocks, with their alternatives
  uint32_t brackets_ = 0;               // sum of levels_
  uint32_t blocks_ = 0;                 // sum of open_
  uint32_t deepest_ = 0;
};

}  // namespace

TemplateShape shape_of(const jinja::lexer_result& source) {
  std::set<std::string_view> names;
  for (const token& one : source.tokens) {
    if (one.t == token::identifier) names.insert(one.value);
  }
  return {Nesting(source.tokens).deepest(), static_cast<uint32_t>(names.size())};
}

std::optional<std::string> fault_of_size(const std::string& source) {
  if (source.size() <= kMostTemplateBytes) return std::nullopt;
  return "has " + std::to_string(source.size()) + " bytes, and at most " + std::to_string(kMostTemplateBytes) +
         " are read";
}

std::optional<std::string> fault_of_shape(const TemplateShape& shape) {
  if (shape.nesting > kMostTemplateNesting) {
    return "nests brackets, operators or blocks more than " + std::to_string(kMostTemplateNesting) + " deep";
  }
  if (shape.names > kMostTemplateNames) {
    return "has more than " + std::to_string(kMostTemplateNames) + " different names";
  }
  return std::nullopt;
}

}  // namespace lh
