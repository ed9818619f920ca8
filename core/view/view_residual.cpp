// What does each part add? A waterfall from nothing to the score of the likeliest output, and what the model
// would say if it stopped after each part.
#include <algorithm>
#include <cmath>

#include "core/lens/logit_lens.h"
#include "core/model/tape.h"
#include "core/session/document.h"
#include "core/trace/flow.h"
#include "core/view/edit_marks.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostParts = 40, kMostResidualRows = 8;
constexpr double kShown = 0.005;  // smallest number that two digits show

Text name_of_part(const Site& site) {
  if (site.layer < 0) return Text::of("figure.residual.embed");
  const bool attention = site.is(StepKind::output) || site.is(StepKind::norm1_post);
  return Text::of(!attention                 ? "figure.residual.mlp"
                  : site.part == Part::cross ? "figure.residual.cross"
                                             : "figure.residual.attn",
                  {site.layer});
}

// What the model would say if it stopped after a part.
struct SaidAfter {
  Text word;
  double share = 0;
};
// A row of the waterfall.
struct Addend {
  Text name;
  double value = 0;
  Text word;                    ///< what the lens reads off the stream after it
  std::optional<double> share;  ///< of that word there
  std::string of;               ///< the part as a place; the first of several
  bool edited = false;          ///< an edit touched one of them
};
// A row for each part; of many parts one for each block.
std::vector<Addend> addends_of(const Trace& run, std::int64_t row, const std::vector<Addition>& parts,
                               const Pushes& pushed, const std::vector<SaidAfter>& said) {
  std::vector<Addend> out;
  const bool blocks = parts.size() > kMostResidualRows;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const int layer = parts[at].site.layer;
    const bool same = blocks && layer >= 0 && at > 0 && parts[at - 1].site.layer == layer;
    if (!same)
      out.push_back(
          {blocks && layer >= 0 ? Text::of("figure.residual.block", {layer}) : name_of_part(parts[at].site),
           0,
           Text(),
           {},
           {},
           false});
    const std::vector<AxisRange> here{{"pos", row}};
    if (!same) out.back().of = to_text(parts[at].site) + to_text(here);
    out.back().edited = out.back().edited || touched(run, parts[at].site, here);
    out.back().value += pushed.of[at];
    if (!said.empty()) out.back().word = said[at].word, out.back().share = said[at].share;
  }
  return out;
}

// What the lens reads off the stream after the parts, in their order; none where it has other rows.
std::vector<SaidAfter> said_after(const ViewState& state, const std::vector<Addition>& parts,
                                  std::int64_t row) {
  std::vector<SaidAfter> out;
  const std::vector<LensRow> rows = lens_rows(*state.run);
  if (rows.size() != parts.size()) return out;
  for (const LensRow& one : rows) {
    const std::vector<LensToken> top = lens_top(*state.run, one, row, 1);
    if (top.empty()) return {};
    out.push_back({answer_name(state, row, top.front().token), static_cast<double>(top.front().probability)});
  }
  return out;
}

Result<ViewDrawing> draw_residual(const ViewState& state) {
  const std::int64_t row = answer_row(state);
  const Tensor logits = state.run->logits_row(row);
  if (logits.empty()) return fail(Code::not_found, "error.view.no_logits");
  const NextToken likeliest = next_tokens(logits, Sampling{}).front();
  const int token = likeliest.id;
  const std::vector<Addition> parts = additions(*state.run, row);
  if (parts.empty() || parts.size() > kMostParts) return fail(Code::not_found, "error.view.no_residual");
  TRY(const Pushes pushed, pushes(*state.run, parts, row, token));
  const std::vector<SaidAfter> said = said_after(state, parts, row);
  figure::TableMark table;
  table.card = figure::TableMark::Card::plain, table.tall = true;
  if (!said.empty()) table.said = 2;
  table.most = 0;
  double sum = 0;
  const auto says = [&](Text word, std::optional<double> share) {
    if (said.empty()) return;
    table.rows.back().cells.push_back(std::move(word));
    table.rows.back().cells.push_back(share ? percent(*share) : Text());
    table.rows.back().share = share;
  };
  const auto add = [&](Text name, double value, Text word, std::optional<double> share) {
    table.rows.push_back({{std::move(name), Text(figure::number_text(value, 2))}, value, {}, false, sum});
    says(std::move(word), share);
    sum += value;
    table.most = std::max(table.most, sum), table.least = std::min(table.least, sum);
  };
  const std::vector<Addend> addends = addends_of(*state.run, row, parts, pushed, said);
  for (const Addend& one : addends) {
    add(one.name, one.value, one.word, one.share);
    table.rows.back().of = one.of, table.rows.back().edited = one.edited;
  }
  const Addend& largest = *std::max_element(addends.begin(), addends.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  // Where the parts and the biases do not make the logit: an edit of it, or what is among no part.
  const bool closes = std::abs(pushed.rest) < kShown;
  add(Text::of("figure.residual.bias"), pushed.bias + (closes ? pushed.rest : 0), Text(), {});
  const double made = sum;
  const bool edits = is_edited(*state.run, state.run->main(StepRole::logits)) ||
                     is_edited(*state.run, stack_output(*state.run, state.run->config().stack));
  const char* rest = edits ? "figure.residual.edit" : "figure.residual.rest";
  if (!closes) add(Text::of(rest), pushed.rest, Text(), {});
  table.rows.push_back({{Text::of("figure.residual.total"), Text(figure::number_text(pushed.total, 2))},
                        pushed.total,
                        {},
                        true,
                        0.0});
  says(answer_name(state, row, token), static_cast<double>(likeliest.prob));
  table.most = std::max(table.most, pushed.total), table.least = std::min(table.least, pushed.total);
  table.header = {Text::of("figure.residual.column.part"), Text::of("figure.residual.column.adds")};
  if (!said.empty()) table.header.push_back(Text::of("figure.residual.column.says"));
  if (!said.empty()) table.header.push_back(Text::of("figure.residual.column.share"));
  const std::vector<Text> told{answer_name(state, row, token),
                               figure::number_text(pushed.total, 2),
                               largest.name,
                               figure::number_text(largest.value, 2),
                               figure::number_text(made, 2),
                               figure::number_text(pushed.rest, 2)};
  const char* key = closes  ? "figure.residual.sentence"
                    : edits ? "figure.residual.edited"
                            : "figure.residual.open";
  return ViewDrawing{
      {Text::of("figure.residual.question")},
      {Text::of(key, told), Text::of("figure.residual.short", told)},
      figure::leaf({"waterfall",
                    table,
                    3,
                    {Text::of("figure.residual.title", told), Text::of("figure.residual.title.short")},
                    ""})};
}

}  // namespace

ViewSpec view_residual() { return {"residual", 55, true, true, draw_residual}; }

}  // namespace attnscope
