#include "app/views/mask_kinds.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostParts = 3;  // spans with a chip of their own

std::string counted(const char* kind, std::int64_t count) {
  return format("%s(%lld)", kind, static_cast<long long>(count));
}

// True if the model's own mask of this attention is causal.
bool looks_back(const AttentionScene& scene) {
  return scene.part == Part::attn && scene.trace->config().attention_at(scene.pattern()).causal;
}

}  // namespace

std::string mask_part(const std::string& name) {
  const bool plain =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return plain ? name : "\"" + name + "\"";
}

void MaskKinds::choose(const ViewContext& context, const AttentionScene& scene, const std::string& text,
                       const char* gesture) {
  const AttentionKind of = MaskBoard::mask_place(scene).of;
  context.commands.edit(Text::of("input.edit.mask", {std::string(mask_prefix(of)) + text}), gesture,
                        [text, of](Document& document) { return choose_mask(document, text, of); });
}

std::vector<MaskKinds::Kind> MaskKinds::kinds(const std::vector<Span>& parts, bool causal) const {
  std::vector<Kind> out{{"causal", tr("mask.kind.causal"), tr("mask.preset.causal.help"), "causal"},
                        {"full", tr("mask.kind.full"), tr("mask.preset.full.help"), "full"},
                        {counted("window", window_), tr("mask.kind.window", {std::to_string(window_)}),
                         tr(causal ? "mask.preset.window.help" : "mask.kind.window.help"), "window"},
                        {counted("prefix", prefix_), tr("mask.kind.prefix", {std::to_string(prefix_)}),
                         tr("mask.kind.prefix.help"), "prefix"}};
  for (std::size_t i = 0; i < std::min(parts.size(), kMostParts); ++i) {
    const std::string name = mask_part(parts[i].name);
    out.push_back({name + ">" + name, tr("mask.kind.part", {parts[i].name}),
                   tr("mask.kind.part.help", {parts[i].name}), "part_" + std::to_string(i)});
  }
  return out;
}

// Spans are those of the main stack's input.
const std::vector<MaskKinds::Kind>& MaskKinds::known_kinds(const Document& document,
                                                           const AttentionScene& scene) {
  static const std::vector<Span> none;
  const bool main = MaskBoard::mask_place(scene).of == AttentionKind::main;
  const auto at = static_cast<std::size_t>(std::max(0, scene.sequence));
  const std::vector<Span>& parts = main ? document.sequences[at].input.spans : none;
  Hash names;
  for (const Span& part : parts) names.take(part.name);
  const bool causal = looks_back(scene);
  return kinds_.get({names.value(), static_cast<std::uint64_t>(window_), static_cast<std::uint64_t>(prefix_),
                     static_cast<std::uint64_t>(causal)},
                    [&] { return kinds(parts, causal); });
}

// Takes the numbers of the current mask into the chips.
void MaskKinds::follow(const std::optional<MaskMix>& mix) {
  if (!mix) return;
  for (const std::string& part : mix->parts) {
    long long count = 0;
    if (std::sscanf(part.c_str(), "window(%lld)", &count) == 1) window_ = count;
    if (std::sscanf(part.c_str(), "prefix(%lld)", &count) == 1) prefix_ = count;
  }
}

// Sliders for the numbers in the mask, side by side. Returns the height, pixels.
float MaskKinds::draw_counts(const ViewContext& context, const AttentionScene& scene, const MaskMix& mix,
                             ImVec2 at, float width) {
  const float slider = std::min(scaled(150), (width - scaled(14)) / 2);
  float x = at.x, height = 0;
  const auto count = [&](const char* kind, const char* id, const char* title, const char* help,
                         std::int64_t& value) {
    const std::string part = counted(kind, value);
    if (!mix.has(part)) return;
    ImGui::SetCursorScreenPos(ImVec2(x, at.y));
    const std::int64_t most = std::max<std::int64_t>({2, scene.keys, value});
    const SliderEvent event = slider_int(id, tr(title), value, 1, most, slider, tr(help));
    x += slider + scaled(14);
    height = ImGui::GetItemRectMax().y - at.y + scaled(6);
    if (event.changed) {
      MaskMix changed = mix;
      std::replace(changed.parts.begin(), changed.parts.end(), part, counted(kind, value));
      choose(context, scene, mask_text(changed), "mask.count");
    }
    if (event.released) context.commands.end_gesture();
  };
  count("window", "###mask_window_size", "mask.window_size", "mask.window_size.help", window_);
  count("prefix", "###mask_prefix_size", "mask.prefix_size", "mask.prefix_size.help", prefix_);
  return height;
}

float MaskKinds::draw(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width) {
  const Document& document = MaskBoard::shown_document(context, scene);
  const AttentionKind of = MaskBoard::mask_place(scene).of;
  const MaskSpec asked = asked_mask(document, of);
  static const MaskMix none;
  const auto& mix =
      mix_.get({std::hash<std::string>{}(asked.text())}, [&] { return mask_mix(asked.text()); });
  follow(mix);
  const MaskMix& now = mix ? *mix : none;
  ImVec2 p = at;
  {
    ChipRow put(at, width);
    if (put(Label(tr("mask.kind.model"), "###mask_kind_model"), is_chosen_mask(document, "model", of),
            tr("mask.preset.model.help")))
      choose(context, scene, "model");
    const auto lone = [](const std::string& part) { return part == "full"; };
    for (const Kind& kind : known_kinds(document, scene)) {
      if (!put(Label(kind.label, "###mask_kind_", kind.id), now.has(kind.part), kind.help.c_str())) continue;
      MaskMix changed = now;
      if (lone(kind.part) || std::any_of(now.parts.begin(), now.parts.end(), lone))
        changed = now.has(kind.part) ? MaskMix{} : with_part({}, kind.part, looks_back(scene));
      else
        changed = with_part(now, kind.part, looks_back(scene));
      choose(context, scene, mask_text(changed));
    }
    if (now.parts.size() > 1) {
      put.part(12);
      for (const bool all : {true, false})
        if (put(Label(tr(all ? "mask.and" : "mask.or"), all ? "###mask_and" : "###mask_or"), now.all == all,
                tr(all ? "mask.and.help" : "mask.or.help")))
          choose(context, scene, mask_text({now.parts, all}));
    }
    if (of == AttentionKind::main && twin_.exists(context.session)) {
      put.part(12);
      if (put(Label(tr("mask.twin"), "###mask_twin"), twin_.is_a(context.session), tr("mask.twin.help")))
        twin_.toggle(context.session, context.workspace, context.commands);
    }
    p.y += put.height() + scaled(6);
  }
  return p.y - at.y + draw_counts(context, scene, now, ImVec2(at.x, p.y), width);
}

}  // namespace attnscope
