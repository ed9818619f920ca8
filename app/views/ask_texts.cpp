// Texts are in assets/strings/*/ask_texts.json.
#include "app/views/ask_texts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/measure_text.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr double kTextsAtOnce = 3e9;  // parameters x prompts x rows, below which no click is needed
constexpr double kRowsOfAPrompt = 16;
constexpr float kTextsSide = 220.f, kTextsNumber = 62.f, kTextsGap = 5.f, kTextsTip = 356.f,
                kTextsNarrow = 520.f;  // units

bool is_head_place(const Cell& cell) { return cell.site.is(StepRole::head_out); }

std::string part_words(const Cell& cell) {
  const std::string block = std::to_string(cell.site.layer), index = std::to_string(cell.at.back().begin);
  return is_head_place(cell) ? tr("circuit.head", {block, index}) : tr("ask.texts.neuron", {block, index});
}

std::string strength_words(double value) { return number_text(static_cast<float>(value), 4); }

}  // namespace

const std::string& AskTexts::title(const ViewContext& context) {
  follow(context);
  return title_.get({place_key_}, [&] { return tr("ask.texts.title", {part_words(place_.cell)}); });
}

void AskTexts::follow(const ViewContext& context) {
  const AskSettings& settings = context.workspace.asking.settings;
  const Cursor& cursor = context.workspace.cursor;
  const std::uint64_t from =
      key_of({context.run.version, static_cast<std::uint64_t>(cursor.sequence), key_of(settings.strongest),
              static_cast<std::uint64_t>(cursor.stack), static_cast<std::uint64_t>(cursor.part),
              static_cast<std::uint64_t>(cursor.layer), static_cast<std::uint64_t>(cursor.head),
              static_cast<std::uint64_t>(settings.strength)});
  if (std::exchange(place_from_, from) == from) return;
  const Trace& trace = context.run.trace(cursor.sequence);
  place_ = strength_asked(trace, settings, cursor_place(cursor, trace), cursor.layer, cursor.head);
  place_key_ = key_of(to_text(place_.cell));
}

// Which head or neuron: those of the block, one after the other.
void AskTexts::draw_place(const ViewContext& context, ChipRow& line) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  AskSettings& settings = context.workspace.asking.settings;
  const bool head = is_head_place(place_.cell);
  const int block = place_.cell.site.layer;
  const Stack stack = place_.cell.site.stack;
  const Site heads = site_of(slot_of(StepRole::head_out), block, stack),
             neurons = site_of(slot_of(StepRole::neurons), block, stack);
  const auto put = [&](const Site& site, const char* axis, std::int64_t index) {
    settings.strongest = to_text(Cell{site, {AxisRange(axis, index)}});
  };
  if (!trace.find(heads) || !trace.find(neurons)) return;  // one kind alone is no choice
  if (line(Label(tr("ask.texts.heads"), "###ask.texts.heads"), head, tr("ask.texts.heads.help")) && !head)
    put(heads, "head", 0);
  if (line(Label(tr("ask.texts.neurons"), "###ask.texts.neurons"), !head, tr("ask.texts.neurons.help")) &&
      head)
    put(neurons, "d_mlp", 0);
}

void AskTexts::draw_choices(const ViewContext& context, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  AskSettings& settings = context.workspace.asking.settings;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  {
    ChipRow line(width);
    draw_place(context, line);
    line.part();
    if (is_head_place(place_.cell))
      for (const StrengthBy by : {StrengthBy::write, StrengthBy::weight}) {
        const Label key("ask.texts.by.", name_of_value(by, kStrengthBys));
        if (line(Label(tr(key), "###", key), place_.by == by, tr(Label(key, ".help"))))
          settings.strength = by;
      }
    line.part();
    for (const bool whole : {false, true}) {
      const char* key = whole ? "ask.texts.spread" : "ask.texts.top";
      if (line(Label(tr(key), "###", key), settings.whole_range == whole, tr(Label(key, ".help"))))
        settings.whole_range = whole;
    }
  }
  // The block, and the number in it.
  Site site = place_.cell.site;
  std::int64_t block = site.layer, index = place_.cell.at.back().begin;
  const std::int64_t blocks = trace.config().of(site.stack).n_layers();
  const bool head = is_head_place(place_.cell);
  const float wide = std::min(scaled(170), (width - scaled(16)) / 2);
  bool moved = false;
  if (blocks > 1) {
    moved = slider_int("###ask_texts_block", tr("ask.texts.block"), block, 0, blocks - 1, wide).changed;
    note_item("ask_texts_block");
    ImGui::SameLine(0, scaled(16));
  }
  const Record* record = trace.find(site);
  const std::int64_t many = !record ? 1 : head ? record->shape.front() : record->shape.back();
  moved |= slider_int("###ask_texts_index", tr(head ? "ask.texts.heads" : "ask.texts.neurons"), index, 0,
                      std::max<std::int64_t>(0, many - 1), wide)
               .changed;
  note_item("ask_texts_index");
  if (!moved) return;
  site.layer = static_cast<int>(block);
  if (trace.find(site)) settings.strongest = to_text(Cell{site, {AxisRange(head ? "head" : "d_mlp", index)}});
}

