// Texts are in assets/strings/*/ask_heads.json.
#include "app/views/ask_heads.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/ask_grid.h"
#include "app/views/ask_prompts.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attention_row.h"

namespace attnscope {
namespace {

constexpr float kAskHeadsRow = 21.f, kAskHeadsName = 96.f, kAskHeadsColumn = 54.f, kWide = 78.f;  // units

std::string head_score_text(HeadScore score, double value, bool spread) {
  if (score == HeadScore::effect && !spread) return signed_number(value, 2);
  return number_text(static_cast<float>(value), score == HeadScore::distance ? 1 : 2);
}

void go_to_head(const ViewContext& context, const RankedHead& head, const MeasureAnswer* answer) {
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  cursor.head = head.head;
  const Record* record = trace.find(head.pattern);
  if (!record) return;
  const bool own = head.pattern.stack == trace.config().stack;
  if (own && answer && answer->measure) cursor.query = row_of(*answer->measure, trace);
  cursor.query = std::clamp<std::int64_t>(cursor.query, 0, record->shape[1] - 1);
  cursor.key = strongest_key(trace, head.pattern, cursor.head, cursor.query);
  go_to_site(context.workspace, context.run, head.pattern);
}

}  // namespace

// String key of a column; the change is relative to A, or to the run before if nothing is pinned, the effect
// is of one prompt, or over all of a data set.
std::string AskHeads::title_key(const ViewContext& context, HeadScore score) const {
  return head_score_key(score, context.workspace.asking.settings.heads_before, shown_.over_data,
                        shown_.spread);
}

void AskHeads::take(const ViewContext& context, const MeasureAnswer& measure) {
  const int sequence = context.run.nearest(context.workspace.cursor.sequence);
  const auto trace = context.run.shared(sequence);
  std::shared_ptr<const Trace> before;
  if (context.before && !context.before->traces.empty()) before = context.before->shared(sequence);
  HeadQuestion question;
  if (measure.measure) question = antecedent_of(*trace, *measure.measure);
  question.before = before;
  Hash named;
  named.take(static_cast<std::uint64_t>(question.query));
  for (const std::int64_t key : question.keys) named.take(static_cast<std::uint64_t>(key));
  const std::uint64_t subject = key_of({context.run.opened_version, static_cast<std::uint64_t>(sequence)}),
                      key = key_of({subject, context.run.version, before ? context.before->version : 0,
                                    static_cast<std::uint64_t>(before != nullptr), named.value()});
  const auto made = made_.get_or_before(
      subject, key, context.workers(), [trace, question](const std::atomic<bool>& cancel) {
        return head_scores(*trace, question, [&](float) { return !cancel; });
      });
  heads_ = made.value;
  fresh_ = made.fresh;
}

// Sorts by the chosen column, with the ablation effects computed so far.
void AskHeads::rank(const ViewContext& context) {
  Asking& asking = context.workspace.asking;
  AskSettings& settings = asking.settings;
  settings.heads_before = !context.session.pinned();
  const auto answer = asking.answer();
  const bool effects = answer && answer->sweep && !answer->request.other && asking.is_fresh(*answer);
  const std::uint64_t key = key_of(
      {reinterpret_cast<std::uintptr_t>(heads_.get()), static_cast<std::uint64_t>(settings.heads_by),
       static_cast<std::uint64_t>(settings.heads_largest), std::bit_cast<std::uint32_t>(settings.heads_least),
       effects ? answer->key : 0, effects ? answer->change : 0, static_cast<std::uint64_t>(settings.over)});
  if (key == ranked_) return;
  ranked_ = key;
  effects_ = effects ? answer : nullptr;
  if (settings.heads_by == HeadScore::effect && !effects && context.run.recorded())
    settings.heads_by = HeadScore::previous;
  shown_ = heads_shown(*heads_, settings, effects_.get());
  columns_.clear();
  for (const HeadsShown::Column& column : shown_.columns)
    columns_.push_back({column.score, column.most, 0, 0});
}

void AskHeads::place_columns(float width) {
  names_ = 0;
  for (const RankedHead& head : shown_.heads)
    names_ = std::max(names_, text_size(fonts().mono_small, head_words(head)).x + scaled(16));
  if (width - scaled(kAskHeadsName) >= scaled(kAskHeadsColumn) * static_cast<float>(columns_.size()))
    names_ = std::max(names_, scaled(kAskHeadsName));
  const float name = names_, room = width - name;
  const float each = std::clamp(room / static_cast<float>(std::max<std::size_t>(1, columns_.size())),
                                scaled(kAskHeadsColumn), scaled(kWide));
  float x = name;
  for (Column& column : columns_) {
    column.x = x, column.width = each;
    x += each;
  }
}

// The number of heads, and a slider that hides those with small values.
float AskHeads::draw_choices(const ViewContext& context, float width) {
  const float top = ImGui::GetCursorScreenPos().y;
  AskSettings& settings = context.workspace.asking.settings;
  const std::string title = tr("ask.heads.least", {tr(title_key(context, settings.heads_by))});
  (void)slider_real("###ask_heads_least", title, settings.heads_least, 0.f, 1.f, "%.2f",
                    std::min(width, scaled(230)), tr("ask.heads.least.help"));
  note_item("ask_heads_least");
  ImGui::SameLine(0, scaled(14));
  text_line(fonts().small, theme().text_dim,
            tr("ask.heads.count", {std::to_string(shown_.heads.size()), std::to_string(heads_->size())}));
  if (shown_.over_data) {
    caption(kept_tr(shown_.spread ? "ask.heads.scope.spread" : "ask.heads.scope.mean",
                    {prompts_words(*effects_)}));
    note_item("ask_heads_scope");
  }
  return ImGui::GetCursorScreenPos().y - top;
}

void AskHeads::draw_titles(const ViewContext& context, ImVec2 at) {
  const Canvas canvas;
  const Theme& t = theme();
  AskSettings& settings = context.workspace.asking.settings;
  const float height = scaled(kAskHeadsRow);
  for (const Column& column : columns_) {
    const ImVec2 p0(at.x + column.x, at.y), p1(p0.x + column.width, at.y + height);
    ImGui::SetCursorScreenPos(p0);
    const std::string id = "###ask_heads_by_" + std::string(head_score_name(column.score));
    const bool clicked = hit_area(id.c_str(), ImVec2(column.width, height));
    note_item(id);
    compat::item_tooltip(tr(title_key(context, column.score) + ".help"));
    const bool by = column.score == settings.heads_by;
    if (ImGui::IsItemHovered()) canvas.fill_rect(p0, p1, t.hovered, scaled(4));
    const std::string text(middle_truncated(fonts().small, tr(title_key(context, column.score)),
                                            column.width - scaled(by ? 16 : 6)));
    const float wide = text_size(fonts().small, text).x;
    draw_text(canvas, fonts().small, ImVec2(p1.x - wide - scaled(6), p0.y + scaled(3)),
              by ? t.accent : t.text_dim, text);
    if (by) {  // arrow down: largest first
      const float x = p1.x - wide - scaled(13), y = p0.y + height / 2, r = scaled(3.5f);
      const float tip = settings.heads_largest ? r : -r;
      canvas.fill_triangle(ImVec2(x - r, y - tip), ImVec2(x + r, y - tip), ImVec2(x, y + tip), t.accent);
    }
    if (!clicked) continue;
    if (by) settings.heads_largest = !settings.heads_largest;
    if (by) continue;
    settings.heads_by = column.score, settings.heads_least = 0;
    settings.heads_largest = column.score != HeadScore::entropy;
  }
}

void AskHeads::draw_row(const ViewContext& context, const RankedHead& head, ImVec2 at, float width) const {
  const Canvas canvas;
  const Theme& t = theme();
  const float height = scaled(kAskHeadsRow);
  const DrawGroupScope group("head", head.pattern, head.head);
  const Cursor& cursor = context.workspace.cursor;
  const bool here = cursor.head == head.head && cursor.step.layer == head.pattern.layer &&
                    cursor.step.stack == head.pattern.stack && cursor.step.part == head.pattern.part;
  const std::string id = "###ask_head_" + to_text(head.pattern) + "." + std::to_string(head.head);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = hit_area(id.c_str(), ImVec2(width, height));
  note_item(id);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 end(at.x + width, at.y + height);
  if (here || hovered) canvas.fill_rect(at, end, here ? t.accent_soft : t.hovered, scaled(4));
  Role role = Role::self;
  const float y = at.y + (height - text_size(fonts().mono_small, "0").y) / 2;
  const std::string name = head_words(head);
  draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(4), y), t.text, name);
  if (head.roles.strongest(role)) {
    const std::string label = tr("attention.role." + std::string(role_name(role)));
    const float x = at.x + scaled(10) + text_size(fonts().mono_small, name).x;
    if (x + text_size(fonts().small, label).x < at.x + names_)
      draw_text(canvas, fonts().small, ImVec2(x, y), t.attention, label);
  }
  for (const Column& column : columns_) {
    const double value = head.of(column.score);
    const float right = at.x + column.x + column.width - scaled(6);
    const bool known = std::isfinite(value);
    if (known && column.most > 0) {
      const float share = static_cast<float>(std::min(1.0, std::fabs(value) / column.most));
      const float x0 = at.x + column.x + scaled(4);
      const ImU32 ink =
          column.score == HeadScore::effect ? (value < 0 ? t.negative : t.positive) : t.attention;
      canvas.fill_rect(ImVec2(x0, end.y - scaled(4)), ImVec2(x0 + share * (right - x0), end.y - scaled(2)),
                       with_alpha(ink, 0.8f));
    }
    const std::string text = known ? head_score_text(column.score, value, shown_.spread) : "–";
    draw_text(
        canvas, fonts().mono_small, ImVec2(right - text_size(fonts().mono_small, text).x, y - scaled(1)),
        known ? column.score == context.workspace.asking.settings.heads_by ? t.text : t.text_dim : t.border,
        text);
  }
  if (clicked) go_to_head(context, head, context.workspace.asking.measure.newest().get());
  if (!hovered) return;
  Site z = head.pattern;
  z = z.near(StepRole::head_out);
  offer_edit(context.workspace, {Cell{z, {{"head", head.head}}}, {}, {}});
  std::string tip = name;
  for (int r = 0; r < kRoleCount; ++r) {
    const RoleScore& score = head.roles.scores[static_cast<std::size_t>(r)];
    if (score.rows == 0) continue;
    const std::string role_id(role_name(static_cast<Role>(r)));
    tip += "\n" + tr("attention.role_line",
                     {tr("attention.role_long." + role_id), number_text(static_cast<float>(score.score), 2),
                      number_text(static_cast<float>(score.chance), 2)});
  }
  if (head.roles.of(Role::positional).rows > 0)
    tip += "\n" + tr("ask.heads.offset", {std::to_string(head.roles.offset)});
  note_text(tip);
  ImGui::SetTooltip("%s", tip.c_str());
}

