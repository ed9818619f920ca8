#include "app/views/mask_board.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/mask_mix.h"
#include "core/trace/run_mask.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostMarks = 4096;

constexpr float kSpanRoom = 24.f;  // units below the cells, for names of spans

// Hash of everything that the mask depends on.
std::uint64_t mask_key(const ViewContext& context, const Document& document, const AttentionScene& scene,
                       Range rows, Range cols) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const Input& input = scene.trace->input;
  const AttentionKind of = MaskBoard::mask_place(scene).of;
  Hash hash;
  hash.take(key_of({context.run.opened_version, context.run.recorded() ? context.run.version : 0,
                    scene_key(scene), number(scene.queries), number(scene.keys), number(rows.begin),
                    number(rows.end), number(cols.begin), number(cols.end), number(document.padding.on),
                    number(document.padding.side), number(document.padding.to)}));
  hash.take(asked_mask(document, AttentionKind::main).text());
  hash.take(asked_mask(document, of).text());
  for (const auto* attention_mask : {&input.attention_mask, &input.source_attention_mask})
    hash.take({reinterpret_cast<const char*>(attention_mask->data()), attention_mask->size()});
  for (const Span& span : input.spans) {
    hash.take(span.name);
    hash.take(key_of({number(span.begin), number(span.end)}));
  }
  for (const Mask::Cell& cell : switched_cells(document, of))
    hash.take(key_of({number(cell.query), number(cell.key), number(cell.allowed)}));
  return hash.value();
}

bool is_main(const AttentionScene& scene) { return MaskBoard::mask_place(scene).of == AttentionKind::main; }

// Number of rows of a stack for this input; constant for a vision tower.
std::int64_t rows_now(const AttentionScene& scene, const Input& input, Stack stack, std::int64_t ran) {
  const ModelConfig& config = scene.trace->config().of(stack);
  if (config.patch.size > 0) return ran;
  return stack == Stack::enc ? static_cast<std::int64_t>(input.source.size()) : input.length();
}

// True if all sequences have the same lengths and padding.
bool same_lengths(const Document& a, const Document& b) {
  const auto alike = [](const Sequence& x, const Sequence& y) {
    return x.input.length() == y.input.length() && x.input.source.size() == y.input.source.size();
  };
  return a.padding == b.padding &&
         std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(), alike);
}

Text pair_sentence(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                   std::int64_t key, bool allow) {
  return Text::of(allow ? "mask.edit.allow" : "mask.edit.hide",
                  {query_name(context.run, scene, query), key_name(context.run, scene, key)});
}

// All cells between two mouse positions, so that a fast drag leaves no gaps.
std::vector<std::pair<std::int64_t, std::int64_t>> cells_between(std::int64_t row0, std::int64_t col0,
                                                                 std::int64_t row1, std::int64_t col1) {
  const std::int64_t steps =
      std::max<std::int64_t>(1, std::max(std::llabs(row1 - row0), std::llabs(col1 - col0)));
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double at = static_cast<double>(step) / static_cast<double>(steps);
    const auto between = [at](std::int64_t a, std::int64_t b) {
      return a + std::llround(at * static_cast<double>(b - a));
    };
    cells.emplace_back(between(row0, row1), between(col0, col1));
  }
  return cells;
}

}  // namespace

void limit_window(MatrixWindow& window, std::int64_t rows, std::int64_t cols, Range& seen_rows,
                  Range& seen_cols) {
  const std::int64_t most = kMostMaskTokens;
  const auto axis = [most](double& begin, double& end, std::int64_t size) {
    const double span = std::min(end - begin, static_cast<double>(std::min(size, most)));
    begin = std::clamp((begin + end - span) / 2, 0.0, static_cast<double>(size) - span);
    end = begin + span;
    return Range{static_cast<std::int64_t>(std::floor(begin)),
                 std::min(size, static_cast<std::int64_t>(std::ceil(end)) + 1)};
  };
  if (rows <= most && cols <= most) {
    seen_rows = {0, rows}, seen_cols = {0, cols};
    return;
  }
  if (window.all()) window = {0, 0, static_cast<double>(most) / 4, static_cast<double>(most) / 4};
  seen_rows = axis(window.row0, window.row1, rows);
  seen_cols = axis(window.col0, window.col1, cols);
}

const Document& MaskBoard::shown_document(const ViewContext& context, const AttentionScene& scene) {
  const Document& now = context.session.document();
  const auto at = static_cast<std::size_t>(scene.sequence);
  if (!now.opened || now.opened != context.run.document.opened || at >= now.sequences.size())
    return context.run.document;
  if (same_lengths(now, context.run.document)) return now;
  const Input input = inputs_of(now)[at];
  const bool fits = rows_now(scene, input, scene.stack, scene.queries) == scene.queries &&
                    rows_now(scene, input, scene.keys_stack(), scene.keys) == scene.keys;
  return fits ? now : context.run.document;
}

