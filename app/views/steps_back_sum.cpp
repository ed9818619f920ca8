// "from ln1.out 0.0045 = 1/σ 1.2 × (...)": the sum of one cell of a gradient with its numbers, one function
// per rule. Values from explain_gradient() and explain_weight_gradient().
#include <algorithm>

#include "app/look/theme.h"
#include "app/views/steps_back_words.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kTermsSpelled = 4;  // of a sum; longer ones are shortened in the middle

using Factor = GradientFactor;

ImU32 factor_colour(const GradientShare& share, const Factor& factor) {
  if (factor.kind == Factor::Kind::number) return share.rule == Rule::norm ? theme().norm : 0;
  return hue_colour(step_of(factor.kind == Factor::Kind::weight ? share.from.slot : factor.site.slot).hue);
}

// Four significant digits, so that sums of small gradients can be checked.
std::string gradient_digits(double value) { return significant(value, 4); }

class GradientSpeller {
 public:
  GradientSpeller(const BackwardResult& grads, const GradientFigure& figure)
      : grads_(grads), figure_(figure) {}

  std::vector<Piece> spell(int operand, std::int64_t row, std::int64_t col) {
    const GradientSpot spot = gradient_spot(figure_, operand, row, col);
    if (!spot.operand) return {};
    const Operand& shown = *spot.operand;
    say(has_cell_names(shown) ? cell_name(spot) : shown.title, shown.colour);
    const bool result = operand == figure_.figure.result();
    const bool share = operand < static_cast<int>(figure_.shares.size());
    if (result || share) sum(spot, share ? figure_.shares[static_cast<std::size_t>(operand)] : chosen());
    say(" = ");
    say(gradient_digits(value_of(shown, spot.row, spot.col)), theme().accent);
    return std::move(pieces_);
  }

 private:
  const Trace& trace() const { return grads_.gradients->trace(); }
  void say(std::string text, ImU32 colour = 0) { pieces_.push_back({std::move(text), colour}); }
  double value_of(const Operand& operand, std::int64_t row, std::int64_t col) const {
    const Tensor value = operand_values(trace(), operand, {row, row + 1}, {col, col + 1});
    return value.empty() ? 0.0 : static_cast<double>(value.at(0, 0));
  }
  std::vector<int> chosen() const {
    return figure_.from >= 0 ? std::vector<int>{figure_.from} : std::vector<int>();
  }
  std::string cell_name(const GradientSpot& spot) const {
    const Operand& operand = *spot.operand;
    const std::vector<std::int64_t> index = source_index(trace(), operand, spot.row, spot.col);
    std::string name = operand.is_weight() ? weight_cell_text(*grads_.run, operand.weight, index)
                                           : cell_text(cell_at(trace(), operand.site, index));
    if (!operand.gradient) return name;
    const std::size_t at = name.find('[');
    return at == std::string::npos ? name + ".grad" : name.insert(at, ".grad");
  }

  /// The terms of the contributions with these indices (none: all).
  void sum(const GradientSpot& spot, const std::vector<int>& numbers) {
    const Operand& operand = *spot.operand;
    const auto index = source_index(trace(), operand, spot.row, spot.col);
    const auto why = operand.is_weight() ? explain_weight_gradient(*grads_.gradients, operand.weight, index)
                                         : grads_.why(operand.site, index);
    if (!why) return;
    std::vector<Site> from;
    for (const GradientShare& share : why->shares) from.push_back(share.from);
    std::vector<const GradientShare*> shares;
    for (std::size_t i = 0; i < why->shares.size(); ++i)
      if (numbers.empty() || std::find(numbers.begin(), numbers.end(), static_cast<int>(i)) != numbers.end())
        shares.push_back(&why->shares[i]);
    if (shares.size() == 1) {
      if (why->shares.size() > 1) say("  " + tr("steps.back.from", {reader_name(from, shares[0]->from)}));
      return one(*shares[0]);
    }
    say(" = ");
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (i) say(" + ");
      say(tr("steps.back.from", {reader_name(from, shares[i]->from)}) + " ",
          hue_colour(step_of(shares[i]->from.slot).hue));
      const std::string value = gradient_digits(shares[i]->value);
      say(i && shares[i]->value < 0 ? "(" + value + ")" : value);
    }
  }

  void one(const GradientShare& share) {
    const bool loss = share.from.is(StepRole::logits) && share.rule == Rule::softmax;
    if (share.terms.empty()) {
      if (loss) say("  " + std::string(tr("steps.back.none_counted")), theme().text_dim);
      return;
    }
    // Passed on unchanged: only its name is shown.
    if (share.terms.size() == 1 && share.terms[0].factors.size() == 1) {
      const Factor& only = share.terms[0].factors[0];
      say(" = ");
      return say(factor_name(only), factor_colour(share, only));
    }
    say(" = ");
    if (share.rule == Rule::norm || share.rule == Rule::softmax) return bracketed(share);
    terms(share, 0);
  }
  std::string factor_name(const Factor& factor) const {
    if (factor.kind == Factor::Kind::number) return factor.name;
    std::string name = cell_text(cell_at(trace(), factor.site, factor.index));
    const std::size_t at = name.find('[');
    return factor.kind == Factor::Kind::gradient && at != std::string::npos ? name.insert(at, ".grad") : name;
  }
  /// The factor common to all terms is in front: A × (dA − Σ), 1/σ × (g − ...).
  void bracketed(const GradientShare& share) {
    const bool norm = share.rule == Rule::norm, first = !norm && share.from.is(StepRole::pattern);
    const auto& factors = share.terms[0].factors;
    const Factor& common = first ? factors.front() : factors.back();
    say(gradient_digits(common.value), factor_colour(share, common));
    say(" × (");
    terms(share, first ? 1 : -1);
    say(")");
  }
  /// `without`: 0: all factors, > 0: without the first, < 0: without the last.
  void terms(const GradientShare& share, int without) {
    const std::size_t count = share.terms.size();
    for (std::size_t i = 0; i < count; ++i) {
      const bool more = count > kTermsSpelled && i == kTermsSpelled - 1;
      if (more) {
        say(" + " + tr("steps.sum.more", {std::to_string(count - kTermsSpelled)}), theme().text_dim);
        i = count - 1;
      }
      const GradientTerm& term = share.terms[i];
      say(term.minus ? (i ? " − " : "−") : (i ? " + " : ""));
      const std::size_t begin = without > 0 ? 1 : 0, end = term.factors.size() - (without < 0 ? 1 : 0);
      for (std::size_t f = begin; f < end; ++f) {
        if (f > begin) say(" × ");
        const double value = term.factors[f].value;
        const bool behind_a_sign = value < 0 && (i > 0 || f > begin || term.minus);
        say(behind_a_sign ? "(" + gradient_digits(value) + ")" : gradient_digits(value),
            factor_colour(share, term.factors[f]));
      }
    }
  }

  const BackwardResult& grads_;
  const GradientFigure& figure_;
  std::vector<Piece> pieces_;
};

}  // namespace

bool has_cell_names(const Operand& operand) {
  return !operand.part || (operand.gradient && operand.col.key != "one");
}

std::vector<Piece> gradient_spelled(const BackwardResult& grads, const GradientFigure& figure, int operand,
                                    std::int64_t row, std::int64_t col) {
  return GradientSpeller(grads, figure).spell(operand, row, col);
}

}  // namespace attnscope
