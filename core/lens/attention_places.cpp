#include "core/lens/attention_places.h"

#include <algorithm>

namespace attnscope {

AttentionPlace attention_place(AttentionKind of, Stack main) {
  switch (of) {
    case AttentionKind::encoder: return {Stack::enc, Part::attn};
    case AttentionKind::vision: return {Stack::vision, Part::attn};
    case AttentionKind::cross: return {main, Part::cross};
    case AttentionKind::main: break;
  }
  return {main, Part::attn};
}

std::vector<AttentionPlace> attention_places(const Trace& trace) {
  std::vector<AttentionPlace> places;
  for (const Record& record : trace.records()) {
    const AttentionPlace place{record.site.stack, record.site.part};
    if (record.site.is(StepRole::pattern) && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  }
  return places;
}

std::vector<const Record*> patterns_of(const Trace& trace, const AttentionPlace& place) {
  std::vector<const Record*> out;
  for (const Record& record : trace.records())
    if (record.site.is(StepRole::pattern) && place == AttentionPlace{record.site.stack, record.site.part})
      out.push_back(&record);
  return out;
}

bool looks_at_itself(const AttentionPlace& place) { return place.part != Part::cross; }

}  // namespace attnscope
