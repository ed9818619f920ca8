#include "core/model/model.h"

#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "core/model/forward.h"
#include "core/model/masks.h"

namespace attnscope {
namespace {

using Shapes = std::vector<WeightShape>;

void expect_norm(Shapes& out, const std::string& name, const NormSpec& norm, std::int64_t width) {
  if (norm.kind == NormSpec::Kind::none) return;
  out.push_back({name + ".weight", {width}, false});
  if (norm.kind == NormSpec::Kind::layer) out.push_back({name + ".bias", {width}, false});
}

void expect_linear(Shapes& out, const std::string& name, std::int64_t in, std::int64_t width) {
  out.push_back({name + ".weight", {in, width}, true});
  out.push_back({name + ".bias", {width}, false});
}

void expect_attention(Shapes& out, const std::string& base, const AttentionSpec& spec, std::int64_t d_in,
                      std::int64_t d_source, std::int64_t d_model) {
  const std::int64_t q_width = std::int64_t{spec.n_heads} * spec.d_head;
  const std::int64_t kv_width = std::int64_t{spec.n_kv_heads} * spec.d_head;
  expect_linear(out, base + "q", d_in, q_width);
  expect_linear(out, base + "k", d_source, kv_width);
  expect_linear(out, base + "v", d_source, kv_width);
  if (spec.qk_norm.kind != NormSpec::Kind::none) {
    out.push_back({base + "q_norm.weight", {spec.d_head}, false});
    out.push_back({base + "k_norm.weight", {spec.d_head}, false});
  }
  expect_linear(out, base + "out", q_width, d_model);
}

void expect_block(Shapes& out, const std::string& base, const BlockSpec& block, std::int64_t d_in,
                  std::int64_t d_model, std::int64_t d_source) {
  expect_norm(out, base + "ln1", block.norm, block.order == NormOrder::post ? d_model : d_in);
  expect_attention(out, base + "attn.", block.attention, d_in, d_in, d_model);
  if (block.branch_norms) expect_norm(out, base + "ln1_post", block.norm, d_model);
  if (block.cross) {
    expect_norm(out, base + "ln_cross", block.norm, d_model);
    expect_attention(out, base + "cross.", *block.cross, d_model, d_source, d_model);
  }
  if (block.mlp.kind == MlpSpec::Kind::none) return;
  if (!block.shared_norm) expect_norm(out, base + "ln2", block.norm, d_model);
  if (block.mlp.kind == MlpSpec::Kind::gated) {
    expect_linear(out, base + "mlp.gate", d_model, block.mlp.d_mlp);
    expect_linear(out, base + "mlp.up", d_model, block.mlp.d_mlp);
  } else {
    expect_linear(out, base + "mlp.pre", d_model, block.mlp.d_mlp);
  }
  expect_linear(out, base + "mlp.out", block.mlp.d_mlp, d_model);
  if (block.branch_norms) expect_norm(out, base + "ln2_post", block.norm, d_model);
}

void expect_embedding(Shapes& out, const std::string& base, const ModelConfig& config) {
  const PatchSpec& patch = config.patch;
  if (patch.size > 0) {
    expect_linear(out, base + "patch_embed", std::int64_t{patch.channels} * patch.size * patch.size,
                  config.d_model);
    if (patch.class_token) out.push_back({base + "class_embed.weight", {1, config.d_model}, true});
  } else if (config.vocab_size > 0) {
    out.push_back({base + "tok_embed.weight", {config.vocab_size, config.d_in}, true});
  }
  const PositionSpec& position = config.position;
  if (position.kind == PositionSpec::Kind::learned)
    out.push_back({base + "pos_embed.weight", {position.max_positions + position.offset, config.d_in}, true});
  if (position.kind == PositionSpec::Kind::buckets)
    out.push_back(
        {base + "rel_bias.weight", {position.buckets, config.blocks.front().attention.n_heads}, true});
  if (config.type_vocab > 0)
    out.push_back({base + "type_embed.weight", {config.type_vocab, config.d_in}, true});
  expect_norm(out, base + "ln_embed", config.embed_norm, config.d_in);
}

void expect_stack(Shapes& out, const ModelConfig& config, std::int64_t d_source) {
  const std::string base(stack_prefix(config.stack));
  expect_embedding(out, base, config);
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    expect_block(out, base + "blocks." + std::to_string(layer) + ".",
                 config.blocks[static_cast<std::size_t>(layer)], layer == 0 ? config.d_in : config.d_model,
                 config.d_model, d_source);
  }
  expect_norm(out, base + "ln_final", config.final_norm, config.d_model);
  if (config.projected > 0) expect_linear(out, base + "projected", config.d_model, config.projected);
  if (config.head.transform) {
    expect_linear(out, base + "head.pre", config.d_model, config.d_model);
    expect_norm(out, base + "ln_head", config.head.norm, config.d_model);
  }
  if (config.head.present) expect_linear(out, base + "logits", config.d_model, config.outputs());
}

Status bad_size(std::string sentence) {
  return fail(Code::bad_shape, std::move(sentence), "Correct the sizes in the config.");
}

Status check_attention(const AttentionSpec& a, int layer, bool rotates, const RopeSpec& rope) {
  if (a.n_heads <= 0 || a.d_head <= 0 || a.n_kv_heads <= 0) {
    return bad_size(
        format("Block %d: heads (%d), key/value heads (%d) and head size (%d) must be at least 1.", layer,
               a.n_heads, a.n_kv_heads, a.d_head));
  }
  if (a.n_heads % a.n_kv_heads != 0) {
    return bad_size(format("Block %d: %d query heads cannot share %d key/value heads evenly.", layer,
                           a.n_heads, a.n_kv_heads));
  }
  const int turned = rope.rotary_dims > 0 ? rope.rotary_dims : a.d_head;
  if (rotates && (turned % 2 != 0 || turned > a.d_head)) {
    return bad_size(
        format("Block %d: rotary positions turn pairs, but %d of the %d features of a head do not "
               "make pairs.",
               layer, turned, a.d_head));
  }
  if (!a.mask.empty()) TRY_OK(MaskSpec::parse(a.mask));
  return Done{};
}

Status check_stack(const ModelConfig& config, const ModelConfig& main) {
  if (config.d_model <= 0 || config.d_in <= 0)
    return bad_size("The model's width (d_model) must be at least 1.");
  if (config.blocks.empty())
    return bad_size("The model has no block: the number of layers must be at least 1.");
  const PatchSpec& patch = config.patch;
  if (patch.size < 0 || (patch.size > 0 && (patch.channels <= 0 || patch.rows <= 0 || patch.cols <= 0)))
    return bad_size("The image must have at least one channel and one patch in each direction.");
  const bool rotates = config.position.kind == PositionSpec::Kind::rope;
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    TRY_OK(check_attention(block.attention, layer, rotates, config.position.rope));
    if (block.cross) TRY_OK(check_attention(*block.cross, layer, false, config.position.rope));
    const bool biased = config.position.kind == PositionSpec::Kind::alibi ||
                        config.position.kind == PositionSpec::Kind::buckets;
    if (block.attention.mask_before_scale && (block.attention.cap > 0.f || biased))
      return bad_size(
          format("Block %d masks before it scales, but it has a cap or a position bias, which come between "
                 "scaling and masking.",
                 layer));
    if (block.cross && !main.encoder())
      return bad_size(format("Block %d has cross-attention, but the model has no encoder.", layer));
    if (block.mlp.kind != MlpSpec::Kind::none && block.mlp.d_mlp <= 0)
      return bad_size(format("Block %d: the MLP's width must be at least 1.", layer));
  }
  return Done{};
}

