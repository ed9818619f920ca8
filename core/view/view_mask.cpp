// Who may look? The scores of one head, the mask, what it leaves of them, and the pattern, side by side.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/lens/attention_plane.h"
#include "core/lens/attention_row.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox;

constexpr std::int64_t kMaskPiece = 5;    // rows and columns of a plane that has digits beside others
constexpr std::int64_t kPieceBefore = 2;  // of them before the row that is looked at
constexpr std::int64_t kPieceAfter = 1;   // and behind it, at least
constexpr std::int64_t kKeysBefore = 2;   // columns before the strongest key, where the piece goes to it

// Where a row or column of the whole stands among those of a piece; -1: it is none of them.
int piece_place(const std::vector<std::int64_t>& picked, std::int64_t at) {
  const auto found = std::find(picked.begin(), picked.end(), at);
  return found == picked.end() ? -1 : static_cast<int>(found - picked.begin());
}

// Those of some rows or columns.
void keep_names(figure::Names& names, const std::vector<std::int64_t>& picked) {
  const std::vector<Text> all = std::move(names.labels);
  names.labels.clear();
  for (const std::int64_t at : picked) names.labels.push_back(all[static_cast<std::size_t>(at)]);
  std::vector<int> struck;
  for (const int at : names.struck)
    if (const int place = piece_place(picked, at); place >= 0) struck.push_back(place);
  names.struck = std::move(struck);
  for (int* at : {&names.looked, &names.kept}) *at = piece_place(picked, *at);
}

std::vector<std::int64_t> from_row(std::int64_t first) {
  std::vector<std::int64_t> out(kMaskPiece);
  std::iota(out.begin(), out.end(), first);
  return out;
}

// The columns of a piece whose rows begin at `row0`: the same tokens, so that the diagonal is seen, and in
// the place of the farthest the key that the looked-at row looks at most. Where the mask hides nothing, no
// diagonal has to be seen: the columns are those around that key.
std::vector<std::int64_t> piece_columns(const figure::MatrixMark& whole, std::int64_t row0,
                                        bool nothing_hidden) {
  std::vector<std::int64_t> out = from_row(row0);
  const std::int64_t key = whole.cols.kept, last = whole.values.size(0) - kMaskPiece;
  if (key < 0 || piece_place(out, key) >= 0) return out;
  if (nothing_hidden) return from_row(std::clamp<std::int64_t>(key - kKeysBefore, 0, last));
  (key < row0 ? out.front() : out.back()) = key;
  return out;
}

// The first row of a piece: so that the row that is looked at is in its middle, or further down where the key
// that it looks at most is in the piece then.
std::int64_t first_piece_row(const figure::MatrixMark& whole) {
  const std::int64_t looked = whole.rows.looked, key = whole.cols.kept, middle = looked - kPieceBefore,
                     least = looked - (kMaskPiece - 1 - kPieceAfter);
  const std::int64_t first = key >= least && key < middle ? key : middle;
  return std::clamp<std::int64_t>(first, 0, whole.values.size(0) - kMaskPiece);
}

// The rows around the one that is looked at and a few columns: small enough for digits and for the names of
// both.
figure::MatrixMark piece_of(const figure::MatrixMark& whole, bool nothing_hidden) {
  figure::MatrixMark out = whole;
  const std::int64_t row0 = first_piece_row(whole);
  const std::vector<std::int64_t> rows = from_row(row0), cols = piece_columns(whole, row0, nothing_hidden);
  std::vector<float> values;
  for (const std::int64_t row : rows)
    for (const std::int64_t col : cols) values.push_back(whole.values.at(row, col));
  out.values = Tensor::from(std::move(values), {{Axis::query, kMaskPiece}, {Axis::key, kMaskPiece}});
  keep_names(out.rows, rows), keep_names(out.cols, cols);
  out.first_row = row0, out.picked_cols = cols, out.signs = true;
  return out;
}

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
  out.scale = figure::Scale::open, out.most = 1, out.digits = 0;
  return out;
}

// The row that is looked at, at each stage, one below the other.
class StageRows {
 public:
  StageRows(const ViewState& state, figure::MatrixMark row) : state_(state), mark_(std::move(row)) {
    mark_.rows = {{}, -1, figure::Ink::dim};
    mark_.masked_is_zero = false;  // of the weights alone
  }
  /// The matrix of a stage, whose row is taken.
  figure::MatrixMark add(const char* id, Slot stage) {
    figure::MatrixMark out = attention_matrix(state_, stage);
    std::vector<float> row;
    for (std::int64_t key = 0; key < out.values.size(1); ++key) row.push_back(out.values.at(state_.row, key));
    values_.insert(values_.end(), row.begin(), row.end());
    const std::vector<AxisRange> at{{"head", state_.head}, {"query", state_.row}};
    mark_.own_rows.push_back({to_text(state_.place.site(stage, state_.layer)) + to_text(at), out.scale,
                              out.most, out.masked_is_zero ? weight_digits(row) : 2});
    mark_.rows.labels.push_back(Text::of(std::string("figure.mask.") + id + ".short"));
    return out;
  }
  figure::MatrixMark made() {
    const auto count = std::ssize(mark_.own_rows);
    mark_.rows.looked = static_cast<int>(count) - 1;
    mark_.values =
        Tensor::from(std::move(values_), {{Axis::query, count}, {Axis::key, std::ssize(mark_.order)}});
    mark_.others = figure::MatrixMark::Others::bars;
    return std::move(mark_);
  }

 private:
  const ViewState& state_;
  figure::MatrixMark mark_;
  std::vector<float> values_;
};

