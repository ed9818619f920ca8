#include "core/arch/weight_reader.h"

#include "core/arch/quantisation.h"
#include "core/base/text.h"

namespace attnscope {

WeightReader::WeightReader(const TensorSource& source, std::vector<std::string> prefixes,
                           const std::string& anchor)
    : source_(source) {
  for (const std::string& prefix : prefixes) {
    if (!source.find(prefix + anchor)) continue;
    prefix_ = prefix;
    return;
  }
  if (!prefixes.empty()) prefix_ = prefixes.front();
}

Result<Tensor> WeightReader::load(const std::string& name, const std::vector<std::int64_t>& shape) const {
  return load_plain(prefix_ + name, shape);
}

Result<Tensor> WeightReader::load_plain(const std::string& name,
                                        const std::vector<std::int64_t>& shape) const {
  const TensorInfo* info = source_.find(name);
  if (!info) {
    return fail(Code::not_found, "error.model.tensor_missing", {name, shape_text(shape)});
  }
  if (info->shape != shape) {
    return fail(Code::bad_shape, "error.model.tensor_shape",
                {name, shape_text(info->shape), shape_text(shape)});
  }
  if (is_int8(source_, name)) return load_int8(source_, name);
  if (is_integer(info->dtype)) {
    return fail(Code::unsupported, "error.arch.tensor_whole", {name, dtype_name(info->dtype)});
  }
  return source_.load(name);
}

Result<Tensor> WeightReader::matrix(const std::string& name, std::int64_t in, std::int64_t width,
                                    Layout layout) const {
  const bool swapped = layout == Layout::out_in || is_int8(source_, prefix_ + name + ".weight");
  TRY(const Tensor stored, load(name + ".weight", swapped ? std::vector{width, in} : std::vector{in, width}));
  return (swapped ? stored.transpose() : stored).rename({Axis::in, Axis::out});
}

Status WeightReader::linear(Weights& out, const std::string& canonical, const std::string& name,
                            std::int64_t in, std::int64_t width, Layout layout) const {
  TRY(const Tensor weight, matrix(name, in, width, layout));
  out.set(canonical + ".weight", weight);
  if (!has(name + ".bias")) return Done{};
  TRY(const Tensor bias, load(name + ".bias", {width}));
  out.set(canonical + ".bias", bias.rename({Axis::out}));
  return Done{};
}

Status WeightReader::norm(Weights& out, const std::string& canonical, const std::string& name,
                          std::int64_t width) const {
  const bool older = !has(name + ".weight") && has(name + ".gamma");
  TRY(const Tensor weight, load(name + (older ? ".gamma" : ".weight"), {width}));
  out.set(canonical + ".weight", weight.rename({Axis::d_model}));
  const std::string bias_name = name + (older ? ".beta" : ".bias");
  if (!has(bias_name)) return Done{};
  TRY(const Tensor bias, load(bias_name, {width}));
  out.set(canonical + ".bias", bias.rename({Axis::d_model}));
  return Done{};
}

Status WeightReader::table(Weights& out, const std::string& canonical, const std::string& name,
                           std::int64_t rows, std::int64_t width) const {
  TRY(const Tensor tensor, load(name, {rows, width}));
  out.set(canonical,
          tensor.rename({ends_with(canonical, "pos_embed.weight") ? Axis::pos : Axis::vocab, Axis::d_model}));
  return Done{};
}

Status WeightReader::unembedding(Weights& out, const ModelConfig& config, const std::string& head) const {
  Tensor table = out.get("tok_embed.weight");  // [vocab, d_model]
  if (!config.head.tied) {
    TRY(table, load_plain(head + ".weight", {config.vocab_size, config.d_model}));
  }
  out.set("logits.weight", table.transpose().rename({Axis::in, Axis::vocab}));
  if (!has_plain(head + ".bias")) return Done{};
  TRY(const Tensor bias, load_plain(head + ".bias", {config.vocab_size}));
  out.set("logits.bias", bias.rename({Axis::vocab}));
  return Done{};
}

}  // namespace attnscope