void AskTexts::ask(const ViewContext& context, const std::shared_ptr<const DataPrompts>& prompts) {
  const std::shared_ptr<const Document>& start = over_.start(context);
  const std::uint64_t subject = key_of({context.run.opened_version}),
                      key = key_of({subject, reinterpret_cast<std::uintptr_t>(prompts.get()), over_.edits(),
                                    place_key_, static_cast<std::uint64_t>(place_.by)});
  const double effort = static_cast<double>(start->model->weights().parameter_count()) *
                        static_cast<double>(prompts->lines.size()) * kRowsOfAPrompt;
  fresh_ = made_.asked(key);
  const bool may = effort <= kTextsAtOnce && !context.session.training().running();
  if (!may && !fresh_ && allowed_ != key) {
    if (chip(Label(tr("ask.start"), "###ask_texts_start"), false, tr("ask.texts.start.help"))) allowed_ = key;
    return;
  }
  if (!fresh_) {
    const auto work = [prompts, start, place = place_](const Computed<TextsAnswer>::Progress& progress) {
      DataRuns runs(*prompts, *start);
      TextsAnswer out;
      auto found = strongest_texts(runs, {place}, kTextsOfAKind, &progress.cancel(),
                                   [&](const std::vector<Strongest>& known) {
                                     out.found = known;
                                     if (progress.taken()) progress.show(out);
                                     return !progress.cancel();
                                   });
      out.done = true;
      if (found)
        out.found = *std::move(found);
      else if (found.error().code() != Code::cancelled)
        out.error = found.error();
      return out;
    };
    made_.begin(subject, key, context.workers(), OrFailed{work, [](Error error) {
                                                            TextsAnswer out;
                                                            out.error = std::move(error), out.done = true;
                                                            return out;
                                                          }});
  }
  const auto made = made_.made(subject, key);
  answer_ = made.value, fresh_ = made.fresh, serial_ = made.serial;
}

// Places of the tokens of every text that is listed, in lines of this width.
void AskTexts::lay_out(const OpenedModel& opened, float width) {
  lines_.clear();
  double most = 0;  // of the strongest texts, so that both lists have the same shades
  for (const StrongTextPtr& text : answer_->found.front().top())
    for (std::size_t row = 0; row < text->at.values.size(); ++row)
      if (const auto value = static_cast<double>(text->at.values[row]);
          text->at.there[row] && std::isfinite(value))
        most = std::max(most, std::fabs(value));
  ImFont* const font = fonts().mono_small;
  const float line = text_size(font, "X").y + scaled(5), left = scaled(kTextsNumber);
  float y = 0;
  const auto add = [&](const StrongTextPtr& text) {
    Line out{text, "###ask_text_" + std::to_string(text->prompt), strength_words(text->value), y, line, {}};
    float x = left, row_y = scaled(2);
    for (std::size_t row = 0; row < text->at.values.size(); ++row) {
      const auto value = static_cast<double>(text->at.values[row]);
      const bool there = text->at.there[row] && std::isfinite(value) && most > 0;
      Token token{std::string(middle_truncated(font, text_token_words(opened, *text, row), scaled(120))),
                  0,
                  0,
                  0,
                  there ? static_cast<float>(value / most) : 0.f,
                  static_cast<std::int64_t>(row) == text->pos};
      note_text(token.text);
      token.width = text_size(font, token.text).x + scaled(4);
      if (x + token.width > width && x > left) x = left, row_y += line;
      token.x = x, token.y = row_y;
      x += token.width + scaled(1);
      out.tokens.push_back(std::move(token));
    }
    out.height = row_y + line + scaled(3);
    y += out.height;
    lines_.push_back(std::move(out));
  };
  for (const StrongTextPtr& text : shown_) add(text);
  height_ = y;
}

void AskTexts::open(const ViewContext& context, const StrongText& text) {
  Cursor& cursor = context.workspace.cursor;
  cursor.sequence = 0;
  if (is_head_place(place_.cell)) {
    cursor.stack = place_.cell.site.stack, cursor.part = place_.cell.site.part;
    cursor.layer = place_.cell.site.layer, cursor.head = static_cast<int>(place_.cell.at.front().begin);
    cursor.step = place_.cell.site.near(StepRole::pattern);
  } else {
    cursor.stack = place_.cell.site.stack, cursor.layer = place_.cell.site.layer;
    cursor.step = place_.cell.site;
  }
  opening_ = {text.prompt, text.pos,
              text.at.keys.empty() ? cursor.key : text.at.keys[static_cast<std::size_t>(text.pos)]};
  context.commands.edit(Text::of("ask.texts.did", {text.prompt + 1}), {},
                        [prompt = text.prompt](Document& document) { return open_prompt(document, prompt); });
}

