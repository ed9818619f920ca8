#include "app/cli/answer_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/command.h"
#include "app/cli/csv_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/npy.h"
#include "core/io/writers.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/text/json_node.h"

namespace attnscope::cli {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kAnswerTableMostBytes = 256ull << 20;
constexpr std::size_t kMostRows = 1 << 24, kMostCells = 1 << 26;  // of a table; of the arrays in an npz
constexpr const char *kIndex = ".index", *kLast = "_last";
constexpr const char* kEstimate = ".estimate";
constexpr const char* kBetweenEdits = "; ";

bool names_edits(std::string_view column) { return column == "edits" || column.ends_with("_edits"); }

Error not_an_answer(const std::string& path, const Text& problem) {
  return fail(Code::bad_format, "error.cli.answer", {quoted_path(path), problem});
}

// ---- CSV ------------------------------------------------------------------------------------------

// The axes of all rows, in order of first occurrence.
std::vector<std::string> answer_table_axes_of(const AnswerTable& table) {
  std::vector<std::string> axes;
  for (const AnswerRow& row : table.rows)
    for (const AxisRange& range : row.at)
      if (std::find(axes.begin(), axes.end(), range.axis) == axes.end()) axes.push_back(range.axis);
  return axes;
}

// Axes on which some row has a range of indices: they get a column for the last index.
std::set<std::string> grouped_axes(const AnswerTable& table) {
  std::set<std::string> out;
  for (const AnswerRow& row : table.rows)
    for (const AxisRange& range : row.at)
      if (range.end > range.begin + 1) out.insert(range.axis);
  return out;
}

std::string to_csv(const AnswerTable& table) {
  const std::vector<std::string> axes = answer_table_axes_of(table);
  const bool part = table.is_part();
  const bool estimates = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const AnswerRow& row) { return row.estimate.has_value(); });
  const std::set<std::string> grouped = grouped_axes(table);
  std::string out = "step,kind";
  for (const std::string& axis : axes) {
    out += "," + csv_field(axis);
    if (grouped.contains(axis)) out += "," + csv_field(axis + kLast);
  }
  out += estimates ? ",value,estimate" : ",value";
  if (part) out += ",index,whole";
  std::string end;  // appended to every row
  for (const auto& [name, edits] : table.edits) {
    out += "," + name;
    end += "," + csv_quoted(join(edits, kBetweenEdits));
  }
  out += "\n";
  const std::string none(axes.size() + grouped.size(), ',');
  for (const auto& [name, value] : table.totals)
    out += csv_field(name) + ",base" + none + csv_number(value) + (estimates ? "," : "") +
           (part ? ",," : "") + end + "\n";
  for (const AnswerRow& row : table.rows) {
    out += csv_field(row.step) + ",place";
    for (const std::string& axis : axes) {
      const auto at =
          std::find_if(row.at.begin(), row.at.end(), [&](const AxisRange& one) { return one.axis == axis; });
      const bool has = at != row.at.end();
      out += has ? "," + std::to_string(at->begin) : ",";
      if (grouped.contains(axis)) out += has ? "," + std::to_string(at->end - 1) : ",";
    }
    out += csv_number(row.value);
    if (estimates) out += row.estimate ? csv_number(*row.estimate) : ",";
    if (part)
      out += format(",%lld,%lld", static_cast<long long>(row.index), static_cast<long long>(table.whole));
    out += end + "\n";
  }
  return out;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses "3" or "8-15".
std::optional<AxisRange> range_of(const std::string& axis, std::string_view text) {
  const auto found = parse_indices(text);
  if (!found || !found->absolute()) return std::nullopt;
  return AxisRange(axis, found->begin, found->end);
}