// Which keys the looked-at row may look at.
struct OpenKeys {
  std::int64_t open = 0, hidden_before = 0, hidden_after = 0, keys = 0;
  bool own = false;  ///< itself
};
OpenKeys open_keys(const ViewState& state, const figure::MatrixMark& allowed) {
  OpenKeys out;
  out.keys = allowed.values.size(1);
  out.own = looks_at_itself(state.place) && allowed.values.at(state.row, state.row) > 0;
  for (std::int64_t key = 0; key < out.keys; ++key)
    ++(allowed.values.at(state.row, key) > 0 ? out.open
       : key < state.row                     ? out.hidden_before
                                             : out.hidden_after);
  return out;
}

// Every row may look at itself and all that stands before it, and at nothing behind.
bool hides_the_later(const figure::MatrixMark& allowed) {
  for (std::int64_t row = 0; row < allowed.values.size(0); ++row)
    for (std::int64_t key = 0; key < allowed.values.size(1); ++key)
      if ((allowed.values.at(row, key) > 0) != (key <= row)) return false;
  return true;
}

// Nothing is hidden from any row.
bool hides_nothing(const figure::MatrixMark& allowed) {
  for (const float open : allowed.values.values())
    if (!(open > 0)) return false;
  return true;
}

// How many keys, and why the others are hidden: as the model's own mask has it, or counted.
std::vector<Text> mask_sentence(const ViewState& state, const Text& query,
                                const figure::MatrixMark& allowed) {
  const OpenKeys keys = open_keys(state, allowed);
  const AttentionSpec& attention = state.run->config().attention_at(state.place.pattern(state.layer));
  const bool itself = looks_at_itself(state.place),
             causal = itself && attention.causal && attention.mask.empty();
  const bool future = keys.hidden_before == 0 && keys.hidden_after == keys.keys - 1 - state.row;
  const char* why = !keys.own                 ? "hidden"
                    : keys.hidden_after == 0  ? "before"
                    : keys.hidden_before == 0 ? "after"
                                              : "around";
  if (causal && future && (keys.hidden_after > 0 || hides_the_later(allowed)))
    why = keys.hidden_after > 0 ? "future" : "last";
  else if (keys.open == keys.keys)
    why = itself && hides_nothing(allowed) ? "everybody" : "all";
  else if (!itself)
    why = "cross";
  return {Text::of(std::string("figure.mask.") + why,
                   {query, keys.open, keys.keys, keys.hidden_before, keys.hidden_after}),
          Text::of("figure.mask.short", {query, keys.open, keys.keys})};
}

Result<ViewDrawing> draw_mask(const ViewState& state) {
  const Site site = state.place.pattern(state.layer);
  if (!state.run->find(site)) return fail(Code::not_found, "error.view.no_attention");
  const std::vector<Slot> stages = attention_stages(*state.run, site);  // scores first, the pattern last
  const auto masked = std::find(stages.begin(), stages.end(), slot_of(StepRole::scores, Rule::mask));
  const figure::MatrixMark pattern = attention_matrix(state, site.slot),
                           row = attention_row_matrix(state, pattern);
  figure::MatrixMark allowed = allowed_of(pattern);
  const Site mask = state.place.site(StepRole::mask, state.layer);
  allowed.of = state.run->find(mask) ? to_text(mask) : std::string();
  const Text& query = row.rows.labels.front();
  std::vector<PartBox> planes;
  if (state.trained_apart)  // heads of two trainings have nothing to do with each other, masks have
    return ViewDrawing{
        {Text::of("figure.mask.question")},
        mask_sentence(state, query, allowed),
        figure::leaf({"allowed", std::move(allowed), 2, {Text::of("figure.mask.allowed")}, ""})};
  const bool piece = state.level == Level::easy && !state.compare && looks_at_itself(state.place) &&
                     pattern.values.size(0) > kMaskPiece;
  const bool nothing_hidden = hides_nothing(allowed);
  StageRows rows(state, row);
  const auto add = [&](const char* id, figure::MatrixMark matrix, int priority) {
    const std::string key = std::string("figure.mask.") + id;
    if (piece) matrix = piece_of(matrix, nothing_hidden);
    matrix.rows.shown = planes.empty(), matrix.cols.shown = piece;  // the rows below have them
    planes.push_back(
        figure::leaf({id, matrix, priority, {Text::of(key), Text::of(key + ".short")}, "planes"}));
  };
  // The scores as the mask finds them, so that scores and mask make the masked ones. Whole matrices give way
  // where there is no room; of pieces with digits it is the masked ones alone.
  if (masked != stages.end() && masked != stages.begin())
    add("scores", rows.add("scores", *(masked - 1)), piece ? 2 : 1);
  add("allowed", allowed, 2);
  if (masked != stages.end()) add("masked", rows.add("masked", *masked), 1);
  const auto terms = attention_row(*state.run, site, state.head, state.row);
  const char* last = terms && terms->edited ? "edited" : "pattern";
  add(last, rows.add(last, site.slot), 2);
  planes.back().part->id = "pattern";
  return ViewDrawing{{Text::of("figure.mask.question")},
                     mask_sentence(state, query, allowed),
                     figure::either(std::move(planes)),
                     figure::leaf({"row", rows.made(), 3, {Text::of("figure.row", {query})}, ""})};
}

}  // namespace

ViewSpec view_mask() {
  return {.id = "mask",
          .order = 20,
          .draw = draw_mask,
          .heads = true,
          .compares = true,
          .rules = true,
          .own_text = true};
}

}  // namespace attnscope