Status check_sizes(const ModelConfig& config) {
  TRY_OK(check_stack(config, config));
  for (const ModelConfig& tower : config.towers) TRY_OK(check_stack(tower, config));
  const ModelConfig* vision = config.vision();
  if (vision && (vision->projected > 0 ? vision->projected : vision->d_model) != config.d_model)
    return bad_size("The image's rows do not have the width of the language model.");
  return Done{};
}

}  // namespace

std::vector<WeightShape> expected_weights(const ModelConfig& config) {
  Shapes out;
  const ModelConfig* encoder = config.encoder();
  for (const ModelConfig& tower : config.towers) expect_stack(out, tower, tower.d_model);
  expect_stack(out, config, encoder ? encoder->d_model : config.d_model);
  return out;
}

Status check_weights(const ModelConfig& config, const Weights& weights) {
  TRY_OK(check_sizes(config));
  for (const WeightShape& expected : expected_weights(config)) {
    const Tensor* found = weights.find(expected.name);
    if (!found && !expected.required) continue;
    if (!found) {
      return fail(Code::not_found,
                  format("The tensor %s is missing; the config asks for the shape %s.", expected.name.c_str(),
                         shape_text(expected.shape).c_str()),
                  "The file may be incomplete, or the config may belong to another model.");
    }
    if (found->sizes() != expected.shape) {
      return fail(Code::bad_shape,
                  format("The tensor %s has the shape %s, but the config asks for %s.", expected.name.c_str(),
                         shape_text(*found).c_str(), shape_text(expected.shape).c_str()),
                  "The config and the weights belong to different models, or one of them was changed.");
    }
  }
  return Done{};
}

Model::Model(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights)
    : config_(std::move(config)), weights_(std::move(weights)) {}

