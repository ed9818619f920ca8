#include "core/arch/recorded_folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = "record-", kOf = "-of-", kEnding = ".safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::size_t kDigits = 5, kMostListed = 4;

struct PartName {
  std::size_t number = 0, of = 0;  // the first is 1
  std::string file;
};

// "record-00003-of-00034.safetensors" -> 3 of 34.
std::optional<PartName> part_in_name(const std::string& file) {
  const std::size_t second = kPart.size() + kDigits + kOf.size();
  if (file.size() != second + kDigits + kEnding.size() || !starts_with(file, std::string(kPart)) ||
      file.substr(kPart.size() + kDigits, kOf.size()) != kOf || !ends_with(file, std::string(kEnding)))
    return std::nullopt;
  const std::string number = file.substr(kPart.size(), kDigits), of = file.substr(second, kDigits);
  if ((number + of).find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  PartName out{std::stoul(number), std::stoul(of), file};
  if (out.number == 0 || out.number > out.of) return std::nullopt;
  return out;
}

std::vector<PartName> parts_in(const std::string& folder) {
  std::vector<PartName> parts;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (auto part = part_in_name(it->path().filename().string())) parts.push_back(*std::move(part));
  std::sort(parts.begin(), parts.end(), [](const PartName& a, const PartName& b) { return a.file < b.file; });
  return parts;
}

// What each part holds, "blocks.3", as every part's header says; its number where it does not.
std::vector<std::string> named_parts(const std::map<std::string, std::string>& metadata, std::size_t count) {
  std::vector<std::string> names;
  if (const auto at = metadata.find("parts"); at != metadata.end())
    if (const auto list = parse_json(at->second, "parts"); list && list->is_array())
      for (const auto& one : *list)
        names.push_back(one.is_string() ? printable(one.get<std::string>(), 60) : "");
  names.resize(std::min(names.size(), count));
  for (std::size_t i = names.size(); i < count; ++i) names.push_back(std::to_string(i + 1));
  return names;
}

// "blocks.10, blocks.11, blocks.12, blocks.13, ..."
std::string some_names(const std::vector<std::string>& names) {
  std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostListed)));
  if (names.size() > some.size()) some.emplace_back("...");
  return join(some, ", ");
}

// Which parts are missing, by their names, or by their numbers where no header names them.
Text told_missing(const std::vector<std::string>& missing, std::size_t of) {
  const bool numbers = std::all_of(missing.begin(), missing.end(), [](const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos;
  });
  const char* key = !numbers              ? "note.record.missing"
                    : missing.size() == 1 ? "note.record.missing.number"
                                          : "note.record.missing.numbers";
  return Text::of(key, {of - missing.size(), of, some_names(missing)});
}

}  // namespace

Result<std::shared_ptr<TensorSource>> open_recorded_part(const std::string& path,
                                                         std::vector<Text>& warnings) {
  std::vector<std::string> cut;
  TRY(std::shared_ptr<TensorSource> source, open_safetensors(path, &cut));
  if (!cut.empty() && source->infos().empty())
    return fail(Code::bad_format, "error.arch.record.all_cut", {quoted_path(path), cut.size()});
  if (!cut.empty())
    warnings.push_back(Text::of(
        "note.record.cut",
        {quoted_path(path), cut.size(), cut.size() + source->infos().size(), in_quotes(cut.front(), 80)}));
  return source;
}

bool is_recorded_part(const std::string& file) { return file == kIndex || part_in_name(file).has_value(); }

bool has_recorded_parts(const std::string& folder) { return !parts_in(folder).empty(); }

Result<RecordedFolder> open_recorded_parts(const std::string& folder) {
  const std::string what = quoted_path(folder);
  const std::vector<PartName> found = parts_in(folder);
  std::vector<std::shared_ptr<TensorSource>> sources;
  std::map<std::string, std::size_t> owners;
  std::map<std::string, std::string> metadata;
  std::vector<bool> whole(found.empty() ? 0 : found.front().of);
  RecordedFolder out;
  std::optional<Error> first_error;
  for (const PartName& part : found) {
    if (part.of != whole.size())
      return fail(Code::bad_format, "error.arch.record.two", {what, found.front().file, part.file});
    auto opened = open_recorded_part((fs::path(folder) / part.file).string(), out.warnings);
    if (!opened) {
      out.warnings.push_back(Text::of("note.record.damaged", {opened.error().whole()}));
      if (!first_error) first_error = opened.error();
      continue;
    }
    for (const TensorInfo& info : (*opened)->infos())
      if (!owners.try_emplace(info.name, sources.size()).second)
        return fail(Code::bad_format, "error.arch.record.twice", {what, in_quotes(info.name), part.file});
    whole[part.number - 1] = true;
    metadata.insert((*opened)->metadata().begin(), (*opened)->metadata().end());
    sources.push_back(*std::move(opened));
  }
  if (sources.empty())
    return first_error ? *first_error : fail(Code::not_found, "error.arch.record.none", {what});
  const std::vector<std::string> names = named_parts(metadata, whole.size());
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (!whole[i]) missing.push_back(names[i]);
  if (!missing.empty()) out.warnings.push_back(told_missing(missing, whole.size()));
  out.source = std::make_shared<JoinedSource>(std::move(sources), owners, what);
  return out;
}

}  // namespace attnscope
