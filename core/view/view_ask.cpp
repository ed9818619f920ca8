// Which head does the answer need? What the likeliest output loses in runs without one head each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lens/sweep.h"
#include "core/sample/sampler.h"
#include "core/session/document.h"
#include "core/view/ask_figures.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr double kMostWork = 4e8;  // multiply-adds, about: what is run while a number is dragged

// The runs without a head each. Errors: a run that cannot be run again, one that would take too long.
Result<Sweep> without_each_head(const ViewState& state, std::int64_t row, int answer) {
  const Trace& run = *state.run;
  const auto& model = state.opened->model;
  if (!model || run.weights().all().empty()) return fail(Code::not_found, "error.view.no_rerun");
  if (run.shared_weights().get() != &model->weights() || &run.config() != &model->config())
    return fail(Code::not_found, "error.view.other_model");
  const ModelConfig& stack = run.config().of(state.place.stack);
  const std::int64_t heads = std::int64_t{stack.n_layers()} * run.find(state.place.pattern(0))->shape[0];
  double weights = 0;
  for (const auto& [name, weight] : run.weights().all()) weights += static_cast<double>(weight.count());
  if (weights * static_cast<double>(run.rows(state.place.stack) * heads) > kMostWork)
    return fail(Code::not_found, "error.view.many_heads");
  LogitMeasure share;
  share.kind = LogitMeasure::Kind::prob, share.target = answer, share.row = row;
  TRY(const Selector steps, Selector::parse(std::string(stack_prefix(state.place.stack)) + "blocks.*." +
                                            (state.place.part == Part::cross ? "cross" : "attn") + ".z"));
  TRY(Sweep sweep, Sweep::ablation(model, state.run, share, steps, {"head"}, {}));
  TRY_OK(sweep.fill());
  return sweep;
}

// Whose heads were switched off: all of them, or those of one attention of a model that has several.
Text asked_heads(const ViewState& state) {
  const char* of = !state.run->config().encoder()    ? "all"
                   : state.place.stack == Stack::enc ? "enc"
                   : state.place.part == Part::cross ? "cross"
                                                     : "self";
  return Text::of(std::string("figure.ask.heads.") + of);
}

// Where a head looks from the row that is looked at.
figure::PartBox looks_part(ViewState there, const std::string& id, int layer, std::int64_t head, Text left,
                           int priority) {
  there.layer = layer, there.head = head;
  figure::MatrixMark looks = attention_row_matrix(there, attention_matrix(there, slot_of(StepRole::pattern)));
  const std::vector<Text> where{looks.rows.labels.front(), layer, head, std::move(left)};
  return figure::leaf({id,
                       std::move(looks),
                       priority,
                       {Text::of("figure.ask.looks", where), Text::of("figure.ask.looks.short", where)},
                       ""});
}

Result<ViewDrawing> draw_ask(const ViewState& state) {
  if (const AskShown* shown = state.asked.get()) {
    if (shown->table) return draw_asked_table(shown->page, *shown->table);
    if (shown->parts) return draw_asked_parts(state, *shown->parts);
    return shown->sweep->over_data() ? draw_asked_data(*shown->sweep) : draw_asked_run(state, *shown);
  }
  const std::int64_t row = answer_row(state);
  const Tensor logits = state.run->logits_row(row);
  if (logits.empty()) return fail(Code::not_found, "error.view.no_logits");
  if (!state.run->find(state.place.pattern(0)) || !state.run->attention(state.place.pattern(0)))
    return fail(Code::not_found, "error.view.no_attention");
  const int answer = next_tokens(logits, Sampling{}).front().id;
  TRY(const Sweep sweep, without_each_head(state, row, answer));
  const int blocks = state.run->config().of(state.place.stack).n_layers();
  std::int64_t heads = 0;
  for (const SweepCell& cell : sweep.cells()) heads = std::max(heads, cell.at.front().begin + 1);
  figure::MatrixMark lost;
  lost.heads = true, lost.scale = figure::Scale::diverging, lost.digits = 1, lost.most = 1;
  std::vector<float> values(static_cast<std::size_t>(blocks * heads),
                            std::numeric_limits<float>::quiet_NaN());
  const SweepCell *most = nullptr, *chosen = nullptr;
  const auto moves = [&](const SweepCell& cell) { return std::abs(cell.value - sweep.base()); };
  for (const SweepCell& cell : sweep.cells()) {
    const double points = 100 * (sweep.base() - cell.value);
    values[static_cast<std::size_t>(cell.site.layer * heads + cell.at.front().begin)] =
        static_cast<float>(points);
    lost.most = std::max(lost.most, std::abs(points));
    if (cell.site.layer == state.layer && cell.at.front().begin == state.head) chosen = &cell;
    if (!most || moves(cell) > moves(*most)) most = &cell;
  }
  lost.values = Tensor::from(std::move(values), {{Axis::none, blocks}, {Axis::none, heads}});
  for (int block = 0; block < blocks; ++block)
    lost.rows.labels.push_back(Text::of("figure.ask.block", {block}));
  for (std::int64_t head = 0; head < heads; ++head)
    lost.cols.labels.push_back(Text::of("figure.ask.head", {head}));
  lost.rows.ink = figure::Ink::query, lost.cols.ink = figure::Ink::key;
  const Text word = answer_name(state, row, answer);
  const std::vector<Text> said{word,
                               percent(sweep.base()),
                               most->site.layer,
                               most->at.front().begin,
                               percent(most->value),
                               asked_heads(state)};
  const char* kind = moves(*most) < 0.0005 ? "none" : most->value < sweep.base() ? "falls" : "rises";
  const std::string key = std::string("figure.ask.") + kind;
  ViewDrawing out{
      {Text::of("figure.ask.question")},
      {Text::of(key, said), Text::of(key + ".short", said)},
      figure::leaf({"lost",
                    std::move(lost),
                    3,
                    {Text::of("figure.ask.title", said), Text::of("figure.ask.title.short", said)},
                    ""})};
  std::vector<figure::PartBox> looks{
      looks_part(state, "row", most->site.layer, most->at.front().begin, percent(most->value), 2)};
  if (chosen && chosen != most)
    looks.push_back(looks_part(state, "chosen", state.layer, state.head, percent(chosen->value), 1));
  out.below = figure::column(std::move(looks));
  return out;
}

}  // namespace

ViewSpec view_ask() { return {"ask", 58, true, true, draw_ask, true}; }

}  // namespace attnscope
