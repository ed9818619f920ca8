#include "app/views/attention_why.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/strings.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr float kLine = 20.f;  // units

// "÷ √12", or "× 0.5" where the factor is no root of the head size.
std::string scale_title(const AttentionRow& row) {
  if (row.root_of > 0) return tr("attention.why.root", {std::to_string(row.root_of)});
  return tr("attention.why.factor", {short_number(row.scale)});
}

std::string cell_number(double value, int digits) { return number_text(static_cast<float>(value), digits); }

}  // namespace

void WhyTable::take_row(const ViewContext& context, const AttentionScene& scene, std::int64_t query) {
  const std::uint64_t key =
      key_of({context.run.version, static_cast<std::uint64_t>(scene.sequence),
              static_cast<std::uint64_t>(scene.layer), static_cast<std::uint64_t>(scene.head),
              static_cast<std::uint64_t>(query)});
  if (row_ && key == key_) return;
  key_ = key;
  shown_key_ = -1;
  auto row = attention_row(*scene.trace, scene.site(Slot::pattern), scene.head, query);
  if (row)
    row_ = *std::move(row);
  else
    row_.reset();
}

WhyTable::Columns WhyTable::columns(float width) const {
  float shares[] = {0.20f, 0.17f, 0.16f, 0.13f, 0.14f, 0.20f};
  if (row_->mask_first) std::swap(shares[2], shares[3]);
  Columns out;
  for (int c = 0; c < 6; ++c) out.x[c + 1] = out.x[c] + shares[c] * width;
  return out;
}

void WhyTable::draw_header(const Columns& columns, ImVec2 at) const {
  const std::string scale = scale_title(*row_), mask = tr("attention.why.mask");
  const std::string titles[] = {tr("attention.why.key"),         tr("attention.why.score"),
                                row_->mask_first ? mask : scale, row_->mask_first ? scale : mask,
                                tr("attention.why.exp"),         tr("attention.why.softmax")};
  for (int c = 0; c < 6; ++c) {
    const float room = columns.x[c + 1] - columns.x[c] - scaled(2);
    draw_text(ImGui::GetWindowDrawList(), fonts().small, ImVec2(at.x + columns.x[c], at.y), theme().text_dim,
              middle_truncated(fonts().small, titles[c], room));
  }
}

void WhyTable::draw_line(const ViewContext& context, const AttentionScene& scene, const Columns& columns,
                         ImVec2 at, std::int64_t key, bool lit) const {
  const AttentionTerm& term = row_->terms[static_cast<std::size_t>(key)];
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = fonts().mono_small;
  const float character = text_size(font, "0").x;
  const float y = at.y + (scaled(kLine) - text_size(font, "0").y) / 2;
  const ImU32 ink = term.allowed ? theme().text : with_alpha(theme().text_dim, 0.7f);
  const auto put = [&](int column, ImU32 colour, const std::string& text) {
    draw_text(list, font, ImVec2(at.x + columns.x[column], y), colour,
              middle_truncated(font, text, columns.x[column + 1] - columns.x[column] - scaled(3)));
  };
  const auto number = [&](int column, double value) {
    const int room = static_cast<int>((columns.x[column + 1] - columns.x[column] - scaled(3)) / character);
    const int whole =
        static_cast<int>(utf8_length(cell_number(std::trunc(value), 0))) + (value < 0 && value > -1);
    put(column, ink, cell_number(value, std::clamp(room - whole - 1, 1, 3)));
  };
  put(0, lit ? theme().k : ink, token_name(context.run, scene.sequence, key));
  number(1, term.score);
  const int scaled_column = row_->mask_first ? 3 : 2, mask_column = row_->mask_first ? 2 : 3;
  number(scaled_column, term.scaled);
  put(mask_column, ink, term.allowed ? "0" : "−∞");
  number(4, term.exponential);
  const float left = at.x + columns.x[5], width = columns.x[6] - columns.x[5] - scaled(2);
  const float bar = width * static_cast<float>(std::clamp(term.weight, 0.0, 1.0));
  const ImVec2 p0(left, at.y + scaled(4)), p1(left + std::max(bar, scaled(1.5f)), at.y + scaled(kLine - 4));
  if (!term.allowed && term.weight == 0) return;
  list->AddRectFilled(p0, p1, with_alpha(theme().attention, 0.55f), scaled(2));
  list->AddRect(p0, p1, theme().attention, scaled(2));
}