Result<AnswerTable> from_csv(const std::string& path, const std::string& text) {
  AnswerTable out;
  std::vector<std::string> header;
  for (std::string_view left = text; !left.empty();) {
    const std::vector<std::string> words = take_csv_record(left);
    if (words.size() == 1 && words[0].empty()) continue;
    if (header.empty()) {
      header = words;
      if (header.front() != "step") return not_an_answer(path, Text::of("error.cli.answer.first_column"));
      continue;
    }
    if (words.size() != header.size())
      return not_an_answer(path, Text::of("error.cli.answer.columns", {in_quotes(join(words, ","))}));
    if (out.rows.size() + out.totals.size() >= kMostRows)
      return not_an_answer(path, Text::of("error.cli.answer.rows", {kMostRows}));
    AnswerRow row;
    row.step = words[0];
    bool place = false, indexed = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].empty()) continue;
      if (header[i] == "kind") {
        if (words[i] != "base" && words[i] != "place")
          return not_an_answer(path, Text::of("error.cli.answer.kind", {in_quotes(words[i])}));
        place = words[i] == "place";
        continue;
      }
      if (names_edits(header[i])) {
        std::vector<std::string>& edits = out.edits[header[i]] = split(words[i], kBetweenEdits[0]);
        for (std::string& edit : edits) edit.erase(0, edit.starts_with(' ') ? 1 : 0);
        continue;
      }
      const auto real = number_of(words[i]);
      const auto whole = range_of(header[i], words[i]);
      const bool counts = header[i] != "value" && header[i] != "estimate";
      if (counts ? !whole : !real)
        return not_an_answer(path, Text::of("error.cli.answer.number", {in_quotes(words[i])}));
      if (header[i] == "value")
        row.value = *real;
      else if (header[i] == "estimate")
        row.estimate = real;
      else if (header[i] == "index")
        row.index = whole->begin, place = true, indexed = true;
      else if (header[i] == "whole")
        out.whole = whole->begin;
      else if (header[i].ends_with(kLast) && !row.at.empty() && row.at.back().axis + kLast == header[i])
        row.at.back().end = std::max(row.at.back().end, whole->end);
      else
        row.at.push_back(*whole);
    }
    if (place && !indexed && out.whole > 0)
      return not_an_answer(path, Text::of("error.cli.answer.no_index", {in_quotes(join(words, ","))}));
    if (place)
      out.rows.push_back(std::move(row));
    else
      out.totals.emplace_back(row.step, row.value);
  }
  return out;
}

// ---- npz ------------------------------------------------------------------------------------------

// The rows of one step as an array over its axes.
struct Grid {
  std::vector<std::int64_t> shape;
  std::vector<float> values, estimates;
  std::vector<std::int64_t> indices;  // 1-based; 0: cell not computed

  std::vector<std::size_t> places(const std::vector<AxisRange>& at) const {
    std::vector<std::size_t> out{0};
    for (std::size_t d = 0; d < at.size(); ++d) {
      std::vector<std::size_t> longer;
      for (const std::size_t before : out)
        for (std::int64_t i = at[d].begin; i < at[d].end; ++i)
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
    for (std::size_t d = 0; d < row.at.size(); ++d) grid.shape[d] = std::max(grid.shape[d], row.at[d].end);
  }
  std::size_t cells = 0;
  for (auto& [name, grid] : grids) {
    std::size_t count = 1;
    for (const std::int64_t size : grid.shape)
      if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) count = kMostCells + 1;
    if (count > kMostCells - cells)
      return fail(Code::out_of_range, "error.cli.answer_cells", {in_quotes(name), kMostCells});
    cells += count;
    grid.values.assign(count, static_cast<float>(kUnknown));
    grid.estimates = grid.values;
    grid.indices.assign(count, 0);
  }
  return grids;
}

Result<std::map<std::string, Grid>> grids_of(const AnswerTable& table) {
  TRY(auto grids, empty_grids_of(table));
  for (const AnswerRow& row : table.rows) {
    Grid& grid = grids[grid_name(row)];
    for (const std::size_t at : grid.places(row.at)) {
      grid.values[at] = static_cast<float>(row.value);
      if (row.estimate) grid.estimates[at] = static_cast<float>(*row.estimate);
      grid.indices[at] = row.index + 1;
    }
  }
  return grids;
}

Status write_grids(const std::string& path, const AnswerTable& table) {
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;
  for (const auto& [name, value] : table.totals)
    tensors.push_back({name, Tensor::from({static_cast<float>(value)}, {{Axis::none, 1}})});
  const bool estimates = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const AnswerRow& row) { return row.estimate.has_value(); });
  TRY(const auto grids, grids_of(table));
  for (const auto& [name, grid] : grids) {
    Shape shape;
    for (const std::int64_t size : grid.shape) shape.emplace_back(Axis::none, size);
    tensors.push_back({name, Tensor::from(grid.values, shape)});
    if (estimates) tensors.push_back({name + kEstimate, Tensor::from(grid.estimates, shape)});
    if (table.is_part()) ints.push_back({name + kIndex, grid.indices, grid.shape});
  }
  if (table.is_part()) ints.push_back({"whole", {table.whole}, {1}});
  for (const auto& [name, edits] : table.edits) ints.push_back(bytes_of(name, join(edits, "\n")));
  return write_npz(path, tensors, ints);
}

// Splits "blocks.0.attn.z[head,pos]" into the step and its axes.
std::pair<std::string, std::vector<std::string>> step_and_axes(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, {}};
  return {name.substr(0, open), split(name.substr(open + 1, name.size() - open - 2), ',')};
}

