// Texts are in assets/strings/*/places.json.
#include "app/widgets/places.h"

#include <algorithm>
#include <optional>

#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

// String key of a stack: "enc", "dec", "vision", "language", "single".
const char* stack_key(const ModelConfig& config, Stack stack) {
  switch (stack) {
    case Stack::enc: return "enc";
    case Stack::dec: return "dec";
    case Stack::vision: return "vision";
    case Stack::single: break;
  }
  return config.vision() ? "language" : "single";
}

std::string chips_id(const AttentionPlace& place) {
  return "###place_" + std::to_string(static_cast<int>(place.stack)) +
         (place.part == Part::cross ? "_cross" : "");
}

}  // namespace

bool has_stacks(const ModelConfig& config) { return !config.encoders.empty(); }

std::string stack_name(const ModelConfig& config, Stack stack) {
  return tr(std::string("place.stack.") + stack_key(config, stack));
}

std::string block_name(const ModelConfig& config, Stack stack, int layer, bool title) {
  return tr(std::string(title ? "place.title." : "place.block.") + stack_key(config, stack),
            {std::to_string(layer)});
}

std::string place_name(const ModelConfig& config, const Site& site, bool title) {
  const std::string block = block_name(config, site.stack, site.layer, title);
  const bool attention = site.part == Part::attn || site.part == Part::cross;
  if (!attention || !config.block_at(site).cross) return block;
  return tr(site.part == Part::cross ? "place.cross" : "place.self", {block});
}

std::string attention_name(const ModelConfig& config, const AttentionPlace& place) {
  if (place.part == Part::cross) return tr("place.chip.cross");
  return tr(std::string("place.chip.") + stack_key(config, place.stack));
}

AttentionPlace cursor_place(const Cursor& cursor, const Trace& trace) {
  const AttentionPlace wanted{cursor.stack, cursor.part == Part::cross ? Part::cross : Part::attn};
  std::optional<AttentionPlace> first, same;
  for (const Record& record : trace.records()) {
    if (!record.site.is(StepRole::pattern)) continue;
    const AttentionPlace place{record.site.stack, record.site.part};
    if (place == wanted) return wanted;
    if (!first) first = place;
    if (!same && place.stack == wanted.stack) same = place;
  }
  return same ? *same : first.value_or(wanted);
}

void look_at_cursor(ViewState& state, const Cursor& cursor) {
  state.place = cursor_place(cursor, *state.run);
  state.layer = cursor.layer, state.head = cursor.head;
  const std::int64_t last = std::max<std::int64_t>(0, state.run->rows(state.place.stack) - 1);
  state.row = std::clamp<std::int64_t>(cursor.query, 0, last);
}

void go_to_place(Workspace& workspace, const RunResult& run, const AttentionPlace& place) {
  Cursor& cursor = workspace.cursor;
  const Trace& trace = run.trace(cursor.sequence);
  const std::vector<const Record*> patterns = patterns_of(trace, place);
  if (patterns.empty()) return;
  const bool same_layer = std::any_of(patterns.begin(), patterns.end(), [&](const Record* record) {
    return record->site.layer == cursor.layer;
  });
  const int layer = same_layer ? cursor.layer : patterns.back()->site.layer;
  const bool attention = step_of(cursor.step.slot).part == Part::attn;
  const Site same = place.site(attention ? cursor.step.slot : slot_of(StepRole::pattern), layer);
  go_to_site(workspace, run, trace.find(same) ? same : place.pattern(layer));
  const Record* record = trace.find(place.pattern(layer));
  cursor.head = std::clamp(cursor.head, 0, static_cast<int>(record->shape[0]) - 1);
  cursor.query = std::clamp<std::int64_t>(cursor.query, 0, record->shape[1] - 1);
  cursor.key = std::clamp<std::int64_t>(cursor.key, 0, record->shape[2] - 1);
}

namespace {

struct PlaceChip {
  AttentionPlace place;
  std::string label, help;
  bool on = false;
};

std::vector<PlaceChip> attention_chips(const Cursor& cursor, const Trace& trace) {
  std::vector<PlaceChip> out;
  const AttentionPlace now = cursor_place(cursor, trace);
  for (const AttentionPlace& place : attention_places(trace)) {
    const char* help = place.part == Part::cross ? "place.chip.cross.help" : "place.chip.self.help";
    out.push_back({place, attention_name(trace.config(), place) + chips_id(place),
                   tr(help, {stack_name(trace.config(), place.stack)}), place == now});
  }
  return out;
}

std::vector<PlaceChip> stack_chips(const Cursor& cursor, const Trace& trace) {
  std::vector<PlaceChip> out;
  for (const AttentionPlace& place : attention_places(trace)) {
    if (place.part == Part::cross) continue;
    const std::string name = stack_name(trace.config(), place.stack);
    out.push_back({place, name + chips_id(place), name, place.stack == cursor.stack});
  }
  return out;
}

}  // namespace

