// How a checkpoint wants its pictures: preprocessor_config.json where it lies beside the weights.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/preprocess.h"
#include "core/arch/scene_config.h"
#include "core/base/text.h"
#include "core/io/json_file.h"

namespace attnscope {
namespace {

using nlohmann::json;
using Filter = Preprocessing::Filter;

float number_or(const json& file, const char* key, float usual) {
  const auto at = file.find(key);
  return at != file.end() && at->is_number() ? at->get<float>() : usual;
}

bool switched_off(const json& file, const char* key) {
  const auto at = file.find(key);
  return at != file.end() && at->is_boolean() && !at->get<bool>();
}

// One number per channel; what is no list of three finite numbers leaves `values` as they are.
void read_channels(const json& file, const char* key, float (&values)[3]) {
  const auto at = file.find(key);
  if (at == file.end() || !at->is_array() || at->size() != 3) return;
  for (std::size_t c = 0; c < 3; ++c)
    if ((*at)[c].is_number()) values[c] = (*at)[c].get<float>();
}

// Pillow's numbers of its filters; sharper ones than bicubic are read as bicubic.
Filter filter_of(int number) {
  if (number == 0) return Filter::nearest;
  return number == 2 ? Filter::bilinear : Filter::bicubic;
}

void read_file(const json& file, Preprocessing& out) {
  out.rescale = switched_off(file, "do_rescale") ? 1.f : number_or(file, "rescale_factor", out.rescale);
  read_channels(file, "image_mean", out.mean);
  read_channels(file, "image_std", out.deviation);
  for (std::size_t c = 0; c < 3; ++c) {
    if (switched_off(file, "do_normalize")) out.mean[c] = 0, out.deviation[c] = 1;
    if (!(out.deviation[c] > 0)) out.deviation[c] = 1;
  }
  const auto resample = file.find("resample");
  if (resample != file.end() && resample->is_number_integer()) out.filter = filter_of(resample->get<int>());
}

}  // namespace

json preprocessing_to_json(const Preprocessing& how) {
  static constexpr int kFilters[] = {0, 2, 3};  // Pillow's numbers of nearest, bilinear, bicubic
  json out{{"do_resize", true},
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

Preprocessing preprocessing_by(const ModelConfig& config, const json& file) {
  Preprocessing out;
  if (!config.sees()) return out;
  const PatchSpec& patch = config.vision() ? config.vision()->patch : config.patch;
  out.width = std::max(1, patch.cols * patch.size);
  out.height = std::max(1, patch.rows * patch.size);
  out.filter = config.vision() ? Filter::bicubic : Filter::bilinear;
  if (file.is_object()) read_file(file, out);
  return out;
}

Preprocessing preprocessing_of(const ModelConfig& config, const std::string& folder,
                               std::vector<std::string>& notes) {
  const std::string path = (std::filesystem::path(folder) / "preprocessor_config.json").string();
  std::error_code ignored;
  if (!config.sees() || folder.empty() || !std::filesystem::exists(path, ignored))
    return preprocessing_by(config, nullptr);
  const auto file = read_json_file(path);
  if (!file || !file->is_object())
    notes.push_back(file ? path + " is no list of settings: pictures are prepared as usual."
                         : file.error().text());
  return preprocessing_by(config, file ? *file : json());
}

}  // namespace attnscope