Result<std::shared_ptr<const Model>> Model::make(ModelConfig config, Weights weights) {
  TRY_OK(check_weights(config, weights));
  return std::make_shared<const Model>(std::make_shared<const ModelConfig>(std::move(config)),
                                       std::make_shared<const Weights>(std::move(weights)));
}

std::shared_ptr<const Model> Model::with_weight(const std::string& name, Tensor value) const {
  auto changed = std::make_shared<Weights>(*weights_);
  const std::string base(stack_prefix(config_->stack));
  const bool shared = config_->of(Stack::enc).shares_embedding;
  const bool table = name == base + "tok_embed.weight" || (shared && name == "enc.tok_embed.weight");
  if (table) {
    if (config_->head.tied)
      changed->set(base + "logits.weight", value.transpose().rename({Axis::in, Axis::vocab}));
    if (shared) {
      changed->set("enc.tok_embed.weight", value);
      changed->set(base + "tok_embed.weight", value);
    }
  }
  changed->set(name, std::move(value));
  return std::make_shared<const Model>(config_, std::move(changed));
}

Input Model::completed(Input input) const {
  const ModelConfig* tower = config_->vision();
  if (!tower || !input.spans.empty()) return input;
  const auto first =
      std::find_if(input.ids.begin(), input.ids.end(), [&](int id) { return id != config_->image_token; });
  const auto image = static_cast<std::int64_t>(first - input.ids.begin());
  if (image > 0) input.spans = {{"image", 0, image}, {"prompt", image, input.length()}};
  return input;
}

namespace {

Status check_ids(const std::vector<int>& ids, int vocabulary, const char* of_encoder) {
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    if (ids[pos] >= 0 && ids[pos] < vocabulary) continue;
    return fail(Code::out_of_range,
                format("Token id %d at position %zu%s is outside the vocabulary of %d.", ids[pos], pos,
                       of_encoder, vocabulary),
                format("Ids run from 0 to %d.", vocabulary - 1));
  }
  return Done{};
}

Status check_room(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t limit = config.position.max_positions;
  if (limit <= 0 || tokens <= limit) return Done{};
  return fail(Code::out_of_range,
              format("The input has %lld tokens, but the model has positions for %lld.",
                     static_cast<long long>(tokens), static_cast<long long>(limit)),
              "Shorten the input.");
}

Status check_padding(const std::vector<std::uint8_t>& real, std::int64_t tokens) {
  if (real.empty()) return Done{};
  if (static_cast<std::int64_t>(real.size()) != tokens) {
    return fail(Code::bad_shape,
                format("The padding mask has %zu entries for %lld tokens.", real.size(),
                       static_cast<long long>(tokens)),
                "Give one entry per token: 1 for a token, 0 for padding.");
  }
  if (std::find(real.begin(), real.end(), 1) != real.end()) return Done{};
  return fail(Code::out_of_range, "There is nothing to run: the sequence is all padding.",
              "Give at least one token that is no padding.");
}

}  // namespace

Status Model::check_source(const Input& input) const {
  const ModelConfig* encoder = config_->encoder();
  if (!encoder) {
    if (input.source.empty()) return Done{};
    return fail(Code::bad_shape, "This model has no encoder: it reads one sequence of tokens.",
                "Give the text alone.");
  }
  if (input.source.empty()) {
    return fail(Code::out_of_range, "There is nothing to read: the encoder's input is empty.",
                "Type at least one token for the encoder.");
  }
  TRY_OK(check_ids(input.source, encoder->vocab_size, " of the encoder"));
  TRY_OK(check_padding(input.source_real, static_cast<std::int64_t>(input.source.size())));
  return check_room(*encoder, static_cast<std::int64_t>(input.source.size()));
}

Status Model::check_image(const Input& input, std::int64_t first_pos) const {
  if (!config_->sees()) {
    if (input.pixels.empty()) return Done{};
    return fail(Code::bad_shape, "This model does not look at images.",
                "Give text, or open a model with vision.");
  }
  const PatchSpec& patch = config_->patch.size > 0 ? config_->patch : config_->vision()->patch;
  if (input.pixels.empty()) {
    if (first_pos > 0) return Done{};
    return fail(Code::out_of_range, "This model looks at an image, and there is none.",
                "Open a PNG or JPEG, or draw one.");
  }
  const std::vector<std::int64_t> wanted{patch.channels, std::int64_t{patch.rows} * patch.size,
                                         std::int64_t{patch.cols} * patch.size};
  if (input.pixels.sizes() != wanted) {
    return fail(Code::bad_shape,
                format("The image has the shape %s, but the model looks at %s.",
                       shape_text(input.pixels).c_str(), shape_text(wanted).c_str()),
                "Bring the image to the model's size.");
  }
  if (!config_->vision()) return Done{};
  const auto places = std::count(input.ids.begin(), input.ids.end(), config_->image_token);
  if (places == patch.count()) return Done{};
  return fail(
      Code::bad_shape,
      format("The input keeps %lld places for the image (token %d), but the image has %lld patches.",
             static_cast<long long>(places), config_->image_token, static_cast<long long>(patch.count())),
      "Begin the input with one image token per patch.");
}

