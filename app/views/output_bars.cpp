#include "app/views/output_bars.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "app/look/imgui_compat.h"
#include "app/look/kept_text.h"
#include "app/views/figure_page.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

// String key of the filter that removed a token.
const char* cut_key(SamplingCut cut) {
  switch (cut) {
    case SamplingCut::top_k: return "output.top_k";
    case SamplingCut::top_p: return "output.top_p";
    case SamplingCut::min_p: return "output.min_p";
    case SamplingCut::greedy: return "output.cut.greedy";
    case SamplingCut::none: break;
  }
  return "output.cut.none";
}

// Which columns there are: the sampling steps that the settings have and the width has room for.
struct OutputBarsColumns {
  bool sampled, divided, penalty;
  OutputBarsColumns(const OutputRows& rows, float width)
      : sampled(rows.sampled),
        divided(rows.sampled && rows.sampling.temperature > 0 && width > scaled(330)),
        penalty(rows.sampled && rows.sampling.repetition_penalty != 1.f && width > scaled(400)) {}
};

Table output_bars_table(const OutputRows& rows, const OutputBarsColumns& c, float width) {
  Table out;
  out.words = fonts().mono, out.digits = width > scaled(420) ? fonts().mono : fonts().mono_small;
  out.row = rows.height, out.title_row = output_head_height();
  const float number = text_size(out.digits, "−00.00").x + scaled(12);
  out.columns = {{.width = scaled(12)},
                 {.title = tr(rows.name),
                  .width = rows.named ? std::clamp(width * 0.26f, scaled(70), scaled(200))
                                      : std::clamp(width * 0.2f, scaled(70), scaled(150))},
                 number_column(tr("output.column.logit"), number)};
  if (c.penalty) out.columns.push_back(number_column(tr("output.column.penalised"), number));
  if (c.divided)
    out.columns.push_back(
        number_column(tr("output.column.scaled", {number_text(rows.sampling.temperature, 2)}), number));
  out.columns.push_back(bar_column());
  const std::string& share = tr("output.column.probability");
  out.columns.push_back(
      number_column(share, std::max(number, text_size(fonts().small, share).x + scaled(12))));
  if (c.sampled) out.columns.push_back(number_column(tr("output.column.kept"), number));
  return out;
}

// `token` null: the row of all other tokens.
TableRow output_bars_row(const OutputBarsColumns& c, const NextToken* token, const std::string& name,
                         double prob, double kept, bool chosen) {
  const Theme& t = theme();
  const bool cut = !(kept > 0);
  const ImU32 ink = cut ? t.text_dim : t.text;
  TableRow out{{},
               {{.text = chosen ? "▶" : "", .ink = t.accent, .font = fonts().small},
                {.text = name, .ink = chosen ? t.accent : ink, .font = token ? nullptr : fonts().small}}};
  const auto number = [&](float value, int digits, ImU32 colour) {
    out.cells.push_back({token || digits == 4 ? number_text(value, digits) : std::string(), colour});
  };
  number(token ? token->logit : 0, 2, t.text_dim);
  if (c.penalty)
    number(token ? token->penalised : 0, 2,
           token && token->penalised != token->logit ? t.warning : t.text_dim);
  if (c.divided) number(token ? token->scaled : 0, 2, t.text_dim);
  const ImU32 bar = cut ? t.masked_stripe : token ? t.attention : t.norm;
  out.cells.push_back({.bar = prob, .bar_ink = bar, .ghost = kept});
  number(static_cast<float>(prob), 4, ink);
  if (c.sampled && cut)
    out.cells.push_back(
        {.text = token ? tr(cut_key(token->cut)) : "–", .ink = t.warning, .font = fonts().small});
  else if (c.sampled)
    number(static_cast<float>(kept), 4, ink);
  return out;
}

}  // namespace

float output_head_height() { return text_size(fonts().small, "X").y + scaled(4); }

int draw_next_tokens(const NextSummary& summary, const OpenedModel& opened, std::size_t shown,
                     const OutputRows& rows, ImVec2 at, float width) {
  shown = std::min(shown, summary.top.size());
  const NextSummary::Tail tail = summary.tail(shown);
  static std::unordered_map<ImGuiID, Kept<Table>> kept;
  const Table& table = kept[ImGui::GetID("next")].get(
      {values_key(std::span(summary.top)), values_key(std::span(&rows.sampling, 1)), shown, rows.sampled,
       static_cast<std::uint64_t>(summary.choice), std::bit_cast<std::uint32_t>(rows.height),
       std::bit_cast<std::uint32_t>(width), static_cast<std::uint64_t>(tail.count),
       reinterpret_cast<std::uintptr_t>(&opened), reinterpret_cast<std::uintptr_t>(rows.name),
       rows.named ? 1u : 0u},
      [&] {
        const OutputBarsColumns c(rows, width);
        Table out = output_bars_table(rows, c, width);
        for (std::size_t i = 0; i < shown; ++i) {
          const NextToken& token = summary.top[i];
          const std::string name = rows.named ? rows.named(token.id) : output_name(opened, token.id);
          out.rows.push_back(output_bars_row(c, &token, name, static_cast<double>(token.prob),
                                             static_cast<double>(token.kept),
                                             rows.sampled && token.id == summary.choice));
          out.rows.back().id = "###next_" + std::to_string(i);
        }
        const char* key = tail.count == 1 ? "output.other" : "output.others";
        if (tail.count > 0)
          out.rows.push_back(
              output_bars_row(c, nullptr, tr(key, {format_count(tail.count)}), tail.prob, tail.kept, false));
        return out;
      });
  const auto item = [&](int row) {
    const int id = summary.top[static_cast<std::size_t>(row)].id;
    if (rows.offer) rows.offer(id);
    if (!ImGui::IsItemHovered()) return;
    std::string help = tr(rows.help, {output_name(opened, id), std::to_string(id), std::to_string(row + 1)});
    if (rows.offer) help += std::string("\n") + tr("ask.offer.help");
    compat::item_tooltip(help.c_str());
  };
  return draw_table(table, at, width, item).clicked;
}

std::function<std::string(int)> movement_names(const ViewContext& context, const NextSummary& summary,
                                               std::int64_t row) {
  const OpenedModel& opened = *context.run.document.opened;
  if (summary.top.empty() || !action_bin(output_name(opened, summary.top.front().id))) return {};
  ViewState state = view_state_of(context);
  state.row = row, state.level = Level::easy;  // which names movements by what they stand for
  return [state, &opened](int id) {
    const std::string name = output_name(opened, id), said = answer_name(state, state.row, id).str();
    return name == said ? name : tr("output.row.movement", {name, said});
  };
}

}  // namespace attnscope