PairEvent WhyTable::draw_lines(const ViewContext& context, const AttentionScene& scene,
                               const Columns& columns, std::int64_t query, std::int64_t key) {
  PairEvent out;
  const float line = scaled(kLine), width = ImGui::GetContentRegionAvail().x;
  const auto count = static_cast<std::int64_t>(row_->terms.size());
  if (key != shown_key_ && key >= 0) {
    const float top = static_cast<float>(key) * line, view = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY() || top + line > ImGui::GetScrollY() + view)
      ImGui::SetScrollY(std::max(0.f, top + line / 2 - view / 2));
    shown_key_ = key;
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto first = static_cast<std::int64_t>(std::max(0.f, ImGui::GetScrollY() / line - 1));
  const auto last = std::min(count, first + static_cast<std::int64_t>(ImGui::GetWindowHeight() / line) + 3);
  for (std::int64_t at = first; at < last; ++at) {
    const ImVec2 place(origin.x, origin.y + static_cast<float>(at) * line);
    ImGui::SetCursorScreenPos(place);
    const std::string id = format("###why_%lld", static_cast<long long>(at));
    const bool clicked = ImGui::InvisibleButton(id.c_str(), ImVec2(std::max(1.f, width), line));
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || clicked) out = {query, at, clicked};
    if (hovered || at == key)
      ImGui::GetWindowDrawList()->AddRectFilled(place, ImVec2(place.x + width, place.y + line),
                                                hovered ? theme().hovered : theme().accent_soft, scaled(3));
    draw_line(context, scene, columns, ImVec2(place.x + scaled(4), place.y), at, at == key || hovered);
    if (hovered) {
      const AttentionTerm& term = row_->terms[static_cast<std::size_t>(at)];
      ImGui::SetTooltip("%s", tr(term.allowed ? "attention.why.line" : "attention.why.line_masked",
                                 {token_name(context.run, scene.sequence, at), cell_number(term.score, 4),
                                  cell_number(term.scaled, 4), cell_number(term.exponential, 4),
                                  cell_number(term.weight, 4)})
                                  .c_str());
    }
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(ImVec2(1, static_cast<float>(count) * line));
  return out;
}

PairEvent WhyTable::draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                         std::int64_t key, ImVec2 position, ImVec2 size) {
  take_row(context, scene, query);
  ImGui::SetCursorScreenPos(position);
  if (!row_) return {};
  const std::string title =
      tr("attention.why.title", {token_name(context.run, scene.sequence, scene.first_query + query),
                                 std::to_string(scene.head), std::to_string(query)});
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, fonts().body_bold, position, theme().text,
            middle_truncated(fonts().body_bold, title, size.x));
  float y = position.y + text_size(fonts().body_bold, "X").y + scaled(6);
  const Columns across = columns(size.x - scaled(16));
  draw_header(across, ImVec2(position.x + scaled(4), y));
  y += text_size(fonts().small, "X").y + scaled(4);
  const float footer = text_size(fonts().small, "X").y + scaled(6);
  const float room = position.y + size.y - y - footer;
  PairEvent event;
  if (room >= scaled(kLine)) {
    ImGui::SetCursorScreenPos(ImVec2(position.x, y));
    const float wanted = static_cast<float>(row_->terms.size()) * scaled(kLine) + scaled(2);
    const float whole_lines = std::floor(room / scaled(kLine)) * scaled(kLine);
    const ChildScope child("###why", ImVec2(size.x, std::min(whole_lines, wanted)));
    const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    event = draw_lines(context, scene, across, query, key);
    y += std::min(whole_lines, wanted);
  }
  std::string text = row_->sum > 0
                         ? tr("attention.why.sum", {cell_number(row_->maximum, 4), cell_number(row_->sum, 4)})
                         : std::string(tr("attention.why.blind"));
  if (row_->edited) text = tr("attention.why.edited");
  draw_text(list, fonts().small, ImVec2(position.x + scaled(4), y + scaled(4)),
            row_->edited || row_->sum <= 0 ? theme().warning : theme().text_dim,
            middle_truncated(fonts().small, text, size.x - scaled(4)));
  return event;
}

}  // namespace attnscope
