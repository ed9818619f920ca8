// Who may look? Scores, the mask, the masked scores and the pattern of one head beside each other.
#include <cmath>

#include "core/lens/attention_plane.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox;

// 1 where a query may look at a key; masked cells of the pattern stay masked.
figure::MatrixMark allowed_of(const figure::MatrixMark& pattern) {
  figure::MatrixMark out = pattern;
  std::vector<float> values;
  for (std::int64_t row = 0; row < pattern.values.size(0); ++row)
    for (std::int64_t col = 0; col < pattern.values.size(1); ++col) {
      const float value = pattern.values.at(row, col);
      values.push_back(std::isinf(value) && value < 0 ? value : 1.f);
    }
  out.values = Tensor::from(std::move(values),
                            {{Axis::query, pattern.values.size(0)}, {Axis::key, pattern.values.size(1)}});
  out.scale = figure::Scale::allowed, out.most = 1;
  return out;
}

// Where every key is open, nothing is to be said of the others.
std::vector<Text> mask_sentence(const Text& query, std::int64_t open, std::int64_t keys) {
  std::vector<Text> out{Text::of("figure.mask.short", {query, open, keys})};
  if (open < keys) out.insert(out.begin(), Text::of("figure.mask.sentence", {query, open, keys}));
  return out;
}

Result<ViewDrawing> draw_mask(const ViewState& state) {
  const Site site = state.place.pattern(state.layer);
  if (!state.run->find(site)) return fail(Code::not_found, "error.view.no_attention");
  const std::vector<Slot> stages = attention_stages(*state.run, site);  // scores first, the pattern last
  const figure::MatrixMark pattern = attention_matrix(state, site.slot), allowed = allowed_of(pattern),
                           row = attention_row_matrix(state, pattern);
  std::int64_t open = 0;
  for (std::int64_t key = 0; key < allowed.values.size(1); ++key)
    open += allowed.values.at(state.row, key) > 0 ? 1 : 0;
  const Text& query = row.rows.labels.front();
  std::vector<PartBox> planes;
  const auto add = [&](const char* id, const figure::MatrixMark& matrix, int priority) {
    const std::string key = std::string("figure.") + id;
    planes.push_back(
        figure::leaf({id, matrix, priority, {Text::of(key), Text::of(key + ".short")}, "planes"}));
  };
  const bool full = state.level == Level::full;
  if (full && stages.size() > 1) add("scores", attention_matrix(state, stages.front()), 1);
  add("allowed", allowed, 2);
  if (full && stages.size() > 2) add("masked", attention_matrix(state, stages[stages.size() - 2]), 1);
  add("pattern", pattern, 2);
  return ViewDrawing{{Text::of("figure.mask.question")},
                     mask_sentence(query, open, allowed.values.size(1)),
                     figure::either(std::move(planes)),
                     figure::leaf({"row", row, 3, {Text::of("figure.row", {query})}, ""})};
}

}  // namespace

ViewSpec view_mask() { return {"mask", 20, true, true, draw_mask}; }

}  // namespace attnscope
