#include "app/views/attention_why.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/simplex.h"
#include "core/lesson/leaks.h"

namespace attnscope {
namespace {

constexpr float kAttentionWhyLine = 20.f;  // units

// "÷ √12", or "× 0.5" if the scale is not 1/√d_head.
std::string_view scale_title(const AttentionRow& row) {
  if (row.root_of > 0) return kept_tr("attention.why.root", {std::to_string(row.root_of)});
  return kept_tr("attention.why.factor", {short_number(row.scale)});
}

constexpr float kApart = 7;  // units between neighbouring numbers that could have more digits

std::string cell_number(double value, int digits) { return number_text(static_cast<float>(value), digits); }

}  // namespace

void WhyTable::take_row(const ViewContext& context, const AttentionScene& scene, std::int64_t query) {
  const std::uint64_t key =
      key_of({context.run.version, scene_key(scene), static_cast<std::uint64_t>(query)});
  if (row_ && key == key_) return;
  key_ = key;
  fresh_ = true;
  auto row = attention_row(*scene.trace, scene.pattern(), scene.head, query);
  row_.reset(), order_.clear();
  if (!row) return;
  row_ = *std::move(row);
  order_ = strongest_keys(*row_);
  std::vector<char> listed(row_->terms.size(), 0);
  for (const std::int64_t at : order_) listed[static_cast<std::size_t>(at)] = 1;
  for (std::size_t at = 0; at < listed.size(); ++at)
    if (!listed[at]) order_.push_back(static_cast<std::int64_t>(at));
}

// Widths by share, at least as wide as the title; the other columns shrink.
WhyTable::Columns WhyTable::columns(float width) const {
  std::vector<std::pair<Kind, float>> shares{{Kind::key, 0.20f}, {Kind::score, 0.17f}};
  const bool later = row_->cap > 0 || row_->biased;
  const bool narrow = width < scaled(330);  // no mask column: masked rows are dimmed anyway
  const float mask = later ? 0.11f : 0.13f;
  if (row_->mask_first) shares.emplace_back(Kind::mask, mask);
  if (row_->scale != 1) shares.emplace_back(Kind::scaled, 0.16f);
  if (row_->cap > 0) shares.emplace_back(Kind::capped, 0.16f);
  if (row_->biased) shares.emplace_back(Kind::bias, 0.14f);
  if (!row_->mask_first && !narrow) shares.emplace_back(Kind::mask, mask);
  shares.emplace_back(Kind::exponential, 0.14f);
  shares.emplace_back(Kind::weight, later ? 0.20f : 0.25f);
  float sum = 0, all = 0, spare = 0;
  for (const auto& [kind, share] : shares) sum += share;
  std::vector<float> least;
  Columns out;
  for (const auto& [kind, share] : shares) {
    least.push_back(text_size(fonts().small, title_of(kind)).x + scaled(6));
    const bool word = kind == Kind::key, number = !word && kind != Kind::mask && kind != Kind::weight;
    const float digits = text_size(fonts().mono_small, word ? "because" : number ? "-0.0" : "").x;
    least.back() = std::max(least.back(), digits + scaled(5));
    out.push_back({kind, 0, std::max(least.back(), share / sum * width)});
    all += out.back().width;
    spare += out.back().width - least.back();
  }
  const float give = spare > 0 ? std::clamp((all - width) / spare, 0.f, 1.f) : 0.f;
  float x = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].width -= give * (out[i].width - least[i]);
    out[i].x = x;
    x += out[i].width;
  }
  return out;
}

std::string_view WhyTable::title_of(Kind kind) const {
  switch (kind) {
    case Kind::key: return tr("attention.why.key");
    case Kind::score: return tr("attention.why.score");
    case Kind::scaled: return scale_title(*row_);
    case Kind::capped: return kept_tr("attention.why.cap", {short_number(row_->cap)});
    case Kind::bias: return tr("attention.why.bias");
    case Kind::mask: return tr("attention.why.mask");
    case Kind::exponential: return tr("attention.why.exp");
    case Kind::weight: return tr("attention.why.softmax");
  }
  return {};
}

