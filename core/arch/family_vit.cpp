// ViT (Dosovitskiy et al. 2020): patches behind a class token, learned positions, norms before each part; the
// logits are computed from the first row. Reads old and new spellings of the tensors, with and without "vit."
// in front, and base models without a classifier (their pooler is left alone).
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/image_parts.h"
#include "core/arch/tensor_names.h"

namespace attnscope {
namespace {

const TensorNames& family_vit_names(bool renamed) {
  static const TensorNames old{{{"blocks.*.ln1", "encoder.layer.*.layernorm_before"},
                                {"blocks.*.attn.q", "encoder.layer.*.attention.attention.query"},
                                {"blocks.*.attn.k", "encoder.layer.*.attention.attention.key"},
                                {"blocks.*.attn.v", "encoder.layer.*.attention.attention.value"},
                                {"blocks.*.attn.out", "encoder.layer.*.attention.output.dense"},
                                {"blocks.*.ln2", "encoder.layer.*.layernorm_after"},
                                {"blocks.*.mlp.pre", "encoder.layer.*.intermediate.dense"},
                                {"blocks.*.mlp.out", "encoder.layer.*.output.dense"},
                                {"ln_final", "layernorm"}}};
  static const TensorNames later{{{"blocks.*.ln1", "layers.*.layernorm_before"},
                                  {"blocks.*.attn.q", "layers.*.attention.q_proj"},
                                  {"blocks.*.attn.k", "layers.*.attention.k_proj"},
                                  {"blocks.*.attn.v", "layers.*.attention.v_proj"},
                                  {"blocks.*.attn.out", "layers.*.attention.o_proj"},
                                  {"blocks.*.ln2", "layers.*.layernorm_after"},
                                  {"blocks.*.mlp.pre", "layers.*.mlp.fc1"},
                                  {"blocks.*.mlp.out", "layers.*.mlp.fc2"},
                                  {"ln_final", "layernorm"}}};
  return renamed ? later : old;
}

// As many labels as the config names; else as many as the classifier has.
int labels_of(ConfigReader& config, const TensorInfo& classifier) {
  const nlohmann::json* labels = config.find({"id2label"});
  if (labels && labels->is_object() && !labels->empty() && labels->size() < (1u << 24))
    return static_cast<int>(labels->size());
  const bool known = !classifier.shape.empty() && classifier.shape[0] > 0 && classifier.shape[0] < (1 << 24);
  return config.size({"num_labels"}, known ? static_cast<int>(classifier.shape[0]) : 2);
}

Result<ModelConfig> vit_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ImageDefaults defaults;
  defaults.class_token = true;
  ModelConfig out = read_image_config(config, Stack::single, defaults);
  if (const TensorInfo* classifier = source.find("classifier.weight")) {
    out.head.present = out.head.first_row_only = true;
    out.head.outputs = labels_of(config, *classifier);
  }
  TRY_OK(config.status());
  return out;
}

// [1, rows, d_model] in the file
Status read_rows(Weights& out, const std::string& canonical, const WeightReader& from,
                 const std::string& name, std::int64_t rows, std::int64_t d) {
  TRY(const Tensor table, from.load(name, {1, rows, d}));
  out.set(canonical, table.select(0, 0).rename({Axis::pos, Axis::d_model}));
  return Done{};
}

Result<Weights> vit_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"vit.", ""}, "embeddings.cls_token");
  const std::int64_t d = config.d_model;
  Weights out;
  TRY_OK(read_patch_embedding(out, config, from, "embeddings.patch_embeddings.projection"));
  TRY_OK(read_rows(out, "class_embed.weight", from, "embeddings.cls_token", 1, d));
  TRY_OK(read_rows(out, "pos_embed.weight", from, "embeddings.position_embeddings", config.patch.count(), d));
  TRY_OK(read_named(out, config, from, family_vit_names(from.has("layers.0.attention.q_proj.weight"))));
  if (!config.head.present) return out;
  TRY(const Tensor classifier, from.load_plain("classifier.weight", {config.outputs(), d}));
  out.set("logits.weight", classifier.transpose().rename({Axis::in, Axis::vocab}));
  if (!from.has_plain("classifier.bias")) return out;
  TRY(const Tensor bias, from.load_plain("classifier.bias", {config.outputs()}));
  out.set("logits.bias", bias.rename({Axis::vocab}));
  return out;
}

}  // namespace

Family family_vit() { return {"ViT", {"vit"}, vit_config, vit_weights}; }

}  // namespace attnscope