float places_heading(Workspace& workspace, const RunResult& run, PlaceChips kind, std::string_view title,
                     std::string_view sentence, float width) {
  const Trace& trace = run.trace(workspace.cursor.sequence);
  std::vector<PlaceChip> chips;
  if (has_stacks(trace.config()))
    chips = kind == PlaceChips::attentions ? attention_chips(workspace.cursor, trace)
                                           : stack_chips(workspace.cursor, trace);
  if (chips.size() < 2) chips.clear();
  const float gap = scaled(4);
  float wide = 0;
  for (const PlaceChip& one : chips) wide += chip_width(one.label) + gap;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::BeginGroup();
  view_heading(title, sentence, width);
  ImGui::EndGroup();
  float bottom = ImGui::GetItemRectMax().y;
  if (chips.empty()) return bottom;
  ImVec2 at(origin.x + width - wide + gap, origin.y);
  if (origin.x + text_size(fonts().title, title).x + scaled(16) > at.x) {
    at = ImVec2(origin.x, bottom + scaled(8));
    bottom = at.y + ImGui::GetFrameHeight();
  }
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(gap, gap));
  ImGui::SetCursorScreenPos(at);
  for (const PlaceChip& one : chips) {
    if (&one != &chips.front()) ImGui::SameLine();  // none after the last: the gap would make the view scroll
    if (chip(one.label, one.on, one.help.c_str())) go_to_place(workspace, run, one.place);
  }
  ImGui::SetCursorScreenPos(ImVec2(origin.x, bottom));
  ImGui::Dummy(ImVec2(1, 0));
  return bottom;
}

const char* kind_label(const RunResult& run, const TimelineStep& step) {
  if (step.kind == StepKind::residual_post) {
    const BlockSpec& block = run.trace(0).config().block_at(step.main);
    const bool parallel = block.order == NormOrder::parallel;
    if (block.mlp.kind == MlpSpec::Kind::none)
      return tr(parallel ? "step.residual_mid" : "step.residual_out");
    if (parallel) return tr("step.residual_both");
  }
  return tr(Label("step.", step_kind_name(step.kind)));
}

std::int64_t batch_of(const RunResult& run, const Site& site) {
  const Record* first = run.trace(0).find(site);
  if (site.is(StepRole::mask) || !first) return 0;
  for (const auto& trace : run.traces) {
    const Record* record = trace->find(site);
    if (!record || record->shape != first->shape) return 1;
  }
  return static_cast<std::int64_t>(run.traces.size());
}

std::string step_shape(const RunResult& run, const Site& site, int sequence) {
  const Record* record = run.trace(sequence).find(site);
  return record ? shape_text(record->shape, batch_of(run, site)) : std::string();
}

std::string step_letters(const RunResult& run, const Site& site) {
  const Record* record = run.trace(0).find(site);
  if (!record) return {};
  std::vector<std::string> letters;
  if (batch_of(run, site) > 0) letters.emplace_back("B");
  for (std::size_t d = 0; d < record->axes.size(); ++d) {
    switch (record->axes[d]) {
      case Axis::pos:
      case Axis::query: letters.emplace_back("L"); break;
      case Axis::key: letters.emplace_back(site.part == Part::cross ? "S" : "L"); break;
      case Axis::head: letters.emplace_back("h"); break;
      case Axis::d_head: letters.emplace_back("d_k"); break;
      case Axis::concat: letters.emplace_back("h·d_k"); break;
      case Axis::d_mlp: letters.emplace_back("d_ff"); break;
      case Axis::vocab: letters.emplace_back("V"); break;
      case Axis::d_model: letters.emplace_back("d_model"); break;
      default: letters.push_back(std::to_string(record->shape[d]));
    }
  }
  return "(" + join(letters, ", ") + ")";
}

std::int64_t main_row(const Cursor& cursor, const Trace& trace) {
  const std::int64_t last = std::max<std::int64_t>(0, trace.length - 1);
  return cursor.stack == trace.config().stack ? std::clamp<std::int64_t>(cursor.query, 0, last)
                                              : prediction_row(trace);
}

std::string row_name(const RunResult& run, int sequence, Stack stack, std::int64_t row) {
  return row_words(*run.document.opened, run.trace(sequence), stack, row);
}

std::int64_t stack_row(const ModelConfig& config, const Site& site, std::int64_t index) {
  const bool patches = site.is(StepRole::pixels) || site.is(StepRole::patches);
  return index + (patches && config.of(site.stack).patch.class_token ? 1 : 0);
}

}  // namespace attnscope
