// The chips of a line: one per token, padding hatched, special tokens as pills, an image as one chip with a
// thumbnail; in a strip that scrolls horizontally.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/pointed.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/widgets/places.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/typed_words.h"

namespace attnscope {
namespace {

constexpr float kChipHeight = 26.f, kChipGap = 6.f, kChipPadding = 9.f, kThumb = 20.f;
constexpr float kWidestLabel = 160.f;

std::uint64_t sum_of(const std::vector<int>& ids) {
  Hash hash;
  hash.take(ids.size());
  for (const int id : ids) hash.take(static_cast<std::uint64_t>(id));
  return hash.value();
}

/// Small text after the label: the row, the range of rows, the segment.
std::string small_text(const Chip& chip) {
  if (chip.rows > 1)
    return format("%lld\u2013%lld", static_cast<long long>(chip.row),
                  static_cast<long long>(chip.row + chip.rows - 1));
  const std::string row = std::to_string(chip.row);
  return chip.type > 0 ? tr("input.segment_sign", {row, std::to_string(chip.type)}) : row;
}

Chip token_chip(const Document& document, Stack of, const Input& input, std::size_t at) {
  const std::vector<int>& ids = of == Stack::enc ? input.source : input.ids;
  Chip chip;
  chip.id = ids[at];
  chip.token = static_cast<std::int64_t>(at);
  chip.label = token_label(*document.opened, ids[at]);
  if (is_special_token(*document.opened, ids[at])) chip.kind = Chip::Kind::special;
  if (of != Stack::enc && document.model->config().type_vocab > 1)
    chip.type = input.types.empty() ? 0 : input.types[at];
  return chip;
}

void add_padding(const Document& document, std::int64_t count, std::vector<Chip>& chips) {
  Chip chip;
  chip.kind = Chip::Kind::padding;
  chip.id = pad_token(document.model->config());
  chip.label = tr("input.padding_chip");
  chips.insert(chips.end(), static_cast<std::size_t>(std::max<std::int64_t>(0, count)), chip);
}

// Of a text with words that the vocabulary may not know: their chips have one id and different labels.
std::uint64_t typed_hash(const OpenedModel& opened, const Sequence& sequence, Stack of) {
  if (!opened.tokenizer || !opened.tokenizer->unknown()) return 0;
  return key_of(of == Stack::enc ? sequence.source_text : sequence.text);
}

std::vector<Chip> token_chips(const Document& document, std::size_t sequence, Stack of) {
  std::vector<Chip> chips;
  const ModelConfig& config = document.model->config();
  const Input& input = document.sequences[sequence].input;
  const std::vector<int>& ids = of == Stack::enc ? input.source : input.ids;
  const TypedWords typed = typed_words(*document.opened, document.sequences[sequence], of);
  const PadCounts padding = padding_of(document, sequence, of);
  add_padding(document, padding.before, chips);
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const bool image = of != Stack::enc && config.vision() && ids[at] == config.image_token;
    if (image && !chips.empty() && chips.back().kind == Chip::Kind::image) {
      ++chips.back().rows;
      continue;
    }
    chips.push_back(token_chip(document, of, input, at));
    if (const auto word = typed.find(static_cast<std::int64_t>(at)); word != typed.end())
      chips.back().label = word->second, chips.back().unknown = true, chips.back().kind = Chip::Kind::token;
    const std::vector<std::uint8_t>& attention_mask =
        of == Stack::enc ? input.source_attention_mask : input.attention_mask;
    if (at < attention_mask.size() && attention_mask[at] == 0) {  // padding in the recorded attention mask
      chips.back().kind = Chip::Kind::padding;
      chips.back().label = tr("input.padding_chip");
    }
    if (!image) continue;
    chips.back().kind = Chip::Kind::image;
    chips.back().label = tr("input.image_chip");
  }
  add_padding(document, padding.after, chips);
  return chips;
}

}  // namespace

