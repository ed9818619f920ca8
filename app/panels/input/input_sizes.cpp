// The sizes of a scene: a line that opens a popup to change them. New vectors are random, from a seed that is
// shown.
#include <algorithm>
#include <limits>

#include "app/look/item_map.h"
#include "app/panels/input/input_bar.h"
#include "app/state/controls.h"
#include "app/widgets/number_field.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// A mask that stands among the edits, of the scene or made by hand, is what the run has.
Text sizes_line(const SceneSizes& sizes, const Document* document = nullptr) {
  const auto masks = [](const auto& one) { return one->enabled && one->mask() != nullptr; };
  const auto has_mask = [](const BlockSpec& block) { return !block.attention.mask.empty(); };
  const bool own = document && (std::any_of(document->model->config().blocks.begin(),
                                            document->model->config().blocks.end(), has_mask) ||
                                std::any_of(document->edits.begin(), document->edits.end(), masks));
  return Text::of(own            ? "input.sizes.own"
                  : sizes.causal ? "input.sizes.causal"
                                 : "input.sizes.open",
                  {sizes.batch, sizes.tokens, sizes.d_in, sizes.heads, sizes.d_head, sizes.d_out});
}

void size_row(const char* key, int& value, int most) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(key));
  ImGui::SameLine(px(150));
  ImGui::SetNextItemWidth(px(120));
  number_field(Label("###", key).c_str(), value, 1, most, {"", nullptr, true});
}

}  // namespace

void InputBar::draw_sizes(const PanelContext& context, FrameState& state) {
  const Document& document = context.session.document();
  const Result<Scene> scene = scene_of(document);
  if (!scene) return;
  const SceneSizes now = sizes_of(*scene);
  {
    const WithColour ink(ImGuiCol_Text, theme().text_dim);
    const WithColour ground(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    const WithColour border(ImGuiCol_Border, IM_COL32_BLACK_TRANS);
    if (ImGui::Button((sizes_line(now, &document).str() + "  \u25be###sizes").c_str()) || state.focus_text)
      ImGui::OpenPopup("###sizes_popup");
  }
  state.focus_text = false;
  note_item("sizes");
  compat::item_tooltip(tr("input.sizes.help"));
  if (!ImGui::BeginPopup("###sizes_popup")) return;
  SceneSizes wanted = now;
  std::uint64_t seed = document.opened->scene->seed;
  size_row("input.sizes.batch", wanted.batch, 64);
  size_row("input.sizes.tokens", wanted.tokens, 512);
  size_row("input.sizes.d_in", wanted.d_in, 256);
  size_row("input.sizes.heads", wanted.heads, 64);
  size_row("input.sizes.d_head", wanted.d_head, 128);
  if (document.model->config().bare()) size_row("input.sizes.d_out", wanted.d_out, 256);
  ImGui::Checkbox(Label(tr("input.sizes.mask"), "###causal").c_str(), &wanted.causal);
  ImGui::Separator();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("input.sizes.seed"));
  ImGui::SameLine(px(150));
  ImGui::SetNextItemWidth(px(120));
  bool again = number_field("###seed", seed, 0, std::numeric_limits<std::uint64_t>::max()).changed;
  if (ImGui::Button(Label(tr("input.sizes.new_numbers"), "###new_numbers").c_str())) {
    again = true;
    ++seed;
  }
  note_item("new_numbers");
  compat::item_tooltip(tr("input.sizes.new_numbers.help"));
  ImGui::PushTextWrapPos(px(280));
  dim_text(tr("input.sizes.note"));
  ImGui::PopTextWrapPos();
  if (again || wanted != now)
    context.commands.edit(Text::of("input.edit.sizes", {sizes_line(wanted), std::to_string(seed)}), "sizes",
                          [wanted, seed](Document& changed) { return resize_scene(changed, wanted, seed); });
  ImGui::EndPopup();
}

}  // namespace attnscope
