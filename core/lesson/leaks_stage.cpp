// What the stage of a page shows by itself: the step that it stands at, and the large row below its matrices.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/lesson/leaks.h"
#include "core/step/catalog.h"
#include "core/trace/place_cells.h"
#include "core/trace/provenance.h"

namespace attnscope {
namespace {

/// Where a page's stage stands: a step, one of its heads, one of its rows.
struct StageCursor {
  Site step;
  std::int64_t head = 0, row = 0;
};

std::optional<StageCursor> stage_cursor(const Page& page) {
  const std::string view = page_view(page);
  const nlohmann::json& look = page.state.look();
  if ((view != "steps" && view != "attention") || !look.is_object() || !look.contains("cursor"))
    return std::nullopt;
  const nlohmann::json& cursor = look["cursor"];
  const auto step = parse_site(cursor.value("step", std::string()));
  if (!step) return std::nullopt;
  return StageCursor{*step, cursor.value("head", std::int64_t{0}), cursor.value("query", std::int64_t{0})};
}

// "blocks.0.attn.z[head=1,query={pos('it')}]" from its "[" on: to the "]" that closes it.
std::string bracketed(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
    if (depth == 0) return std::string(text.substr(0, at + 1));
  }
  return {};
}

// The places of this step that an expression reads; those of the page as it was opened are not on the stage.
std::vector<std::string> places_read(const std::string& text, const std::string& step) {
  std::vector<std::string> out;
  for (std::size_t at = text.find(step); at != std::string::npos; at = text.find(step, at + 1)) {
    const std::size_t end = at + step.size();
    const bool whole = end >= text.size() || !(std::isalnum(static_cast<unsigned char>(text[end])) ||
                                               text[end] == '_' || text[end] == '.');
    if (whole)
      out.push_back(step + (end < text.size() && text[end] == '[' ? bracketed(text.substr(end)) : ""));
  }
  return out;
}

std::vector<Target> row_of_stage(const Trace& trace, const StageCursor& stage) {
  const Record* record = trace.find(stage.step);
  if (!record || record->shape.size() < 2) return {};
  std::vector<std::int64_t> index(record->shape.size(), 0);
  const std::size_t row_axis = record->shape.size() - 2;
  index[row_axis] = std::clamp<std::int64_t>(stage.row, 0, record->shape[row_axis] - 1);
  if (record->axes.front() == Axis::head)
    index.front() = std::clamp<std::int64_t>(stage.head, 0, record->shape.front() - 1);
  std::vector<Target> out;
  const auto add = [&](const Site& site, const std::vector<std::int64_t>& at) {
    const Record* there = trace.find(site);
    if (!there || there->shape != record->shape || at.size() != there->shape.size()) return;
    Target row;
    row.site = site;
    for (std::size_t d = 0; d + 1 < there->axes.size(); ++d)
      row.at.emplace_back(std::string(axis_name(there->axes[d])), at[d]);
    out.push_back(std::move(row));
  };
  add(stage.step, index);
  const auto why = explain(trace, stage.step, index);
  if (!why) return out;
  for (const Term& term : why->terms)
    for (const Source& factor : term.factors)
      if (!factor.is_weight) add(factor.site, factor.index);
  return out;
}

/// What a view shows of an answer beside the cells of its step: an item, and what an answer reads that it
/// shows.
struct StageItem {
  const char *view, *reads, *item;
};
constexpr StageItem kStageItems[] = {{"residual", "lens(", "matrix.residual_lens"},
                                     {"residual", ".out[", "residual_parts"}};

// The first of them that a page does not hide; empty: none.
std::string item_on_stage(const Page& page, const ChoiceAsk& ask) {
  for (const StageItem& one : kStageItems) {
    const bool read =
        page_view(page) == one.view &&
        std::any_of(ask.choices.begin(), ask.choices.end(), [&](const ChoiceAsk::Choice& choice) {
          return choice.when.text().find(one.reads) != std::string::npos;
        });
    if (read && std::find(page.hides.begin(), page.hides.end(), one.item) == page.hides.end())
      return one.item;
  }
  return {};
}

}  // namespace

std::string answer_on_stage(const Page& page, const ExpressionScope& scope) {
  const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
  const auto stage = stage_cursor(page);
  if (!ask || !is_prediction(page)) return {};
  if (std::string item = item_on_stage(page, *ask); !item.empty()) return item;
  if (!stage) return {};
  const auto covered = [](const std::string& item) { return item.starts_with("matrix.steps/"); };
  if (page_view(page) == "steps" && std::any_of(page.hides.begin(), page.hides.end(), covered)) return {};
  const auto hidden = hidden_targets(page, scope);
  if (!hidden) return {};
  for (const ChoiceAsk::Choice& choice : ask->choices)
    for (const std::string& text : places_read(choice.when.text(), to_text(stage->step))) {
      const auto filled = filled_in(text, scope);
      const auto place = filled ? parse_place(*filled) : Result<PlaceText>(Error{});
      const auto targets =
          place ? targets_of(scope.run.trace(scope.sequence), *place) : Result<std::vector<Target>>(Error{});
      for (const Target& target : targets ? *targets : std::vector<Target>{})
        if (!hides_any(*hidden, target)) return *filled;
    }
  return {};
}

std::string row_in_sight(const Page& page, const ExpressionScope& scope) {
  const auto stage = stage_cursor(page);
  const auto hidden = hidden_targets(page, scope);
  if (!stage || !hidden || hidden->empty() || std::holds_alternative<ShapeAsk>(page.ask)) return {};
  const Trace& trace = scope.run.trace(scope.sequence);
  for (const Target& row : row_of_stage(trace, *stage)) {
    const auto mine = hides_any(*hidden, row) ? Result<Tensor>(Error{}) : numbers_at(trace, row);
    if (!mine) continue;
    for (const Target& target : *hidden)
      if (const auto theirs =
              target.kind == Target::Kind::step ? numbers_at(trace, target) : Result<Tensor>(Error{});
          theirs && says_row(mine->values(), theirs->values()))
        return to_text(row);
  }
  return {};
}

}  // namespace attnscope