std::vector<Chip> chips_of(const Document& document, std::size_t sequence, Stack of) {
  const Input& input = document.sequences[sequence].input;
  const ModelConfig& config = document.model->config();
  std::vector<Chip> chips;
  if (of == Stack::enc || !input.ids.empty()) {
    chips = token_chips(document, sequence, of);
  } else if (!input.vectors.empty()) {
    for (std::int64_t pos = 0; pos < input.vectors.size(0); ++pos) {
      const std::string name = vector_name(input, pos);
      chips.push_back({Chip::Kind::vector, name.empty() ? tr("input.token", {std::to_string(pos)}) : name, -1,
                       -1, 0, 1, pos});
    }
  } else {
    for (std::int64_t row = 0; row < config.patch.count(); ++row)
      chips.push_back({Chip::Kind::patch, patch_label(config.patch, row)});
    if (config.patch.class_token) chips.front().kind = Chip::Kind::special;
  }
  std::int64_t row = 0;
  for (Chip& chip : chips) chip.row = std::exchange(row, row + chip.rows);
  return chips;
}

void TokenLine::measure(const PanelContext& context) {
  const Document& document = context.session.document();
  const Input& input = document.sequences[sequence_].input;
  const bool vectors = !is_source() && !input.vectors.empty();
  Measured now{context.session.opened_version(),
               sequence_,
               sum_of(is_source() ? input.source : input.ids),
               is_source() ? 0 : sum_of(input.types),
               typed_hash(*document.opened, document.sequences[sequence_], of_),
               vectors ? input.vectors.size(0) : 0,
               padding_of(document, sequence_, of_),
               ui_scale(),
               typing_,
               language()};
  if (now == measured_) return;
  measured_ = std::move(now);
  chips_ = chips_of(document, sequence_, of_);
  chip_x_.assign(1, 0.f);
  const WithFont face(fonts().mono);
  for (Chip& chip : chips_) {
    chip.label = shortened(chip.label, px(kWidestLabel));
    note_text(chip.label);
    float width = ImGui::CalcTextSize(chip.label.c_str()).x + 2 * px(kChipPadding);
    const WithFont small(fonts().mono_small);
    width += px(5) + ImGui::CalcTextSize(small_text(chip).c_str()).x;
    if (chip.kind == Chip::Kind::image || chip.kind == Chip::Kind::patch) width += px(kThumb);
    chip_x_.push_back(chip_x_.back() + width + px(kChipGap));
  }
  if (fonts_pending()) measured_ = {};  // measured before its glyphs were loaded: measure again
}

void TokenLine::click_chip(const PanelContext& context, const Chip& chip) const {
  look_at(context, of_, chip.row, ImGui::GetIO().KeyShift);
}

