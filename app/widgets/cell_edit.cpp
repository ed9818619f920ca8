// Texts are in assets/strings/*/cell_edit.json.
#include "app/widgets/cell_edit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/widgets/edit_words.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/inside.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

void edit_mask(Commands& commands, const MaskPlace& place, std::int64_t query, std::int64_t key, bool allowed,
               const std::string& gesture) {
  const std::string q = std::to_string(query), k = std::to_string(key);
  commands.edit(Text::of(allowed ? "cell_edit.allow" : "cell_edit.hide", {q, k}), gesture,
                [=](Document& document) -> Status {
                  set_mask_cell(document, query, key, allowed, place);
                  return Done{};
                });
}

bool vector_input(const RunResult& run) {
  return !run.document.sequences.empty() && !run.document.sequences.front().input.vectors.empty();
}

}  // namespace

MaskPlace mask_place(const RunResult& run, int sequence, const Site& site) {
  return {attention_kind(site.stack, site.part, run.trace(sequence).config().stack), std::max(0, site.layer),
          std::max(0, sequence)};
}

CellEdit edit_meaning(const RunResult& run, const Site& site) {
  if (why_fixed(run, site)) return CellEdit::none;
  if (step_of(site.slot).rule == Rule::mask_test) return CellEdit::mask;
  const bool given = site.is(StepRole::embedding) && vector_input(run) && !run.traces.empty() &&
                     site.stack == run.trace(0).config().stack;
  return given ? CellEdit::input : CellEdit::intervention;
}

const char* why_fixed(const RunResult& run, const Site& site) {
  if (run.document.opened && !run.document.opened->recorded.empty()) return "cell_edit.fixed.recorded";
  const bool fixed =
      !step_of(site.slot).editable && !site.is(StepRole::mask);  // masks have cells that switch
  return fixed ? "cell_edit.fixed.probs" : nullptr;
}

bool can_edit(const RunResult& run, int sequence, const Cell& cell) {
  if (run.traces.empty() || why_fixed(run, cell.site)) return false;
  const Trace& trace = run.trace(sequence);
  const Record* record = trace.find(cell.site);
  return record && is_cell(cell_index(trace, cell), record->shape);
}

bool can_edit_weight(const RunResult& run, const std::string& name) {
  return run.document.model && run.document.model->weights().find(name) != nullptr;
}

void edit_cell(Commands& commands, const RunResult& run, int sequence, const Cell& cell, float value,
               const std::string& gesture) {
  if (!can_edit(run, sequence, cell)) return;
  const std::vector<std::int64_t> index = cell_index(run.trace(sequence), cell);
  const CellEdit meaning = edit_meaning(run, cell.site);
  if (meaning == CellEdit::mask) {
    return edit_mask(commands, mask_place(run, sequence, cell.site), index[0], index[1], value >= 0.5f,
                     gesture);
  }
  const Text sentence = Text::of("cell_edit.set", {cell_text(cell), value_text(value)});
  if (meaning == CellEdit::input) {
    commands.edit(sentence, gesture, [=](Document& document) {
      return set_input_cell(document, static_cast<std::size_t>(std::max(sequence, 0)), index[0], index[1],
                            value);
    });
    return;
  }
  commands.edit(sentence, gesture, [=](Document& document) -> Status {
    put_edit(document, set_to(target_of(cell), value));
    return Done{};
  });
}

void edit_weight(Commands& commands, const RunResult& run, const std::string& name,
                 const std::vector<std::int64_t>& index, float value, const std::string& gesture) {
  if (!can_edit_weight(run, name)) return;
  commands.edit(Text::of("cell_edit.set", {weight_cell_names(run, name, index), value_text(value)}), gesture,
                [=](Document& document) { return set_weight_cell(document, name, index, value); });
}

void toggle_mask_cell(Commands& commands, const RunResult& run, int sequence, const Site& mask,
                      std::int64_t query, std::int64_t key) {
  if (!mask.is(StepRole::mask)) return;
  const float allowed = run.trace(sequence).cell(mask, {query, key});
  if (!std::isnan(allowed))
    edit_mask(commands, mask_place(run, sequence, mask), query, key, allowed < 0.5f, {});
}

std::string weight_cell_text(const RunResult& run, const std::string& name,
                             const std::vector<std::int64_t>& index) {
  const Tensor weight = run.document.model ? run.document.model->weights().get(name) : Tensor();
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < index.size() && static_cast<int>(d) < weight.rank(); ++d) {
    parts.push_back(format("%.*s=%lld", static_cast<int>(axis_name(weight.axis(static_cast<int>(d))).size()),
                           axis_name(weight.axis(static_cast<int>(d))).data(),
                           static_cast<long long>(index[d])));
  }
  return name + "[" + join(parts, ", ") + "]";
}

std::string weight_cell_names(const RunResult& run, const std::string& name,
                              const std::vector<std::int64_t>& index) {
  std::vector<std::string> names;
  if (!run.document.model) return weight_cell_text(run, name, index);
  for (const WeightCell& cell : same_weights(run.document.model->config(), name, index))
    names.push_back(weight_cell_text(run, cell.name, cell.index));
  return join(names, " = ");
}

std::string cell_text(const Cell& cell) {
  std::vector<std::string> parts;
  for (const AxisRange& c : cell.at) parts.push_back(c.axis + "=" + to_text(c));
  return to_text(cell.site) + (parts.empty() ? "" : "[" + join(parts, ", ") + "]");
}

std::optional<float> parse_number(const std::string& text) {
  const auto one = [](const std::string& part) -> std::optional<double> {
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto value = parse_real(plain_number(part), -kMost, kMost);
    return value ? std::optional(*value) : std::nullopt;
  };
  const auto narrow = [](double value) {  // beyond float32: no number
    const bool fits = std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max());
    return fits ? std::optional(static_cast<float>(value)) : std::nullopt;
  };
  const std::size_t slash = text.find('/');
  const auto above = one(text.substr(0, slash));
  if (slash == std::string::npos) return above ? narrow(*above) : std::nullopt;
  const auto below = one(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return narrow(*above / *below);
}

}  // namespace attnscope
