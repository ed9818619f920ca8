#include "app/views/mask_segments.h"

#include "app/views/mask_kinds.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMaskSegmentsMostTokens = 128;

// Spans as strips above and left of the cells, with their names below.
void draw_spans(const std::vector<Span>& spans, std::int64_t tokens, const MatrixLayout& layout,
                ImVec2 place) {
  const Canvas canvas;
  const ImU32 colours[] = {theme().residual, theme().mlp, theme().v, theme().attention};
  const float y = place.y + layout.cells0.y, x = place.x + layout.cells0.x;
  for (std::size_t s = 0; s < spans.size() && spans[s].begin < tokens; ++s) {
    const auto begin = static_cast<double>(spans[s].begin),
               end = static_cast<double>(std::min(spans[s].end, tokens));
    const ImVec2 a = layout.corner(begin, begin), b = layout.corner(end, end);
    const ImU32 colour = colours[s % std::size(colours)];
    canvas.fill_rect(ImVec2(place.x + a.x + 1, y - scaled(7)), ImVec2(place.x + b.x - 1, y - scaled(3)),
                     colour, scaled(2));
    canvas.fill_rect(ImVec2(x - scaled(7), place.y + a.y + 1), ImVec2(x - scaled(3), place.y + b.y - 1),
                     colour, scaled(2));
    const std::string name(middle_truncated(fonts().small, spans[s].name, b.x - a.x));
    draw_text(canvas, fonts().small,
              ImVec2(place.x + (a.x + b.x - text_size(fonts().small, name).x) / 2,
                     place.y + layout.cells1.y + scaled(2)),
              colour, name);
  }
}

}  // namespace

void MaskSegments::draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                        ImVec2 size) {
  const Document& document = MaskBoard::shown_document(context, scene);
  const auto sequence = static_cast<std::size_t>(std::max(0, scene.sequence));
  const bool main = MaskBoard::mask_place(scene).of == AttentionKind::main && !context.run.recorded();
  ImGui::SetCursorScreenPos(position);
  if (!main) return caption(tr("mask.segments.main"));
  const std::vector<Span>& spans = document.sequences[sequence].input.spans;
  if (spans.empty()) {
    {
      const ChildScope words("###mask_segments_words", ImVec2(size.x, scaled(44)),
                             ImGuiWindowFlags_NoScrollbar);
      caption(tr("mask.segments.none"));
    }
    ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + scaled(50)));
    if (chip(Label(tr("mask.segments.name"), "###mask_name_parts"), false, tr("mask.segments.name.help")))
      context.commands.edit(Text::of("mask.edit.parts"), "",
                            [sequence](Document& changed) { return name_three_parts(changed, sequence); });
    return;
  }
  const std::int64_t tokens = std::min(scene.queries, kMaskSegmentsMostTokens);
  Hash hash;
  hash.take(key_of({context.run.opened_version, static_cast<std::uint64_t>(tokens)}));
  hash.take(spans_text(spans));
  if (hash.value() != key_) {
    key_ = hash.value();
    make(spans, tokens);
  }
  const float gap = scaled(16);
  const bool beside = size.x > size.y * 0.9f;
  const ImVec2 each = beside ? ImVec2((size.x - gap) / 2, size.y) : ImVec2(size.x, (size.y - gap) / 2);
  draw_one(context, scene, spans, 0, position, each);
  draw_one(context, scene, spans, 1,
           ImVec2(position.x + (beside ? each.x + gap : 0), position.y + (beside ? 0 : each.y + gap)), each);
}

void MaskSegments::make(const std::vector<Span>& spans, std::int64_t tokens) {
  const std::string first = mask_part(spans.front().name);
  texts_ = {"causal", "causal | " + first + ">" + first};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto spec = MaskSpec::parse(texts_[i]);
    const auto mask = spec ? spec->resolve(Mask{}, tokens, tokens, spans) : Result<Mask>(spec.error());
    planes_[i] = mask ? mask_plane(*mask, {0, tokens}, {0, tokens}) : Tensor();
  }
}

// One of the two masks, below the chip that selects it.
void MaskSegments::draw_one(const ViewContext& context, const AttentionScene& scene,
                            const std::vector<Span>& spans, std::size_t which, ImVec2 at, ImVec2 each) {
  const bool on =
      is_chosen_mask(MaskBoard::shown_document(context, scene), texts_[which], AttentionKind::main);
  ImGui::SetCursorScreenPos(at);
  const std::string title =
      which == 0 ? std::string(tr("mask.segments.causal")) : tr("mask.segments.both", {spans.front().name});
  {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
    const Label label(middle_truncated(fonts().small, title, each.x - scaled(16)), "###mask_segments_",
                      std::to_string(which));
    if (chip(label, on, tr("mask.segments.choose", {texts_[which]}).c_str()))
      MaskKinds::choose(context, scene, texts_[which]);
  }
  const float top = ImGui::GetItemRectMax().y - at.y + scaled(6),
              line = text_size(fonts().small, "X").y + scaled(4);
  if (planes_[which].empty()) return;
  MatrixPlot plot;
  plot.key = which == 0 ? "mask.segments_causal" : "mask.segments_both";
  plot.values = planes_[which];
  plot.style = stage_style(slot_of(StepRole::mask), {0, 1}, {});
  plot.show_numbers = false;
  plot.max_cell = 60.f;
  plot.aspect = 0.8f;
  plot.rows.show_labels = plot.cols.show_labels = false;
  plot.row_label_width = scaled(10), plot.col_label_height = scaled(10);
  const ImVec2 place(at.x, at.y + top), room(each.x, each.y - top - line);
  (void)draw_matrix(context.painter, plot, place, room);
  draw_spans(spans, planes_[which].size(0), matrix_layout(plot, room), place);
}

}  // namespace attnscope
