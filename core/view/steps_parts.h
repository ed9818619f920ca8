// What the stations of "steps" are made of: rows of numbers of a run, and the stations of attention.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/view/view.h"

namespace attnscope {

struct NamedRow {
  Text name;
  std::vector<float> values;
  std::string of = {};  ///< the row as a place; empty: no step of the run
  bool edited = false;  ///< of a row without a place: an edit touched what it is made of
};

// What a station says, before its question and the answer are set around it.
struct StationDrawing {
  std::vector<Text> sentence;
  figure::PartBox picture;                  ///< over the whole width, above the answer
  std::vector<figure::PartBox> notes = {};  ///< beside the answer
};
/// A line of words beside the answer.
figure::PartBox station_note(const std::string& id, figure::WordsMark::As as, std::vector<Text> forms);
/// One row of a step, of one head where it has heads; empty where the run lacks it.
std::vector<float> row_of_step(const Trace& run, const Site& site, std::int64_t head, std::int64_t row);
/// The same as a place: "blocks.0.attn.z[head=1,query=3]".
std::string place_of(const Trace& run, const Site& site, std::int64_t head, std::int64_t row);
/// Both, with a name.
NamedRow row_at(const ViewState& state, const Site& site, std::int64_t head, std::int64_t row,
                const Text& name);
/// Of rows that are added up: one column that adds up as it is written, "number 46: 0.332 + 0.004 = 0.336".
/// Nothing where none does.
void note_sum(std::vector<figure::PartBox>& notes, const Trace& run, const figure::MatrixMark& matrix);
/// What the largest number of a row of the run is made of: "0.994 × 2.310 + …".
void note_made(std::vector<figure::PartBox>& notes, const Trace& run, const NamedRow& row, int digits);
/// The numbers of a vector.
std::vector<float> floats_of(const Tensor& row);
/// Rows of equal length drawn large, eight columns at most: those where the last row is largest in size.
figure::MatrixMark numbers_mark(const std::vector<NamedRow>& rows);
figure::PartBox numbers_leaf(const std::string& id, const std::vector<NamedRow>& rows,
                             std::vector<Text> titles, int priority = 2);
/// Of small numbers more decimals, so that a sum adds up on the screen: 0.334 + 0.087 = 0.421.
void show_fine_digits(figure::MatrixMark& matrix);
/// Of a row drawn large: all columns where they are few, else the most important twelve.
void show_few_columns(figure::MatrixMark& matrix);
/// Magnitude of the largest finite number; 1 where there is none above 0.
double largest_size(const std::vector<float>& values);
/// Equal but for the rounding of a sum in another order.
bool same_number(double a, double b);
Text steps_number(double value);
/// The text "figure.steps.KEY".
Text steps_text(const std::string& key, std::vector<Text> arguments = {});
/// Name of the row that is followed.
Text looked_name(const ViewState& state);

/// Queries, keys as attention reads them: rotated, normed or as they were split.
Site read_heads(const ViewState& state, Hue hue);
/// The tokens in order with their ids; beside the answer the part of the vocabulary. Never an error.
Result<StationDrawing> words_station(const ViewState& state);
/// The part of the vocabulary around the looked-at token, in the order of numbers: what its number means.
/// Nothing where the rows are no tokens with names.
std::optional<figure::PartBox> vocabulary_leaf(const ViewState& state);
/// What a token's vector is the sum of. Errors: a run without it.
Result<StationDrawing> embed_station(const ViewState& state);
/// The stations of attention. Errors: a run without its steps.
Result<StationDrawing> scores_station(const ViewState& state);
Result<StationDrawing> softmax_station(const ViewState& state);
Result<StationDrawing> values_station(const ViewState& state);
/// The last sum of the block's stream before its MLP; a site that the run lacks where there is none.
Site sum_before_mlp(const ViewState& state);
/// What that adds: the stream before it, the head that is looked at, all others. Errors: a run without it.
Result<StationDrawing> sum_station(const ViewState& state);

}  // namespace attnscope