double WhyTable::number_of(Kind kind, const AttentionTerm& term) const {
  switch (kind) {
    case Kind::score: return term.score;
    case Kind::scaled: return term.scaled;
    case Kind::capped: return term.capped;
    case Kind::bias: return term.bias;
    case Kind::exponential: return term.exponential;
    default: return term.weight;
  }
}

void WhyTable::draw_header(const Columns& columns, ImVec2 at) const {
  for (const Column& column : columns)
    draw_text(Canvas(), fonts().small, ImVec2(at.x + column.x, at.y), theme().text_dim,
              middle_truncated(fonts().small, title_of(column.kind), column.width - scaled(2)));
}

void WhyTable::draw_bar(const AttentionTerm& term, ImVec2 at, float width) const {
  if (!term.allowed && term.weight == 0) return;
  const Canvas canvas;
  const float bar = width * static_cast<float>(std::clamp(term.weight, 0.0, 1.0));
  const ImVec2 p0(at.x, at.y + scaled(4)),
      p1(at.x + std::max(bar, scaled(1.5f)), at.y + scaled(kAttentionWhyLine - 4));
  canvas.fill_rect(p0, p1, with_alpha(theme().attention, 0.55f), scaled(2));
  canvas.rect(p0, p1, theme().attention, scaled(2));
}

void WhyTable::draw_line(const ViewContext& context, const AttentionScene& scene, const Columns& columns,
                         ImVec2 at, std::int64_t key, bool lit) const {
  const AttentionTerm& term = row_->terms[static_cast<std::size_t>(key)];
  const Canvas canvas;
  ImFont* font = fonts().mono_small;
  const float character = text_size(font, "0").x;
  const float y = at.y + (scaled(kAttentionWhyLine) - text_size(font, "0").y) / 2;
  const ImU32 ink = term.allowed ? theme().text : with_alpha(theme().text_dim, 0.7f);
  const auto put = [&](const Column& column, ImU32 colour, const std::string& text) {
    draw_text(canvas, font, ImVec2(at.x + column.x, y), colour,
              middle_truncated(font, text, column.width - scaled(3)));
  };
  const auto number = [&](const Column& column, double value) {
    const int room = static_cast<int>((column.width - scaled(kApart)) / character);
    const int whole =
        static_cast<int>(utf8_length(cell_number(std::trunc(value), 0))) + (value < 0 && value > -1);
    const int least = std::abs(value) < 10 ? 1 : 0;
    put(column, ink, cell_number(value, std::clamp(room - whole - 1, least, 3)));
  };
  for (const Column& column : columns) {
    if (column.kind == Kind::key)
      put(column, lit ? theme().k : ink, key_name(context.run, scene, key));
    else if (column.kind == Kind::mask)
      put(column, ink, term.allowed ? "0" : "−∞");
    else if (column.kind == Kind::weight)
      draw_bar(term, ImVec2(at.x + column.x, at.y), column.width - scaled(2));
    else
      number(column, number_of(column.kind, term));
  }
}

