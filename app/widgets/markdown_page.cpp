#include "app/widgets/markdown_page.h"

#include <algorithm>
#include <bit>
#include <cfloat>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr float kParagraphGap = 9.f, kItemGap = 4.f, kHeadingGap = 18.f, kIndent = 18.f, kCodePadding = 10.f,
                kCodeEdge = 2.f, kColumnGap = 16.f, kRowGap = 5.f;  // units

ImFont* face_for(MarkdownStyle style, ImFont* plain, ImFont* bold) {
  return style == MarkdownStyle::code                                    ? fonts().mono
         : style == MarkdownStyle::plain || style == MarkdownStyle::link ? plain
                                                                         : bold;
}

float page_text_width(ImFont* font, std::string_view text) {
  return font->CalcTextSizeA(compat::font_size(font), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

float line_height(ImFont* font) { return compat::font_size(font) * 1.3f; }

/// A word and the blank before it; words without a blank between them stay on one line.
struct Word {
  const MarkdownSpan* span;
  std::string_view text;
  bool blank_before;
};

std::vector<Word> words_of(const MarkdownText& text) {
  std::vector<Word> out;
  bool blank = false;
  for (const MarkdownSpan& span : text) {
    const std::string_view all = span.text;
    for (std::size_t at = 0; at < all.size();) {
      if (all[at] == ' ') {
        blank = true, ++at;
        continue;
      }
      const std::size_t end = std::min(all.find(' ', at), all.size());
      out.push_back({&span, all.substr(at, end - at), blank});
      blank = false, at = end;
    }
  }
  return out;
}

// The width of each column: its own where they all fit, else the wide ones share what the narrow ones leave.
std::vector<float> column_widths(std::vector<float> natural, float room) {
  std::vector<float> out(natural.size(), 0);
  std::vector<bool> given(natural.size(), false);
  auto left = static_cast<int>(natural.size());
  for (bool more = true; more && left > 0;) {
    more = false;
    const float share = room / static_cast<float>(left);
    for (std::size_t i = 0; i < natural.size(); ++i) {
      if (given[i] || natural[i] > share) continue;
      out[i] = natural[i], given[i] = true, more = true;
      room -= natural[i], --left;
    }
  }
  for (std::size_t i = 0; i < natural.size(); ++i)
    if (!given[i]) out[i] = room / static_cast<float>(left);
  return out;
}

}  // namespace

void MarkdownPage::show(std::string_view markdown) {
  note_text(markdown);
  blocks_ = read_markdown(markdown);
  key_ = 0;
}

void MarkdownPage::put(const MarkdownSpan& span, const Faces& faces, std::string_view word, ImVec2 at,
                       float line) {
  ImFont* font = face_for(span.style, faces.plain, faces.bold);
  const ImU32 colour = span.style == MarkdownStyle::link   ? theme().accent
                       : span.style == MarkdownStyle::bold ? theme().text
                                                           : faces.colour;
  int link = -1;
  if (span.style == MarkdownStyle::link) {
    if (links_.empty() || links_.back() != span.target) links_.push_back(span.target);
    link = static_cast<int>(links_.size()) - 1;
  }
  const float ascent = compat::font_ascent(font, compat::font_size(font)),
              own = compat::font_ascent(faces.plain, compat::font_size(faces.plain));
  at.y += (line - compat::font_size(faces.plain)) / 2 + own - ascent;
  pieces_.push_back({at, page_text_width(font, word), font, colour, std::string(word), link});
  if (span.style != MarkdownStyle::code) return;
  const float edge = scaled(kCodeEdge);
  const ImVec2 p0(at.x - edge, at.y - edge);
  grounds_.push_back({p0, ImVec2(at.x + pieces_.back().width + edge, at.y + compat::font_size(font) + edge),
                      theme().panel_raised});
}

float MarkdownPage::flow(const MarkdownText& text, const Faces& faces, float x, float y, float width) {
  const std::vector<Word> words = words_of(text);
  const float line = line_height(faces.plain);
  float at = 0;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t end = i + 1;
    while (end < words.size() && !words[end].blank_before) ++end;
    float wide = 0;
    for (std::size_t k = i; k < end; ++k)
      wide += page_text_width(face_for(words[k].span->style, faces.plain, faces.bold), words[k].text);
    const float blank = at > 0 && words[i].blank_before ? page_text_width(faces.plain, " ") : 0;
    if (at > 0 && at + blank + wide > width)
      at = 0, y += line;
    else
      at += blank;
    for (std::size_t first = i; i < end; ++i) {
      put(*words[i].span, faces, words[i].text, ImVec2(x + at, y), line);
      const bool goes_on = i == first && i > 0 && at > 0 && words[i].span == words[i - 1].span;
      if (goes_on && words[i].span->style == MarkdownStyle::code) grounds_.back().p0.x -= blank;
      at += pieces_.back().width;
    }
  }
  return y + line;
}

