// Shared by stacks that read images (ViT, SigLIP): patches, learned positions, norms before each part, an
// MLP without gate; their checkpoints differ in names and defaults alone. Error: patches that do not divide
// the image.
#pragma once

#include <string>

#include "core/arch/config_reader.h"
#include "core/arch/weight_reader.h"

namespace attnscope {

/// Defaults of a family for absent fields.
struct ImageDefaults {
  const char* activation = "gelu";
  double eps = 1e-12;
  bool class_token = false;
};
/// Sizes, patches, positions, blocks and the final norm. Problems stay in `config`.
ModelConfig read_image_config(ConfigReader& config, Stack which, const ImageDefaults& defaults);

/// The projection of patches: the weight of a convolution, read as a matrix.
Status read_patch_embedding(Weights& out, const ModelConfig& config, const WeightReader& from,
                            const std::string& name);

}  // namespace attnscope
