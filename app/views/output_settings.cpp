#include "app/views/output_settings.h"

#include <limits>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kOutputSettingsHottest = 2.f, kStrongest = 2.f;  // slider maxima

/// `sentence`: string key of the undo label; `number`: its argument.
void change(const ViewContext& context, const SliderEvent& event, const char* sentence,
            const std::string& number, const Sampling& wanted) {
  if (event.changed)
    context.commands.edit(Text::of(sentence, {number}), "sampling", [wanted](Document& document) -> Status {
      TRY_OK(check_sampling(wanted));
      document.sampling = wanted;
      return Done{};
    });
  if (event.released) context.commands.end_gesture();
}

// Common combinations of settings.
struct Preset {
  const char* key;
  float temperature, from, to;  // value to set; range that counts as this preset
};
constexpr Preset kPresets[] = {{"output.preset.robot", 0.f, 0.f, 0.f},
                               {"output.preset.code", 0.2f, 0.001f, 0.2f},
                               {"output.preset.writing", 0.9f, 0.7f, 1.2f}};

void draw_presets(const ViewContext& context, float width) {
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  const Sampling now = context.session.document().sampling;
  ChipRow line(width, 5);
  for (const Preset& preset : kPresets) {
    const bool on = now.temperature >= preset.from && now.temperature <= preset.to;
    const Label label(tr(preset.key), "###", preset.key);
    if (!line(label, on, tr(Label(preset.key, ".help")))) continue;
    Sampling wanted = now;
    wanted.temperature = preset.temperature;
    change(context, {true, true}, "output.edit.temperature", number_text(wanted.temperature, 2), wanted);
  }
}

void draw_sliders(const ViewContext& context, float width) {
  const Sampling now = context.session.document().sampling;
  Sampling wanted = now;
  const char* shape = now.temperature > 0 ? "%.2f" : tr("output.greedy");
  const SliderEvent heat = slider_real("###temperature", tr("output.temperature"), wanted.temperature, 0.f,
                                       kOutputSettingsHottest, shape, width, tr("output.temperature.help"));
  change(context, heat, "output.edit.temperature", number_text(wanted.temperature, 2), wanted);
  wanted = now;
  std::int64_t top_k = now.top_k;
  const std::int64_t vocab = context.run.trace(0).config().outputs();
  const SliderEvent most = slider_int("###top_k", tr(top_k > 0 ? "output.top_k" : "output.top_k.off"), top_k,
                                      0, vocab, width, tr("output.top_k.help"), true);
  wanted.top_k = static_cast<int>(top_k);
  change(context, most, "output.edit.top_k", std::to_string(top_k), wanted);
  wanted = now;
  const SliderEvent share = slider_real("###top_p", tr("output.top_p"), wanted.top_p, 0.f, 1.f, "%.2f", width,
                                        tr("output.top_p.help"));
  change(context, share, "output.edit.top_p", number_text(wanted.top_p, 2), wanted);
  if (context.workspace.presenting) return;  // presenting: fewer sliders, larger text
  wanted = now;
  const SliderEvent least = slider_real("###min_p", tr("output.min_p"), wanted.min_p, 0.f, 1.f, "%.2f", width,
                                        tr("output.min_p.help"));
  change(context, least, "output.edit.min_p", number_text(wanted.min_p, 2), wanted);
  wanted = now;
  const SliderEvent again =
      slider_real("###repetition_penalty", tr("output.penalty"), wanted.repetition_penalty, 1.f, kStrongest,
                  "%.2f", width, tr("output.penalty.help"));
  change(context, again, "output.edit.penalty", number_text(wanted.repetition_penalty, 2), wanted);
}

void draw_seed(const ViewContext& context, float width) {
  Sampling wanted = context.session.document().sampling;
  const FontScope face(fonts().small);
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().text_dim, tr("output.seed"));
  ImGui::SameLine(scaled(50));
  ImGui::SetNextItemWidth(width - scaled(50));
  SliderEvent event;
  {
    const FontScope mono(fonts().mono_small);
    event = number_field("###seed", wanted.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                         {"", tr("output.seed.help"), true});
  }
  change(context, event, "output.edit.seed", std::to_string(wanted.seed), wanted);
}

void draw_buttons(const ViewContext& context, float width, const GenerateTokens& generate) {
  const Theme& t = theme();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  if (context.session.generating()) {
    if (ImGui::Button(Label(tr("output.cancel"), "###generate_cancel").c_str(), ImVec2(width, 0)))
      context.commands.act([](Session& session) { session.cancel_generating(); });
    return;
  }
  const Label many(kept_tr("output.many", {std::to_string(kManyTokens)}), "###generate_many");
  const float wide = width - chip_width(many) - scaled(8) - gap;
  {
    const ColourScope ground(ImGuiCol_Button, t.accent),
        over(ImGuiCol_ButtonHovered, mix(t.accent, t.text, 0.2f));
    const ColourScope ink(ImGuiCol_Text, t.on_accent);
    if (ImGui::Button(Label(tr("output.generate"), "###generate").c_str(), ImVec2(wide, 0)))
      generate(1, Text::of("output.edit.generate"));
  }
  note_item("generate");
  compat::item_tooltip(tr("output.generate.help"));
  ImGui::SameLine();
  if (ImGui::Button(many.c_str(), ImVec2(chip_width(many) + scaled(8), 0)))
    generate(kManyTokens, Text::of("output.edit.generate_many", {kManyTokens}));
  note_item("generate_many");
  compat::item_tooltip(tr("output.many.help"));
}

}  // namespace

void draw_output_settings(const ViewContext& context, float width, const GenerateTokens& generate) {
  draw_presets(context, width);
  draw_sliders(context, width);
  if (!context.workspace.presenting) draw_seed(context, width);
  draw_buttons(context, width, generate);
}

}  // namespace attnscope
