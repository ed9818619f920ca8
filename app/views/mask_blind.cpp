#include "app/views/mask_blind.h"

#include <algorithm>
#include <limits>

#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMaskBlindMostKeys = 64;

// The first `keys` of each row.
Tensor stacked(const std::vector<const Tensor*>& rows, std::int64_t keys) {
  std::vector<float> cells;
  for (const Tensor* row : rows)
    for (std::int64_t i = 0; i < keys; ++i) cells.push_back(row->at(i));
  return Tensor::from(std::move(cells),
                      {{Axis::none, static_cast<std::int64_t>(rows.size())}, {Axis::key, keys}});
}

}  // namespace

void MaskBlind::draw(const ViewContext& context, const AttentionScene& scene, const MaskSummary& summary,
                     ImVec2 position, ImVec2 size) {
  const std::vector<Slot> stages = attention_stages(*scene.trace, scene.pattern());
  const auto masked = std::find(stages.begin(), stages.end(), slot_of(StepKind::mask));
  ImGui::SetCursorScreenPos(position);
  if (masked == stages.end() || masked == stages.begin()) return caption(tr("mask.blind.recorded"));
  if (scene.trace->find(scene.pattern().near(StepRole::sinks))) return caption(tr("mask.blind.sink"), size.x);
  const std::int64_t query = std::clamp<std::int64_t>(context.workspace.cursor.query, 0, scene.queries - 1);
  // As many keys as fit with their numbers.
  const auto fit = static_cast<std::int64_t>((size.x - scaled(110)) / scaled(42));
  const std::int64_t keys = std::min(scene.keys, std::clamp<std::int64_t>(fit, 3, kMaskBlindMostKeys));
  const std::uint64_t key = key_of({context.run.version, scene_key(scene), static_cast<std::uint64_t>(query),
                                    static_cast<std::uint64_t>(keys)});
  if (key != key_) {
    key_ = key;
    compute(scene, scene.site(*std::prev(masked)), query, keys);
  }
  if (scores_.empty()) return;
  const std::string who = query_name(context.run, scene, query);
  const std::string then = tr("mask.blind.then");
  const float bottom = position.y + size.y;
  caption(tr("mask.blind.lesson", {who}), size.x);
  const float top = ImGui::GetItemRectMax().y + scaled(6), chips = ImGui::GetFrameHeight() + scaled(6);
  const float room = bottom - top - chips - caption_height(then, size.x);
  const float end = draw_rows(context, scene, ImVec2(position.x, top), ImVec2(size.x, room));
  ImGui::SetCursorScreenPos(ImVec2(position.x, end));
  const bool blind = std::find(summary.fully_masked.begin(), summary.fully_masked.end(), query) !=
                     summary.fully_masked.end();
  if (MaskBoard::editable(context, scene)) {
    const std::string label =
        tr(blind ? "mask.blind.give_back" : "mask.blind.take", {who}) + "###mask_blind_row";
    if (chip(label, blind, tr("mask.blind.take.help"))) {
      const MaskSize both(scene.queries, scene.keys);
      context.commands.edit(Text::of("mask.edit.row", {who}), "",
                            [=, place = MaskBoard::mask_place(scene)](Document& document) {
                              return toggle_mask_row(document, query, both, place);
                            });
    }
  }
  ImGui::SetCursorScreenPos(ImVec2(position.x, end + chips));
  caption(then, size.x);
}

// Of all keys, however many of them fit on the screen.
void MaskBlind::compute(const AttentionScene& scene, const Site& entering, std::int64_t query,
                        std::int64_t keys) {
  scores_ = weights_ = Tensor();
  const Tensor row = scene.trace->slice(entering, scene.head, {query, query + 1}, {0, scene.keys});
  if (row.empty()) return;
  const Tensor scores = row.select(0, 0);
  Buffer nobody({{Axis::key, scene.keys}});
  std::fill_n(nobody.data(), scene.keys, 0.f);
  const MaskedSoftmax made = masked_softmax(scores, std::move(nobody).freeze());
  scores_ = stacked({&scores, &made.entering}, keys);
  weights_ = stacked({&made.naive, &made.filled, &made.safe}, keys);
  range_ = signed_range(scores);
}

// The scores above the results of three softmax variants; returns the y below, pixels.
float MaskBlind::draw_rows(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                           ImVec2 size) {
  const auto rows_of = [](std::initializer_list<const char*> words) {
    std::vector<std::string> out;
    for (const char* word : words) out.push_back(tr(word));
    return out;
  };
  MatrixPlot plot;
  plot.digits = 2;
  plot.max_cell = 90.f;
  plot.aspect = 0.5f;
  plot.masked_numbers = true;
  for (std::int64_t at = 0; at < scores_.size(1); ++at)
    plot.cols.labels.push_back(key_name(context.run, scene, at));
  plot.cols.colour = theme().k;
  plot.key = "mask.blind_scores";
  plot.values = scores_;
  plot.style.map = Colormap::diverging;
  set_range(plot.style, range_);
  plot.rows.labels = rows_of({"mask.blind.row.scores", "mask.blind.row.masked"});
  const std::vector<std::string> lower =
      rows_of({"mask.blind.row.naive", "mask.blind.row.filled", "mask.blind.row.safe"});
  float labels = 0;
  for (const std::vector<std::string>* names : {&std::as_const(plot.rows.labels), &lower})
    for (const std::string& name : *names) labels = std::max(labels, text_size(fonts().mono_small, name).x);
  plot.row_label_width = std::min(labels + scaled(10), size.x * 0.4f);
  // Five rows of equal height below the column labels.
  const float gap = scaled(10), labels_height = matrix_layout(plot, size).cells0.y;
  const float row = std::max(scaled(8), (size.y - labels_height - 2 * gap) / 5);
  const ImVec2 upper(size.x, labels_height + 2 * row);
  const MatrixLayout layout = matrix_layout(plot, upper);
  (void)draw_matrix(context.painter, plot, position, upper);
  const float next = position.y + layout.cells1.y + gap;
  plot.key = "mask.blind_weights";
  plot.values = weights_;
  plot.style = stage_style(slot_of(StepRole::pattern), {0, 1}, {});
  plot.cell = layout.cell;
  plot.rows.labels = lower;
  plot.cols = {};
  plot.cols.show_labels = false;
  (void)draw_matrix(context.painter, plot, ImVec2(position.x, next),
                    ImVec2(size.x, layout.cell.y * 3 + scaled(4)));
  return next + layout.cell.y * 3 + gap;
}

}  // namespace attnscope
