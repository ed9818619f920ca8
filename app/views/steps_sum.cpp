// "q₂ · k₁ = 0.1495 × 0.4243 = 0.0634": the sum of a cell as text, one function per group of rules.
#include <algorithm>
#include <cmath>

#include "app/look/theme.h"
#include "app/views/steps_words.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kTermsShown = 5;  // longer sums: the first three and the last

std::string sum_subscript(std::int64_t number) {
  static constexpr const char* kDigits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string out;
  for (const char c : std::to_string(number)) out += c == '-' ? "₋" : kDigits[c - '0'];
  return out;
}

class Speller {
 public:
  Speller(const RunResult& run, int sequence, const Explanation& why)
      : trace_(run.trace(sequence)), why_(why) {
    for (const AxisRange& c : why.cell.at) index_.push_back(c.begin);
  }

  std::vector<Piece> spell() {
    if (why_.edited) {
      name();
      say(" ← " + std::string(tr("steps.sum.edited")));
    } else if (why_.terms.empty() && why_.rule != Rule::mask_test) {
      name();
    } else {
      by_rule();
    }
    say(" = ");
    pieces_.push_back({precise(why_.recorded), theme().accent});
    return std::move(pieces_);
  }

 private:
  void by_rule() {
    switch (why_.rule) {
      case Rule::dot: return dot();
      case Rule::sum:
      case Rule::product: return sum();
      case Rule::norm_scale: return norm_scale();
      case Rule::norm: return norm();
      case Rule::rotate: return rotate();
      case Rule::scale: return scaled();
      case Rule::cap: return capped();
      case Rule::softmax: return softmax();
      case Rule::mask_test:
        return say(tr("steps.sum.mask_test", {std::to_string(index_[0]), std::to_string(index_[1])}));
      case Rule::mask:
        return say(tr(why_.terms[1].value > 0 ? "steps.sum.allowed" : "steps.sum.masked",
                      {precise(why_.terms[0].value)}));
      case Rule::activation: return activation();
      case Rule::copy:
      case Rule::lookup: return copy();
    }
  }

  void say(std::string text, ImU32 colour = 0) { pieces_.push_back({std::move(text), colour}); }
  ImU32 colour_of(const Source& source) const {
    return hue_colour(step_of(source.is_weight ? why_.cell.site.slot : source.site.slot).hue);
  }
  void value(const Source& source) { say(precise(source.value), colour_of(source)); }
  double aside(const char* name) const {
    for (const Aside& aside : why_.asides)
      if (aside.name == name) return aside.value;
    return 0;
  }
  std::string indices() const {
    std::string out;
    for (const std::int64_t i : index_) out += (out.empty() ? "" : ", ") + std::to_string(i);
    return "[" + out + "]";
  }
  // Name of the cell, "Q[2, 0]"; scores and z are named by their factors.
  void name() {
    const Slot slot = why_.cell.site.slot;
    if (kind_of(slot) == StepKind::scores) {
      say("q" + sum_subscript(index_[1]), theme().q);
      say(" · ");
      say("k" + sum_subscript(index_[2]), theme().k);
      return;
    }
    if (role_of(slot) == StepRole::head_out) {
      say("A" + sum_subscript(index_[1]));
      say(" · ");
      say("V", theme().v);
      return say("[:, " + std::to_string(index_[2]) + "]");
    }
    say(tr(std::string("steps.member.") + std::string(step_of(slot).text)), hue_colour(step_of(slot).hue));
    say(indices());
  }

