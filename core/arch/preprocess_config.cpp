// Preprocessing of a checkpoint: preprocessor_config.json where it lies beside the weights.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/preprocess.h"
#include "core/arch/scene_config.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/json_number.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
using Filter = Preprocessing::Filter;

bool switched_off(ConfigReader& file, const char* key) { return !file.flag({key}, true); }

// One number per channel, or one for all of them.
void read_channels(ConfigReader& file, const char* key, NumberRange range, float (&values)[3]) {
  const Json* field = file.find({key});
  if (!field) return;
  const bool list = field->is_array() && field->size() == 3;
  if (!list && !field->is_number())
    return file.refuse(fail(Code::bad_format, "error.arch.three_numbers", {file.what(), key}));
  for (std::size_t c = 0; c < 3; ++c) {
    const Json one{{key, list ? (*field)[c] : *field}};
    ConfigReader channel(one, file.what());
    values[c] = channel.real({key}, static_cast<double>(values[c]), range);
    if (const Status status = channel.status(); !status) file.refuse(status.error());
  }
}

// Pillow's numbers of its filters; sharper ones than bicubic are read as bicubic.
Filter filter_of(int number) {
  if (number == 0) return Filter::nearest;
  return number == 2 ? Filter::bilinear : Filter::bicubic;
}

void read_settings(ConfigReader& file, Preprocessing& out) {
  out.rescale = file.real({"rescale_factor"}, static_cast<double>(out.rescale), kStretch);
  if (switched_off(file, "do_rescale")) out.rescale = 1.f;
  read_channels(file, "image_mean", kFactor, out.mean);
  read_channels(file, "image_std", kStretch, out.deviation);
  const bool plain = switched_off(file, "do_normalize");
  for (std::size_t c = 0; plain && c < 3; ++c) out.mean[c] = 0, out.deviation[c] = 1;
  const Json* resample = file.find({"resample"});
  if (const auto number = resample ? whole_in(*resample, 0, 5) : std::nullopt)
    out.filter = filter_of(static_cast<int>(*number));
}

}  // namespace

Json preprocessing_to_json(const Preprocessing& how) {
  static constexpr int kFilters[] = {0, 2, 3};  // Pillow's numbers of nearest, bilinear, bicubic
  Json out{{"do_resize", true},
           {"size", {{"height", how.height}, {"width", how.width}}},
           {"resample", kFilters[static_cast<int>(how.filter)]},
           {"do_rescale", true},
           {"rescale_factor", spelled(how.rescale)},
           {"do_normalize", true}};
  for (std::size_t c = 0; c < 3; ++c) {
    out["image_mean"].push_back(spelled(how.mean[c]));
    out["image_std"].push_back(spelled(how.deviation[c]));
  }
  return out;
}

namespace {

// Preprocessing where there is no preprocessor_config.json.
Preprocessing usual(const ModelConfig& config) {
  Preprocessing out;
  if (!config.sees()) return out;
  const PatchSpec& patch = image_patches(config);
  out.width = std::max(1, patch.cols * patch.size);
  out.height = std::max(1, patch.rows * patch.size);
  out.filter = config.vision() ? Filter::bicubic : Filter::bilinear;
  return out;
}

}  // namespace

Result<Preprocessing> preprocessing_by(const ModelConfig& config, const Json& file, const std::string& what) {
  Preprocessing out = usual(config);
  if (!config.sees() || file.is_null()) return out;
  if (!file.is_object()) return fail(Code::bad_format, "error.arch.no_settings", {what});
  ConfigReader settings(file, what);
  read_settings(settings, out);
  TRY_OK(settings.status());
  return out;
}

Preprocessing preprocessing_of(const ModelConfig& config, const std::string& folder,
                               std::vector<Text>& notes) {
  const std::string path = (std::filesystem::path(folder) / "preprocessor_config.json").string();
  std::error_code ignored;
  if (!config.sees() || folder.empty() || !std::filesystem::exists(path, ignored)) return usual(config);
  const auto file = read_json_file(path);
  const auto read =
      file ? preprocessing_by(config, *file, quoted_path(path)) : Result<Preprocessing>(file.error());
  if (read) return *read;
  notes.push_back(Text::of("note.pictures_as_usual", {read.error().whole()}));
  return usual(config);
}

}  // namespace attnscope
