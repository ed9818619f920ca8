// Explains a value: its formula with the numbers of this run; every operand is a link to its source. Displays
// the result of core's explain(); computes nothing itself.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/look/pointed.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/views/steps_words.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kFewTerms = 8, kMostRuleTerms = 400;

struct RuleCard {
  const PanelContext& context;
  const Explanation& explanation;
  Flow& flow;
  const InspectorCache& cache;

  ImU32 dim() const { return theme().text_dim; }
  ImU32 ink() const { return theme().text; }
  int sequence() const { return context.workspace.cursor.sequence; }
  const Trace& trace() const { return context.run->trace(sequence()); }
};

std::string help_of(const RuleCard& card, const Source& source) {
  const RunResult& run = *card.context.run;
  const std::string where =
      source.is_weight
          ? weight_coordinates(run, Place{{}, source.name, source.index})
          : coordinates_text(run, card.sequence(), cell_at(card.trace(), source.site, source.index));
  return tr("inspector.follow", {source.name, where});
}

void operand(const RuleCard& card, const Source& source, const std::string& id,
             const std::string& text = {}) {
  const bool pressed = card.flow.link(id + "###" + id, text.empty() ? shown_number(source.value) : text,
                                      colour_of(source), help_of(card, source));
  if (ImGui::IsItemHovered() && !source.is_weight) point_cell(source.site, source.index);
  if (pressed) follow_source(card.context.workspace, *card.context.run, source);
}

double rule_aside(const Explanation& explanation, const char* name) {
  for (const Aside& one : explanation.asides)
    if (one.name == name) return one.value;
  return 0;
}

// The last part of a name: "blocks.0.attn.out" -> "attn.out"; with the stack if it is another one.
std::string short_name(const RuleCard& card, const Source& source) {
  const std::string own(stack_prefix(card.explanation.cell.site.stack));
  std::string name = starts_with(source.name, own) ? source.name.substr(own.size()) : source.name;
  const std::size_t at = name.find("blocks.");
  return at == std::string::npos ? name : name.substr(0, at) + name.substr(name.find('.', at + 7) + 1);
}

void plain(const RuleCard& card, const std::string& text) {
  card.flow.words(text, card.dim());
  card.flow.next_line();
}

void result(const RuleCard& card, const std::string& before = {}) {
  if (!before.empty()) {
    card.flow.text("= ", card.dim());
    card.flow.text(before, card.dim());
    card.flow.next_line();
  }
  card.flow.text("= ", card.dim());
  card.flow.text(shown_number(card.explanation.result), card.ink());
  card.flow.next_line();
}

// Heading: "q₂ · k₁ = Σ over 3 products".
void dot_heading(const RuleCard& card) {
  const Explanation& e = card.explanation;
  if (!e.terms.empty() && e.terms.front().factors.size() == 2) {
    for (int i = 0; i < 2; ++i) {
      const Source& source = e.terms.front().factors[static_cast<std::size_t>(i)];
      const std::size_t rank = source.index.size();
      const bool last = source.is_weight || rank < 2 || (i == 1 && e.cell.site.is(StepRole::head_out));
      const std::int64_t own = last ? source.index.back() : source.index[rank - 2];
      if (i == 1) card.flow.text(" · ", card.dim());
      card.flow.text(symbol_of(source) + subscript(own), colour_of(source));
    }
    card.flow.text(" = ", card.dim());
  }
  const auto products = std::count_if(e.terms.begin(), e.terms.end(),
                                      [](const Term& term) { return term.factors.size() == 2; });
  plain(card, tr(products == 1 ? "inspector.dot.one" : "inspector.dot", {std::to_string(products)}));
}

// The token of a term: its key's, or its row's if the terms have different rows; else empty.
std::string inspector_rule_token_of(const RuleCard& card, const Term& term) {
  const Explanation& e = card.explanation;
  if (e.terms.size() < 2 || term.factors.empty()) return {};
  const RunResult& run = *card.context.run;
  const Trace& trace = card.trace();
  const Source& source = term.factors.front();
  const Record* record = source.is_weight ? nullptr : trace.find(source.site);
  if (!record || record->axes.size() != source.index.size()) return {};
  const Source &one = e.terms[0].factors.front(), &two = e.terms[1].factors.front();
  if (one.site != two.site || one.index.size() != two.index.size()) return {};
  for (std::size_t d = 0; d < record->axes.size(); ++d) {
    const Axis axis = record->axes[d];
    if (one.index[d] == two.index[d]) continue;
    if (axis == Axis::vocab && run.document.opened)
      return output_name(*run.document.opened, static_cast<int>(source.index[d]));
    if (axis != Axis::key && axis != Axis::query && axis != Axis::pos) return {};
    return row_name(run, card.sequence(), rows_stack(source.site, axis),
                    stack_row(trace.config(), source.site, source.index[d]));
  }
  return {};
}