namespace {

struct Ink {
  ImU32 ground, border, text;
  float outline = 1.f;
};

bool is_key(const PanelContext& context, Stack of, const Chip& chip) {
  if (context.workspace.holds_back) return false;
  const Cursor& cursor = context.workspace.cursor;
  const Stack keys = cursor.part == Part::cross ? Stack::enc : cursor.stack;
  const Stack rows = of == Stack::enc ? of : context.session.document().model->config().stack;
  return keys == rows && chip.holds(cursor.key);
}

// The query has a blue border, the key a red one.
Ink chip_ink(const PanelContext& context, Stack of, const Chip& chip, bool lit) {
  const Theme& t = theme();
  const Cursor& cursor = context.workspace.cursor;
  const Stack rows = of == Stack::enc ? of : context.session.document().model->config().stack;
  Ink ink{t.panel_raised, t.border, t.text};
  if (chip.kind == Chip::Kind::special) ink = {t.ground, t.border, t.text_dim};
  if (chip.kind == Chip::Kind::padding) ink = {t.masked, t.border, t.text_dim};
  if (lit) ink.ground = t.hovered;
  const bool key = is_key(context, of, chip);
  const bool query = cursor.stack == rows && chip.holds(cursor.query);
  const bool image = chip.kind == Chip::Kind::image && cursor.stack == Stack::vision;
  if (key) ink.border = t.k;
  if (query || image) ink.border = t.q;
  if (key || query || image) ink.outline = px(2);
  return ink;
}

void hatch(ImDrawList* list, ImVec2 p0, ImVec2 p1) {
  list->PushClipRect(p0, p1, true);
  const float step = px(6), height = p1.y - p0.y;
  for (float x = p0.x - height; x < p1.x; x += step)
    list->AddLine(ImVec2(x, p1.y), ImVec2(x + height, p0.y), theme().masked_stripe, px(1.2f));
  list->PopClipRect();
}

// The whole image, or the patch of a chip.
void draw_thumb(const PanelContext& context, const Chip& chip, const std::string& picture, ImVec2 at,
                float side) {
  const ImVec2 end(at.x + side, at.y + side);
  const PatchSpec& patch = image_patches(context.session.document().model->config());
  ImVec2 uv0(0, 0), uv1(1, 1);
  if (chip.kind == Chip::Kind::patch) {
    const std::int64_t place = chip.row - (patch.class_token ? 1 : 0);
    const auto col = static_cast<float>(place % patch.cols), row = static_cast<float>(place / patch.cols);
    const auto cols = static_cast<float>(patch.cols), rows = static_cast<float>(patch.rows);
    uv0 = ImVec2(col / cols, row / rows);
    uv1 = ImVec2((col + 1) / cols, (row + 1) / rows);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  context.painter.picture(list, picture, at, end, uv0, uv1);
  list->AddRect(at, end, theme().border);
}

// In the easy window a chip is clicked to look from it; the key follows.
std::string easy_help(const Chip& chip, bool key) {
  const std::string help = tr(chip.unknown                       ? "easy.chip.unknown"
                              : chip.kind == Chip::Kind::special ? "easy.chip.special"
                                                                 : "easy.chip.help",
                              {chip.label, std::to_string(chip.row)});
  return key ? tr("easy.chip.key", {help}) : help;
}

void tell(const PanelContext& context, const Chip& chip, bool key) {
  const std::string row = std::to_string(chip.row);
  std::string text;
  switch (chip.kind) {
    case Chip::Kind::padding: text = tr("input.padding.help", {std::to_string(chip.id), row}); break;
    case Chip::Kind::image: text = tr("input.image.help", {std::to_string(chip.rows)}); break;
    case Chip::Kind::vector: text = tr("input.row.help", {row}); break;
    default:
      if (chip.id >= 0 && context.workspace.level == Level::easy) {
        text = easy_help(chip, key);
        break;
      }
      text = chip.id < 0 ? tr("input.patch.help", {chip.label, row})
                         : tr(chip.kind == Chip::Kind::special ? "input.special.help" : "input.chip.help",
                              {chip.label, std::to_string(chip.id), row});
  }
  if (chip.type >= 0) text = tr("input.segment.help", {text, std::to_string(chip.type)});
  ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace

void TokenLine::draw_chip(const PanelContext& context, std::size_t index, float height,
                          const std::string& picture, bool& picture_clicked) {
  const Chip& chip = chips_[index];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 end(at.x + chip_x_[index + 1] - chip_x_[index] - px(kChipGap), at.y + height);
  const Label id(is_source() ? "###source_chip" : "###chip", std::to_string(index));
  if (hit_area(id.c_str(), ImVec2(end.x - at.x, height))) {
    picture_clicked |= chip.kind == Chip::Kind::image;
    click_chip(context, chip);
  }
  note_item(id);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && chip.token >= 0) lit_next_ = chip.token;
  const Stack rows = of_ == Stack::enc ? of_ : context.session.document().model->config().stack;
  if (hovered) point_token(rows, chip.row);
  const bool asks =
      ImGui::IsItemClicked(ImGuiMouseButton_Right) || (hovered && ImGui::IsMouseDoubleClicked(0));
  if (asks && chip.kind != Chip::Kind::image) menu_.ask(index);
  const bool lit =
      (chip.token >= 0 && lit_ == chip.token) || (chip.rows == 1 && token_pointed(rows, chip.row));
  const Ink ink = chip_ink(context, of_, chip, hovered || lit);
  const float round = chip.kind == Chip::Kind::special ? height / 2 : px(metric::kRounding);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, ink.ground, round);
  if (chip.kind == Chip::Kind::padding) hatch(list, at, end);
  list->AddRect(at, end, ink.border, round, 0, ink.outline);
  float x = at.x + px(kChipPadding);
  if (chip.kind == Chip::Kind::image || chip.kind == Chip::Kind::patch) {
    const float side = px(kThumb - 4);
    draw_thumb(context, chip, picture, ImVec2(at.x + px(6), (at.y + end.y - side) / 2), side);
    x += px(kThumb - 2);
  }
  const auto write = [&](ImFont* font, const std::string& text, ImU32 colour) {
    const WithFont face(font);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list->AddText(ImVec2(x, (at.y + end.y - size.y) / 2), colour, text.c_str());
    x += size.x + px(5);
  };
  const float begins = x;
  write(fonts().mono, chip.label, ink.text);
  if (chip.unknown)  // the model does not read it
    list->AddLine(ImVec2(begins, (at.y + end.y) / 2), ImVec2(x - px(5), (at.y + end.y) / 2), ink.text,
                  px(1.4f));
  write(fonts().mono_small, small_text(chip), theme().text_dim);
  if (hovered) tell(context, chip, is_key(context, of_, chip));
}

// The left edge of the first chip that begins there or later: no chip is cut at the left.
float TokenLine::begin_of_chip(float x) const {
  const auto at = std::lower_bound(chip_x_.begin(), chip_x_.end(), x);
  return at == chip_x_.end() ? chip_x_.back() : *at;
}

float TokenLine::last_scroll(float width) const {
  return chip_x_.back() > width + 1 ? begin_of_chip(chip_x_.back() - width) : 0.f;
}

// Scrolls by the mouse wheel, and to the query when it moves or when the width of the strip changes.
void TokenLine::scroll_strip(const PanelContext& context, float width) {
  const float wheel = ImGui::GetIO().MouseWheel + ImGui::GetIO().MouseWheelH;
  float scroll = ImGui::GetScrollX();
  if (wheel != 0 && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    scroll -= wheel * px(80);
  const Cursor& cursor = context.workspace.cursor;
  const Stack rows = is_source() ? of_ : context.session.document().model->config().stack;
  const Stack keys = cursor.part == Part::cross ? Stack::enc : cursor.stack;
  std::int64_t row = cursor.stack == rows ? cursor.query : keys == rows ? cursor.key : shown_row_;
  if (const auto& shown = context.workspace.shown_token; shown && (shown->first == Stack::enc) == is_source())
    for (const Chip& chip : chips_)
      if (chip.token == shown->second) row = chip.row;
  if (row != shown_row_ || width != shown_width_) {
    for (std::size_t i = 0; i < chips_.size(); ++i)
      if (chips_[i].holds(row))
        scroll = std::min(chip_x_[i], begin_of_chip(std::max(scroll, chip_x_[i + 1] - width + px(20))));
  }
  scroll = std::clamp(scroll, 0.f, last_scroll(width));
  if (std::fabs(scroll - ImGui::GetScrollX()) >= 1) return ImGui::SetScrollX(scroll);
  shown_row_ = row, shown_width_ = width;  // scrolling is done
}

float TokenLine::draw_chips(const PanelContext& context, float room, const std::string& picture,
                            bool& picture_clicked) {
  measure(context);
  const float height = px(kChipHeight), content = chip_x_.back();
  const float width = std::clamp(content, px(40), std::max(px(80), room));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  compat::begin_child(item("chips").c_str(), ImVec2(width, height + px(7)), false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  scroll_strip(context, width);
  const float scroll = ImGui::GetScrollX();
  const auto first = std::upper_bound(chip_x_.begin(), chip_x_.end(), scroll) - chip_x_.begin();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  for (auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first - 1));
       at < chips_.size() && chip_x_[at] < scroll + width; ++at) {
    const bool whole = chip_x_[at + 1] - px(kChipGap) <= scroll + width + 1;
    if (!whole && chip_x_[at] > scroll) break;  // no chip is cut at the right
    ImGui::SetCursorScreenPos(ImVec2(origin.x + chip_x_[at], origin.y));
    draw_chip(context, at, height, picture, picture_clicked);
  }
  ImGui::SetCursorScreenPos(ImVec2(origin.x + std::max(content, last_scroll(width) + width) - 1, origin.y));
  ImGui::Dummy(ImVec2(1, 1));
  if (content > width + 1) {
    const ImVec2 low(ImGui::GetWindowPos().x, origin.y + height + px(3));
    const float begin = scroll / content * width, part = width / content * width;
    ImGui::GetWindowDrawList()->AddRectFilled(
        ImVec2(low.x + begin, low.y), ImVec2(low.x + begin + part, low.y + px(3)), theme().border, px(1.5f));
  }
  ImGui::EndChild();
  return width;
}

}  // namespace attnscope