MaskPlace MaskBoard::mask_place(const AttentionScene& scene) {
  return {attention_kind(scene.stack, scene.part, scene.trace->config().stack), scene.layer, scene.sequence};
}

const char* MaskBoard::why_fixed(const ViewContext& context, const AttentionScene& scene) {
  if (context.run.recorded()) return "mask.recorded";
  return std::max(scene.queries, scene.keys) > kMostMaskTokens ? "mask.too_long" : nullptr;
}

std::string_view MaskBoard::rule_text(const ViewContext& context, const AttentionScene& scene) {
  if (context.run.recorded()) {
    const RunMask known = run_mask(*scene.trace, scene.pattern());
    switch (known.from) {
      case MaskFrom::mask: return tr("mask.rule.recorded");
      case MaskFrom::scores: return tr("mask.rule.recorded_scores");
      case MaskFrom::weights: return tr("mask.rule.recorded_weights");
      case MaskFrom::run: return known.mask.causal ? "causal" : "full";
    }
  }
  const AttentionSpec& spec = scene.trace->config().attention_at(scene.pattern());
  const Document& document = shown_document(context, scene);
  const MaskSpec asked = asked_mask(document, mask_place(scene).of);
  if (!asked.is_model()) {
    static KeptTexts kept;
    const std::string& text = asked.text();
    return kept.get(std::hash<std::string>{}(text), [&] { return text; });
  }
  const auto own = [](const std::string& rule) -> std::string_view {
    return kept_tr("mask.rule.model", {rule});
  };
  return own(scene.part == Part::cross ? "full" : mask_text(spec));
}

void MaskBoard::take_mask(const ViewContext& context, const AttentionScene& scene, Range rows, Range cols) {
  const Document& document = shown_document(context, scene);
  const std::uint64_t key = mask_key(context, document, scene, rows, cols);
  if (key == key_ && !plane_.empty()) return;
  key_ = key;
  rows_ = rows, cols_ = cols;
  // A recording shows its recorded mask: there is no model to compute one.
  const bool recorded = context.run.recorded();
  mask_ = recorded ? run_mask(*scene.trace, scene.pattern()).mask : mask_of(document, mask_place(scene));
  own_ = recorded ? mask_ : own_mask_of(document, mask_place(scene));
  summary_ = mask_summary(mask_, scene.queries, scene.keys);
  plane_ = mask_plane(mask_, rows, cols);
}

// Lines between the spans of the input, and their names below.
void MaskBoard::draw_spans(const AttentionScene& scene, const MatrixPlot& plot, ImVec2 position,
                           ImVec2 size) const {
  if (!is_main(scene) || scene.trace->input.spans.empty()) return;
  const MatrixLayout layout = matrix_layout(plot, size);
  const ImVec2 p0(position.x + layout.cells0.x, position.y + layout.cells0.y),
      p1(position.x + layout.cells1.x, position.y + layout.cells1.y);
  const ImU32 colours[] = {theme().residual, theme().mlp, theme().v, theme().attention};
  const Canvas canvas;
  for (std::size_t i = 0; i < scene.trace->input.spans.size(); ++i) {
    const Span& span = scene.trace->input.spans[i];
    const ImU32 colour = colours[i % std::size(colours)];
    const ImVec2 begin = layout.corner(static_cast<double>(span.begin), static_cast<double>(span.begin)),
                 end = layout.corner(static_cast<double>(span.end), static_cast<double>(span.end));
    const float x0 = std::clamp(position.x + begin.x, p0.x, p1.x),
                x1 = std::clamp(position.x + end.x, p0.x, p1.x);
    const float y0 = std::clamp(position.y + begin.y, p0.y, p1.y),
                y1 = std::clamp(position.y + end.y, p0.y, p1.y);
    for (const std::int64_t at : {span.begin, span.end}) {
      const ImVec2 corner = layout.corner(static_cast<double>(at), static_cast<double>(at));
      const float x = position.x + corner.x, y = position.y + corner.y;
      if (x > p0.x + 1 && x < p1.x - 1) canvas.line(ImVec2(x, p0.y), ImVec2(x, p1.y), colour, scaled(2));
      if (y > p0.y + 1 && y < p1.y - 1) canvas.line(ImVec2(p0.x, y), ImVec2(p1.x, y), colour, scaled(2));
    }
    if (y1 > y0)
      canvas.fill_rect(ImVec2(p1.x + scaled(3), y0 + 1), ImVec2(p1.x + scaled(7), y1 - 1), colour, scaled(2));
    if (x1 <= x0) continue;
    canvas.fill_rect(ImVec2(x0 + 1, p1.y + scaled(3)), ImVec2(x1 - 1, p1.y + scaled(7)), colour, scaled(2));
    if (const float wide = text_size(fonts().small, span.name).x;
        wide <= x1 - x0)  // half a name says nothing
      draw_text(canvas, fonts().small, ImVec2((x0 + x1 - wide) / 2, p1.y + scaled(8)), colour, span.name);
  }
}