PairEvent WhyTable::draw_lines(const ViewContext& context, const AttentionScene& scene,
                               const Columns& columns, std::int64_t query, std::int64_t key) {
  PairEvent out;
  const float line = scaled(kAttentionWhyLine), width = ImGui::GetContentRegionAvail().x;
  const auto count = static_cast<std::int64_t>(row_->terms.size());
  if (std::exchange(fresh_, false)) {  // a new row starts at its largest weights
    ImGui::SetScrollY(0);
    shown_key_ = key;
  }
  if (key != shown_key_ && key >= 0) {
    const auto place = std::find(order_.begin(), order_.end(), key) - order_.begin();
    const float top = static_cast<float>(place) * line, view = ImGui::GetWindowHeight();
    if (top < ImGui::GetScrollY() || top + line > ImGui::GetScrollY() + view)
      ImGui::SetScrollY(std::max(0.f, std::round((top + line / 2 - view / 2) / line) * line));  // whole lines
    shown_key_ = key;
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto first = static_cast<std::int64_t>(std::max(0.f, ImGui::GetScrollY() / line - 1));
  const auto last = std::min(count, first + static_cast<std::int64_t>(ImGui::GetWindowHeight() / line) + 3);
  for (std::int64_t rank = first; rank < last; ++rank) {
    const std::int64_t at = order_[static_cast<std::size_t>(rank)];
    const ImVec2 place(origin.x, origin.y + static_cast<float>(rank) * line);
    ImGui::SetCursorScreenPos(place);
    const std::string id = format("###why_%lld", static_cast<long long>(at));
    const bool clicked = hit_area(id.c_str(), ImVec2(std::max(1.f, width), line));
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || clicked) out = {query, at, clicked};
    if (hovered || at == key)
      Canvas().fill_rect(place, ImVec2(place.x + width, place.y + line),
                         hovered ? theme().hovered : theme().accent_soft, scaled(3));
    draw_line(context, scene, columns, ImVec2(place.x + scaled(4), place.y), at, at == key || hovered);
    if (hovered) {
      const AttentionTerm& term = row_->terms[static_cast<std::size_t>(at)];
      const bool plain = row_->scale == 1 && row_->cap <= 0;
      const std::string told =
          tr(!term.allowed ? "attention.why.line_masked"
             : plain       ? "attention.why.line_unscaled"
                           : "attention.why.line",
             {key_name(context.run, scene, at), cell_number(term.score, 4), cell_number(term.scaled, 4),
              cell_number(term.exponential, 4), cell_number(term.weight, 4)});
      tooltip_beside(place, ImVec2(place.x + width, place.y + line), told.c_str());
      ImGui::SetTooltip("%s", told.c_str());
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
  const std::string who = query_name(context.run, scene, query);
  std::string_view title =
      kept_tr("attention.why.title", {who, std::to_string(scene.head), std::to_string(query)});
  if (text_size(fonts().body_bold, title).x > size.x) title = kept_tr("attention.why.title.short", {who});
  const Canvas canvas;
  draw_text(canvas, fonts().body_bold, position, theme().text,
            middle_truncated(fonts().body_bold, title, size.x));
  float y = position.y + text_size(fonts().body_bold, "X").y + scaled(6);
  const float width = size.x - scaled(16);
  const Columns& across =
      columns_.get({key_, std::bit_cast<std::uint32_t>(width)}, [&] { return columns(width); });
  draw_header(across, ImVec2(position.x + scaled(4), y));
  y += text_size(fonts().small, "X").y + scaled(4);
  const float footer = text_size(fonts().small, "X").y + scaled(6);
  const float room = position.y + size.y - y - footer;
  PairEvent event;
  if (hides_row(context.workspace.hidden, scene.pattern(), scene.head, query)) {  // asked for by a lesson
    ImGui::SetCursorScreenPos(ImVec2(position.x + scaled(4), y));
    text_line(fonts().body, theme().text_dim, tr("lessons.covered"), size.x - scaled(4));
    note_item("attention.why_covered");
    return event;
  }
  if (room >= scaled(kAttentionWhyLine)) {
    ImGui::SetCursorScreenPos(ImVec2(position.x, y));
    const float wanted = static_cast<float>(row_->terms.size()) * scaled(kAttentionWhyLine) + scaled(2);
    const float whole_lines = std::floor(room / scaled(kAttentionWhyLine)) * scaled(kAttentionWhyLine);
    const ChildScope child("###why", ImVec2(size.x, std::min(whole_lines, wanted)));
    const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    event = draw_lines(context, scene, across, query, key);
    note_item("attention.why", ItemRect{ImVec2(position.x, y),
                                        ImVec2(position.x + size.x, y + std::min(whole_lines, wanted))});
    y += std::min(whole_lines, wanted);
  }
  const std::string_view text =
      row_->edited     ? tr("attention.why.edited")
      : row_->sum <= 0 ? tr("attention.why.blind")
                       : std::string_view(kept_tr("attention.why.sum", {cell_number(row_->maximum, 4),
                                                                        cell_number(row_->sum, 4)}));
  draw_text(canvas, fonts().small, ImVec2(position.x + scaled(4), y + scaled(4)),
            row_->edited || row_->sum <= 0 ? theme().warning : theme().text_dim,
            middle_truncated(fonts().small, text, size.x - scaled(4)));
  return event;
}

}  // namespace attnscope
