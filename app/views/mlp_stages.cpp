#include "app/views/mlp_stages.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/figure/canvas.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lens/alignment.h"

namespace attnscope {

namespace {

// In files; files of before wrote the step's place in the forward pass.
constexpr std::int64_t kFirstMlpStage = 44;
constexpr Named<Slot> kMlpStages[] = {{"mlp.pre", Slot::mlp_pre},
                                      {"mlp.gate", Slot::mlp_gate},
                                      {"mlp.up", Slot::mlp_up},
                                      {"mlp.act", Slot::mlp_act},
                                      {"mlp.post", Slot::mlp_post}};

std::vector<Slot> stages_of(const Trace& trace, const MlpPlace& place) {
  std::vector<Slot> out;
  for (const Slot slot : {Slot::mlp_pre, Slot::mlp_gate, Slot::mlp_act, Slot::mlp_up, Slot::mlp_post})
    if (trace.find(place.site(slot))) out.push_back(slot);
  return out;
}

}  // namespace

const char* mlp_stage_key(Slot slot) {
  switch (slot) {
    case Slot::mlp_pre: return "mlp.stage.pre";
    case Slot::mlp_gate: return "mlp.stage.gate";
    case Slot::mlp_act: return "mlp.stage.act";
    case Slot::mlp_up: return "mlp.stage.up";
    default: return "mlp.stage.post";
  }
}

NeuronSheet make_neuron_sheet(const Trace& trace, const Trace* older, const MlpPlace& place, std::int64_t pos,
                              std::size_t count, std::int64_t wanted) {
  NeuronSheet out;
  out.top = strongest_neurons(trace, place, pos, count);
  const Record* post = trace.find(place.site(StepRole::neurons));
  const auto has = [&](std::int64_t index) {
    return std::any_of(out.top.begin(), out.top.end(), [&](const Neuron& one) { return one.index == index; });
  };
  // The selected neuron is always shown, last.
  if (wanted >= 0 && wanted < post->shape[1] && !has(wanted) && !out.top.empty())
    for (const Neuron& one : strongest_neurons(trace, place, pos, static_cast<std::size_t>(post->shape[1])))
      if (one.index == wanted) out.top.back() = one;
  out.stages = stages_of(trace, place);
  const std::int64_t rows = post->shape[0], shown = std::ssize(out.top);
  const Alignment partners = older ? align_rows(trace, *older, place.stack) : Alignment();
  for (const Slot stage : out.stages) {
    std::vector<float> cells;
    const Site site = place.site(stage);
    for (const Neuron& one : out.top) {
      const Range neuron{one.index, one.index + 1};
      const Tensor column = trace.slice(site, 0, {0, rows}, neuron);
      const Tensor before =
          older ? aligned_slice(trace, *older, site, partners, partners, 0, {0, rows}, neuron) : Tensor();
      for (std::int64_t row = 0; row < rows; ++row) {
        const float old = before.empty() ? 0.f : before.at(row, 0);
        cells.push_back(std::isnan(old) ? kMasked : column.at(row, 0) - old);
      }
    }
    out.values.push_back(Tensor::from(std::move(cells), {{Axis::d_mlp, shown}, {Axis::pos, rows}}));
  }
  return out;
}

void keep_mlp_stage(Choices& choices, Slot& stage) { choices.of("stage", stage, kMlpStages, kFirstMlpStage); }

void draw_mlp_gate(const ViewContext& context, const MlpPlace& place, const std::vector<std::int64_t>& cell,
                   float width) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const BlockSpec& block = trace.config().of(place.stack).blocks[static_cast<std::size_t>(place.layer)];
  const bool gated = trace.find(place.site(Slot::mlp_gate)) != nullptr;
  struct GateTerm {
    Slot slot;
    const char* sign;
    ImU32 colour;
  };
  const Theme& t = theme();
  GateTerm all[] = {{gated ? Slot::mlp_gate : Slot::mlp_pre, "→", t.q},
                    {Slot::mlp_act, "×", t.k},
                    {Slot::mlp_up, "=", t.v},
                    {Slot::mlp_post, "", t.mlp}};
  const std::span<const GateTerm> terms(
      std::begin(all), std::remove_if(std::begin(all), std::end(all), [&](const GateTerm& term) {
        return !trace.find(place.site(term.slot)) ||
               (!gated && (term.slot == Slot::mlp_act || term.slot == Slot::mlp_up));
      }));
  const Canvas canvas;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float step = width / static_cast<float>(std::max<std::size_t>(1, terms.size()));
  const float line = text_size(fonts().mono, "0").y;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const float x = at.x + step * static_cast<float>(i);
    const std::string value = number_text(trace.cell(place.site(terms[i].slot), cell), 2);
    draw_text(canvas, fonts().mono, ImVec2(x, at.y), t.text, value);
    const std::string name = terms[i].slot == Slot::mlp_act || (!gated && terms[i].slot == Slot::mlp_post)
                                 ? std::string(activation_name(block.mlp.activation))
                                 : std::string(tr(mlp_stage_key(terms[i].slot)));
    draw_text(canvas, fonts().small, ImVec2(x, at.y + line + scaled(1)), terms[i].colour,
              middle_truncated(fonts().small, name, step - scaled(4)));
    if (i + 1 == terms.size()) continue;
    const float free = step - text_size(fonts().mono, value).x - text_size(fonts().body, terms[i].sign).x;
    draw_text(canvas, fonts().body, ImVec2(x + text_size(fonts().mono, value).x + free / 2, at.y), t.text_dim,
              terms[i].sign);
  }
  ImGui::Dummy(ImVec2(width, line + text_size(fonts().small, "X").y + scaled(6)));
}

}  // namespace attnscope