Result<AnswerTable> read_grids(const std::string& path) {
  TRY(const std::shared_ptr<TensorSource> file, read_npz(path));
  AnswerTable out;
  if (!file->find("whole")) return not_an_answer(path, Text::of("error.cli.answer.whole"));
  TRY(const std::vector<std::int64_t> whole, file->load_ints("whole"));
  out.whole = whole.front();
  for (const TensorInfo& info : file->infos()) {
    if (names_edits(info.name)) {
      TRY(const std::vector<std::int64_t> bytes, file->load_ints(info.name));
      std::string text;
      for (const std::int64_t byte : bytes) text += static_cast<char>(byte);
      out.edits[info.name] = split(text, '\n');
      continue;
    }
    if (info.name == "whole" || info.name.ends_with(kIndex) || info.name.ends_with(kEstimate)) continue;
    TRY(const Tensor values, file->load(info.name));
    if (!file->find(info.name + kIndex)) {
      out.totals.emplace_back(info.name, static_cast<double>(values.values().front()));
      continue;
    }
    TRY(const std::vector<std::int64_t> indices, file->load_ints(info.name + kIndex));
    Tensor estimates;
    if (file->find(info.name + kEstimate)) {
      TRY(estimates, file->load(info.name + kEstimate));
    }
    const auto [step, axes] = step_and_axes(info.name);
    const std::vector<float> flat = values.values();
    if (indices.size() != flat.size() || (!axes.empty() && axes.size() != info.shape.size()))
      return not_an_answer(path, Text::of("error.cli.answer.shapes", {in_quotes(info.name)}));
    const std::vector<float> guesses = estimates.empty() ? std::vector<float>() : estimates.values();
    std::map<std::int64_t, AnswerRow> rows;  // by index
    for (std::size_t i = 0; i < flat.size(); ++i) {
      if (indices[i] == 0) continue;
      AnswerRow& row = rows[indices[i]];
      row.step = step, row.value = static_cast<double>(flat[i]), row.index = indices[i] - 1;
      if (i < guesses.size()) row.estimate = static_cast<double>(guesses[i]);
      std::vector<std::int64_t> index(axes.size());
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t d = axes.size(); d-- > 0; rest /= info.shape[d]) index[d] = rest % info.shape[d];
      widen(row, axes, index);
    }
    for (auto& [index, row] : rows) out.rows.push_back(std::move(row));
  }
  return out;
}

// ---- JSON -----------------------------------------------------------------------------------------

nlohmann::json rows_to_json(const AnswerTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const AnswerRow& row : table.rows) {
    nlohmann::json at = nlohmann::json::object();
    for (const AxisRange& range : row.at)
      at[range.axis] =
          range.end == range.begin + 1 ? nlohmann::json(range.begin) : nlohmann::json(to_text(range));
    nlohmann::json one = {{"step", row.step}, {"at", std::move(at)}, {"value", json_number(row.value)}};
    if (row.estimate) one["estimate"] = json_number(*row.estimate);
    if (table.is_part()) one["index"] = row.index;
    rows.push_back(std::move(one));
  }
  return rows;
}

// A number, or the text that json_number() writes instead.
Result<double> real_of(const JsonNode& node) {
  if (node.value().is_number()) return node.value().get<double>();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const double other : {kUnknown, kInfinite, -kInfinite})
    if (node.value() == json_number(other)) return other;
  return node.wrong(Text::of("error.text.wanted.number"));
}

Result<AnswerRow> row_of(const JsonNode& node) {
  AnswerRow row;
  TRY(row.step, node.text("step"));
  TRY(const JsonNode at, node.object("at"));
  for (const auto& [axis, value] : at.value().items()) {
    const auto range = range_of(axis, value.is_string() ? value.get<std::string>() : value.dump());
    if (!range) return at.at(axis.c_str()).wrong(Text::of("error.text.wanted.whole"));
    row.at.push_back(*range);
  }
  if (!node.has("value")) return node.wrong(Text::of("error.text.wanted.number"));
  TRY(row.value, real_of(node.at("value")));
  if (node.has("estimate")) {
    TRY(row.estimate, real_of(node.at("estimate")));
  }
  TRY(row.index, node.integer("index", 0));
  return row;
}

