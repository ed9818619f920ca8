// Texts are in assets/strings/*/ask_heads.json.
#include "app/views/ask_heads.h"

#include <algorithm>
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

bool is_share(HeadScore score) { return score <= HeadScore::antecedent || score == HeadScore::change; }

std::string score_text(HeadScore score, double value, bool spread) {
  if (score == HeadScore::effect && !spread) return signed_number(value, 2);
  return number_text(static_cast<float>(value), is_share(score) ? 2 : score == HeadScore::distance ? 1 : 2);
}

std::string head_name(const RankedHead& head) {
  const bool cross = head.pattern.part == Part::cross, encoder = head.pattern.stack == Stack::enc;
  const char* key = cross                                 ? "circuit.cross"
                    : encoder                             ? "circuit.head.enc"
                    : head.pattern.stack == Stack::vision ? "ask.heads.vision"
                                                          : "circuit.head";
  return tr(key, {std::to_string(head.pattern.layer), std::to_string(head.head)});
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
  const bool before = score == HeadScore::change && !context.session.pinned(),
             data = score == HeadScore::effect && over_data();
  return "ask.heads." + std::string(head_score_name(score)) +
         (before    ? ".before"
          : !data   ? ""
          : spread_ ? ".spread"
                    : ".mean");
}

void AskHeads::take(const ViewContext& context, const MeasureAnswer& measure) {
  const int sequence =
      std::clamp(context.workspace.cursor.sequence, 0, static_cast<int>(context.run.traces.size()) - 1);
  const auto trace = context.run.traces[static_cast<std::size_t>(sequence)];
  std::shared_ptr<const Trace> before;
  if (context.before && !context.before->traces.empty())
    before = context.before
                 ->traces[std::min(context.before->traces.size() - 1, static_cast<std::size_t>(sequence))];
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
  const Asking& asking = context.workspace.asking;
  const auto answer = asking.answer();
  const bool effects = answer && answer->sweep && !answer->request.other && asking.is_fresh(*answer);
  const std::uint64_t key =
      key_of({reinterpret_cast<std::uintptr_t>(heads_.get()), static_cast<std::uint64_t>(by_),
              static_cast<std::uint64_t>(largest_first_), static_cast<std::uint64_t>(least_ * 1000),
              effects ? answer->key : 0, effects ? answer->change : 0,
              static_cast<std::uint64_t>(asking.settings.over)});
  if (key == ranked_) return;
  ranked_ = key;
  shown_ = *heads_;
  effects_ = effects ? answer : nullptr;
  spread_ = effects && answer->over_data() && asking.settings.over == AskOver::spread;
  if (effects) {
    std::vector<double> changes;
    for (std::size_t cell = 0; cell < answer->cells().size(); ++cell)
      changes.push_back(answer->exact[cell] ? answer->shown(cell, true, spread_) : NAN);
    take_effects(shown_, answer->cells(), changes, 0);
  }
  columns_.clear();
  for (int i = 0; i < kHeadScoreCount; ++i) {
    const auto score = static_cast<HeadScore>(i);
    Column column{score, 0, 0, 0};
    bool any = score == by_;
    for (const RankedHead& head : shown_)
      if (std::isfinite(head.of(score)))
        any = true, column.most = std::max(column.most, std::fabs(head.of(score)));
    if (is_share(score)) column.most = 1;
    if (any) columns_.push_back(column);
  }
  if (std::none_of(shown_.begin(), shown_.end(),
                   [&](const RankedHead& h) { return std::isfinite(h.of(by_)); }) &&
      by_ == HeadScore::effect && context.run.recorded())
    by_ = HeadScore::previous;
  rank_heads(shown_, by_, largest_first_);
  std::erase_if(shown_, [&](const RankedHead& head) { return !passes(head); });
}

bool AskHeads::passes(const RankedHead& head) const {
  if (least_ <= 0) return true;
  const auto column =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.score == by_; });
  return column != columns_.end() && std::fabs(head.of(by_)) >= static_cast<double>(least_) * column->most;
}