void say_token(const RuleCard& card, const Term& term) {
  const std::string token = inspector_rule_token_of(card, term);
  if (token.empty()) return;
  note_text(token);
  card.flow.text("  " + token, card.ink());
}

void term_line(const RuleCard& card, std::size_t at, bool first) {
  const Term& term = card.explanation.terms[at];
  card.flow.text(first ? "= " : "+ ", card.dim());
  for (std::size_t i = 0; i < term.factors.size(); ++i) {
    if (i > 0) card.flow.text(" × ", card.dim());
    operand(card, term.factors[i], format("term%zu_%zu", at, i));
  }
  say_token(card, term);
  const bool alone = card.explanation.terms.size() == 1;
  if (term.factors.size() > 1 && !alone)
    card.flow.right(shown_number(term.value), card.dim());
  else if (term.factors.size() == 1)
    card.flow.aside(short_name(card, term.factors.front()), card.dim());
  card.flow.next_line();
}

// Lines of the terms; only a few of them until "all" is clicked.
void term_lines(const RuleCard& card, void (*line)(const RuleCard&, std::size_t, bool)) {
  InspectorState& state = card.context.workspace.inspector;
  const std::vector<std::size_t>& order = card.cache.order;
  const std::size_t shown = std::min(order.size(), state.all_terms ? kMostRuleTerms : kFewTerms);
  for (std::size_t i = 0; i < shown; ++i) line(card, order[i], i == 0);
  if (order.size() <= kFewTerms) return;
  const auto toggle = [&](const char* id, const std::string& text, bool& value) {
    if (card.flow.link(id, text, theme().accent)) value = !value;
  };
  const std::string rest = std::to_string(order.size() - shown);
  if (order.size() > shown && state.all_terms) {
    card.flow.words(tr("inspector.more.too_many", {rest}), card.dim());
    card.flow.next_line();
  } else {
    toggle("###more", state.all_terms ? tr("inspector.fewer") : tr("inspector.more", {rest}),
           state.all_terms);
    card.flow.space(16);
  }
  toggle("###order", tr(state.largest_first ? "inspector.order.plain" : "inspector.order.largest"),
         state.largest_first);
  card.flow.next_line();
}

void dot(const RuleCard& card) {
  dot_heading(card);
  term_lines(card, term_line);
  const double factor = rule_aside(card.explanation, "factor"), cap = rule_aside(card.explanation, "cap");
  if (factor != 0) plain(card, tr("inspector.dot.factor", {shown_number(factor)}));
  if (cap != 0) plain(card, tr("inspector.dot.cap", {shown_number(cap)}));
  result(card);
}

void sum(const RuleCard& card) {
  const Explanation& e = card.explanation;
  term_lines(card, term_line);
  if (rule_aside(e, "slope") != 0) {
    card.flow.text(
        "+ " + shown_number(rule_aside(e, "slope")) + " × " + shown_number(rule_aside(e, "distance")),
        card.dim());
    card.flow.right(shown_number(rule_aside(e, "bias")), card.dim());
    card.flow.next_line();
    plain(card, tr("inspector.bias.alibi"));
  } else if (e.cell.site.is(StepKind::bias)) {
    plain(card,
          tr("inspector.bias.bucket", {std::to_string(static_cast<std::int64_t>(rule_aside(e, "bucket")))}));
  }
  result(card);
}

// A formula of one operand, and what it gives.
void around_operand(const RuleCard& card, const std::string& before, const std::string& after) {
  card.flow.text(before, card.dim());
  operand(card, card.explanation.terms.front().factors.front(), "term0_0");
  card.flow.text(after, card.dim());
  card.flow.next_line();
  result(card);
}

void cap(const RuleCard& card) {
  const std::string value = shown_number(rule_aside(card.explanation, "cap"));
  plain(card, tr("inspector.cap", {value}));
  around_operand(card, "= " + value + " · tanh(", " / " + value + ")");
}

void named(const RuleCard& card, const char* label, double value) {
  card.flow.text(label, card.dim());
  card.flow.right(shown_number(value), card.ink());
  card.flow.next_line();
}

