// What stands beside and below the lens: the tokens of the pinned cell, the colours, and the parts'
// additions.
#include <algorithm>
#include <bit>

#include "app/look/kept_text.h"
#include "app/views/residual_view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

namespace {

constexpr int kWordsListed = 10;

float list_line() { return text_size(fonts().mono_small, "0").y + scaled(4); }

}  // namespace

void ResidualView::draw_list(const ViewContext& context, const LensList& list, std::size_t shown,
                             float width) {
  const Table& table = list_table_.get(
      {values_key(std::span(list.top)), shown, static_cast<std::uint64_t>(list.answer.token),
       context.run.opened_version, std::bit_cast<std::uint32_t>(width)},
      [&] {
        return lens_list_table(*context.run.document.opened, list, shown, width, list_line() + scaled(1));
      });
  const TableEvent event = draw_table(table, ImGui::GetCursorScreenPos(), width, [&](int row) {
    compat::item_tooltip(tr("residual.token.help"));
    offer_measure(context.workspace, list.top[static_cast<std::size_t>(row)].token);
  });
  if (event.clicked >= 0) {
    asked_ = list.top[static_cast<std::size_t>(event.clicked)].token;
    if (colour_ != LensColour::rank) colour_ = LensColour::asked;
  }
  below_rows_ = ImGui::GetCursorScreenPos().y - list_line() - scaled(1);  // the last row is all other tokens
  ImGui::Dummy(ImVec2(1, scaled(3)));
  caption(kept_tr("residual.answer", {output_name(*context.run.document.opened, list.answer.token),
                                      std::to_string(list.answer.rank + 1), std::to_string(list.vocab),
                                      number_text(list.answer.probability, 3)}));
}

void ResidualView::draw_colours(const ViewContext& context, float width) {
  section_heading(tr("residual.colour_by"));
  const int asked = now_.asked() >= 0 ? now_.asked() : asked_;
  const std::string of = asked >= 0 ? output_name(*context.run.document.opened, asked)
                                    : std::string(tr("residual.colour.answer"));
  note_text(of);
  const FontScope face(fonts().small);
  choose_in_menu(colour_, width - scaled(8), {of});
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const char* unit = difference_ ? "residual.legend.difference" : lens_unit(colour_);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float title = text_size(fonts().small, "X").y + scaled(6);
  draw_legend(style_, tr(unit), at, ImVec2(width - scaled(8), title + scaled(10)), false);
  ImGui::Dummy(ImVec2(width, title + scaled(28)));
}

void ResidualView::draw_side(const ViewContext& context, float width) {
  const Cursor& cursor = context.workspace.cursor;
  const LensRow row = now_.rows()[static_cast<std::size_t>(row_)], last = now_.rows().back();
  const auto trace = context.run.shared(cursor.sequence);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence)});
  const std::uint64_t key = key_of(
      {subject, context.run.version, static_cast<std::uint64_t>(row_), static_cast<std::uint64_t>(pos_)});
  const auto list = list_.get_or_before(
      subject, key, context.workers(),
      [=, pos = pos_](const std::atomic<bool>&) { return lens_list(*trace, row, last, pos, kWordsListed); });
  section_heading(tr("residual.most_likely"));
  const std::string label = main_name(context, pos_);
  caption(kept_tr("residual.at", {lens_label(config(context), row), std::to_string(pos_), label}));
  ImGui::Dummy(ImVec2(1, scaled(1)));
  if (pads(context, pos_)) return draw_colours(context, width);
  // With little room, the list is shortened first.
  const float room = ImGui::GetContentRegionAvail().y -
                     std::max(below_list_, scaled(width > scaled(200) ? 176 : 204) + list_line());
  const auto shown = static_cast<std::size_t>(
      std::clamp(room / (list_line() + scaled(1)), 3.f, static_cast<float>(kWordsListed)));
  const ImVec2 top = ImGui::GetCursorScreenPos();
  if (list)
    draw_list(context, *list, shown, width);
  else
    caption(tr("residual.pending"));
  if (list && !list.fresh) veil(top, ImVec2(top.x + width, ImGui::GetCursorScreenPos().y));
  ImGui::Dummy(ImVec2(1, scaled(6)));
  draw_colours(context, width);
  below_list_ = list ? ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y - below_rows_ : 0.f;
}

void ResidualView::draw_parts(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const auto sequence = static_cast<std::size_t>(std::max(0, cursor.sequence));
  const auto trace = context.run.shared(cursor.sequence);
  const bool lens = !now_.rows().empty() && !pads(context, pos_);
  const int asked = asked_of_ == context.run.opened_version ? asked_ : -1;
  const std::uint64_t subject =
      key_of({context.run.opened_version, sequence, static_cast<std::uint64_t>(pos_)});
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(asked)});
  const Made<Books> books =
      books_.get_or_before(subject, key, context.workers(), [=, pos = pos_](const std::atomic<bool>&) {
        Books out;
        out.parts = additions(*trace, pos);
        if (!lens) return out;
        out.token = asked >= 0 ? asked : lens_top(*trace, lens_rows(*trace).back(), pos, 1).front().token;
        if (auto sum = pushes(*trace, out.parts, pos, out.token)) out.pushes = *std::move(sum);
        return out;
      });
  ImGui::SetCursorScreenPos(at);
  if (!books) return caption(tr("residual.pending"));
  const Pushes* push = by_push_ && books->pushes ? &*books->pushes : nullptr;
  const std::string token = books->token >= 0 ? output_name(*context.run.document.opened, books->token) : "";
  section_heading(push ? kept_tr("residual.pushes", {token, std::to_string(pos_), main_name(context, pos_)})
                       : kept_tr("residual.parts", {std::to_string(pos_), main_name(context, pos_)}));
  if (books->pushes) {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(1)));
    const float x = at.x + room.x - chips_width(by_push_, 0) - scaled(9);
    const float end = ImGui::GetItemRectMax().x + scaled(8);
    ImVec2 corner = ImGui::GetCursorScreenPos();
    if (x > end) corner = ImVec2(x, at.y - scaled(2));
    ChipRow row(corner, 1e9f, {{7, 1}, 5});
    choose(row, by_push_);
  }
  if (push) {
    double sum = 0;
    for (const double one : push->of) sum += one;
    caption(kept_tr("residual.books",
                    {token, number_text(static_cast<float>(sum), 3), signed_number(push->bias),
                     signed_number(push->rest), number_text(static_cast<float>(push->total), 3)}));
  } else {
    caption(tr("residual.parts.legend"));
  }
  const float used = ImGui::GetCursorScreenPos().y - at.y;
  const AdditionEvent event = draw_additions(config(context), books->parts, push, ImVec2(at.x, at.y + used),
                                             ImVec2(room.x, room.y - used));
  if (!books.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
  if (event.bar < 0) return;
  const Site site = books->parts[static_cast<std::size_t>(event.bar)].site;
  offer_edit(context.workspace, {Cell{site, {{"pos", pos_}}}, {}, {}});
  if (event.clicked) go_to_site(context.workspace, context.run, site);
}

}  // namespace attnscope
