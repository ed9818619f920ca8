// Models whose GGUF is split: NAME-00001-of-00003.gguf and so on, each a GGUF of its own; the first
// one has the metadata. Any part's name opens all.
#include <filesystem>

#include "core/base/text.h"
#include "core/io/gguf.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostGgufParts = 9999;

// The place of a file among the parts, from its name; number 0: none.
struct GgufPartName {
  std::string stem;
  std::int64_t number = 0, count = 0;
};

// Reads STEM-00001-of-00003.gguf.
GgufPartName part_name(const std::string& file) {
  constexpr std::string_view kMiddle = "-of-", kEnd = ".gguf";
  constexpr std::size_t kNumber = 5, kTail = 1 + kNumber + kMiddle.size() + kNumber + kEnd.size();
  if (file.size() < kTail) return {};
  const std::size_t dash = file.size() - kTail;
  const std::string number = file.substr(dash + 1, kNumber),
                    count = file.substr(dash + 1 + kNumber + kMiddle.size(), kNumber);
  const bool digits = (number + count).find_first_not_of("0123456789") == std::string::npos;
  if (file[dash] != '-' || file.substr(dash + 1 + kNumber, kMiddle.size()) != kMiddle ||
      !ends_with(file, kEnd) || !digits)
    return {};
  return {file.substr(0, dash), std::stoll(number), std::stoll(count)};
}

std::string file_of_part(const GgufPartName& name, std::int64_t number) {
  return name.stem +
         format("-%05lld-of-%05lld.gguf", static_cast<long long>(number), static_cast<long long>(name.count));
}

std::int64_t split_count(const Gguf& file) {
  const GgufValue* value = file.find("split.count");
  return value ? value->integer().value_or(1) : 1;
}

Result<Gguf> open_one(const fs::path& path) {
  TRY(const auto file, MappedFile::open(path.string()));
  return open_gguf_bytes(file, file->bytes(), quoted_path(path.string()));
}

Error missing_part(const fs::path& path, const GgufPartName& name, std::int64_t number) {
  return fail(Code::not_found, "error.io.split.missing", {number, name.count, quoted_path(path.string())});
}

Error misnamed(const Gguf& file, std::int64_t count) {
  const std::string digits = format("%05lld", static_cast<long long>(count));
  return fail(Code::unsupported, "error.io.split.misnamed", {file.what, count, digits});
}

// Every part must agree on how many there are and come in its place.
Status check_part(const Gguf& part, const GgufPartName& name, std::int64_t number) {
  const GgufValue* place = part.find("split.no");
  const std::int64_t says = place ? place->integer().value_or(-1) : number - 1;
  if (split_count(part) == name.count && says == number - 1) return Done{};
  return fail(Code::bad_format, "error.io.split.number",
              {part.what, says + 1, split_count(part), number, name.count});
}

Result<Gguf> join_parts(std::vector<Gguf> parts) {
  Gguf out = std::move(parts.front());
  std::vector<std::shared_ptr<TensorSource>> sources{out.tensors};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    sources.push_back(parts[i].tensors);
    out.owners.insert(out.owners.end(), parts[i].owners.begin(), parts[i].owners.end());
  }
  std::map<std::string, std::size_t> owners;
  for (std::size_t part = 0; part < sources.size(); ++part)
    for (const TensorInfo& info : sources[part]->infos())
      if (!owners.emplace(info.name, part).second)
        return fail(Code::bad_format, "error.io.split.twice", {out.what, in_quotes(info.name)});
  const GgufValue* total = out.find("split.tensors.count");
  const auto claimed = total ? total->integer() : std::nullopt;
  if (claimed && *claimed != static_cast<std::int64_t>(owners.size()))
    return fail(Code::bad_format, "error.io.split.count", {out.what, *claimed, owners.size()});
  out.tensors = std::make_shared<JoinedSource>(std::move(sources), owners, out.what);
  return out;
}

}  // namespace

Result<Gguf> open_gguf(const std::string& path) {
  const fs::path at(path);
  const GgufPartName name = part_name(at.filename().string());
  if (name.number == 0) {
    TRY(Gguf file, open_one(at));
    if (split_count(file) > 1) return misnamed(file, split_count(file));
    return file;
  }
  if (name.count < 1 || name.count > kMostGgufParts || name.number > name.count)
    return fail(Code::not_found, "error.io.split.name", {quoted_path(path)});
  std::vector<Gguf> parts;
  for (std::int64_t number = 1; number <= name.count; ++number) {
    const fs::path file = at.parent_path() / file_of_part(name, number);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return missing_part(file, name, number);
    TRY(Gguf part, open_one(file));
    if (name.count > 1) TRY_OK(check_part(part, name, number));
    parts.push_back(std::move(part));
  }
  return join_parts(std::move(parts));
}

}  // namespace attnscope