void AskHeads::place_columns(float width) {
  names_ = 0;
  for (const RankedHead& head : shown_)
    names_ = std::max(names_, text_size(fonts().mono_small, head_name(head)).x + scaled(16));
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
  const std::string title = tr("ask.heads.least", {tr(title_key(context, by_))});
  (void)slider_real("###ask_heads_least", title, least_, 0.f, 1.f, "%.2f", std::min(width, scaled(230)),
                    tr("ask.heads.least.help"));
  note_item("ask_heads_least");
  ImGui::SameLine(0, scaled(14));
  text_line(fonts().small, theme().text_dim,
            tr("ask.heads.count", {std::to_string(shown_.size()), std::to_string(heads_->size())}));
  if (over_data()) {
    caption(kept_tr(spread_ ? "ask.heads.scope.spread" : "ask.heads.scope.mean", {prompts_words(*effects_)}));
    note_item("ask_heads_scope");
  }
  return ImGui::GetCursorScreenPos().y - top;
}

void AskHeads::draw_titles(const ViewContext& context, ImVec2 at) {
  const Canvas canvas;
  const Theme& t = theme();
  const float height = scaled(kAskHeadsRow);
  for (const Column& column : columns_) {
    const ImVec2 p0(at.x + column.x, at.y), p1(p0.x + column.width, at.y + height);
    ImGui::SetCursorScreenPos(p0);
    const std::string id = "###ask_heads_by_" + std::string(head_score_name(column.score));
    const bool clicked = hit_area(id.c_str(), ImVec2(column.width, height));
    note_item(id);
    compat::item_tooltip(tr(title_key(context, column.score) + ".help"));
    const bool by = column.score == by_;
    if (ImGui::IsItemHovered()) canvas.fill_rect(p0, p1, t.hovered, scaled(4));
    const std::string text(middle_truncated(fonts().small, tr(title_key(context, column.score)),
                                            column.width - scaled(by ? 16 : 6)));
    const float wide = text_size(fonts().small, text).x;
    draw_text(canvas, fonts().small, ImVec2(p1.x - wide - scaled(6), p0.y + scaled(3)),
              by ? t.accent : t.text_dim, text);
    if (by) {  // arrow down: largest first
      const float x = p1.x - wide - scaled(13), y = p0.y + height / 2, r = scaled(3.5f);
      const float tip = largest_first_ ? r : -r;
      canvas.fill_triangle(ImVec2(x - r, y - tip), ImVec2(x + r, y - tip), ImVec2(x, y + tip), t.accent);
    }
    if (!clicked) continue;
    if (by) largest_first_ = !largest_first_;
    if (!by) by_ = column.score, largest_first_ = column.score != HeadScore::entropy, least_ = 0;
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
  const std::string name = head_name(head);
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
    const std::string text = known ? score_text(column.score, value, spread_) : "–";
    draw_text(canvas, fonts().mono_small,
              ImVec2(right - text_size(fonts().mono_small, text).x, y - scaled(1)),
              known ? column.score == by_ ? t.text : t.text_dim : t.border, text);
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
  context.workspace.asking.show_table(AskPage::heads, key_of({ranked_, key_of(language())}), [&] {
    ShownTable out;
    out.columns = {tr("ask.heads.table.head")};
    for (const Column& column : columns_) out.columns.emplace_back(tr(title_key(context, column.score)));
    for (const RankedHead& head : shown_) {
      out.rows.push_back({head_name(head)});
      for (const Column& column : columns_) out.rows.back().push_back(table_number(head.of(column.score)));
    }
    return out;
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
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const ImVec2 p(top.x, top.y + line * static_cast<float>(i + 1) + scaled(2));
    if (p.y + line >= y0 && p.y <= y1) draw_row(context, shown_[i], p, wide);
  }
  ImGui::SetCursorScreenPos(top);
  ImGui::Dummy(ImVec2(wide, line * static_cast<float>(shown_.size() + 1) + scaled(4)));
  if (!fresh_) veil(top, ImVec2(top.x + wide, y1));
}

}  // namespace attnscope
