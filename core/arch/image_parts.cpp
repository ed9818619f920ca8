#include "core/arch/image_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr int kMostPatchedPixels = 1 << 14;  // along one side

struct Sides {
  int rows = 1, cols = 1;
};

// A number for both sides, or [rows, columns].
Sides sides(ConfigReader& config, const char* key, int fallback) {
  const nlohmann::json* field = config.find({key});
  if (!field || !field->is_array()) {
    const int side = config.size({key}, fallback, kMostPatchedPixels);
    return {side, side};
  }
  const auto side = [&](std::size_t i) {
    const bool whole = field->size() == 2 && (*field)[i].is_number_integer();
    const std::int64_t value = whole ? (*field)[i].get<std::int64_t>() : 0;
    return value >= 1 && value <= kMostPatchedPixels ? static_cast<int>(value) : 0;
  };
  const Sides out{side(0), side(1)};
  if (out.rows > 0 && out.cols > 0) return out;
  config.refuse(fail(Code::out_of_range, "error.arch.image_sides", {config.what(), key, kMostPatchedPixels}));
  return {};
}

PatchSpec read_patches(ConfigReader& config, bool class_token) {
  const Sides image = sides(config, "image_size", 224), patch = sides(config, "patch_size", 16);
  PatchSpec out;
  out.size = patch.rows;
  out.channels = config.size({"num_channels"}, 3, 64);
  out.class_token = class_token;
  // A convolution leaves the pixels beyond the last whole patch alone; here the image has whole patches only.
  if (patch.rows != patch.cols || image.rows % out.size != 0 || image.cols % out.size != 0) {
    config.refuse(fail(Code::unsupported, "error.arch.patches",
                       {config.what(), image.rows, image.cols, patch.rows, patch.cols}));
  }
  out.rows = std::max(1, image.rows / out.size);
  out.cols = std::max(1, image.cols / out.size);
  return out;
}

}  // namespace

ModelConfig read_image_config(ConfigReader& config, Stack which, const ImageDefaults& defaults) {
  ModelConfig out;
  out.stack = which;
  out.d_model = out.d_in = config.size({"hidden_size"}, 768);
  out.patch = read_patches(config, defaults.class_token);
  out.position.kind = PositionSpec::Kind::learned;
  out.position.max_positions = out.patch.count();
  const int heads = config.size({"num_attention_heads"}, 12);
  if (out.d_model % heads != 0) {
    config.refuse(fail(Code::bad_shape, "error.arch.hidden_heads", {config.what()}));
  }
  BlockSpec block;
  block.norm = {NormSpec::Kind::layer, config.real({"layer_norm_eps"}, defaults.eps, kEpsilon), 0.f};
  set_equal_heads(block.attention, heads, out.d_model);
  block.attention.causal = false;
  block.mlp = {MlpSpec::Kind::plain, config.activation({"hidden_act"}, defaults.activation),
               config.size({"intermediate_size"}, 4 * out.d_model)};
  out.blocks.assign(static_cast<std::size_t>(config.size({"num_hidden_layers"}, 12, 4096)), block);
  out.final_norm = block.norm;
  out.head.present = false;
  return out;
}

Status read_patch_embedding(Weights& out, const ModelConfig& config, const WeightReader& from,
                            const std::string& name) {
  const PatchSpec& patch = config.patch;
  const std::int64_t d = config.d_model, wide = std::int64_t{patch.channels} * patch.size * patch.size;
  const std::string canonical = std::string(stack_prefix(config.stack)) + "patch_embed.";
  TRY(const Tensor loaded, from.load(name + ".weight", {d, patch.channels, patch.size, patch.size}));
  const auto kernel = std::make_shared<Tensor>(loaded.packed());  // [out, channel, row, column]
  const Tensor matrix = Tensor::borrow(kernel, kernel->data(), Shape{{Axis::out, d}, {Axis::in, wide}});
  out.set(canonical + "weight", matrix.transpose());
  if (!from.has(name + ".bias")) return Done{};
  TRY(const Tensor bias, from.load(name + ".bias", {d}));
  out.set(canonical + "bias", bias.rename({Axis::out}));
  return Done{};
}

}  // namespace attnscope