void MarkdownPage::lay_out_code(const std::string& code) {
  const float pad = scaled(kCodePadding), top = height_, line = line_height(fonts().mono);
  const Faces faces{fonts().mono, fonts().mono, theme().text};
  grounds_.push_back({ImVec2(0, top), {}, theme().panel_raised});
  const std::size_t ground = grounds_.size() - 1;
  height_ += pad;
  for (std::string_view rest = code; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (true) {  // a line that is too long goes on below
      std::size_t fits = text.size();
      if (page_text_width(faces.plain, text) > width_ - 2 * pad) {
        const char* stop = compat::wrap_position(faces.plain, compat::font_size(faces.plain), text.data(),
                                                 text.data() + text.size(), width_ - 2 * pad);
        fits = std::max<std::size_t>(1, static_cast<std::size_t>(stop - text.data()));
      }
      put({MarkdownStyle::plain, {}}, faces, text.substr(0, fits), ImVec2(pad, height_), line);
      height_ += line;
      text.remove_prefix(fits);
      if (text.empty()) break;
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
  }
  height_ += pad;
  grounds_[ground].p1 = ImVec2(width_, height_);
}

void MarkdownPage::lay_out_table(const std::vector<std::vector<MarkdownText>>& rows) {
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  const float gap = scaled(kColumnGap);
  const Faces cell{fonts().body, fonts().body_bold, theme().text};
  std::vector<float> natural(columns, 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      float wide = 1;
      for (const MarkdownSpan& span : row[i])
        wide += page_text_width(face_for(span.style, cell.plain, cell.bold), span.text);
      natural[i] = std::max(natural[i], wide);
    }
  const std::vector<float> widths =
      column_widths(natural, width_ - gap * static_cast<float>(columns > 0 ? columns - 1 : 0));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Faces faces = r == 0 ? Faces{fonts().body_bold, fonts().body_bold, theme().text_dim} : cell;
    float x = 0, bottom = height_ + line_height(faces.plain);
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      bottom = std::max(bottom, flow(rows[r][i], faces, x, height_, widths[i]));
      x += widths[i] + gap;
    }
    height_ = bottom + scaled(kRowGap) / 2;
    grounds_.push_back({ImVec2(0, height_), ImVec2(width_, height_ + metric::kHairline), theme().border});
    height_ += scaled(kRowGap) / 2;
  }
}

void MarkdownPage::lay_out_block(const MarkdownBlock& block, bool first) {
  const Faces text{fonts().reading, fonts().reading_bold, theme().text};
  switch (block.kind) {
    case MarkdownKind::heading: {
      ImFont* font = block.level == 1 ? fonts().title : fonts().reading_bold;
      if (!first) height_ += scaled(kHeadingGap) - scaled(kParagraphGap);
      height_ = flow(block.text, {font, font, theme().text}, 0, height_, width_) + scaled(kItemGap);
      return;
    }
    case MarkdownKind::paragraph:
      height_ = flow(block.text, text, 0, height_, width_) + scaled(kParagraphGap);
      return;
    case MarkdownKind::item: {
      const float indent = scaled(kIndent);
      put({MarkdownStyle::plain, {}}, text, "\u2022", ImVec2(indent * 0.3f, height_),
          line_height(text.plain));
      height_ = flow(block.text, text, indent, height_, width_ - indent) + scaled(kItemGap);
      return;
    }
    case MarkdownKind::code: lay_out_code(block.code); break;
    case MarkdownKind::table: lay_out_table(block.rows); break;
  }
  height_ += scaled(kParagraphGap);
}

void MarkdownPage::lay_out(float width) {
  pieces_.clear();
  grounds_.clear();
  links_.clear();
  width_ = width, height_ = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) lay_out_block(blocks_[i], i == 0);
}

std::string MarkdownPage::draw(float width) {
  const std::uint64_t key =
      text_key({std::bit_cast<std::uint32_t>(width), std::bit_cast<std::uint32_t>(ui_scale())});
  if (key != key_) {
    lay_out(width);
    key_ = fonts_pending() ? 0 : key;
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const auto place = [&](ImVec2 at) { return ImVec2(origin.x + at.x, origin.y + at.y); };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 top = list->GetClipRectMin(), end = list->GetClipRectMax();
  const auto in_sight = [&](float y0, float y1) { return origin.y + y1 >= top.y && origin.y + y0 <= end.y; };
  for (const Ground& ground : grounds_)
    if (in_sight(ground.p0.y, ground.p1.y))
      list->AddRectFilled(place(ground.p0), place(ground.p1), ground.colour);
  std::string clicked;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const float size = compat::font_size(piece.font);
    if (!in_sight(piece.at.y, piece.at.y + size)) continue;
    const ImVec2 at = place(piece.at);
    list->AddText(piece.font, size, at, piece.colour, piece.text.c_str());
    if (piece.link < 0) continue;
    const std::string& target = links_[static_cast<std::size_t>(piece.link)];
    const IdScope scope(static_cast<int>(i));
    ImGui::SetCursorScreenPos(at);
    if (hit_area("###link", ImVec2(piece.width, size))) clicked = target;
    note_item("guide_link_" + target);
    if (!ImGui::IsItemHovered()) continue;
    list->AddLine(ImVec2(at.x, at.y + size), ImVec2(at.x + piece.width, at.y + size), piece.colour,
                  metric::kHairline);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  end_at(place(ImVec2(width, height_)));
  return clicked;
}

}  // namespace attnscope
