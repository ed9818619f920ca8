// What does a model of these sizes need? Parameters, cache, FLOPs, training and slips, a page each, beside
// those of another preset where one was chosen. All digits of a number stand in its cell.
#include <algorithm>

#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/calc_tables.h"
#include "core/session/asked_table.h"
#include "core/view/calculator.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::TableMark;

constexpr std::array<const char*, 5> kCalcPages{"parameters", "cache", "flops", "training", "slips"};

std::vector<Station> calculator_pages(const ViewState&) {
  std::vector<Station> out;
  for (const char* page : kCalcPages)
    out.push_back({page, Text::of("calculator.pane." + std::string(page)), figure::Ink::accent, {}});
  return out;
}

TableMark table_mark(const CalcTable& table) {
  TableMark out;
  out.most = 0;
  out.header = table.header;
  if (!out.header.empty()) out.header.insert(out.header.begin(), Text());
  for (const CalcLine& line : table.lines) {
    TableMark::Row& row = out.rows.emplace_back();
    row.cells = {line.name}, row.lit = line.strong;
    for (const CalcNumber& number : line.numbers) row.cells.emplace_back(exact_number(number));
  }
  return out;
}

// A weight a row, or the same weight of all blocks, with what its letters come to.
TableMark parameters_mark(const Parameters& all) {
  TableMark out;
  out.header = {Text::of("figure.calculator.column.weight"), Text::of("figure.calculator.column.sizes"),
                Text::of("figure.calculator.column.numbers"), Text::of("figure.calculator.column.count")};
  for (const ParameterRow& row : all.rows) {
    out.rows.push_back({{Text(row.name), Text(row.symbols), Text(row.numbers), Text(row.count.value())},
                        row.count.real(),
                        {}});
    out.most = std::max(out.most, row.count.real());
  }
  return out;
}

TableMark slips_mark(const Calculation& calc) {
  TableMark out;
  for (const auto* texts : {&calc.slips, &calc.notes})
    for (const Text& text : *texts) out.rows.push_back({{Text(out.rows.size() + 1), text}, {}, {}});
  return out;
}

// What it was calculated for.
TableMark sizes_mark(const CalcShown& shown) {
  TableMark out;
  const auto add = [&](Text name, Text value) {
    out.rows.push_back({{std::move(name), std::move(value)}, {}, {}});
  };
  Sizes sizes = sizes_of(shown.model);
  for (const std::string& name : size_names())
    if (const std::int64_t size = *size_named(sizes, name); size > 0)
      add(Text::of("calculator.size." + name), Text(size));
  add(Text::of("calculator.seq"), Text(shown.work.seq));
  add(Text::of("calculator.batch"), Text(shown.work.batch));
  add(Text::of("figure.calculator.dtype"), Text(shown.work.dtype.name));
  return out;
}

TableMark page_mark(const std::string& page, const CalcShown& shown, const CalcChosen& chosen) {
  const std::optional<Machine> machine = calc_machine(chosen);
  const Machine* const on = machine ? &*machine : nullptr;
  if (page == "parameters") return parameters_mark(shown.calc.parameters);
  if (page == "cache") return table_mark(cache_lines(shown.model, shown.calc));
  if (page == "flops") return table_mark(flops_lines(shown.calc, shown.work, on));
  if (page == "slips") return slips_mark(shown.calc);
  const double active = shown.calc.parameters.active.real();
  return table_mark(training_lines(training_cost(active, chosen.tokens, chosen.served), on));
}

Text calculator_said(const std::string& page, const CalcShown& shown, const CalcChosen& chosen) {
  const auto count = [](Count number) { return format_count(number.value()); };
  const auto bytes = [](Count number) { return format_bytes(static_cast<std::uint64_t>(number.value())); };
  const Calculation& calc = shown.calc;
  const Text title(printable(shown.model.title, 80));
  const std::string key = "figure.calculator." + page;
  if (page == "parameters")
    return Text::of(
        key, {title, count(calc.parameters.total), bytes(calc.traffic.weights), shown.work.dtype.name});
  if (page == "cache" && calc.forms.own.value() == 0) return Text::of("calc.note.no_decoding");
  if (page == "cache")
    return Text::of(key, {title, shown.work.seq, shown.work.batch, binary_bytes(calc.cache.total())});
  if (page == "flops")
    return Text::of(key, {title, shown.work.seq, count(calc.forward.prefill_per_token()),
                          count(calc.forward.decode_per_token())});
  if (page == "slips") return Text::of(key, {title, calc.slips.size(), calc.notes.size()});
  const TrainingCost cost = training_cost(calc.parameters.active.real(), chosen.tokens, chosen.served);
  return Text::of(key, {title, format("%.4g", cost.tokens), format("%.4g", cost.training_flops)});
}

std::optional<figure::PartBox> page_leaf(const std::string& id, const std::string& page,
                                         const CalcShown& shown, const CalcChosen& chosen) {
  TableMark mark = page_mark(page, shown, chosen);
  if (mark.rows.empty()) return std::nullopt;
  return figure::leaf({id,
                       std::move(mark),
                       1,  // a column of a page is too narrow for it
                       {Text::of("figure.calculator.of",
                                 {Text::of("calculator.pane." + page), printable(shown.model.title, 80)}),
                        Text::of("calculator.pane." + page)},
                       ""});
}

Result<ViewDrawing> draw_calculator(const ViewState& state) {
  if (state.level == Level::easy) return fail(Code::unsupported, "error.view.full_only");
  const CalcChosen chosen = state.calc ? *state.calc : CalcChosen{};
  const bool known = std::find(kCalcPages.begin(), kCalcPages.end(), state.page) != kCalcPages.end();
  const std::string page = known ? state.page : kCalcPages.front();
  TRY(const CalcShown shown, calc_shown(chosen, *state.opened));
  ViewDrawing out;
  out.question = {Text::of("figure.calculator.question")};
  out.sentence = {calculator_said(page, shown, chosen)};
  std::vector<figure::PartBox> parts;
  if (auto leaf = page_leaf(page, page, shown, chosen)) parts.push_back(*std::move(leaf));
  if (!chosen.beside.empty()) {
    TRY(const CalcShown other, calc_beside(chosen, shown.work));
    if (auto leaf = page_leaf(page + "_beside", page, other, chosen)) parts.push_back(*std::move(leaf));
  }
  parts.push_back(figure::leaf({"sizes", sizes_mark(shown), 1, {Text::of("figure.calculator.sizes")}, ""}));
  out.picture = figure::either(std::move(parts));
  return out;
}

void choose_calculator(const nlohmann::json& chosen, ViewState& state) {
  state.calc = std::make_shared<const CalcChosen>(calc_chosen(chosen));
  if (state.page.empty()) state.page = state.calc->pane;
}

}  // namespace

ViewSpec view_calculator() {
  ViewSpec out{"calculator", 120, true, false, draw_calculator};
  out.stations = calculator_pages;
  out.choose = choose_calculator;
  out.row = false;
  return out;
}

}  // namespace attnscope
