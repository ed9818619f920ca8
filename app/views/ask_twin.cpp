// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_twin.h"

#include <algorithm>

#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kTwinDirections = 24;  // that are listed
constexpr std::size_t kTwinDirectionWords = 3;
constexpr float kTwinDirectionRow = 21.f;  // units

// The words that a direction makes likelier most.
std::string twin_words(const OpenedModel& opened, const Trace& trace, const TwinDirection& one) {
  std::vector<std::string> out;
  for (const NeuronToken& word : twin_tokens(trace, one, kTwinDirectionWords, 1))
    out.push_back(token_label(opened, word.token));
  return join(out, ", ");
}

// Digits behind the point of all numbers of a column, by its largest: three in all.
int column_decimals(double largest) { return largest >= 100 ? 0 : largest >= 10 ? 1 : 2; }

}  // namespace

void AskTwinMatrix::draw(const ViewContext& context, const std::shared_ptr<const Trace>& trace,
                         const LogitMeasure& measure, std::uint64_t subject, std::uint64_t key,
                         std::int64_t pos, const std::string& name, ImVec2 room) {
  const ChildScope child("ask_twin_matrix", room);
  section_heading(tr("ask.twin.matrix", {name}));
  if (trace->config().d_model > kWidestTwin) {
    caption(tr("ask.twin.matrix.wide", {std::to_string(trace->config().d_model), std::to_string(pos)}));
    return note_item("ask_twin_wide");
  }
  const auto made = made_.get_or_before(
      subject, key_of({key, static_cast<std::uint64_t>(pos)}), context.workers(),
      [trace, measure, pos, opened = context.run.document.opened](const std::atomic<bool>&) {
        Shown out{twin_directions(*trace, measure, pos), {}};
        if (out.found)
          for (const TwinDirection& one : out.found->directions)
            out.words.push_back(twin_words(*opened, *trace, one));
        return out;
      });
  if (!made) return caption(tr("output.pending"));
  if (!made->found) return caption(made->found.error().text());
  const TwinDirections& found = *made->found;
  if (found.directions.empty()) return caption(tr("ask.twin.matrix.none"));
  const std::size_t many = std::min(kTwinDirections, found.directions.size());
  double listed = 0;
  for (std::size_t i = 0; i < many; ++i) listed += found.directions[i].value;
  caption(tr("ask.twin.matrix.sum", {std::to_string(many), std::to_string(found.directions.size()),
                                     signed_number(listed), signed_number(found.total)}));
  note_item("ask_twin_directions");
  Table table;
  table.columns = {{}, {}, {.kind = TableColumn::Kind::bar_number, .share = 1}};
  table.row = scaled(kTwinDirectionRow);
  table.words = fonts().small, table.digits = fonts().mono_small;
  double largest = 0;
  for (std::size_t i = 0; i < many; ++i) largest = std::max(largest, found.directions[i].singular);
  for (std::size_t i = 0; i < many; ++i) {
    const TwinDirection& one = found.directions[i];
    table.rows.push_back({"###twin_direction_" + std::to_string(i),
                          {{format("%.*f", column_decimals(largest), one.singular)},
                           {made->words[i]},
                           {.text = signed_number(one.value),
                            .bar = one.value,
                            .bar_ink = one.value < 0 ? theme().negative : theme().positive}},
                          false});
  }
  const ChildScope list("ask_twin_matrix_rows", ImVec2(room.x - scaled(4), ImGui::GetContentRegionAvail().y));
  (void)draw_table(table, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x - scaled(6), {});
}

}  // namespace attnscope
