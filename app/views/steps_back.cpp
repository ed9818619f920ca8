#include "app/views/steps_back.h"

#include <algorithm>
#include <numeric>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "app/views/steps_back_words.h"
#include "app/views/steps_header.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kBackWords = 250.f;  // units: height of all text above and below a figure
constexpr std::size_t kLeastColumns = 6, kMostColumns = 16;
void sentence(const std::string& text, ImU32 colour) {
  const ColourScope ink(ImGuiCol_Text, colour);
  figure_text(text, 0);
}

// The target tokens of the counted rows from `row` on, then the row's most likely outputs.
std::vector<std::int64_t> chosen_columns(const BackwardResult& grads, std::int64_t row, std::size_t most) {
  std::vector<std::int64_t> out;
  const auto take = [&](std::int64_t id, std::size_t room) {
    if (out.size() < room && std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  const std::vector<int>& targets = grads.gradients->objective().targets;
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (const int target = targets[(static_cast<std::size_t>(row) + i) % targets.size()]; target >= 0)
      take(target, most - most / 3);
  const Tensor logits = grads.gradients->trace().logits_row(row);
  std::vector<std::int64_t> order(static_cast<std::size_t>(logits.size(0)));
  std::iota(order.begin(), order.end(), 0);
  keep_first(order, most, [&](std::int64_t a, std::int64_t b) { return logits.at(a) > logits.at(b); });
  for (const std::int64_t id : order) take(id, most);
  return out;
}

std::string back_title(const ViewContext& context, const Trace& trace, int step) {
  const Site& site = context.workspace.cursor.step;
  const ModelConfig& config = trace.config();
  std::string title =
      tr("steps.back.title",
         {std::to_string(step + 1), std::to_string(context.run.steps.size()), title_text(trace, site)});
  const bool several = site.layer >= 0 && (config.n_layers() > 1 || has_stacks(config));
  return several ? tr("steps.title_block", {title, place_name(config, site)}) : title;
}

}  // namespace

void StepsBackward::draw(const ViewContext& context) {
  const auto grads = context.workspace.backward_run.newest();
  if (!grads) return sentence(tr("steps.back.working"), theme().text_dim);
  if (!grads->error) return draw_gradients(context, grads);
  {
    const FontScope title(fonts().title);
    ImGui::TextUnformatted(tr("steps.back.none"));
  }
  sentence(grads->error->sentence(), theme().text);
  sentence(grads->error->hint(), theme().text_dim);
  bool first = true;
  if (grads->likely.empty()) return;
  draw_loss(context, *grads, first);
  draw_target(context, *grads, first);
}

void StepsBackward::draw_gradients(const ViewContext& asked,
                                   const std::shared_ptr<const BackwardResult>& grads) {
  // The figure is of the run that the gradients belong to, even if a newer run exists.
  const ViewContext context{asked.session,   *grads->walk,   nullptr,
                            asked.workspace, asked.commands, asked.painter};
  const int step = current_step(context.workspace, context.run);
  if (!grads->gradients->trace().find(context.workspace.cursor.step)) return;
  prepare(context, grads);
  if (context.workspace.told || crowded(context)) return draw_told(context, grads, step);
  draw_words(context, *grads, step);
  draw_chips(context, *grads, step);
  if (plot_.windowed()) sentence(tr("steps.windowed"), theme().text_dim);
  const float line = text_size(fonts().mono, "X").y;
  const float below = ImGui::GetFrameHeight() + 2 * line + scaled(26);
  const ImVec2 room(ImGui::GetContentRegionAvail().x,
                    std::max(ImGui::GetContentRegionAvail().y - below, scaled(90)));
  draw_scrolled(context, grads, room);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_pieces(line_, ImVec2(at.x, at.y + scaled(3)), room.x,
              line_key_ == "none" ? fonts().body : fonts().mono, 2);
  ImGui::Dummy(ImVec2(room.x, 2 * line + scaled(8)));
  draw_neighbours(context, step, room.x);
}

// True if all the text would leave too little room for numbers in the figure; cached by figure and room.
bool StepsBackward::crowded(const ViewContext& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const std::string key = key_ + format("/%.0f/%.0f/%.2f", static_cast<double>(room.x),
                                        static_cast<double>(room.y), static_cast<double>(ui_scale()));
  if (key == words_key_ || figure_.figure.pending || figure_.figure.operands.empty()) return crowded_;
  words_key_ = key;
  const ImVec2 rest(room.x - scaled(4), room.y - scaled(kBackWords));
  crowded_ = !plot_.shows_numbers(context, figure_.figure, rest, false);
  return crowded_;
}

void StepsBackward::draw_scrolled(const ViewContext& context,
                                  const std::shared_ptr<const BackwardResult>& grads, ImVec2 room) {
  ImGuiWindowFlags flags = scrolls_ ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar;
  if (!scrolls_ || hovered_.valid()) flags |= ImGuiWindowFlags_NoScrollWithMouse;  // over cells it zooms
  const ChildScope child("steps_back_figure", room, flags);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  draw_figure(context, grads, room);
  const ImVec2 whole = plot_.whole();
  scrolls_ = whole.x > room.x - scaled(2) || whole.y > room.y - scaled(2);
  if (!scrolls_) return;
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(whole.x + scaled(8), whole.y + scaled(4)));
}