Status Model::check_masks(const Input& input, const RunOptions& options, std::int64_t first_pos) const {
  const std::int64_t keys = first_pos + (config_->patch.size > 0 ? config_->patch.count() : input.length());
  for (const BlockSpec& block : config_->blocks)
    TRY_OK(self_mask(block.attention, options.mask, input.spans, input.real, keys));
  for (const MaskOf of : {MaskOf::encoder, MaskOf::vision, MaskOf::cross}) {
    if (!has_mask(*config_, of) && !find_mask(options.side_masks, of)) continue;
    const MaskSpec& asked = asked_mask(options.side_masks, of);
    for (int layer = 0; layer < mask_layers(*config_, of); ++layer)
      TRY_OK(side_mask(*config_, of, layer, asked, input, first_pos + input.length()));
  }
  if (!input.types.empty() && static_cast<std::int64_t>(input.types.size()) != input.length())
    return fail(Code::bad_shape, "There must be one segment number per token.", "Give as many as tokens.");
  for (const int type : input.types) {
    if (config_->type_vocab == 0 || (type >= 0 && type < config_->type_vocab)) continue;
    return fail(Code::out_of_range,
                format("Segment %d is outside the table of %d segments.", type, config_->type_vocab),
                "Segments count from 0.");
  }
  return Done{};
}

Status Model::check_input(const Input& input, std::int64_t first_pos) const {
  TRY_OK(check_source(input));
  TRY_OK(check_image(input, first_pos));
  if (config_->patch.size > 0) return Done{};
  if (input.length() == 0) {
    return fail(Code::out_of_range, "There is nothing to run: the input is empty.",
                "Type at least one token.");
  }
  if (!input.vectors.empty()) {
    if (config_->vocab_size > 0 || input.vectors.size(1) != config_->d_in) {
      return fail(Code::bad_shape,
                  format("The input rows have %lld numbers, but the model reads %d.",
                         static_cast<long long>(input.vectors.size(1)), config_->d_in),
                  "Give rows of the model's width.");
    }
  } else if (config_->vocab_size == 0) {
    return fail(Code::bad_shape, "This module reads rows of numbers, not tokens.",
                "Open a scene that holds its input.");
  }
  TRY_OK(check_ids(input.ids, config_->vocab_size, ""));
  TRY_OK(check_padding(input.real, input.length()));
  if (first_pos > 0 && !input.real.empty())
    return fail(Code::unsupported, "A padded sequence cannot be continued token by token.",
                "Take the padding away.");
  return check_room(*config_, first_pos + input.length());
}

namespace {

// Changes that this run had no place for: better said than passed over.
Status check_changes(const Trace& trace, const RunOptions& options) {
  for (const Intervention& change : options.interventions) {
    const Slot slot = change.where.site.slot;
    const std::string name = to_text(change.where.site);
    if (!change.enabled) continue;
    if (!trace.find(change.where.site)) {
      return fail(Code::not_found, format("This model has no step %s to change.", name.c_str()),
                  "Choose a step of the timeline.");
    }
    if (slot != Slot::mask && slot != Slot::logits && slot != Slot::probs) continue;
    return fail(Code::unsupported, format("%s cannot be changed itself.", name.c_str()),
                slot == Slot::mask ? "Switch cells of the mask instead."
                                   : "Change ln_final.out or a weight instead.");
  }
  return Done{};
}

}  // namespace

Result<std::shared_ptr<const Trace>> Model::run(const Input& given, const RunOptions& options,
                                                KvCache* cache) const {
  const std::int64_t first_pos = cache ? cache->length() : 0;
  const Input input = completed(given);
  TRY_OK(check_input(input, first_pos));
  TRY_OK(check_masks(input, options, first_pos));
  auto trace = std::make_shared<Trace>(config_, weights_);
  trace->input = input;
  trace->ids = input.ids;
  trace->first_pos = first_pos;
  trace->length = config_->patch.size > 0 ? config_->patch.count() : input.length();
  try {
    forward(*config_, *weights_, input, Probe(*trace, options), first_pos, cache);
  } catch (const RunCancelled&) {
    return fail(Code::cancelled, "The run was stopped.", "");
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory,
                format("There is not enough memory for %lld tokens.", static_cast<long long>(input.length())),
                "Shorten the input, or close other programs.");
  }
  TRY_OK(check_changes(*trace, options));
  if (cache) cache->advance(trace->length);
  return std::shared_ptr<const Trace>(std::move(trace));
}

}  // namespace attnscope