void AskHeads::draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room) {
  take(context, measure);
  ImGui::SetCursorScreenPos(at);
  if (!heads_) return caption(tr("output.pending"));
  if (heads_->empty()) {
    caption(tr("ask.heads.none"));
    return note_item("ask.heads.none");
  }
  rank(context);
  const bool before = context.workspace.asking.settings.heads_before;
  context.workspace.asking.show_table(
      AskPage::heads, key_of({ranked_, static_cast<std::uint64_t>(before), key_of(language())}), [&] {
        ShownTable table = heads_table(shown_, before);
        table.whole = effects_ ? effects_->whole() : !context.workspace.asking.request();
        return table;
      });
  const float used = draw_choices(context, room.x) + scaled(4);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + used));
  const ChildScope child("ask_heads", ImVec2(room.x, std::max(scaled(40), room.y - used)),
                         ImGuiWindowFlags_HorizontalScrollbar);
  const float width = room.x - scaled(16);
  place_columns(width);
  const float wide = columns_.empty() ? width : columns_.back().x + columns_.back().width;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  draw_titles(context, top);
  const float line = scaled(kAskHeadsRow), y0 = ImGui::GetWindowPos().y, y1 = y0 + ImGui::GetWindowHeight();
  for (std::size_t i = 0; i < shown_.heads.size(); ++i) {
    const ImVec2 p(top.x, top.y + line * static_cast<float>(i + 1) + scaled(2));
    if (p.y + line >= y0 && p.y <= y1) draw_row(context, shown_.heads[i], p, wide);
  }
  ImGui::SetCursorScreenPos(top);
  ImGui::Dummy(ImVec2(wide, line * static_cast<float>(shown_.heads.size() + 1) + scaled(4)));
  if (!fresh_) veil(top, ImVec2(top.x + wide, y1));
}

}  // namespace attnscope