// Compact layout, for lessons and small rooms: one line of text, the chips and the figure.
void StepsBackward::draw_told(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads,
                              int step) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  ImGui::Dummy(ImVec2(room.x, text_size(fonts().mono, "X").y));
  if (!context.workspace.told && !context.workspace.hides_doing && ImGui::IsItemHovered())
    compat::item_tooltip((gradient_sentence(*grads, context.workspace.cursor.step, from_) + "\n" +
                          gradient_shapes(*grads, figure_) + "\n" +
                          gradient_torch(*grads, context.workspace.cursor.step, weight_))
                             .c_str());
  draw_chips(context, *grads, step);
  draw_scrolled(context, grads, ImGui::GetContentRegionAvail());
  const Site& site = context.workspace.cursor.step;
  if (line_key_ != "none") {
    draw_pieces(line_, at, room.x, fonts().mono, 1);
    return;
  }
  StepText text;
  text.title = back_title(context, grads->gradients->trace(), step);
  text.formula = gradient_formula(*grads, site, weight_, from_);
  draw_title_and_formula(text, at, room.x - scaled(14), fonts().body_bold, fonts().mono);
}

std::vector<std::int64_t> StepsBackward::columns(const ViewContext& context,
                                                 const std::shared_ptr<const BackwardResult>& grads) {
  const Trace& trace = grads->gradients->trace();
  const std::int64_t outputs = trace.config().outputs();
  if (outputs <= kSmallVocabulary) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(outputs));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::int64_t& query = context.workspace.cursor.query;
  query = std::clamp<std::int64_t>(query, 0, grads->gradients->predictions() - 1);
  // As many columns as fit in two matrices side by side, with numbers.
  const float wide = (ImGui::GetContentRegionAvail().x / ui_scale() - 270.f) / (2 * 37.f);
  const auto most = static_cast<std::size_t>(
      std::clamp(wide, static_cast<float>(kLeastColumns), static_cast<float>(kMostColumns)));
  const auto found = likely_.get_or_before(
      context.run.opened_version, key_of({grads->version, static_cast<std::uint64_t>(query), most}),
      context.workers(),
      [grads, row = query, most](const std::atomic<bool>&) { return chosen_columns(*grads, row, most); });
  return found ? *found : std::vector<std::int64_t>();
}

void StepsBackward::prepare(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads) {
  const Cursor& cursor = context.workspace.cursor;
  const auto weights = weights_of_step(*grads->gradients, cursor.step);
  if (std::find(weights.begin(), weights.end(), weight_) == weights.end()) weight_.clear();
  if (to_text(cursor.step) + weight_ != shown_step_ || from_ > last_choice(*grads, cursor.step)) from_ = -1;
  GradientRequest asked{cursor.head, 0, cursor.step, weight_, whole_vocabulary_, columns(context, grads)};
  asked.query = cursor.query;
  asked.from = from_;
  const bool several = weight_.empty() && grads->readers_of(cursor.step).size() > 1;
  if (several) {
    asked.shares = shares_.get(
        key_of({grads->version, std::hash<std::string>{}(to_text(cursor.step))}), context.workers(),
        [grads, site = cursor.step](const std::atomic<bool>&) { return gradient_shares(*grads, site, 0); });
  }
  std::string key = std::to_string(grads->version) + to_text(cursor.step) + "/" + weight_ + "/" +
                    std::to_string(cursor.head) + "/" + std::to_string(cursor.query) + "/" +
                    std::to_string(theme_version()) + (whole_vocabulary_ ? "w" : "") + language() +
                    std::to_string(from_);
  for (const std::int64_t id : asked.top) key += "," + std::to_string(id);
  if (several && !asked.shares) {  // the figure is built when its values are ready
    key_.clear();
    figure_ = {};
    figure_.name = gradient_name(cursor.step);
    figure_.figure.pending = true;
    return;
  }
  if (key == key_) return;
  key_ = key;
  line_key_.clear();
  if (to_text(cursor.step) + weight_ + std::to_string(from_) != shown_figure_) {
    shown_step_ = to_text(cursor.step) + weight_;
    shown_figure_ = shown_step_ + std::to_string(from_);
    auto stood = plot_.standing(figure_.figure);
    plot_ = FigurePlot();
    plot_.come_from(std::move(stood));
    planned_.clear();
    hovered_ = {};
  }
  figure_ = build_gradient_figure(grads, asked);
}

