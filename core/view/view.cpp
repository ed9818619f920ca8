#include "core/view/view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/document.h"
#include "core/train/pilot_path.h"
#include "core/view/ask_figures.h"
#include "core/view/edit_marks.h"

namespace attnscope {
namespace {

Status check_index(const char* what, std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return Done{};
  return fail(Code::out_of_range, "error.view.index", {what, value, count});
}

constexpr std::ptrdiff_t kRowsBefore = 20, kRowsAfter = 8;

constexpr std::int64_t kNearRows = 1024;  // more than an image has places

// The words that the model reads near the row that is looked at; the places of an image are one.
std::vector<std::pair<std::int64_t, std::string>> words_read(const ViewState& state) {
  const Stack stack = state.place.stack;
  const ModelConfig& config = state.run->config();
  const std::vector<int>& ids = state.run->ids_of(stack);
  const std::int64_t first = std::max<std::int64_t>(0, state.row - kNearRows),
                     last = std::min(state.run->rows(stack), state.row + kNearRows);
  ViewState said = state;  // movements by what they stand for
  said.level = Level::easy;
  const auto name = [&](std::int64_t row) {
    const bool movement = row > 0 && row < std::ssize(ids) && stack == config.stack &&
                          action_bin(token_label(*state.opened, ids[static_cast<std::size_t>(row)]));
    return (movement ? answer_name(said, row - 1, ids[static_cast<std::size_t>(row)])
                     : row_name(state, stack, row))
        .str();
  };
  const auto image = [&](std::int64_t row) {
    return config.vision() && stack == config.stack && row >= 0 && row < std::ssize(ids) &&
           ids[static_cast<std::size_t>(row)] == config.image_token;
  };
  std::vector<std::pair<std::int64_t, std::string>> out;
  for (std::int64_t row = first; row < last; ++row)
    if (!image(row))
      out.emplace_back(row, name(row));
    else if (row == first || !image(row - 1))
      out.emplace_back(row, tr("figure.read.image"));
  return out;
}

// What the model reads, around the row that is looked at: presented, nothing else on the screen says it.
figure::WordsMark read_text(const ViewState& state) {
  const auto all = words_read(state);
  const auto after = std::upper_bound(all.begin(), all.end(), state.row,
                                      [](std::int64_t row, const auto& word) { return row < word.first; });
  const std::ptrdiff_t here = std::max<std::ptrdiff_t>(0, after - all.begin() - 1),
                       most = kRowsBefore + kRowsAfter, left = std::ssize(all) - most,
                       first = std::max<std::ptrdiff_t>(0, std::min(here - kRowsBefore, left)),
                       last = std::min(std::ssize(all), std::max(here + kRowsAfter, most));
  std::vector<std::string> words;
  if (first > 0) words.emplace_back("\xE2\x80\xA6");
  for (std::ptrdiff_t at = first; at < last; ++at) words.push_back(all[static_cast<std::size_t>(at)].second);
  if (last < std::ssize(all)) words.emplace_back("\xE2\x80\xA6");
  return {figure::WordsMark::As::note, {Text(join(words, " "))}, figure::Ink::dim};
}

// It is about many prompts.
bool asks_many(const ViewState& state) {
  return state.asked && state.asked->sweep && state.asked->sweep->over_data();
}

}  // namespace

std::vector<const ViewSpec*> view_specs() {
  std::vector<const ViewSpec*> out;
  for (const ViewSpec& view : views_by_file()) out.push_back(&view);
  std::sort(out.begin(), out.end(), [](const ViewSpec* a, const ViewSpec* b) { return a->order < b->order; });
  return out;
}

Result<const ViewSpec*> find_view(std::string_view id) {
  for (const ViewSpec& view : views_by_file())  // once per frame: asks the heap for nothing
    if (view.id == id) return &view;
  std::vector<std::string> known;
  for (const ViewSpec* view : view_specs()) known.push_back(view->id);
  return fail(Code::not_found, "error.view.unknown", {in_quotes(id), join(known, ", ")});
}

void take_choices(const ViewSpec& view, const nlohmann::json& look, ViewState& state) {
  const nlohmann::json::json_pointer place("/views/" + view.id);
  const bool there = look.is_object() && look.contains(place) && look[place].is_object();
  if (view.choose) view.choose(there ? look[place] : nlohmann::json::object(), state);
}

std::vector<std::string> pages_of(const ViewSpec& view, const ViewState& state) {
  std::vector<std::string> out;
  for (const Station& station : view.stations ? view.stations(state) : std::vector<Station>())
    out.push_back(station.id);
  return out;
}

std::string known_page(const ViewSpec& view, const ViewState& state, const std::string& page) {
  if (!page.empty() && page == view.aside) return page;
  const std::vector<std::string> known = pages_of(view, state);
  return std::find(known.begin(), known.end(), page) == known.end() ? std::string() : page;
}

Result<figure::Figure> draw_view(const ViewSpec& view, const ViewState& state, bool titled) {
  using figure::WordsMark;
  TRY(ViewDrawing drawn, view.draw(state));
  std::optional<ViewDrawing> both = state.compare ? compared(view, state) : std::nullopt;
  const bool answered = both.has_value();  // each run's answer stands over its picture
  if (both) drawn = *std::move(both);
  const bool one_run = state.run && view.model && view.row && !asks_many(state);
  std::vector<figure::PartBox> beside;
  const bool below_answer = drawn.notes && !drawn.above;
  if (drawn.notes && !below_answer) beside.push_back(std::move(*drawn.notes));
  if (drawn.picture) beside.push_back(std::move(*drawn.picture));
  if (view.answers && one_run && !answered && !state.asked)  // a page of Ask has a measure of its own
    if (const std::int64_t row = drawn.answer < 0 ? answer_row(state) : drawn.answer;
        auto answer = answer_table(state, row, drawn.above ? 3 : 5, 1, drawn.right)) {
      answer->tall = !drawn.above;  // as high as the picture
      beside.push_back(figure::leaf(
          {"answer", *answer, 2,
           drawn.answer < 0 ? answer_title(state, row)
                            : std::vector<Text>{Text::of(
                                  "figure.answer.at", {told_apart(state, state.run->config().stack, row)})},
           ""}));
      if (below_answer)
        beside.back() = figure::column({std::move(beside.back()), *std::exchange(drawn.notes, {})});
    }
  if (below_answer && drawn.notes) beside.push_back(std::move(*drawn.notes));  // there is no answer
  const Text title = drawn.question.front();
  std::vector<figure::PartBox> all;
  if (titled) {
    all.push_back(figure::words("question", WordsMark::As::title, std::move(drawn.question), 2));
    if (one_run) all.push_back(figure::leaf({"text", read_text(state), 1, {}, ""}));
  }
  all.push_back(figure::words("sentence", WordsMark::As::sentence, std::move(drawn.sentence), 2));
  if (drawn.above) all.push_back(std::move(*drawn.above));
  if (beside.size() > 1)
    all.push_back(figure::either(std::move(beside)));
  else if (!beside.empty())
    all.push_back(std::move(beside.front()));
  if (drawn.below) all.push_back(std::move(*drawn.below));
  figure::Figure out{title, figure::column(std::move(all))};
  mark_edits(out.body, state);
  return out;
}

ViewState first_state(const OpenedModel& opened, std::shared_ptr<const Trace> run) {
  ViewState out;
  out.opened = &opened;
  const std::vector<AttentionPlace> places = attention_places(*run);
  const auto own = std::find_if(places.begin(), places.end(), [&](const AttentionPlace& place) {
    return place.stack == run->config().stack && looks_at_itself(place);
  });
  if (own != places.end()) out.place = *own;
  out.row = first_row(opened, *run);
  out.run = std::move(run);
  return out;
}

Status check_state(const ViewState& state) {
  const Trace& run = *state.run;
  TRY_OK(check_index("row", state.row, run.rows(state.place.stack)));
  if (attention_places(run).empty()) return Done{};
  TRY_OK(check_index("layer", state.layer, run.config().of(state.place.stack).n_layers()));
  // A record may hold the pattern alone, or none in this block: each view says what it lacks.
  const Site pattern = state.place.pattern(state.layer);
  const Record* record = run.find(pattern);
  return check_index(
      "head", state.head,
      record && !record->shape.empty() ? record->shape[0] : run.config().attention_at(pattern).n_heads);
}

}  // namespace attnscope