// Row and key are those of the text that was opened: the cursor gets them with its run, not before, or they
// would be taken for places of the text before.
void AskTexts::look_where_opened(const ViewContext& context) {
  if (!opening_ || prompt_looked_at(context.run.document) != opening_->prompt) return;
  context.workspace.cursor.query = opening_->query, context.workspace.cursor.key = opening_->key;
  opening_.reset();
}

void AskTexts::draw_line(const ViewContext& context, const Line& line, ImVec2 at, float width) {
  const OpenedModel& opened = *context.run.document.opened;
  const StrongText& text = *line.text;
  const Theme& t = theme();
  const Canvas canvas;
  const ImVec2 p0(at.x, at.y + line.y), p1(p0.x + width, p0.y + line.height);
  ImGui::SetCursorScreenPos(p0);
  const bool clicked = hit_area(line.id.c_str(), ImVec2(width, line.height));
  note_item(line.id);
  const bool here = prompt_looked_at(context.session.document()) == text.prompt;
  if (here || ImGui::IsItemHovered()) canvas.fill_rect(p0, p1, here ? t.accent_soft : t.hovered, scaled(4));
  ImFont* const font = fonts().mono_small;
  const float tall = text_size(font, "X").y;
  draw_text(canvas, font,
            ImVec2(p0.x + scaled(kTextsNumber - 8) - text_size(font, line.value).x, p0.y + scaled(2)), t.text,
            line.value);
  const ImU32 hue = is_head_place(place_.cell) ? t.attention : t.mlp;
  for (const Token& token : line.tokens) {
    const ImVec2 a(p0.x + token.x, p0.y + token.y), b(a.x + token.width, a.y + tall + scaled(2));
    canvas.fill_rect(a, b, with_alpha(token.share < 0 ? t.negative : hue, 0.62f * std::fabs(token.share)),
                     scaled(2));
    if (token.most) canvas.rect(a, b, hue, scaled(2));
    draw_text(canvas, font, ImVec2(a.x + scaled(2), a.y), t.text, token.text);
  }
  if (ImGui::IsItemHovered()) {
    const auto pos = static_cast<std::size_t>(text.pos);
    std::string tip =
        tr("ask.texts.line", {std::to_string(text.prompt + 1), text_token_words(opened, text, pos),
                              std::to_string(text.pos), strength_words(text.value)});
    if (!text.at.keys.empty())
      tip += "\n" + tr("ask.texts.looks",
                       {text_token_words(opened, text, static_cast<std::size_t>(text.at.keys[pos])),
                        std::to_string(text.at.keys[pos])});
    tip += "\n" + std::string(tr(here ? "ask.texts.open" : "ask.texts.click"));
    note_text(tip);
    const std::string lines(in_lines(tip, scaled(kTextsTip)));
    tooltip_off(p0, p1, lines.c_str());
    ImGui::SetTooltip("%s", lines.c_str());
  }
  if (clicked && !here && fresh_) open(context, text);
}

void AskTexts::draw_list(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const bool whole = context.workspace.asking.settings.whole_range;
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_texts", room);
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  const std::uint64_t key =
      key_of({serial_, static_cast<std::uint64_t>(whole), static_cast<std::uint64_t>(width),
              static_cast<std::uint64_t>(text_size(fonts().mono_small, "X").x * 64)});
  if (key != laid_out_) {
    laid_out_ = key;
    shown_ = whole ? answer_->found.front().spread() : answer_->found.front().top();
    lay_out(*context.run.document.opened, width);
  }
  context.workspace.asking.show_table(AskPage::texts,
                                      key_of({serial_, static_cast<std::uint64_t>(whole),
                                              static_cast<std::uint64_t>(answer_->done), key_of(language())}),
                                      [&] {
                                        ShownTable table = texts_table(*context.run.document.opened, shown_);
                                        table.whole = answer_->done && !answer_->error;
                                        return table;
                                      });
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float y0 = ImGui::GetWindowPos().y, y1 = y0 + ImGui::GetWindowHeight();
  for (const Line& line : lines_)
    if (top.y + line.y + line.height >= y0 && top.y + line.y <= y1) draw_line(context, line, top, width);
  ImGui::SetCursorScreenPos(top);
  ImGui::Dummy(ImVec2(width, height_ + scaled(4)));
  if (!fresh_) veil(top, ImVec2(top.x + width, y1));
}

