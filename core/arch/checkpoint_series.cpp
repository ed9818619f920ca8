#include "core/arch/checkpoint_series.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kFileEndings{".safetensors", ".gguf", ".bin",
                                                       ".pt",          ".pth",  ".ckpt"};
constexpr std::array<std::string_view, 10> kWords{
    "", "step", "globalstep", "checkpoint", "ckpt", "iter", "iteration", "epoch", "model", "pytorchmodel"};
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 53;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The digits that begin at `at`, and a k for a thousand behind them.
std::optional<std::int64_t> number_at(std::string_view name, std::size_t at) {
  std::size_t end = at;
  while (end < name.size() && is_digit(name[end])) ++end;
  const auto value = parse_whole(name.substr(at, end - at), 0, kMostSteps);
  if (!value) return std::nullopt;
  const bool thousands = end < name.size() && (name[end] == 'k' || name[end] == 'K') &&
                         (end + 1 == name.size() || !is_letter(name[end + 1]));
  return static_cast<std::int64_t>(*value) * (thousands ? 1000 : 1);
}

std::string lower_case_letters(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_letter(c)) out += static_cast<char>(c | 0x20);
  return out;
}

// One of the files of a model that is split into several.
bool is_shard(std::string_view name) { return name.find("-of-") != std::string_view::npos; }

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : kFileEndings)
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

std::vector<CheckpointMember> members_in(const fs::path& folder) {
  std::vector<CheckpointMember> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool file = without_ending(name).size() < name.size();
    std::error_code ignored;
    if (!file && !it->is_directory(ignored)) continue;
    if (const auto step = step_of_name(name)) out.push_back({*step, name, it->path().string()});
  }
  std::sort(out.begin(), out.end(), [](const CheckpointMember& a, const CheckpointMember& b) {
    return a.step != b.step ? a.step < b.step : a.name < b.name;
  });
  return out;
}

std::shared_ptr<const CheckpointSeries> several_in(const fs::path& folder) {
  auto found = checkpoint_series(folder.string());
  if (!found || found->members.size() < 2) return nullptr;
  return std::make_shared<const CheckpointSeries>(*std::move(found));
}

}  // namespace

int CheckpointSeries::index_of(const std::string& path) const {
  for (std::size_t i = 0; i < members.size(); ++i)
    if (fs::path(members[i].path).lexically_normal() == fs::path(path).lexically_normal())
      return static_cast<int>(i);
  return -1;
}

std::optional<std::int64_t> step_of_name(std::string_view name) {
  const std::string_view stem = without_ending(name);
  if (is_shard(stem)) return std::nullopt;
  std::string low;
  for (const char c : stem) low += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  // Behind "step", wherever it stands: "epoch=3-step=1000", "step1000-tokens4B".
  for (std::size_t at = low.find("step"); at != std::string::npos; at = low.find("step", at + 1)) {
    std::size_t digits = at + 4;
    if (digits < low.size() && low[digits] == 's') ++digits;
    while (digits < low.size() && (low[digits] == '=' || low[digits] == '-' || low[digits] == '_')) ++digits;
    if (digits < low.size() && is_digit(low[digits])) return number_at(low, digits);
  }
  const auto first = std::find_if(low.begin(), low.end(), is_digit);
  if (first == low.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(first - low.begin());
  const std::string word = lower_case_letters(std::string_view(low).substr(0, at));
  if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) return std::nullopt;
  std::size_t rest = at;
  while (rest < low.size() && is_digit(low[rest])) ++rest;
  if (rest < low.size() && low[rest] == 'k') ++rest;
  if (rest < low.size()) return std::nullopt;  // "7b-chat", "2026-11-27" are no steps
  return number_at(low, at);
}

Result<CheckpointSeries> checkpoint_series(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(Code::not_found, "error.arch.no_path", {quoted_path(folder)});
  CheckpointSeries out{folder, members_in(folder)};
  // Where `train --keep-every` puts them, below the model that it ends with.
  if (out.members.empty()) out.members = members_in(fs::path(folder) / "checkpoints");
  if (out.members.empty()) return fail(Code::not_found, "error.arch.series.none", {quoted_path(folder)});
  for (std::size_t i = 1; i < out.members.size(); ++i)
    if (out.members[i].step == out.members[i - 1].step)
      return fail(Code::bad_format, "error.arch.series.twice",
                  {quoted_path(folder), in_quotes(out.members[i - 1].name), in_quotes(out.members[i].name),
                   out.members[i].step});
  return out;
}

std::shared_ptr<const CheckpointSeries> series_around(const std::string& path) {
  const fs::path at = fs::path(path).lexically_normal();
  const fs::path own = at.has_filename() ? at : at.parent_path();
  if (step_of_name(own.filename().string())) {
    auto around = several_in(own.has_parent_path() ? own.parent_path() : fs::path("."));
    if (around && around->index_of(own.string()) >= 0) return around;
  }
  std::error_code error;
  return fs::is_directory(own, error) ? several_in(own) : nullptr;
}

bool is_checkpoint_file(std::string_view file_name) {
  return file_name.ends_with(".safetensors") && step_of_name(file_name).has_value();
}

}  // namespace attnscope