// Index of the last chip after "all"; -1 if there is nothing to choose.
int StepsBackward::last_choice(const BackwardResult& grads, const Site& site) const {
  if (weight_.empty()) {
    const auto readers = static_cast<int>(grads.readers_of(site).size());
    return readers > 1 ? readers - 1 : -1;
  }
  return weight_parts(*grads.gradients, weight_).size() > 1 ? 0 : -1;
}

void StepsBackward::draw_words(const ViewContext& context, const BackwardResult& grads, int step) const {
  const Site& site = context.workspace.cursor.step;
  const Trace& trace = grads.gradients->trace();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string title = back_title(context, trace, step);
  const ImVec2 title_at = ImGui::GetCursorScreenPos();
  {
    const FontScope face(fonts().title);
    figure_text(middle_truncated(fonts().title, title, width));
  }
  // The name is at the right end of the title's line, if there is room.
  const Canvas canvas;
  const float name_width = text_size(fonts().mono, figure_.name).x;
  note_text(figure_.name);
  if (text_size(fonts().title, title).x + name_width + scaled(24) < width)
    draw_text(canvas, fonts().mono,
              ImVec2(title_at.x + width - name_width - scaled(4),
                     title_at.y + text_size(fonts().title, "X").y - text_size(fonts().mono, "X").y),
              theme().accent, figure_.name);
  else
    text_line(fonts().mono, theme().accent, figure_.name);
  const bool uses = !weight_.empty() && from_ < 0 && last_choice(grads, site) >= 0;
  sentence(context.workspace.hides_doing ? tr("steps.sentence.held")
           : uses                        ? tr("steps.back.use")
                                         : gradient_sentence(grads, site, weight_.empty() ? from_ : -1),
           theme().text_dim);
  draw_formula_line(gradient_formula(grads, site, weight_, from_), gradient_shapes(grads, figure_),
                    gradient_torch(grads, site, weight_), width);
}

// Marks the cells of the target tokens, if the columns are the vocabulary.
void StepsBackward::mark_targets(const BackwardResult& grads, FigureMarks& marks) const {
  const Figure& figure = figure_.figure;
  const std::vector<int>& targets = grads.gradients->objective().targets;
  for (std::size_t i = 0; figure.site.is(StepRole::logits) && weight_.empty() && i < marks.size(); ++i) {
    const Operand& operand = figure.operands[i];
    if (operand.col.key == "one") continue;
    for (std::int64_t row = 0; row < operand.row.size; ++row) {
      const std::int64_t from =
          operand.picked_rows.empty() ? row : operand.picked_rows[static_cast<std::size_t>(row)];
      const std::int64_t target = targets[static_cast<std::size_t>(from)];
      const auto& picks = operand.picked_cols;
      const auto at = std::find(picks.begin(), picks.end(), target);
      if (target < 0 || (!picks.empty() && at == picks.end())) continue;
      marks[i].push_back({row, picks.empty() ? target : at - picks.begin(), theme().text, 1, 1, 1.5f});
    }
  }
}

FigureMarks StepsBackward::marks_of(const BackwardResult& grads, const FigureCell& shown) const {
  const Figure& figure = figure_.figure;
  FigureMarks marks(figure.operands.size());
  mark_targets(grads, marks);
  if (!shown.valid() || shown.operand >= static_cast<int>(marks.size())) return marks;
  const bool result = shown.operand == figure.result();
  const bool share = shown.operand < static_cast<int>(figure_.shares.size());
  for (std::size_t i = 0; (result || share) && i < marks.size(); ++i) {
    const Operand& operand = figure.operands[i];
    const ImU32 colour = operand.colour ? operand.colour : theme().accent;
    if (figure.layout == Figure::Layout::product) {
      if (i == 0) marks[i].push_back({shown.row, 0, colour, 1, operand.col.size});
      if (i == 1) marks[i].push_back({0, shown.col, colour, operand.row.size, 1});
      continue;
    }
    const Operand& own = figure.operands[static_cast<std::size_t>(shown.operand)];
    // A single row or column applies to all cells beside it.
    const bool row = operand.row.key == "one", col = operand.col.key == "one";
    const bool same = (row || operand.row.size == own.row.size) && (col || operand.col.size == own.col.size);
    if (same && !(row && col) && static_cast<int>(i) != shown.operand)
      marks[i].push_back({row ? 0 : shown.row, col ? 0 : shown.col, colour});
  }
  marks[static_cast<std::size_t>(shown.operand)].push_back(
      {shown.row, shown.col, theme().accent, 1, 1, metric::kOutline});
  return marks;
}

