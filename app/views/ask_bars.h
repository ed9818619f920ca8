// The parts of a sum as bars: what each is, its name and colour, and where a click leads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "app/widgets/table.h"
#include "core/lens/attribution.h"

namespace attnscope {

inline constexpr float kAskPartsRow = 20.f;  ///< units

enum class PartKind : std::uint8_t { embed, head, attention, mlp, neuron, bias, edit };

struct PartPlace {
  PartKind kind = PartKind::bias;
  Site site;  ///< for heads, MLPs and neurons
};

/// What a part of a sum is.
PartPlace ask_parts_place_of(const LogitPart& part);
/// Where on an axis the part is; -1: on all of it.
std::int64_t at_axis(const LogitPart& part, std::string_view axis);

/// One bar: a part, or all parts of one kind (biases).
struct PartBar {
  std::string id;  ///< "blocks.1.attn.z[head=3]"; "bias" for all biases
  LogitPart part;
  double value = 0;
};
/// The parts of a sum as bars, largest magnitude first; all biases as one bar.
std::vector<PartBar> part_bars(const Attribution& sum);
/// Part `id` split further: bars of the finer sum that belong to it, largest first.
std::vector<PartBar> bars_inside(const std::string& id, const Attribution& tokens, const Attribution& neurons,
                                 const Attribution& heads);

/// Largest magnitude first.
void sort_bars(std::vector<PartBar>& bars);
/// Name of a bar: "Head 1.3", a token, "Biases".
std::string bar_name(const ViewContext& context, const PartBar& bar);
/// True if the part can be split further.
bool can_open(const PartBar& bar);
/// Bars with name and number; `prefix` of their items, `item` is called after each with its row.
TableEvent draw_part_bars(const ViewContext& context, const std::vector<PartBar>& bars,
                          const std::string& chosen, const char* prefix,
                          const std::function<void(int)>& item = {});
/// Moves the cursor to the part: at `row`, or at the row of the measure.
void go_to_part(const ViewContext& context, const LogitPart& part, std::int64_t row = -1);

}  // namespace attnscope