void named_source(const RuleCard& card, const char* label, const Source& source, const char* id) {
  card.flow.text(std::string(label) + " ", card.dim());
  operand(card, source, id);
  card.flow.aside(short_name(card, source), card.dim());
  card.flow.next_line();
}

// The smallest magnitude of the terms that is not 0; 0 if all are.
double least_term(const Explanation& explanation) {
  double least = 0;
  for (const Term& term : explanation.terms)
    if (const double size = std::fabs(term.value); size > 0 && (least == 0 || size < least)) least = size;
  return least;
}

// "exp(0.3 − 0.9) = 0.55" for one key of the row.
void softmax_line(const RuleCard& card, std::size_t at, bool) {
  const Term& term = card.explanation.terms[at];
  const bool own = static_cast<int>(at) == card.explanation.own;
  const Source& from = term.factors.front();
  const std::string name = from.site.is(StepRole::sinks)
                               ? std::string(tr("inspector.softmax.sink"))
                               : tr("inspector.softmax.key", {std::to_string(from.index.back())});
  card.flow.text(name + " ", own ? card.ink() : card.dim());
  operand(card, term.factors.front(), format("term%zu_0", at));
  say_token(card, term);
  card.flow.right("exp " + shown_in_list(term.value, least_term(card.explanation)),
                  own ? theme().accent : card.dim());
  card.flow.next_line();
}

void softmax(const RuleCard& card) {
  const Explanation& e = card.explanation;
  const auto sight = std::count_if(e.terms.begin(), e.terms.end(), [](const Term& term) {
    return term.value > 0 && !term.factors.front().site.is(StepRole::sinks);
  });
  const bool words = e.cell.site.is(StepRole::probs);
  if (!words) plain(card, tr("inspector.softmax", {std::to_string(sight)}));
  named(card, tr("inspector.softmax.max"), rule_aside(e, "max"));
  term_lines(card, softmax_line);
  named(card, tr("inspector.softmax.sum"), rule_aside(e, "sum"));
  const double own = e.own >= 0 && e.own < static_cast<int>(e.terms.size())
                         ? e.terms[static_cast<std::size_t>(e.own)].value
                         : 0;
  result(card, shown_in_list(own, least_term(e)) + " ÷ " + shown_number(rule_aside(e, "sum")));
}

void norm(const RuleCard& card) {
  const Explanation& e = card.explanation;
  plain(card, text_of(formula_pieces(card.trace(), e.cell.site)));
  if (e.terms.empty()) return result(card);
  named_source(card, "x", e.terms.front().factors.front(), "norm_x");
  card.flow.text("μ " + shown_number(rule_aside(e, "mean")), card.dim());
  card.flow.next_line();
  const bool recorded = e.terms.size() > 1 && !e.terms[1].factors.front().is_weight;
  if (recorded)
    named_source(card, "σ", e.terms[1].factors.front(), "norm_scale");
  else
    named(card, "σ", rule_aside(e, "scale"));
  for (std::size_t i = recorded ? 2 : 1; i < e.terms.size(); ++i) {
    const Source& source = e.terms[i].factors.front();
    const bool bias = ends_with(source.name, "bias");
    named_source(card, bias ? "β" : "γ", source, bias ? "norm_bias" : "norm_weight");
  }
  result(card);
}

void norm_scale(const RuleCard& card) {
  const Explanation& e = card.explanation;
  const bool rms = norm_spec(card.trace().config(), e.cell.site).kind == NormSpec::Kind::rms;
  plain(card,
        tr(rms ? "inspector.norm_scale.rms" : "inspector.norm_scale", {std::to_string(e.terms.size())}));
  if (!rms) named(card, tr("inspector.mean"), rule_aside(e, "mean"));
  named(card, tr(rms ? "inspector.mean_square" : "inspector.variance"), rule_aside(e, "variance"));
  term_lines(card, term_line);
  result(card, "√ " + shown_number(rule_aside(e, "variance")));
}

void rotate(const RuleCard& card) {
  const Explanation& e = card.explanation;
  if (e.terms.size() < 2) return sum(card);
  plain(card, tr("inspector.rotate", {shown_number(rule_aside(e, "angle"))}));
  const double factors[2] = {rule_aside(e, "cos"), rule_aside(e, "sin")};
  for (std::size_t i = 0; i < 2; ++i) {
    card.flow.text(i == 0                                                                 ? "= "
                   : e.terms[1].value * e.terms[1].factors.front().value * factors[1] < 0 ? "− "
                                                                                          : "+ ",
                   card.dim());
    operand(card, e.terms[i].factors.front(), format("term%zu_0", i));
    card.flow.text(std::string(i == 0 ? " × cos " : " × sin ") + shown_number(factors[i]), card.dim());
    card.flow.right(shown_number(e.terms[i].value), card.dim());
    card.flow.next_line();
  }
  result(card);
}