Result<AnswerTable> answer_of(const JsonNode& node) {
  AnswerTable out;
  TRY_OK(node.expect_object());
  TRY(out.measure, node.text("measure", ""));
  TRY(out.whole, node.integer("whole", 0));
  TRY(const JsonNode base, node.object("base"));
  for (const auto& [name, value] : base.value().items()) {
    TRY(const double total, real_of(base.at(name.c_str())));
    out.totals.emplace_back(name, total);
  }
  TRY(const JsonNode rows, node.array("rows"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    TRY(out.rows.emplace_back(), row_of(rows.at(i)));
  }
  if (node.has("axes")) {
    TRY(const JsonNode axes, node.array("axes"));  // the order of keys in "at" is undefined
    const auto place = [&](const AxisRange& range) {
      return std::find(axes.value().begin(), axes.value().end(), range.axis) - axes.value().begin();
    };
    for (AnswerRow& row : out.rows)
      std::stable_sort(row.at.begin(), row.at.end(),
                       [&](const AxisRange& a, const AxisRange& b) { return place(a) < place(b); });
  }
  if (node.has("alignment")) out.alignment = node.at("alignment").value().dump();
  for (const auto& [name, value] : node.value().items()) {
    if (!names_edits(name)) continue;
    TRY(const JsonNode edits, node.array(name.c_str()));
    for (std::size_t i = 0; i < edits.size(); ++i) {
      TRY(out.edits[name].emplace_back(), edits.at(i).text());
    }
  }
  return out;
}

Result<AnswerTable> from_json(const std::string& path, const std::string& text) {
  const auto file = parse_json(text);
  if (!file) return not_an_answer(path, file.error().what);
  auto out = answer_of(JsonNode(*file, ""));
  if (!out) return not_an_answer(path, out.error().what);
  return out;
}

}  // namespace

void AnswerTable::take_edits(const std::string& name, const Edits& of_run) {
  if (!of_run.empty()) edits[name] = texts_of(of_run);
}

nlohmann::json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

std::string answer_text(const AnswerTable& table) {
  nlohmann::json out = nlohmann::json::object();
  const bool sum = !table.totals.empty() && table.totals.front().first == "total";
  nlohmann::json& totals = sum ? out : out["base"] = nlohmann::json::object();
  for (const auto& [name, value] : table.totals) totals[name] = json_number(value);
  out[sum ? "parts" : "rows"] = rows_to_json(table);
  if (!table.held.empty() || sum) out["held"] = table.held;
  if (!table.measure.empty()) out["measure"] = table.measure;
  for (const auto& [name, edits] : table.edits) out[name] = edits;
  put_unknown(out, table.unknown);
  if (!table.alignment.empty()) out["alignment"] = nlohmann::json::parse(table.alignment);
  if (table.is_part()) out["whole"] = table.whole, out["axes"] = answer_table_axes_of(table);
  return out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Status check_answer_path(const std::string& path) {
  if (is_stream(path)) return Done{};  // opening a pipe twice would end its reader
  if (!path.ends_with(".npz") && !path.ends_with(".csv") && !path.ends_with(".json"))
    return fail(Code::unsupported, "error.cli.answer_extension", {quoted_path(path)});
  TRY_OK(AtomicFile::create(path));
  return Done{};
}

Status write_answer(const std::string& path, const AnswerTable& table) {
  TRY_OK(check_answer_path(path));
  if (path.ends_with(".npz")) return write_grids(path, table);
  const std::string text = path.ends_with(".json") ? answer_text(table) : to_csv(table);
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(text.data(), text.size());
  return file.commit();
}

Result<AnswerTable> read_answer(const std::string& path) {
  if (path.ends_with(".npz")) return read_grids(path);
  TRY(const std::string text, read_file(path, kAnswerTableMostBytes));
  return text.starts_with('{') ? from_json(path, text) : from_csv(path, text);
}

Result<AnswerTable> joined(const std::vector<AnswerTable>& parts) {
  AnswerTable out = parts.front();
  std::set<std::int64_t> seen;
  out.rows.clear();
  const auto about_totals = [](const AnswerTable& table) {
    std::map<std::string, float> totals;
    for (const auto& [name, value] : table.totals) totals[name] = static_cast<float>(value);
    return totals;
  };
  for (const AnswerTable& part : parts) {
    if (part.measure.empty() || out.measure.empty()) out.measure += part.measure;  // CSV and npz have none
    if (part.whole != out.whole || (!part.measure.empty() && part.measure != out.measure) ||
        about_totals(part) != about_totals(out) || part.edits != out.edits)
      return fail(Code::bad_format, "error.cli.answer_mixed");
    for (const AnswerRow& row : part.rows) {
      if (!seen.insert(row.index).second)
        return fail(Code::bad_format, "error.cli.answer_twice", {row.index});
      out.rows.push_back(row);
    }
  }
  if (out.is_part()) return fail(Code::not_found, "error.cli.answer_missing", {out.rows.size(), out.whole});
  std::sort(out.rows.begin(), out.rows.end(),
            [](const AnswerRow& a, const AnswerRow& b) { return a.index < b.index; });
  return out;
}

}  // namespace attnscope::cli
