// The places of one sweep over many prompts: mean and spread of the measure at each. Places of prompts of
// different lengths belong together where they name the same indices, or the same ones from the end; places
// that a token names, whatever row it is in. Errors: prompts of different lengths where every position is a
// place of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/spread.h"
#include "core/lens/sweep.h"

namespace attnscope {

/// A place of one prompt and what was found there.
struct DataPlace {
  std::string step;
  Stack stack = Stack::single;  ///< whose rows its positions are
  std::vector<AxisRange> at;
  double value = 0, estimate = 0;
};
/// Both places of a path as one: "blocks.0.attn.z->blocks.1.attn.split_q" at the indices of both, the
/// receiver's last.
DataPlace path_place(const Target& from, const Target& to, double value, double estimate);
/// By one of the sweep's measures.
std::vector<DataPlace> places_of(const Sweep& sweep, std::size_t measure = 0);

struct DataCell {
  std::string step;
  std::vector<AxisRange> at;  ///< an index from the end where prompts have different lengths
  Spread value, estimate;
  Spread change;               ///< value minus the measure of its own prompt's run
  std::vector<double> values;  ///< of each prompt, where they are kept
};

/// Values of one prompt, at the places that it has.
struct DataRow {
  std::int64_t line = 0;
  double base = 0;
  std::vector<std::pair<std::size_t, double>> values;  ///< cell, value
};

class DataCells {
 public:
  /// `keep`: the values of every prompt too.
  DataCells(const std::vector<std::string>& over, bool keep);

  /// Adds what was found for one prompt, by its line and its run; `base` is the measure of that. `partial`:
  /// places without a partner in another run are not there.
  Status add(std::int64_t line, const Trace& run, double base, const std::vector<DataPlace>& places,
             bool partial);
  const std::vector<DataCell>& cells() const { return cells_; }
  const std::vector<DataRow>& rows() const { return rows_; }
  /// Of the runs without a cell's edit.
  const Spread& base() const { return base_; }
  /// Every prompt had the same number of places.
  bool even() const { return even_; }

 private:
  Status check_lengths(std::int64_t line, const Trace& run);
  std::size_t index_of(const DataPlace& place, std::size_t number, std::int64_t rows, bool partial);

  bool keep_, by_row_ = false, even_ = true;
  std::vector<DataCell> cells_;
  std::map<std::string, std::size_t, std::less<>> index_;  // by the text of the place
  std::map<Stack, std::int64_t> lengths_;                  // of the first prompt
  std::vector<std::int64_t>
      cell_rows_;  // by cell: rows of the prompt that its indices are of; 0: from the end
  std::vector<DataRow> rows_;
  Spread base_;
  std::int64_t first_line_ = 0, kept_ = 0;
};

/// The length of a prompt: rows of the main stack, and of the encoder where there is one.
struct PromptLength {
  std::int64_t rows = 0, source = 0;
  auto operator<=>(const PromptLength&) const = default;
};
PromptLength length_of(const Input& input);

/// For each of the prompts of these lengths another one of the same length, drawn by the seed, that gives it
/// its values; kNoPartner where no other has its length. Errors: none has one.
Result<std::vector<std::size_t>> resample_partners(const std::vector<PromptLength>& lengths,
                                                   std::uint64_t seed);
inline constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);

}  // namespace attnscope
