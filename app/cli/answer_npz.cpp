// Answers as arrays of npz.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_forms.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/io/npy.h"
#include "core/io/writers.h"

namespace attnscope::cli {
namespace {

constexpr std::size_t kMostCells = 1 << 26;  // of all arrays
constexpr std::size_t kBytesPacked = 8;
constexpr const char *kIndex = ".index", *kCount = ".n", *kEstimate = ".estimate";

// What a row may have beside its value, each an array of its own.
struct Beside {
  const char* ending;
  std::optional<double> AnswerRow::*part;
};
constexpr std::array<Beside, 3> kBeside{{{kEstimate, &AnswerRow::estimate},
                                         {".stderr", &AnswerRow::error},
                                         {".normalised", &AnswerRow::normalised}}};

bool is_beside(const std::string& name) {
  return name.ends_with(kIndex) || name.ends_with(kCount) ||
         std::any_of(kBeside.begin(), kBeside.end(),
                     [&](const Beside& one) { return name.ends_with(one.ending); });
}

// "blocks.0.attn.z[head].estimate" where there are no values: of --only-estimate.
bool is_lone_estimate(const TensorSource& file, const std::string& name) {
  return name.ends_with(kEstimate) &&
         !file.find(name.substr(0, name.size() - std::string_view(kEstimate).size()));
}

// Indices from the end stand alone in their array.
AxisRange in_array(const AxisRange& range) {
  return range.begin >= 0 && range.end > 0 ? range : AxisRange(range.axis, 0, range.end - range.begin);
}

// The rows of one step as an array over its axes.
struct Grid {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
  std::array<std::vector<float>, kBeside.size()> beside;
  std::vector<std::int64_t> indices;  // 1-based; 0: cell not computed
  std::vector<std::int64_t> counts;   // of prompts

  std::vector<std::size_t> places(const std::vector<AxisRange>& at) const {
    std::vector<std::size_t> out{0};
    for (std::size_t d = 0; d < at.size(); ++d) {
      std::vector<std::size_t> longer;
      for (const std::size_t before : out)
        for (std::int64_t i = in_array(at[d]).begin; i < in_array(at[d]).end; ++i)
          longer.push_back(before * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(i));
      out = std::move(longer);
    }
    return out;
  }
};

// Extends a row's range to include one more cell.
void widen(AnswerRow& row, const std::vector<std::string>& axes, const std::vector<std::int64_t>& index) {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (row.at.size() <= d) row.at.push_back({axes[d], index[d], index[d] + 1});
    row.at[d].begin = std::min(row.at[d].begin, index[d]);
    row.at[d].end = std::max(row.at[d].end, index[d] + 1);
  }
}

std::string grid_name(const AnswerRow& row) {
  std::vector<std::string> axes;
  for (const AxisRange& range : row.at) axes.push_back(range.axis);
  return axes.empty() ? row.step : row.step + "[" + join(axes, ",") + "]";
}

// Arrays as large as the largest index of their rows. Errors: more cells than a table may have.
Result<std::map<std::string, Grid>> empty_grids_of(const AnswerTable& table) {
  std::map<std::string, Grid> grids;
  for (const AnswerRow& row : table.rows) {
    Grid& grid = grids[grid_name(row)];
    grid.shape.resize(std::max<std::size_t>(1, row.at.size()), 1);
    for (std::size_t d = 0; d < row.at.size(); ++d)
      grid.shape[d] = std::max(grid.shape[d], in_array(row.at[d]).end);
  }
  std::size_t cells = 0;
  for (auto& [name, grid] : grids) {
    std::size_t count = 1;
    for (const std::int64_t size : grid.shape)
      if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) count = kMostCells + 1;
    if (count > kMostCells - cells)
      return fail(Code::out_of_range, "error.cli.answer_cells", {in_quotes(name), kMostCells});
    cells += count;
    grid.values.assign(count, static_cast<float>(kUnknownAnswer));
    grid.beside.fill(grid.values);
    grid.indices.assign(count, 0);
    grid.counts = grid.indices;
  }
  return grids;
}

Result<std::map<std::string, Grid>> grids_of(const AnswerTable& table) {
  TRY(auto grids, empty_grids_of(table));
  for (const AnswerRow& row : table.rows) {
    Grid& grid = grids[grid_name(row)];
    for (const std::size_t at : grid.places(row.at)) {
      grid.values[at] = static_cast<float>(row.value);
      for (std::size_t i = 0; i < kBeside.size(); ++i)
        if (const auto& value = row.*kBeside[i].part) grid.beside[i][at] = static_cast<float>(*value);
      grid.counts[at] = row.n;
      grid.indices[at] = row.index + 1;
    }
  }
  return grids;
}

// Splits "blocks.0.attn.z[head,pos]" into the step and its axes.
std::pair<std::string, std::vector<std::string>> step_and_axes(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, {}};
  return {name.substr(0, open), split(name.substr(open + 1, name.size() - open - 2), ',')};
}

// A part as JSON, eight of its bytes in each number (little endian, as NumPy's tobytes() gives them back),
// blanks behind it: arrays of float32 have not all of it.
NamedInts packed_answer(const AnswerTable& part) {
  const std::string text = answer_text(part);
  NamedInts out{kAnswerColumn, {}, {}};
  for (std::size_t i = 0; i < text.size(); i += kBytesPacked) {
    std::uint64_t word = 0;
    for (std::size_t byte = 0; byte < kBytesPacked; ++byte) {
      const char c = i + byte < text.size() ? text[i + byte] : ' ';
      word |= std::uint64_t{static_cast<unsigned char>(c)} << (8 * byte);
    }
    out.values.push_back(static_cast<std::int64_t>(word));
  }
  out.shape = {std::ssize(out.values)};
  return out;
}
Result<AnswerTable> unpacked_answer(const TensorSource& file, const std::string& path) {
  TRY(const std::vector<std::int64_t> words, file.load_ints(kAnswerColumn));
  std::string text;
  for (const std::int64_t word : words)
    for (std::size_t byte = 0; byte < kBytesPacked; ++byte)
      text += static_cast<char>((static_cast<std::uint64_t>(word) >> (8 * byte)) & 0xff);
  return answer_from_json(path, nlohmann::json::parse(text, nullptr, false));
}