  void term(const Term& t) {
    for (std::size_t i = 0; i < t.factors.size(); ++i) {
      if (i) say(" × ");
      value(t.factors[i]);
    }
  }
  void terms(const char* sign) {
    const std::size_t count = why_.terms.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (count > kTermsShown && i == 3) {
        say(sign + std::string(tr("steps.sum.more", {std::to_string(count - 4)})), theme().text_dim);
        i = count - 1;
      }
      if (i) say(sign);
      term(why_.terms[i]);
    }
  }
  void dot() {
    name();
    const bool bias = why_.terms.back().factors.size() == 1;
    const std::size_t products = why_.terms.size() - (bias ? 1 : 0);
    say(" = ");
    if (products > kTermsShown)
      say(tr("steps.sum.over", {std::to_string(products)}) + std::string(" "), theme().text_dim);
    terms(" + ");
    if (aside("factor") != 0) say(" · × " + precise(aside("factor")));
    if (aside("cap") != 0) say("  " + tr("steps.sum.capped", {precise(aside("cap"))}), theme().text_dim);
  }
  void sum() {
    name();
    say(" = ");
    terms(" + ");
    if (!why_.cell.site.is(StepKind::bias)) return;
    if (aside("slope") != 0) {
      say(" + " + precise(aside("slope")) + " × " + number_text(static_cast<float>(aside("distance")), 0));
      say("  " + std::string(tr("steps.sum.alibi")), theme().text_dim);
    } else {
      say("  " + tr("steps.sum.bucket", {number_text(static_cast<float>(aside("bucket")), 0)}),
          theme().text_dim);
    }
  }
  void copy() {
    name();
    const Source& from = why_.terms.front().factors.front();
    std::string at;
    for (const std::int64_t i : from.index) at += (at.empty() ? "" : ", ") + std::to_string(i);
    const std::string key =
        from.is_weight ? from.name
                       : tr(std::string("steps.member.") + std::string(step_of(from.site.slot).text));
    say(" = ");
    say(key, colour_of(from));
    say("[" + at + "]");
  }
  void norm_scale() {
    name();
    say(" = " + tr(aside("mean") != 0 ? "steps.sum.deviation" : "steps.sum.mean_square",
                   {precise(aside("variance")), precise(aside("mean")), std::to_string(why_.terms.size())}));
  }
  void norm() {
    name();
    say(" = ");
    const bool centred = aside("mean") != 0;
    if (centred) say("(");
    value(why_.terms[0].factors[0]);
    if (centred) say(" − " + precise(aside("mean")) + ")");
    say(" / ");
    say(precise(aside("scale")), theme().norm);
    const float offset = norm_spec(trace_.config(), why_.cell.site).weight_offset;
    for (std::size_t i = 1; i < why_.terms.size(); ++i) {
      const Source& source = why_.terms[i].factors[0];
      if (!source.is_weight) continue;  // a factor of the scale
      const bool weight = source.name.ends_with("weight");
      say(weight ? " × " : " + ");
      if (weight && offset != 0.f) say("(" + number_text(offset, 0) + " + ");
      value(source);
      if (weight && offset != 0.f) say(")");
    }
  }
  void rotate() {
    name();
    say(" = ");
    value(why_.terms[0].factors[0]);
    if (why_.asides.empty()) return;
    say(" × " + precise(aside("cos")) + " + ");
    value(why_.terms[1].factors[0]);
    say(" × " + precise(aside("sin")));
    say("  " + tr("steps.sum.angle", {precise(aside("angle"))}), theme().text_dim);
  }
  void scaled() {
    name();
    say(" = ");
    value(why_.terms[0].factors[0]);
    say(" × " + precise(aside("factor")));
  }
  void capped() {
    name();
    const std::string cap = precise(aside("cap"));
    say(" = " + cap + " · tanh(");
    value(why_.terms[0].factors[0]);
    say(" / " + cap + ")");
  }
  void softmax() {
    name();
    const std::size_t own = static_cast<std::size_t>(std::max(why_.own, 0));
    if (own >= why_.terms.size()) return;
    say(" = exp(");
    value(why_.terms[own].factors[0]);
    say(" − " + precise(aside("max")) + ") / " + precise(aside("sum")));
  }
  void activation() {
    name();
    say(" = " + std::string(activation_name(activation_at(trace_.config(), why_.cell.site))) + "(");
    value(why_.terms[0].factors[0]);
    say(")");
  }

  const Trace& trace_;
  const Explanation& why_;
  std::vector<std::int64_t> index_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> spelled_out(const RunResult& run, int sequence, const Explanation& why) {
  return Speller(run, sequence, why).spell();
}

}  // namespace attnscope
