// Sampling settings: one of them at a time, chosen by a menu, presets of the temperature, and buttons that
// append sampled tokens. Every change is an undoable edit of the document. Sampling itself is in core/sample.
#pragma once

#include <functional>

#include "app/views/view.h"
#include "app/widgets/controls.h"

namespace attnscope {

inline constexpr int kManyTokens = 10;

/// Called to append `count` tokens sampled with the settings.
using GenerateTokens = std::function<void(int count, const Text& sentence)>;

enum class OutputSetting : std::uint8_t { temperature, top_k, top_p, min_p, penalty, seed };
inline constexpr Option<OutputSetting> kOutputSettings[] = {{"temperature", OutputSetting::temperature},
                                                            {"top_k", OutputSetting::top_k},
                                                            {"top_p", OutputSetting::top_p},
                                                            {"min_p", OutputSetting::min_p},
                                                            {"penalty", OutputSetting::penalty},
                                                            {"seed", OutputSetting::seed}};
inline constexpr float kOutputSettingsHottest = 2.f;  ///< the right end of the slider of the temperature
/// A number for these settings, for the keys of what is computed with them.
std::uint64_t sampling_key(const Sampling& sampling);
/// That slider at the ImGui cursor; `face`: of its caption, null: the small one.
void draw_temperature(const Sampling& now, Commands& commands, float width, ImFont* face = nullptr);
/// Draws one line at the ImGui cursor, `width` pixels wide: the menu, the chosen setting, the buttons.
void draw_output_settings(const ViewContext& context, OneOf<OutputSetting>& setting, float width,
                          const GenerateTokens& generate);

}  // namespace attnscope
