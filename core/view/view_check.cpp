// Is it computed right? Every step with its largest error: against PyTorch's numbers of a shipped model, the
// run compared with, or arrays of another program.
#include <algorithm>

#include "core/base/text.h"
#include "core/session/asked_table.h"
#include "core/system/named_files.h"
#include "core/view/checked_rows.h"

namespace attnscope {
namespace {

// The steps of one page, and what they are compared with.
struct CheckedPage {
  CheckedSteps steps;
  bool torch = false, other_input = false;
};

Result<CheckedPage> against_torch(const ViewState& state) {
  RunCheck found = check_run(*state.opened, *state.run);
  if (found.check.error) return *found.check.error;
  return CheckedPage{std::make_shared<const std::vector<StepDifference>>(std::move(found.check.steps)), true,
                     found.other_input};
}

Result<CheckedPage> against_run(const ViewState& state, std::shared_ptr<const Trace> other) {
  return CheckedPage{
      std::make_shared<const std::vector<StepDifference>>(step_differences({state.run}, {std::move(other)}))};
}

Result<CheckedPage> checked_page(const std::string& page, const CheckChosen& chosen, const ViewState& state) {
  if (page == "torch") return against_torch(state);
  if (page == "run") {
    if (!state.before) return fail(Code::not_found, "error.view.check_nothing");
    return against_run(state, state.before);
  }
  if (chosen.file.empty()) return fail(Code::not_found, "error.view.check_nothing");
  TRY(const std::string path, named_file(chosen.file));
  TRY(const OpenedModel opened, open_recording(path));
  const std::size_t at = std::min(state.sequence, opened.recorded.size() - 1);
  return against_run(state, opened.recorded[at]);
}

// A step a row, in the order of the run; what could not be compared says why.
figure::TableMark steps_mark_of(const CheckRows& rows) {
  figure::TableMark out;
  out.header = {Text::of("check.column.step"), Text::of("check.column.error"), Text::of("check.column.here"),
                Text::of(rows.torch ? "check.torch" : "check.column.there"), Text::of("check.column.at")};
  out.most = rows.border;
  for (const StepDifference& one : rows.all()) {
    figure::TableMark::Row& row = out.rows.emplace_back();
    row.lit = rows.wrong(one);
    row.cells = {Text(one.name())};
    if (!one.compared()) {
      row.cells.insert(row.cells.end(), {one.why, Text(), Text(), Text()});
      continue;
    }
    row.bar = one.error();
    if (std::isfinite(one.error())) out.most = std::max(out.most, one.error());
    row.cells.emplace_back(table_number(one.error()));
    row.cells.emplace_back(table_number(one.first));
    row.cells.emplace_back(table_number(one.second));
    row.cells.emplace_back(one.place());
  }
  return out;
}

std::vector<Station> check_pages(const ViewState& state) {
  std::vector<Station> out;
  const auto add = [&](const char* page) {
    out.push_back({page, Text::of("figure.check.page." + std::string(page)), figure::Ink::accent, {}});
  };
  if (has_reference(*state.opened)) add("torch");
  if (state.before && state.before != state.run) add("run");
  if (state.check && !state.check->file.empty()) add("file");
  return out;
}

Result<ViewDrawing> draw_check(const ViewState& state) {
  if (state.level == Level::easy) return fail(Code::unsupported, "error.view.full_only");
  const CheckChosen chosen = state.check ? *state.check : CheckChosen{};
  const std::string page = state.page.empty() ? check_page(chosen, state) : state.page;
  if (page.empty()) return fail(Code::not_found, "error.view.check_nothing");
  TRY(const CheckedPage found, checked_page(page, chosen, state));
  const CheckRows rows{found.steps, found.torch ? chosen.torch_tolerance : chosen.tolerance, found.torch,
                       found.other_input};
  ViewDrawing out;
  out.question = {Text::of("figure.check.question")};
  out.sentence = {rows.verdict()};
  out.picture = figure::leaf({"steps", steps_mark_of(rows), 1, {Text::of("figure.check.page." + page)}, ""});
  return out;
}

void choose_check(const nlohmann::json& chosen, ViewState& state) {
  state.check = std::make_shared<const CheckChosen>(check_chosen(chosen));
  if (state.page.empty()) state.page = check_page(*state.check, state);
}

}  // namespace

ViewSpec view_check() {
  ViewSpec out{"check", 59, true, false, draw_check};
  out.stations = check_pages;
  out.choose = choose_check;
  out.row = false;
  return out;
}

}  // namespace attnscope
