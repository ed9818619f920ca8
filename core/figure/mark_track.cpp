// The way through a model as a thin line of places, the one that is looked at lit.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 2> kTrackGives{Give::short_names, Give::left_out};
constexpr float kBar = 0.55f, kGapToNames = 0.35f, kMostStop = 9.f;  // em
constexpr float kLeastStop = 8.f, kAllTrack = 1e4f;                  // pixels; kAllTrack: whatever is left

const TrackMark& track_in(const Part& part) { return std::get<TrackMark>(part.mark); }
float stops_of(const TrackMark& track) {
  return static_cast<float>(std::max<std::size_t>(1, track.stops.size()));
}
float widest_stop(const TrackMark& track, const MarkContext& context) {
  return widest(track.stops, context.look.small, Face::sans, context) + 8;
}

SizeNeed track_width(const Part& part, const Form& form, const MarkContext& context) {
  const TrackMark& track = track_in(part);
  const float all = stops_of(track), wide = widest_stop(track, context);
  const float least = form.has(Give::short_names) ? std::max(wide, all * kLeastStop) : all * wide;
  return {std::min(least, all * wide), all * wide, kAllTrack};
}
SizeNeed track_height(const Part&, const Form&, float, const MarkContext& context) {
  const float tall = context.look.small * (kBar + kGapToNames + kLine);
  return {tall, tall, tall};
}
void settle_track(PlacedPart&, const MarkContext&) {}

// Names below the line: of all places where they fit, else of the one that is lit.
void draw_track(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const TrackMark& track = track_in(*placed.part);
  const float em = context.look.small, all = stops_of(track), named = widest_stop(track, context),
              wide = std::min(placed.box.w / all, std::max(named, kMostStop * em)), bar = em * kBar;
  const bool names = wide >= named;
  for (std::size_t at = 0; at < track.stops.size(); ++at) {
    const bool here = static_cast<int>(at) == track.here, before = static_cast<int>(at) < track.here;
    const float x = placed.box.x + wide * static_cast<float>(at);
    out.rect({x, placed.box.y, wide - 3, bar}, here     ? out.colours().ink(Ink::accent)
                                               : before ? out.colours().frame
                                                        : out.colours().panel);
    out.shapes.back().round = bar / 2;
    if (!names && !here) continue;
    const std::string text = track.stops[at].str();
    const float length = context.measure.width(text, em, Face::sans);
    const float from = std::clamp(x + (wide - 3 - length) / 2, placed.box.x,
                                  std::max(placed.box.x, placed.box.right() - length));
    out.text(text, from, placed.box.y + bar + em * (kGapToNames + kAscent), em, Face::sans,
             out.colours().ink(here ? Ink::accent : Ink::dim), placed.box);
  }
}

}  // namespace

const MarkRules kTrackRules{kTrackGives, track_width, track_height, settle_track, draw_track};

}  // namespace attnscope::figure
