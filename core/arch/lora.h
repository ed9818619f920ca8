// Low-rank adapters (Hu et al. 2022) as peft writes them: adapter_config.json and adapter_model.safetensors.
// The tensors of the base's file become W + strength * s * B A, with s = alpha / r (rsLoRA: alpha / sqrt(r)),
// before any family reads them, so that every family can be adapted. Errors: a module that the base lacks, by
// its name; shapes that do not fit; what is no plain LoRA (DoRA, biases, whole modules, ranks by pattern).
#pragma once

#include <memory>
#include <string>

#include "core/io/tensor_source.h"

namespace attnscope {

struct LoraChoice {
  std::string folder;
  double strength = 1;
  bool on = true;  ///< false: the matrices are the base's; the choice is kept
  bool empty() const { return folder.empty(); }
  /// The matrices are others than the base's.
  bool acts() const { return !empty() && on && strength != 0; }
  bool operator==(const LoraChoice&) const = default;
};
/// "DIR" or "DIR:0.5". Errors: a strength that is no number.
Result<LoraChoice> parse_lora(const std::string& text);
/// "DIR:0.5", which reads back; an adapter that is off as "DIR:0".
std::string to_text(const LoraChoice& choice);
/// The name of its folder, as a person knows it.
std::string lora_name(const LoraChoice& choice);
/// A folder with an adapter_config.json, or that file or the weights beside it: the folder; empty: neither.
std::string lora_folder(const std::string& path);

/// A source whose matrices are adapted.
Result<std::shared_ptr<TensorSource>> with_lora(std::shared_ptr<TensorSource> base, const LoraChoice& choice);

}  // namespace attnscope