Result<std::string> text_in(const TensorSource& file, const std::string& name) {
  TRY(const std::vector<std::int64_t> bytes, file.load_ints(name));
  std::string text;
  for (const std::int64_t byte : bytes) text += static_cast<char>(byte);
  return text;
}

}  // namespace

Status write_answer_npz(const std::string& path, const AnswerTable& table) {
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;
  for (const auto& [name, value] : table.totals)
    tensors.push_back({name, Tensor::from({static_cast<float>(value)}, {{Axis::none, 1}})});
  for (const auto& [name, value] : table.errors)
    tensors.push_back({name + ".stderr", Tensor::from({static_cast<float>(value)}, {{Axis::none, 1}})});
  const bool counts = any_row(table, [](const AnswerRow& row) { return row.n > 0; });
  TRY(const auto grids, grids_of(table));
  for (const auto& [name, grid] : grids) {
    Shape shape;
    for (const std::int64_t size : grid.shape) shape.emplace_back(Axis::none, size);
    if (!table.estimates_alone) tensors.push_back({name, Tensor::from(grid.values, shape)});
    for (std::size_t i = 0; i < kBeside.size(); ++i)
      if (std::any_of(table.rows.begin(), table.rows.end(),
                      [&](const AnswerRow& row) { return (row.*kBeside[i].part).has_value(); }))
        tensors.push_back({name + kBeside[i].ending, Tensor::from(grid.beside[i], shape)});
    if (counts) ints.push_back({name + kCount, grid.counts, grid.shape});
    if (table.is_part()) ints.push_back({name + kIndex, grid.indices, grid.shape});
  }
  if (table.is_part()) {
    ints.push_back({"whole", {table.whole}, {1}});
    ints.push_back(packed_answer(table));
  }
  for (const auto& [name, edits] : table.edits) ints.push_back(bytes_of(name, join(edits, "\n")));
  if (!table.run.empty()) ints.push_back(bytes_of("run", table.run));
  return write_npz(path, tensors, ints);
}

Result<AnswerTable> answer_from_npz(const std::string& path) {
  TRY(const std::shared_ptr<TensorSource> file, read_npz(path));
  if (file->find(kAnswerColumn)) return unpacked_answer(*file, path);
  AnswerTable out;
  if (!file->find("whole")) return not_an_answer(path, Text::of("error.cli.answer.whole"));
  TRY(const std::vector<std::int64_t> whole, file->load_ints("whole"));
  out.whole = whole.front();
  for (const TensorInfo& info : file->infos()) {
    if (names_edits(info.name)) {
      TRY(const std::string text, text_in(*file, info.name));
      out.edits[info.name] = split(text, '\n');
      continue;
    }
    if (info.name == "run") {
      TRY(out.run, text_in(*file, info.name));
      continue;
    }
    std::string name = info.name;
    if (is_lone_estimate(*file, name)) {
      name.resize(name.size() - std::string_view(kEstimate).size());
      out.estimates_alone = true;
    } else if (name == "whole" || is_beside(name)) {
      continue;
    }
    TRY(const Tensor values, file->load(info.name));
    if (!file->find(name + kIndex)) {
      out.totals.emplace_back(name, static_cast<double>(values.values().front()));
      continue;
    }
    TRY(const std::vector<std::int64_t> indices, file->load_ints(name + kIndex));
    std::array<std::vector<float>, kBeside.size()> beside;
    for (std::size_t i = 0; i < kBeside.size(); ++i)
      if (file->find(name + kBeside[i].ending)) {
        TRY(const Tensor values_beside, file->load(name + kBeside[i].ending));
        beside[i] = values_beside.values();
      }
    std::vector<std::int64_t> counts;
    if (file->find(name + kCount)) {
      TRY(counts, file->load_ints(name + kCount));
    }
    const auto [step, axes] = step_and_axes(name);
    const std::vector<float> flat = values.values();
    if (indices.size() != flat.size() || (!axes.empty() && axes.size() != info.shape.size()))
      return not_an_answer(path, Text::of("error.cli.answer.shapes", {in_quotes(name)}));
    std::map<std::int64_t, AnswerRow> rows;  // by index
    for (std::size_t i = 0; i < flat.size(); ++i) {
      if (indices[i] == 0) continue;
      AnswerRow& row = rows[indices[i]];
      row.step = step, row.value = static_cast<double>(flat[i]), row.index = indices[i] - 1;
      for (std::size_t part = 0; part < kBeside.size(); ++part)
        if (i < beside[part].size() &&
            (kBeside[part].part != &AnswerRow::error || !std::isnan(beside[part][i])))
          row.*kBeside[part].part = static_cast<double>(beside[part][i]);
      if (i < counts.size()) row.n = counts[i];
      std::vector<std::int64_t> index(axes.size());
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t d = axes.size(); d-- > 0; rest /= info.shape[d]) index[d] = rest % info.shape[d];
      widen(row, axes, index);
    }
    for (auto& [index, row] : rows) out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace attnscope::cli