// Text in the cells, if there is room.
void MaskBoard::draw_signs(const MatrixPlot& plot, ImVec2 position, ImVec2 size) const {
  const MatrixLayout layout = matrix_layout(plot, size);
  const std::string signs[] = {mask_sign(notation, false), mask_sign(notation, true)};
  ImFont* const fits[] = {fonts().mono, fonts().mono_small};
  ImFont* font = nullptr;
  for (ImFont* face : fits) {
    const ImVec2 a = text_size(face, signs[0]), b = text_size(face, signs[1]);
    if (!font && std::max(a.x, b.x) + scaled(2) <= layout.cell.x && a.y <= layout.cell.y + scaled(3))
      font = face;
  }
  if (!font) return;
  const ImVec2 rooms[] = {text_size(font, signs[0]), text_size(font, signs[1])};
  const ImU32 seen = ink_on(heat_colour(1, plot.style)), hidden = theme().text_dim;
  const Canvas canvas;
  for (auto row = static_cast<std::int64_t>(layout.seen.row0);
       row < std::min(rows_.end, static_cast<std::int64_t>(std::ceil(layout.seen.row1))); ++row)
    for (auto col = static_cast<std::int64_t>(layout.seen.col0);
         col < std::min(cols_.end, static_cast<std::int64_t>(std::ceil(layout.seen.col1))); ++col) {
      const bool allowed = mask_.allowed(row, col);
      const ImVec2 at = layout.corner(static_cast<double>(row) + 0.5, static_cast<double>(col) + 0.5);
      const ImVec2 room = rooms[allowed];
      if (at.x > layout.cells1.x || at.y > layout.cells1.y || at.x < layout.cells0.x ||
          at.y < layout.cells0.y)
        continue;
      draw_text(canvas, font, ImVec2(position.x + at.x - room.x / 2, position.y + at.y - room.y / 2),
                allowed ? seen : hidden, signs[allowed]);
    }
}

void MaskBoard::add_marks(MatrixPlot& plot, const MatrixWindow& seen) const {
  for (const Mask::Cell& cell : mask_.cells) {
    const double row = static_cast<double>(cell.query), col = static_cast<double>(cell.key);
    if (row + 1 < seen.row0 || row > seen.row1 || col + 1 < seen.col0 || col > seen.col1) continue;
    if (own_.allowed(cell.query, cell.key) == cell.allowed) continue;
    plot.marks.push_back({cell.query, cell.key, theme().warning, 1, 1, 1.5f});
    if (plot.marks.size() >= kMostMarks) return;
  }
}

void MaskBoard::paint(const ViewContext& context, const AttentionScene& scene, const MatrixEvent& event) {
  if (ImGui::IsItemActivated() && event.hovered()) {
    painting_ = true;
    paint_allows_ = !mask_.allowed(event.row, event.col);
    last_query_ = event.row, last_key_ = event.col;
    painted_ = 0;
    ++strokes_;
    context.workspace.cursor.query = event.row;
    context.workspace.cursor.key = event.col;
  }
  if (!painting_) return;
  const bool moved = event.hovered() && (event.row != last_query_ || event.col != last_key_);
  if (event.hovered() && (moved || painted_ == 0)) {
    const auto cells = cells_between(last_query_, last_key_, event.row, event.col);
    painted_ += static_cast<std::int64_t>(cells.size());
    const bool allow = paint_allows_;
    const Text sentence = painted_ == 1 ? pair_sentence(context, scene, event.row, event.col, allow)
                                        : Text::of(allow ? "mask.edit.allow_many" : "mask.edit.hide_many",
                                                   {std::to_string(painted_)});
    context.commands.edit(sentence, "mask.paint." + std::to_string(strokes_),
                          [cells, allow, place = mask_place(scene)](Document& document) -> Status {
                            for (const auto& [query, key] : cells)
                              set_mask_cell(document, query, key, allow, place);
                            return Done{};
                          });
    last_query_ = event.row, last_key_ = event.col;
  }
  if (ImGui::IsItemActive()) return;
  painting_ = false;
  context.commands.end_gesture();
}

