// The tables of names: which GGUF tensor is which tensor of Hugging Face, and what was done to it when it was
// converted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// What the conversion to GGUF did to a tensor, to be undone.
enum class GgufFix : std::uint8_t {
  none,
  transposed,  ///< a matrix is stored [out, in] where Hugging Face has [in, out]
  q_rows,      ///< rows of each query head reordered for interleaved rotation
  k_rows,      ///< the same by key heads
  qkv_rows,    ///< [head][q, k, v] became [q, k, v][head]
  plus_one     ///< 1 was added
};

/// Both names without the last part (".weight", ".bias"); {} stands for the layer.
struct GgufName {
  std::string_view gguf, hugging_face;
  GgufFix fix = GgufFix::none;
};

struct GgufArchitecture {
  std::string_view name;        ///< general.architecture
  std::string_view model_type;  ///< of config.json
  std::vector<GgufName> names;
};

const std::vector<GgufArchitecture>& gguf_architecture_table();

/// The architecture of that name, or null.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

/// Hugging Face's name of a tensor and what to undo; nothing for tensors that are none of the model's
/// ("rope_freqs.weight").
struct GgufTarget {
  std::string name;
  GgufFix fix;
};
std::optional<GgufTarget> gguf_target(const GgufArchitecture& architecture, std::string_view tensor);

}  // namespace attnscope