void scale(const RuleCard& card) {
  around_operand(card, "= ", " × " + shown_number(rule_aside(card.explanation, "factor")));
}

void mask(const RuleCard& card) {
  const Explanation& e = card.explanation;
  if (e.terms.size() < 2) return sum(card);
  const bool allowed = e.terms[1].value != 0;
  plain(card, tr(allowed ? "inspector.mask.allowed" : "inspector.mask.hidden"));
  named_source(card, tr("inspector.mask.score"), e.terms[0].factors.front(), "mask_score");
  named_source(card, tr("inspector.mask.mask"), e.terms[1].factors.front(), "mask_mask");
  result(card);
}

void single(const RuleCard& card, const std::string& sentence) {
  plain(card, sentence);
  if (!card.explanation.terms.empty()) term_line(card, 0, true);
  if (card.explanation.rule != Rule::copy && card.explanation.rule != Rule::lookup) result(card);
}

void spell_out(const RuleCard& card) {
  const Explanation& e = card.explanation;
  if (e.terms.empty() && e.rule != Rule::mask_test) return plain(card, tr("inspector.given"));
  switch (e.rule) {
    case Rule::dot: return dot(card);
    case Rule::sum: return sum(card);
    case Rule::softmax: return softmax(card);
    case Rule::norm: return norm(card);
    case Rule::norm_scale: return norm_scale(card);
    case Rule::rotate: return rotate(card);
    case Rule::scale: return scale(card);
    case Rule::cap: return cap(card);
    case Rule::mask: return mask(card);
    case Rule::mask_test:
      return plain(card, tr(e.result != 0 ? "inspector.mask.allowed" : "inspector.mask.hidden"));
    case Rule::copy: return single(card, tr("inspector.copy"));
    case Rule::lookup:
      if (e.cell.site.is(StepRole::sinks)) return single(card, tr("inspector.copy"));
      return single(card, tr("inspector.lookup", {shown_number(rule_aside(e, "row"))}));
    case Rule::activation: return single(card, tr("inspector.activation"));
    case Rule::product: return single(card, tr("inspector.product"));
  }
}

// In the order of summation, or by magnitude.
void sort_terms(InspectorCache& cache, const Explanation& explanation, const std::string& key,
                bool largest_first) {
  const std::string wanted = key + (largest_first ? "+" : "");
  if (cache.order_key == wanted) return;
  cache.order_key = wanted;
  cache.order.resize(explanation.terms.size());
  std::iota(cache.order.begin(), cache.order.end(), std::size_t{0});
  if (!largest_first) return;
  std::stable_sort(cache.order.begin(), cache.order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(explanation.terms[a].value) > std::fabs(explanation.terms[b].value);
  });
}

}  // namespace

void draw_rule(const PanelContext& context, const Explanation& explanation, const std::string& key) {
  InspectorCache& cache = inspector_cache(context.workspace);
  sort_terms(cache, explanation, key, context.workspace.inspector.largest_first);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 p0 = ImGui::GetCursorScreenPos();
  const float right = p0.x + ImGui::GetContentRegionAvail().x;
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  float bottom = 0;
  {
    const WithFont mono(fonts().mono);
    ImGui::SetCursorScreenPos(ImVec2(p0.x, p0.y + px(10)));
    Flow flow(p0.x + px(12), right - px(12));
    const RuleCard card{context, explanation, flow, cache};
    spell_out(card);
    if (explanation.edited) plain(card, tr("inspector.edited", {shown_number(explanation.recorded)}));
    bottom = flow.bottom();
  }
  const ImVec2 p1(right, bottom + px(5));
  list->ChannelsSetCurrent(0);
  list->AddRectFilled(p0, p1, theme().panel_raised, px(metric::kRounding));
  list->AddRect(p0, p1, theme().border, px(metric::kRounding));
  list->ChannelsMerge();
  ImGui::SetCursorScreenPos(p0);
  ImGui::Dummy(ImVec2(right - p0.x, p1.y - p0.y));
}

}  // namespace attnscope
