#include "app/cli/answer_tables.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "app/cli/answer_table.h"
#include "app/cli/csv_text.h"
#include "core/base/number.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/system/mapped_file.h"

namespace attnscope::cli {
namespace {

constexpr std::uint64_t kMostTableBytes = std::uint64_t{512} << 20;
constexpr std::size_t kMostTableRows = 1 << 24;

nlohmann::json table_cell(const std::string& text) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto number = parse_real(text, -kMost, kMost);
  return number ? nlohmann::json(*number) : nlohmann::json(text);
}

void take_run(nlohmann::json& out, const std::string& text) {
  nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  if (!run.is_discarded()) out["run"] = std::move(run);
}

nlohmann::json from_csv(std::string_view text) {
  nlohmann::json out = {{"rows", nlohmann::json::array()}};
  std::optional<std::size_t> run;  // its column
  while (!text.empty()) {
    std::vector<std::string> words = take_csv_record(text);
    if (out["rows"].empty()) {
      const auto found = std::find(words.begin(), words.end(), "run");
      if (found != words.end()) run = static_cast<std::size_t>(found - words.begin());
    }
    if (run && *run < words.size()) {
      if (!out.contains("run")) take_run(out, words[*run]);
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(*run));
    }
    nlohmann::json row = nlohmann::json::array();
    for (const std::string& word : words) row.push_back(table_cell(word));
    out["rows"].push_back(std::move(row));
    if (out["rows"].size() > kMostTableRows) break;
  }
  return out;
}

// A trace as JSON: its run stands where that of a safetensors file does.
Result<nlohmann::json> from_trace_json(const std::string& path) {
  TRY(nlohmann::json out, read_json_file(path, kMostTableBytes));
  const nlohmann::json::json_pointer place("/__metadata__/run");
  if (!out.is_object() || !out.contains(place) || !out[place].is_string()) return out;
  take_run(out, out[place].get<std::string>());
  out.erase("__metadata__");
  return out;
}

Result<nlohmann::json> from_arrays(const std::shared_ptr<TensorSource>& file) {
  nlohmann::json out = {{"arrays", nlohmann::json::object()}};
  if (const auto run = file->metadata().find("run"); run != file->metadata().end())
    take_run(out, run->second);
  for (const TensorInfo& info : file->infos()) {
    if (const auto ints = file->load_ints(info.name); ints) {
      if (info.name != "run") {
        out["arrays"][info.name] = *ints;
        continue;
      }
      std::string text;
      for (const std::int64_t byte : *ints) text += static_cast<char>(byte);
      take_run(out, text);
      continue;
    }
    TRY(const Tensor values, file->load(info.name));
    nlohmann::json& numbers = out["arrays"][info.name] = nlohmann::json::array();
    for (const float value : values.values()) numbers.push_back(json_number(static_cast<double>(value)));
  }
  return out;
}

}  // namespace

Result<nlohmann::json> table_answer(const std::string& path) {
  if (path.ends_with(".json")) return from_trace_json(path);
  if (path.ends_with(".npz") || path.ends_with(".safetensors")) {
    TRY(const std::shared_ptr<TensorSource> file,
        path.ends_with(".npz") ? read_npz(path) : open_safetensors(path));
    return from_arrays(file);
  }
  TRY(const std::string text, read_file(path, kMostTableBytes));
  return from_csv(text);
}

}  // namespace attnscope::cli
