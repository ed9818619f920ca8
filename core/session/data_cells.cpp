#include "core/session/data_cells.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/editable.h"
#include "core/trace/place_cells.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

constexpr const char* kPathArrow = "->";
constexpr std::int64_t kMostKeptValues = std::int64_t{1} << 26;

bool counts_rows(std::string_view axis) { return is_row_axis(axis) || axis == "key"; }

// The same place counted from the end of so many rows.
std::vector<AxisRange> from_end(std::vector<AxisRange> at, std::int64_t rows) {
  for (AxisRange& range : at)
    if (counts_rows(range.axis)) range.begin -= rows, range.end -= rows;
  return at;
}

std::vector<AxisRange> without_rows(std::vector<AxisRange> at) {
  std::erase_if(at, [](const AxisRange& range) { return counts_rows(range.axis); });
  return at;
}

}  // namespace

DataCells::DataCells(const std::vector<std::string>& over, bool keep) : keep_(keep) {
  for (const std::string& word : over)
    by_row_ = by_row_ || counts_rows(word.substr(0, word.find_first_of(":?")));
}

Status DataCells::check_lengths(std::int64_t line, const Trace& run) {
  std::map<Stack, std::int64_t> lengths;
  for (const Stack stack : {Stack::single, Stack::enc, Stack::dec, Stack::vision})
    if (const std::int64_t rows = run.rows(stack); rows > 0) lengths[stack] = rows;
  if (base_.n() == 0) {
    lengths_ = lengths, first_line_ = line;
    return Done{};
  }
  if (!by_row_ || lengths == lengths_) return Done{};
  for (const auto& [stack, rows] : lengths)
    if (lengths_[stack] != rows)
      return fail(Code::bad_shape, "error.session.data.lengths", {line, rows, first_line_, lengths_[stack]});
  return Done{};
}

std::size_t DataCells::index_of(const DataPlace& place, std::size_t number, std::int64_t rows, bool partial) {
  const std::string key = place.step + to_text(place.at);
  if (const auto found = index_.find(key); found != index_.end()) return found->second;
  const bool moves = std::any_of(place.at.begin(), place.at.end(),
                                 [](const AxisRange& range) { return counts_rows(range.axis); });
  if (base_.n() > 0 && moves && !partial && !by_row_ && number < cells_.size()) {
    DataCell& first = cells_[number];
    auto& counted = cell_rows_[number];
    if (first.step == place.step && without_rows(first.at) == without_rows(place.at)) {
      const auto end = from_end(place.at, rows);
      if (end == from_end(first.at, counted))
        first.at = end, counted = 0;  // from the end from now on
      else
        first.at = without_rows(place.at);
      return number;
    }
  }
  cells_.push_back({place.step, place.at, {}, {}, {}, {}});
  cell_rows_.push_back(rows);
  index_[key] = cells_.size() - 1;
  return cells_.size() - 1;
}

DataPlace path_place(const Target& from, const Target& to, double value, double estimate) {
  std::vector<AxisRange> at = from.at;
  at.insert(at.end(), to.at.begin(), to.at.end());
  return {to_text(from.site) + kPathArrow + to_text(to.site), from.site.stack, std::move(at), value,
          estimate};
}

std::vector<DataPlace> places_of(const Sweep& sweep, std::size_t measure) {
  std::vector<DataPlace> out;
  for (const SweepCell& cell : sweep.cells())
    if (cell.to)
      out.push_back(path_place(cell.place(), *cell.to, cell.value_of(measure), cell.estimate_of(measure)));
    else
      out.push_back(
          {to_text(cell.site), cell.site.stack, cell.at, cell.value_of(measure), cell.estimate_of(measure)});
  return out;
}

Status DataCells::add(std::int64_t line, const Trace& run, double base, const std::vector<DataPlace>& places,
                      bool partial) {
  TRY_OK(check_lengths(line, run));
  even_ = even_ && (base_.n() == 0 || places.size() == cells_.size());
  DataRow row{line, base, {}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DataPlace& one = places[i];
    const std::int64_t end =
        real_rows(run, one.stack, run.rows(one.stack)).end;  // where [pos=-1] counts from
    const std::size_t at = index_of(one, i, end, partial);
    cells_[at].value.add(one.value);
    cells_[at].estimate.add(one.estimate);
    cells_[at].change.add(one.value - base);
    if (!keep_) continue;
    if (++kept_ > kMostKeptValues) return fail(Code::no_memory, "error.session.data.kept", {kMostKeptValues});
    cells_[at].values.push_back(one.value);
    row.values.emplace_back(at, one.value);
  }
  base_.add(base);
  if (keep_) rows_.push_back(std::move(row));
  return Done{};
}

PromptLength length_of(const Input& input) { return {input.length(), std::ssize(input.source)}; }

Result<std::vector<std::size_t>> resample_partners(const std::vector<PromptLength>& lengths,
                                                   std::uint64_t seed) {
  constexpr std::uint64_t kResampleStream = 0x726573616D706C65;
  std::map<PromptLength, std::vector<std::size_t>> by_length;
  for (std::size_t i = 0; i < lengths.size(); ++i) by_length[lengths[i]].push_back(i);
  std::vector<std::size_t> out(lengths.size(), kNoPartner);
  bool any = false;
  for (const auto& [length, same] : by_length)
    for (std::size_t own = 0; own < same.size() && same.size() > 1; ++own) {
      SplitMix64 random = random_of(seed, kResampleStream, same[own]);
      auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(same.size()) - 1));
      drawn += drawn >= own ? 1 : 0;  // any but itself
      out[same[own]] = same[drawn], any = true;
    }
  if (!any) return fail(Code::out_of_range, "error.session.resample_one");
  return out;
}

}  // namespace attnscope