void MaskBoard::draw_labels(const ViewContext& context, const AttentionScene& scene, const MatrixPlot& plot,
                            ImVec2 position, ImVec2 size) {
  const MatrixLayout layout = matrix_layout(plot, size);
  if (std::min(layout.cell.x, layout.cell.y) < scaled(6)) return;
  const float least = 0, tall = scaled(20);
  const auto label = [&](bool row, std::int64_t at, ImVec2 p0, ImVec2 p1) {
    if (p1.x - p0.x < 2 || p1.y - p0.y < 2) return;
    ImGui::SetCursorScreenPos(p0);
    const std::string id = format("###mask_%s_%lld", row ? "row" : "col", static_cast<long long>(at));
    const bool clicked = hit_area(id.c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y));
    const std::string token = row ? query_name(context.run, scene, at) : key_name(context.run, scene, at);
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::SetTooltip("%s", tr(row ? "mask.row.help" : "mask.column.help", {token}).c_str());
    }
    if (!clicked) return;
    const MaskSize both(scene.queries, scene.keys);
    context.commands.edit(Text::of(row ? "mask.edit.row" : "mask.edit.column", {token}), "",
                          [=, place = mask_place(scene)](Document& document) {
                            return row ? toggle_mask_row(document, at, both, place)
                                       : toggle_mask_column(document, at, both, place);
                          });
  };
  const auto inside = [](double value, double begin, double end) { return value >= begin && value <= end; };
  for (auto row = static_cast<std::int64_t>(layout.seen.row0); row < scene.queries; ++row) {
    if (!inside(static_cast<double>(row) + 0.5, layout.seen.row0, layout.seen.row1)) break;
    const float y = position.y + layout.corner(static_cast<double>(row), 0).y;
    label(true, row, ImVec2(position.x + least, y),
          ImVec2(position.x + layout.cells0.x - 2, y + layout.cell.y));
  }
  for (auto col = static_cast<std::int64_t>(layout.seen.col0); col < scene.keys; ++col) {
    if (!inside(static_cast<double>(col) + 0.5, layout.seen.col0, layout.seen.col1)) break;
    const float x = position.x + layout.corner(0, static_cast<double>(col)).x,
                y = position.y + layout.cells0.y - 2;
    label(false, col, ImVec2(x, y - tall), ImVec2(x + layout.cell.x, y));
  }
}

MatrixEvent MaskBoard::draw(const ViewContext& context, const AttentionScene& scene, MatrixWindow& window,
                            std::int64_t lit_query, std::int64_t lit_key, ImVec2 position, ImVec2 size,
                            ImVec2 cell, bool columns) {
  const bool between = cell.x > 0;
  Range rows, cols;
  limit_window(window, scene.queries, scene.keys, rows, cols);
  take_mask(context, scene, rows, cols);
  const bool editable = MaskBoard::editable(context, scene);
  if (is_main(scene) && !scene.trace->input.spans.empty()) {
    size.x -= scaled(10);
    size.y -= scaled(kSpanRoom);
  }
  MatrixPlot& plot = plot_.get({axes_key(context, scene), between, columns}, [&] {
    MatrixPlot made;
    made.key = "mask.board";
    made.style = stage_style(slot_of(StepRole::mask), {0, 1}, {});
    made.show_numbers = false;
    made.max_cell = 92.f;
    made.aspect = 0.8f;
    made.place = {scene.site(StepRole::mask), {}, {0, 0}, 0, 1};
    made.frame_colour = with_alpha(theme().text_dim, 0.6f);
    set_attention_axes(made, context, scene);
    made.rows.show_labels = !between, made.cols.show_labels = columns;
    if (between) made.rows.title.clear(), made.cols.title.clear();
    return made;
  });
  set_axis_pictures(plot, context, scene);
  plot.values = plane_;
  plot.cell = cell;
  plot.marks.clear();
  plot.first_row = rows_.begin, plot.first_col = cols_.begin;
  plot.total_rows = scene.queries, plot.total_cols = scene.keys;
  plot.lit_row = lit_query, plot.lit_col = lit_key;
  const MatrixWindow whole{0, 0, static_cast<double>(scene.queries), static_cast<double>(scene.keys)};
  add_marks(plot, window.all() ? whole : window);
  const MatrixWindow saved = window;
  plot.window = &window;
  const MatrixEvent event = draw_matrix(context.painter, plot, position, size);
  if (event.hovered() && scene.trace->find(scene.site(StepRole::mask)))
    offer_edit(context.workspace,
               {cell_at(*scene.trace, scene.site(StepRole::mask), {event.row, event.col}), {}, {}});
  const bool pans = !editable || ImGui::GetIO().KeyShift;
  if (editable && (!pans || painting_)) paint(context, scene, event);
  const bool held = ImGui::IsItemActive() || event.double_clicked;
  if (editable && !pans && held) window = saved;  // while painting, the window does not pan
  if (editable) draw_labels(context, scene, plot, position, size);
  draw_signs(plot, position, size);
  draw_spans(scene, plot, position, size);
  return event;
}

}  // namespace attnscope
