// From a picture to the numbers that a model looks at: resized, rescaled, normalised as the checkpoint's
// preprocessor_config.json says (or as its family does by default).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/io/image.h"
#include "core/tensor/tensor.h"
#include "core/trace/config.h"

namespace attnscope {

/// What is done to a picture.
struct Preprocessing {
  enum class Filter : std::uint8_t { nearest, bilinear, bicubic };
  int width = 224, height = 224;
  Filter filter = Filter::bilinear;
  float rescale = 1.f / 255.f;
  float mean[3] = {0.5f, 0.5f, 0.5f};
  float deviation[3] = {0.5f, 0.5f, 0.5f};
};

/// What a model's pictures need: the size that its patches cover, and what preprocessor_config.json in
/// `folder` says. A file that cannot be read is told in `notes`, and pictures are prepared as usual.
Preprocessing preprocessing_of(const ModelConfig& config, const std::string& folder,
                               std::vector<Text>& notes);
/// The same by the content of that file; null: as usual. Errors name `what` and the setting: no three
/// numbers, a number out of range.
Result<Preprocessing> preprocessing_by(const ModelConfig& config, const nlohmann::json& file,
                                       const std::string& what);
/// preprocessor_config.json that says this.
nlohmann::json preprocessing_to_json(const Preprocessing& how);
/// -> pixels [channel, row, column].
Tensor preprocess(const Picture& picture, const Preprocessing& how);
/// The picture that such pixels show, for the screen: the numbers brought back to bytes.
Picture picture_of(const Tensor& pixels, const Preprocessing& how);
/// A file of pixels that are normalised already: .npy or .safetensors with one array [3, row, column], or a
/// PNG or JPEG, which is preprocessed.
Result<Tensor> open_pixels(const std::string& path, const Preprocessing& how);

}  // namespace attnscope
