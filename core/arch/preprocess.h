// From a picture to a model's input pixels: resized, rescaled, normalised by the checkpoint's
// preprocessor_config.json (or by the defaults of its family).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/io/image.h"
#include "core/tensor/tensor.h"
#include "core/trace/config.h"

namespace attnscope {

/// The steps of preprocessing, as in transformers.
struct Preprocessing {
  enum class Filter : std::uint8_t { nearest, bilinear, bicubic };
  int width = 224, height = 224;
  Filter filter = Filter::bilinear;
  float rescale = 1.f / 255.f;
  float mean[3] = {0.5f, 0.5f, 0.5f};
  float deviation[3] = {0.5f, 0.5f, 0.5f};
};

/// How pictures are cut into patches: by the vision tower, or by a model that sees itself.
inline const PatchSpec& image_patches(const ModelConfig& config) {
  return config.vision() ? config.vision()->patch : config.patch;
}

/// Preprocessing for a model: the size that its patches cover, and preprocessor_config.json in
/// `folder`. A file that cannot be read becomes a line of `notes`, and the defaults are used.
Preprocessing preprocessing_of(const ModelConfig& config, const std::string& folder,
                               std::vector<Text>& notes);
/// The same from the content of that file; null: defaults. Errors have `what` and the setting: no three
/// numbers, a number out of range.
Result<Preprocessing> preprocessing_by(const ModelConfig& config, const nlohmann::json& file,
                                       const std::string& what);
/// The preprocessor_config.json of these settings.
nlohmann::json preprocessing_to_json(const Preprocessing& how);
/// -> pixels [channel, row, column].
Tensor preprocess(const Picture& picture, const Preprocessing& how);
/// The picture of such pixels, for the screen: denormalised to bytes.
Picture picture_of(const Tensor& pixels, const Preprocessing& how);
/// A file of pixels that are normalised already: .npy or .safetensors with one array [3, row, column], or a
/// PNG or JPEG, which is preprocessed.
Result<Tensor> open_pixels(const std::string& path, const Preprocessing& how);

}  // namespace attnscope
