#include "app/views/output_settings.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kStrongest = 2.f;  // slider maximum of the penalty
/// `sentence`: string key of the undo label; `number`: its argument.
void change(Commands& commands, const SliderEvent& event, const char* sentence, const std::string& number,
            const Sampling& wanted) {
  if (event.changed)
    commands.edit(Text::of(sentence, {number}), "sampling", [wanted](Document& document) -> Status {
      TRY_OK(check_sampling(wanted));
      document.sampling = wanted;
      return Done{};
    });
  if (event.released) commands.end_gesture();
}

// Common combinations of settings.
struct Preset {
  const char* key;
  float temperature, from, to;  // value to set; range that counts as this preset
};
constexpr Preset kPresets[] = {{"output.preset.robot", 0.f, 0.f, 0.f},
                               {"output.preset.code", 0.2f, 0.001f, 0.2f},
                               {"output.preset.writing", 0.9f, 0.7f, 1.2f}};

float presets_width() {
  float out = 0;
  for (const Preset& preset : kPresets) out += chip_width(tr(preset.key)) + scaled(5);
  return out;
}

void draw_presets(const ViewContext& context, ImVec2 at) {
  const Sampling now = context.session.document().sampling;
  ChipRow line(at, 1e9f);
  for (const Preset& preset : kPresets) {
    const bool on = now.temperature >= preset.from && now.temperature <= preset.to;
    const Label label(tr(preset.key), "###", preset.key);
    if (!line(label, on, tr(Label(preset.key, ".help")))) continue;
    Sampling wanted = now;
    wanted.temperature = preset.temperature;
    change(context.commands, {true, true}, "output.edit.temperature", number_text(wanted.temperature, 2),
           wanted);
  }
}

void draw_seed(const ViewContext& context, float width) {
  Sampling wanted = context.session.document().sampling;
  ImGui::SetNextItemWidth(width);
  SliderEvent event;
  {
    const FontScope mono(fonts().mono_small);
    event = number_field("###seed", wanted.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                         {"", tr("output.seed.help"), true});
  }
  change(context.commands, event, "output.edit.seed", std::to_string(wanted.seed), wanted);
}

void draw_setting(const ViewContext& context, OutputSetting setting, float width) {
  const Sampling now = context.session.document().sampling;
  Sampling wanted = now;
  const auto real = [&](const char* id, const char* key, float& value, float least, float most,
                        const char* shape, const char* sentence) {
    const SliderEvent moved = slider_real(id, tr(key), value, least, most, shape, width, help_of(key));
    change(context.commands, moved, sentence, number_text(value, 2), wanted);
  };
  switch (setting) {
    case OutputSetting::temperature: return draw_temperature(now, context.commands, width);
    case OutputSetting::top_k: {
      std::int64_t top_k = now.top_k;
      const SliderEvent moved =
          slider_int("###top_k", tr(top_k > 0 ? "output.top_k" : "output.top_k.off"), top_k, 0,
                     context.run.trace(0).config().outputs(), width, tr("output.top_k.help"), true);
      wanted.top_k = static_cast<int>(top_k);
      return change(context.commands, moved, "output.edit.top_k", std::to_string(top_k), wanted);
    }
    case OutputSetting::top_p:
      return real("###top_p", "output.top_p", wanted.top_p, 0.f, 1.f, "%.2f", "output.edit.top_p");
    case OutputSetting::min_p:
      return real("###min_p", "output.min_p", wanted.min_p, 0.f, 1.f, "%.2f", "output.edit.min_p");
    case OutputSetting::penalty:
      return real("###repetition_penalty", "output.penalty", wanted.repetition_penalty, 1.f, kStrongest,
                  "%.2f", "output.edit.penalty");
    case OutputSetting::seed: break;
  }
  draw_seed(context, width);
}

// Labels of the two buttons that append tokens.
struct OutputButtons {
  Label one{tr("output.generate"), "###generate"};
  Label many{kept_tr("output.many", {std::to_string(kManyTokens)}), "###generate_many"};
  Label cancel{tr("output.cancel"), "###generate_cancel"};
  float width() const {
    return std::max(chip_width(one) + scaled(16) + chip_width(many) + scaled(8), chip_width(cancel));
  }
};

void draw_buttons(const ViewContext& context, const OutputButtons& buttons, const GenerateTokens& generate) {
  const Theme& t = theme();
  if (context.session.generating()) {
    if (ImGui::Button(buttons.cancel.c_str(), ImVec2(buttons.width(), 0)))
      context.commands.act([](Session& session) { session.cancel_generating(); });
    return;
  }
  {
    const ColourScope ground(ImGuiCol_Button, t.accent),
        over(ImGuiCol_ButtonHovered, mix(t.accent, t.text, 0.2f));
    const ColourScope ink(ImGuiCol_Text, t.on_accent);
    if (ImGui::Button(buttons.one.c_str(), ImVec2(chip_width(buttons.one) + scaled(8), 0)))
      generate(1, Text::of("output.edit.generate"));
  }
  note_item("generate");
  compat::item_tooltip(tr("output.generate.help"));
  ImGui::SameLine(0, scaled(8));
  if (ImGui::Button(buttons.many.c_str(), ImVec2(chip_width(buttons.many) + scaled(8), 0)))
    generate(kManyTokens, Text::of("output.edit.generate_many", {kManyTokens}));
  note_item("generate_many");
  compat::item_tooltip(tr("output.many.help"));
}

}  // namespace

std::uint64_t sampling_key(const Sampling& sampling) {
  const auto bits = [](float value) { return std::uint64_t{std::bit_cast<std::uint32_t>(value)}; };
  return key_of({bits(sampling.temperature), static_cast<std::uint64_t>(sampling.top_k), bits(sampling.top_p),
                 bits(sampling.min_p), bits(sampling.repetition_penalty), sampling.seed});
}

void draw_temperature(const Sampling& now, Commands& commands, float width, ImFont* face) {
  Sampling wanted = now;
  const SliderEvent moved = slider_real(
      "###temperature", tr("output.temperature"), wanted.temperature, 0.f, kOutputSettingsHottest,
      now.temperature > 0 ? "%.2f" : tr("output.greedy"), width, tr("output.temperature.help"), false, face);
  change(commands, moved, "output.edit.temperature", number_text(wanted.temperature, 2), wanted);
}

void draw_output_settings(const ViewContext& context, OneOf<OutputSetting>& setting, float width,
                          const GenerateTokens& generate) {
  const OutputButtons buttons;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float gap = scaled(12), menu = std::min(scaled(150), width * 0.3f);
  const bool few = context.workspace.presenting;  // fewer settings, larger text
  choose_in_menu(setting, menu, {}, [&](OutputSetting one) { return !few || one <= OutputSetting::top_p; });
  const float presets = presets_width() + gap;
  float slider = width - menu - buttons.width() - 2 * gap;
  const bool beside = setting == OutputSetting::temperature && slider - presets > scaled(120);
  if (beside) slider -= presets;
  ImGui::SetCursorScreenPos(ImVec2(at.x + menu + gap, at.y));
  draw_setting(context, setting, std::max(scaled(40), slider));
  if (beside) draw_presets(context, ImVec2(at.x + menu + 2 * gap + slider, at.y + scaled(3)));
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - buttons.width(), at.y));
  draw_buttons(context, buttons, generate);
}

}  // namespace attnscope