AskTexts::Bars AskTexts::bars_of(const Strongest& found) {
  Bars out;
  out.all = histogram_bars(found.positions());
  if (out.all.empty()) return out;
  for (const HistogramBar& bar : out.all) out.most = std::max(out.most, bar.n);
  out.title = tr("ask.texts.histogram", {format_count(out.most)});
  out.from = significant(out.all.front().from, 3), out.to = significant(out.all.back().to, 3);
  return out;
}

void AskTexts::draw_histogram(const Bars& of, ImVec2 at, ImVec2 room) {
  const std::vector<HistogramBar>& bars = of.all;
  if (bars.empty()) return;
  const Canvas canvas;
  const Theme& t = theme();
  ImGui::SetCursorScreenPos(at);
  const float line = text_size(fonts().small, "X").y + scaled(3);
  text_line(fonts().small, t.text_dim, of.title);
  const float y0 = at.y + line, y1 = at.y + room.y - line, wide = room.x / static_cast<float>(bars.size());
  canvas.line(ImVec2(at.x, y1), ImVec2(at.x + room.x, y1), t.border);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    if (bars[i].n == 0) continue;
    const float high =
        std::max(scaled(1), (y1 - y0) * static_cast<float>(bars[i].n) / static_cast<float>(of.most));
    const ImVec2 a(at.x + wide * static_cast<float>(i), y1 - high);
    canvas.fill_rect(a, ImVec2(a.x + wide - scaled(1), y1), t.accent);
  }
  draw_text(canvas, fonts().mono_small, ImVec2(at.x, y1 + scaled(2)), t.text_dim, of.from);
  draw_text(canvas, fonts().mono_small,
            ImVec2(at.x + room.x - text_size(fonts().mono_small, of.to).x, y1 + scaled(2)), t.text_dim,
            of.to);
  ImGui::SetCursorScreenPos(at);
  hit_area("###ask_texts_histogram", room);
  note_item("ask_texts_histogram");
  if (!ImGui::IsItemHovered()) return;
  const float x = (ImGui::GetIO().MousePos.x - at.x) / wide;
  const auto& bar = bars[std::min(bars.size() - 1, static_cast<std::size_t>(std::max(0.f, x)))];
  const std::string tip =
      tr("ask.texts.bar", {significant(bar.from, 4), significant(bar.to, 4), format_count(bar.n)});
  note_text(tip);
  ImGui::SetTooltip("%s", tip.c_str());
}

void AskTexts::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  follow(context);
  look_where_opened(context);
  ImGui::SetCursorScreenPos(at);
  if (context.run.recorded() || !context.run.document.model) return caption(tr("ask.recorded"));
  const auto prompts = over_.prompts_or_offer(context, "###ask.texts.own");
  if (!prompts) return;
  draw_choices(context, room.x);
  ImGui::SetCursorScreenPos(ImVec2(at.x, ImGui::GetCursorScreenPos().y));
  ask(context, prompts);
  if (!answer_ || answer_->found.empty()) {
    if (answer_ && answer_->error) caption(answer_->error->text());
    return;
  }
  const Strongest& found = answer_->found.front();
  caption(kept_tr(answer_->done ? "ask.texts.facts" : "ask.texts.facts.some",
                  {format_count(found.texts()), format_count(found.counted()),
                   format_count(std::ssize(prompts->lines))}));
  note_item("ask_texts_facts");
  for (const auto& [key, count] :
       {std::pair("ask.texts.tied", context.workspace.asking.settings.whole_range ? 0 : found.tied()),
        std::pair("ask.texts.not_numbers", found.not_numbers()),
        std::pair("ask.texts.without", found.without())})
    if (count > 0) caption(kept_tr(key, {format_count(count)}));
  if (answer_->error) caption(answer_->error->text());
  const Bars& histogram = bars_.get({serial_}, [&] { return bars_of(found); });
  const ImVec2 top(at.x, ImGui::GetCursorScreenPos().y + scaled(2));
  const float high = std::max(scaled(60), at.y + room.y - top.y), side = scaled(kTextsSide), gap = scaled(16);
  if (room.x < scaled(kTextsNarrow)) {
    const float bars = std::min(scaled(90), high / 3);
    draw_histogram(histogram, top, ImVec2(room.x - scaled(8), bars));
    return draw_list(context, ImVec2(top.x, top.y + bars + scaled(4)),
                     ImVec2(room.x, std::max(scaled(40), high - bars - scaled(4))));
  }
  draw_list(context, top, ImVec2(room.x - side - gap, high));
  draw_histogram(histogram, ImVec2(top.x + room.x - side, top.y),
                 ImVec2(side - scaled(6), std::min(high, scaled(190))));
}

}  // namespace attnscope
