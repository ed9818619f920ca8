#include "core/lesson/worksheet.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_number.h"
#include "core/lesson/leaks.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::int64_t kWorksheetMostCells = 16;  // rows or columns of a table on paper
constexpr int kLines = 2;                         // to work on, under a number or a shape

constexpr const char* kStyle = R"(
@page { margin: 18mm 16mm; }
body { font: 11.5pt/1.5 "Noto Sans", "Noto Sans CJK KR", "Noto Sans KR", sans-serif; color: #16181d; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6em; margin: 0 0 .3em; } h2 { font-size: 1.15em; margin: 0 0 .2em; }
header { border-bottom: 2px solid #16181d; margin-bottom: 1.5em; padding-bottom: .4em; }
header p { display: flex; gap: 2em; margin: 0; } header span { flex: 1; border-bottom: 1px solid #16181d; margin-left: .5em; } header label { display: flex; flex: 1; }
section { break-inside: avoid; margin-bottom: 2em; } section p { margin: .2em 0 .6em; }
.ask { font-weight: 600; } .line { border-bottom: 1px solid #8a8f99; height: 2em; } .answer { border-left: 4px solid #16181d; padding-left: .7em; margin: .6em 0; }
.notes { font-size: .92em; color: #444; } .said { font-family: monospace; } ul { list-style: none; padding: 0; columns: 2; } li::before { content: "\2610\00a0"; } li.right::before { content: "\2611\00a0"; } li.right { font-weight: 600; }
table { border-collapse: collapse; margin: .6em 0; font: 9.5pt/1.3 "JetBrains Mono", "DejaVu Sans Mono", monospace; } caption { text-align: left; font: 600 9.5pt sans-serif; padding-bottom: .3em; }
td, th { border: 1px solid #8a8f99; padding: .2em .45em; text-align: right; min-width: 2.2em; height: 1.4em; } th { border: 0; font-weight: 400; } td { print-color-adjust: exact; -webkit-print-color-adjust: exact; } td.own { background: #fff7d6; } td.off { background: #e9ebef; }
img { max-width: 100%; max-height: 8.5cm; display: block; margin: .6em 0; }
@media print { body { margin: 0; font-size: 10.5pt; } section { margin-bottom: 1.2em; } img { max-height: 7cm; } }
)";

std::string element(const char* name, const std::string& text, const char* kind = "") {
  const std::string open = *kind ? std::string(name) + " class=\"" + kind + "\"" : std::string(name);
  return "<" + open + ">" + xml_text(text) + "</" + name + ">\n";
}

// ---- tables ---------------------------------------------------------------------------------------

/// A table of cells: labels, and what stands in each.
struct Grid {
  std::string caption;
  std::vector<std::string> rows, cols;
  struct Cell {
    std::string text;
    const char* kind = "";  ///< "own": to be filled in; "off": hidden by the mask
  };
  std::vector<Cell> cells;  ///< row by row
};

std::string html(const Grid& grid) {
  std::string out = "<table><caption>" + xml_text(grid.caption) + "</caption>\n<tr><th></th>";
  for (const std::string& col : grid.cols) out += "<th>" + xml_text(col) + "</th>";
  out += "</tr>\n";
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    out += "<tr><th>" + xml_text(grid.rows[row]) + "</th>";
    for (std::size_t col = 0; col < grid.cols.size(); ++col) {
      const Grid::Cell& cell = grid.cells[row * grid.cols.size() + col];
      out += std::string("<td") + (*cell.kind ? std::string(" class=\"") + cell.kind + "\"" : "") + ">" +
             xml_text(cell.text) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

bool is_count(double value) { return value == std::round(value) && std::fabs(value) < 1000; }

std::string cell_number(double value, bool counts) {
  if (std::isinf(value)) return value < 0 ? "\u2212\u221e" : "\u221e";
  if (counts) return lesson_number(value);
  const std::string digits = format(std::fabs(value) < 100 ? "%.4f" : "%.2f", std::fabs(value));
  return std::signbit(value) && digits.find_first_of("123456789") != std::string::npos ? "\u2212" + digits
                                                                                       : digits;
}

std::string axis_label(const ExpressionScope& scope, const Site& site, Axis axis, std::int64_t index) {
  const bool tokens = axis == Axis::pos || axis == Axis::query || axis == Axis::key;
  return tokens ? scope.run.label(scope.sequence, rows_stack(site, axis), index) : std::to_string(index);
}

/// The step that a page looks at: its axes of two, the others as the page's cursor has them.
struct StepPlane {
  Site site;
  std::vector<std::pair<std::string, std::int64_t>> fixed;
  Axis row = Axis::pos, col = Axis::pos;
  std::int64_t rows = 0, cols = 0;
};

std::optional<StepPlane> plane_of(const Page& page, const ExpressionScope& scope) {
  const nlohmann::json& look = page.state.look();
  if (!look.is_object() || !look.contains("cursor")) return {};
  const nlohmann::json& cursor = look["cursor"];
  const auto site = parse_site(cursor.value("step", std::string()));
  const Record* record = site ? scope.run.trace(scope.sequence).find(*site) : nullptr;
  if (!record || record->axes.size() < 2) return {};
  StepPlane out;
  out.site = *site;
  const std::size_t last = record->axes.size() - 1;
  // view_q and its like lie as [pos, head, d_head]: the head is the one axis that is never spread out.
  std::vector<std::size_t> spread;
  for (std::size_t i = 0; i <= last; ++i)
    if (record->axes[i] != Axis::head) spread.push_back(i);
  if (spread.size() != 2) return {};
  for (std::size_t i = 0; i <= last; ++i)
    if (record->axes[i] == Axis::head)
      out.fixed.emplace_back(
          "head", std::min(whole_at(cursor, "head", 0, 1 << 30).value_or(0), record->shape[i] - 1));
  out.row = record->axes[spread[0]], out.rows = record->shape[spread[0]];
  out.col = record->axes[spread[1]], out.cols = record->shape[spread[1]];
  if (out.rows > kWorksheetMostCells || out.cols > kWorksheetMostCells) return {};
  return out;
}

bool covers(const Target& target, const StepPlane& plane, std::int64_t row, std::int64_t col) {
  if (target.kind != Target::Kind::step || !(target.site == plane.site)) return false;
  return std::all_of(target.at.begin(), target.at.end(), [&](const AxisRange& range) {
    const auto within = [&](std::int64_t index) { return index >= range.begin && index < range.end; };
    if (range.axis == axis_name(plane.row)) return within(row);
    if (range.axis == axis_name(plane.col)) return within(col);
    return std::any_of(plane.fixed.begin(), plane.fixed.end(),
                       [&](const auto& fixed) { return fixed.first == range.axis && within(fixed.second); });
  });
}

// What any page of the same model hides: on paper all of them lie open at once.
std::vector<Target> hidden_on_paper(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  std::vector<Target> out;
  for (const Page& other : lesson.pages) {
    if (other.state.model != page.state.model) continue;
    if (const auto targets = hidden_targets(other, scope))
      out.insert(out.end(), targets->begin(), targets->end());
  }
  return out;
}

Result<std::string> numbers_table(const Lesson& lesson, const Page& page, const ExpressionScope& scope,
                                  bool answers) {
  const auto plane = plane_of(page, scope);
  if (!plane) return std::string();
  std::string place = to_text(plane->site);
  for (const auto& [axis, index] : plane->fixed) place += "[" + axis + "=" + std::to_string(index) + "]";
  TRY(const ExpressionValue numbers, numbers_at(place, scope));
  const std::vector<Target> hidden = hidden_on_paper(lesson, page, scope);
  const bool counts = std::all_of(numbers.numbers.begin(), numbers.numbers.end(), is_count);
  Grid grid;
  grid.caption = std::string(step_title(step_of(plane->site.slot))) + "  " + place;
  for (std::int64_t row = 0; row < plane->rows; ++row)
    grid.rows.push_back(axis_label(scope, plane->site, plane->row, row));
  for (std::int64_t col = 0; col < plane->cols; ++col)
    grid.cols.push_back(axis_label(scope, plane->site, plane->col, col));
  for (std::int64_t row = 0; row < plane->rows; ++row)
    for (std::int64_t col = 0; col < plane->cols; ++col) {
      const bool own = std::any_of(hidden.begin(), hidden.end(),
                                   [&](const Target& target) { return covers(target, *plane, row, col); });
      const double value = numbers.numbers[static_cast<std::size_t>(row * plane->cols + col)];
      grid.cells.push_back({own && !answers ? std::string() : cell_number(value, counts), own ? "own" : ""});
    }
  return html(grid);
}

// ---- questions ------------------------------------------------------------------------------------

/// The mask to draw as squares; filled with the right mask where answers are wanted.
Result<std::string> mask_table(const MaskAsk& ask, const ExpressionScope& scope, bool answers) {
  const std::int64_t length = scope.run.trace(scope.sequence).length;
  if (length > kWorksheetMostCells) return std::string();
  TRY(const Mask wanted, wanted_mask(ask, scope));
  Grid grid;
  grid.caption = tr("worksheet.mask");
  for (std::int64_t pos = 0; pos < length; ++pos) grid.rows.push_back(scope.run.label(scope.sequence, pos));
  grid.cols = grid.rows;
  for (std::int64_t query = 0; query < length; ++query)
    for (std::int64_t key = 0; key < length; ++key) {
      const bool open = wanted.allowed(query, key);
      grid.cells.push_back(answers ? Grid::Cell{open ? "1" : "0", open ? "" : "off"} : Grid::Cell{"", "own"});
    }
  return html(grid);
}

/// The bars to draw: a row for each, with its share where answers are wanted.
Result<std::string> bars_table(const BarsAsk& ask, const ExpressionScope& scope, bool answers) {
  TRY(const SharesRow row, bar_row(ask, scope));
  Grid grid;
  const bool curve = ask.is_curve();
  grid.caption = curve ? tr("worksheet.curve", {lesson_number(ask.top)}) : tr("worksheet.bars");
  grid.cols = {curve ? "" : "%"};
  for (std::size_t i = 0; i < row.names.size(); ++i) {
    grid.rows.push_back(row.names[i].str());
    const double value = row.shares[i] * (curve ? ask.top : 100);
    grid.cells.push_back({answers ? format(curve ? "%.3g" : "%.0f", value) : std::string(), "own"});
  }
  return html(grid);
}

/// What may be looked at, with the numbers where answers are wanted.
Result<std::string> looks_table(const Lesson& lesson, const Page& page, const ChoiceAsk& ask,
                                const ExpressionScope& scope, bool answers) {
  Grid grid;
  grid.caption = tr("worksheet.looks", {std::to_string(ask.budget)});
  grid.cols = {tr("lessons.probe.faulty"), tr("lessons.probe.whole")};
  for (const ChoiceAsk::Look& look : ask.looks) {
    TRY(const LookTold told, look_told(look, scope));
    grid.rows.push_back(page_words(lesson, page, "look." + look.id));
    grid.cells.push_back({answers ? told.faulty.str() : std::string(), "own"});
    grid.cells.push_back({told.whole.str(), ""});
  }
  return html(grid);
}

/// What is to be reached, and the numbers that may be set for it.
std::string build_lists(const Lesson& lesson, const Page& page, const ChangeAsk& ask) {
  std::string out = "<ul>\n";
  for (const ChangeAsk::Goal& goal : ask.goals)
    out += element("li", Text::of(page_key(lesson, page, "goal." + goal.id), {Text("___")}).str());
  out += "</ul>\n<ul>\n";
  for (const ChangeAsk::Knob& knob : ask.knobs)
    out += element("li", page_words(lesson, page, "number." + knob.id) + ": ____");
  return out + "</ul>\n";
}

/// The steps to number, as the page has them.
std::string order_list(const OrderAsk& ask) {
  std::string out = "<ul>\n";
  for (const Site& step : ask.steps) out += element("li", "____ " + ask.name_of(step).str());
  return out + "</ul>\n";
}

Result<std::string> choices(const Lesson& lesson, const Page& page, const ChoiceAsk& ask,
                            const ExpressionScope& scope, bool answers) {
  std::string out = "<ul>\n";
  for (const ChoiceAsk::Choice& choice : ask.choices) {
    TRY(const double when, choice.when.number(scope));
    out += element("li", answer_text(lesson, page, Answer(choice.id), scope).str(),
                   answers && when != 0 ? "right" : "");
  }
  return out + "</ul>\n";
}

// On pages where something is changed, what is said is true of the run after the change.
Result<Text> because_at_end(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  if (!std::holds_alternative<ChangeAsk>(page.ask) && !std::holds_alternative<MaskAsk>(page.ask))
    return because_text(lesson, page, scope);
  PageRun run;
  TRY_OK(run.open(page.state));
  TRY_OK(run.edit([&](Document& document) { return show_answer(document, page); }));
  return because_text(lesson, page, {run.run(), &run.first(), scope.sequence, {}});
}

Result<std::string> answer_part(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  TRY(const std::string right, answer_in_words(lesson, page, scope));
  std::string out = "<div class=\"answer\">\n" + element("p", tr("worksheet.answer", {right}));
  TRY(const Text because, because_at_end(lesson, page, scope));
  if (!because.empty()) out += element("p", because.str());
  for (const char* hint : {"hint1", "hint2"}) out += element("p", page_words(lesson, page, hint), "notes");
  return out + "</div>\n";
}

Result<std::string> ask_part(const Lesson& lesson, const Page& page, const ExpressionScope& scope,
                             bool answers) {
  if (page.ask.index() == 0) return std::string();
  std::string out = element("p", page_words(lesson, page, "ask"), "ask");
  const auto* choice = std::get_if<ChoiceAsk>(&page.ask);
  if (choice) {
    if (choice->is_probe()) {
      TRY(const std::string looks, looks_table(lesson, page, *choice, scope, answers));
      out += looks;
    }
    TRY(const std::string list, choices(lesson, page, *choice, scope, answers));
    out += list;
  }
  if (const auto* mask = std::get_if<MaskAsk>(&page.ask)) {
    TRY(const std::string table, mask_table(*mask, scope, answers));
    out += table;
  }
  if (const auto* bars = std::get_if<BarsAsk>(&page.ask)) {
    TRY(const std::string table, bars_table(*bars, scope, answers));
    out += table;
  }
  if (const auto* change = std::get_if<ChangeAsk>(&page.ask); change && change->is_build())
    out += build_lists(lesson, page, *change);
  const auto* order = std::get_if<OrderAsk>(&page.ask);
  if (order) out += order_list(*order);
  if (answers) {
    TRY(const std::string part, answer_part(lesson, page, scope));
    return out + part;
  }
  if (!choice && !order && !std::holds_alternative<BarsAsk>(page.ask))
    for (int line = 0; line < kLines; ++line) out += "<div class=\"line\"></div>\n";
  return out;
}

std::string picture_part(const std::string& svg, const std::string& about) {
  return "<img alt=\"" + xml_text(about) + "\" src=\"data:image/svg+xml;base64," +
         base64({reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size()}) + "\">\n";
}

// What is said to a model that sees a picture: on the screen it stands over the stage, in no figure.
std::string instruction_part(const ExpressionScope& scope) {
  const auto sequence = static_cast<std::size_t>(scope.sequence);
  const Sequence& said = scope.run.document.sequences[sequence];
  if (scope.run.traces[sequence]->input.pixels.empty() || said.text.empty()) return {};
  return element("p", said.text, "said");
}

Result<std::string> page_part(const Lesson& lesson, std::size_t index, bool answers, const std::string& svg) {
  const Page& page = lesson.pages[index];
  PageRun run;
  if (const Status opened = run.open(page); !opened) return at_field(lesson, page.id, "open", opened.error());
  const ExpressionScope scope = scope_of(page, run);
  const std::string title = page_words(lesson, page, "title");
  std::string out = "<section>\n" + element("h2", std::to_string(index + 1) + "  " + title) +
                    element("p", page_words(lesson, page, "text")) + instruction_part(scope);
  if (svg.empty()) {
    TRY(const std::string table, numbers_table(lesson, page, scope, answers));
    out += table;
  } else {
    out += picture_part(svg, title);
  }
  const auto asked = ask_part(lesson, page, scope, answers);
  if (!asked) return at_field(lesson, page.id, "ask", asked.error());
  out += *asked;
  if (const std::string notes = page_notes(lesson, page); answers && !notes.empty())
    out += element("p", notes, "notes");
  return out + "</section>\n";
}

}  // namespace

std::string page_notes(const Lesson& lesson, const Page& page) {
  const std::string key = page_key(lesson, page, "notes");
  const Text notes = Text::of(key);
  return notes.has_words() ? notes.str() : std::string();
}

Result<std::string> answer_in_words(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  if (const auto* mask = std::get_if<MaskAsk>(&page.ask)) return mask->text;
  if (const auto* change = std::get_if<ChangeAsk>(&page.ask)) {
    std::vector<std::string> parts;
    for (const auto& edit : change->show) parts.push_back(to_text(*edit));
    for (const std::string& text : change->show_texts) parts.push_back(in_quotes(text));
    return join(parts, "; ");
  }
  if (page.ask.index() == 0) return std::string();
  TRY(const Answer right, right_answer(page, scope));
  return answer_text(lesson, page, right, scope).str();
}

Result<std::string> worksheet_html(const Lesson& lesson, bool answers,
                                   const std::vector<std::string>& pictures) {
  const std::string title = tr(lesson_key(lesson, "title"));
  std::string out = "<!DOCTYPE html>\n<html lang=\"" + language() + "\"><head><meta charset=\"utf-8\">" +
                    element("title", title) + "<style>" + kStyle + "</style></head>\n<body>\n<header>" +
                    element("h1", title);
  if (answers)
    out += element("p", tr("worksheet.with_answers"));
  else
    out += "<p><label>" + xml_text(tr("worksheet.name")) + "<span></span></label><label>" +
           xml_text(tr("worksheet.date")) + "<span></span></label></p>\n";
  const std::string goal_key = lesson_key(lesson, "goal");
  if (const Text goal = Text::of(goal_key); goal.has_words()) out += element("p", goal.str(), "notes");
  out += "</header>\n";
  for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
    TRY(const std::string part,
        page_part(lesson, i, answers, i < pictures.size() ? pictures[i] : std::string()));
    out += part;
  }
  return out + "</body></html>\n";
}

}  // namespace attnscope
