#include "llama/output/grammar_output.h"

#include <utility>

#include "base/text/white_space.h"

namespace lh {
namespace {

class GrammarFormat final : public OutputFormat {
 public:
  GrammarFormat(std::shared_ptr<const OutputFormat> whole, std::string end_of_thought, bool opened)
      : whole_(std::move(whole)), end_of_thought_(std::move(end_of_thought)), opened_(opened) {}

  bool plain() const override { return whole_->plain(); }
  const Marks& marks() const override { return whole_->marks(); }
  Result<ParsedOutput> parse_calls(std::string_view text) const override { return whole_->parse_calls(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    const bool thought = !end_of_thought_.empty() && text.find(end_of_thought_) != std::string_view::npos;
    if (opened_ && !thought) return OutputFormat::parse_calls(text);
    auto parsed = whole_->parse(text, partial);
    if (partial || thought || (parsed.ok() && !parsed->unread)) return parsed;
    return OutputFormat::parse_calls(text);
  }

 private:
  const std::shared_ptr<const OutputFormat> whole_;
  const std::string end_of_thought_;
  const bool opened_;
};

}  // namespace

std::shared_ptr<const OutputFormat> make_grammar_format(std::shared_ptr<const OutputFormat> whole,
                                                        const std::string& end_of_thought, bool opened) {
  return std::make_shared<const GrammarFormat>(
      std::move(whole), std::string(without_space_before(without_space_behind(end_of_thought))), opened);
}

}  // namespace lh
