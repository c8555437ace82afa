#include "llama/output/grammar_output.h"

#include <utility>

#include "base/text/white_space.h"

namespace lh {
namespace {

class GrammarFormat final : public OutputFormat {
 public:
  GrammarFormat(std::shared_ptr<const OutputFormat> whole, std::string end_of_thought)
      : whole_(std::move(whole)), end_of_thought_(std::move(end_of_thought)) {}

  bool plain() const override { return whole_->plain(); }
  const Marks& marks() const override { return whole_->marks(); }
  bool begins_mark(std::string_view text) const override { return whole_->begins_mark(text); }
  Result<ParsedOutput> parse_calls(std::string_view text) const override { return whole_->parse_calls(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    const bool thought = !end_of_thought_.empty() && text.find(end_of_thought_) != std::string_view::npos;
    auto parsed = whole_->parse(text, partial);
    if (partial || thought) return parsed;
    // A reasoning that does not end is the text.
    const bool fits = parsed.ok() && !parsed->unread && (!parsed->content.empty() || parsed->reasoning.empty());
    return fits ? std::move(parsed) : OutputFormat::parse_calls(text);
  }

 private:
  const std::shared_ptr<const OutputFormat> whole_;
  const std::string end_of_thought_;
};

}  // namespace

std::shared_ptr<const OutputFormat> make_grammar_format(std::shared_ptr<const OutputFormat> whole,
                                                        const std::string& end_of_thought) {
  return std::make_shared<const GrammarFormat>(std::move(whole),
                                               std::string(without_space_before(without_space_behind(end_of_thought))));
}

}  // namespace lh