void StepsBackward::draw_figure(const ViewContext& context,
                                const std::shared_ptr<const BackwardResult>& grads, ImVec2 room) {
  if (figure_.figure.pending) return ImGui::TextUnformatted(tr("steps.pending"));
  if (figure_.figure.operands.empty()) {
    line_.clear(), line_key_.clear();
    return sentence(tr("steps.back.no_gradient"), theme().text_dim);
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  FigureMarks marks = marks_of(*grads, hovered_);
  const int result = figure_.figure.result();
  const auto& pinned = context.workspace.cursor.pinned;
  if (pinned && result >= 0) {
    const Operand& own = figure_.figure.operands[static_cast<std::size_t>(result)];
    const auto index = cell_index(grads->gradients->trace(), *pinned);
    const auto spot = weight_.empty() && pinned->site == own.site && !index.empty()
                          ? spot_of(grads->gradients->trace(), own, {{}, own.site, false, index, 0})
                          : std::nullopt;
    if (spot)
      marks[static_cast<std::size_t>(result)].push_back({spot->row, spot->col, theme().accent, 1, 1, 3});
  }
  const float motion = context.workspace.motion;
  const FigureEvent event =
      plot_.draw(context, figure_.figure, marks, ImVec2(corner.x, corner.y + scaled(4)),
                 ImVec2(room.x - scaled(4), room.y - scaled(8)), false, std::min(1.f, motion / kTravelShare));
  if (motion < 1) move(context, *grads);
  hovered_ = event.cell;
  const FigureCell& cell = event.cell;
  std::string line_key = "none";
  if (event.hovered())
    line_key = std::to_string(cell.operand) + "/" + std::to_string(cell.row) + "/" + std::to_string(cell.col);
  if (line_key != line_key_) {
    line_key_ = line_key;
    line_.clear();
    if (event.hovered()) line_ = gradient_spelled(*grads, figure_, cell.operand, cell.row, cell.col);
    for (const char* key : {"steps.back.hint.point", "steps.back.hint.click"})
      if (!event.hovered()) line_.push_back({tr(key) + std::string("   "), theme().text_dim});
  }
  if (event.hovered() && event.clicked) pin(context, *grads, event.cell);
  if (event.hovered()) offer(context, *grads, event.cell);
}

// The values moving in the current frame of the animation.
void StepsBackward::move(const ViewContext& context, const BackwardResult& grads) {
  if (planned_ != key_) {
    planned_ = key_;
    plan_ = plan_gradient_motion(grads.gradients->trace(), figure_.figure);
  }
  const DrawGroupScope group("motion");
  draw_motion(plan_, figure_.figure, plot_, context.workspace.motion);
}

// Context menu: a gradient cannot be edited, so it offers the value that it is the gradient of.
void StepsBackward::offer(const ViewContext& context, const BackwardResult& grads,
                          const FigureCell& cell) const {
  const GradientSpot spot = gradient_spot(figure_, cell.operand, cell.row, cell.col);
  if (!spot.operand || !has_cell_names(*spot.operand)) return;
  const Trace& trace = grads.gradients->trace();
  const auto index = source_index(trace, *spot.operand, spot.row, spot.col);
  if (spot.operand->is_weight())
    offer_edit(context.workspace, {{}, spot.operand->weight, index});
  else if (trace.find(spot.operand->site))
    offer_edit(context.workspace, {cell_at(trace, spot.operand->site, index), {}, {}});
}

void StepsBackward::pin(const ViewContext& context, const BackwardResult& grads, const FigureCell& cell) {
  const GradientSpot spot = gradient_spot(figure_, cell.operand, cell.row, cell.col);
  if (!spot.operand || !has_cell_names(*spot.operand)) return;
  const Trace& trace = grads.gradients->trace();
  if (!spot.operand->is_weight() && !trace.find(spot.operand->site)) return;
  Workspace& workspace = context.workspace;
  const Cursor before = workspace.cursor;
  const auto index = source_index(trace, *spot.operand, spot.row, spot.col);
  Cell pinned;
  if (spot.operand->is_weight()) {  // the inspector needs a cell of the step
    const Record& record = *trace.find(before.step);
    pinned = cell_at(trace, before.step, std::vector<std::int64_t>(record.shape.size(), 0));
    workspace.cursor.pinned = pinned;
    workspace.inspector.trail = {Place{pinned, {}, {}}, Place{{}, spot.operand->weight, index}};
    return;
  }
  pinned = cell_at(trace, spot.operand->site, index);
  pin_cell(workspace, context.run, pinned);
  workspace.inspector.trail = {Place{pinned, {}, {}}};
  workspace.cursor.step = before.step;  // the cursor keeps its step
  workspace.cursor.layer = before.layer;
  workspace.cursor.stack = before.stack;
  workspace.cursor.part = before.part;
}

}  // namespace attnscope
