#include "core/arch/scene_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/base/text.h"

namespace attnscope {

const char* activation_key(Activation kind) {
  switch (kind) {
    case Activation::gelu_tanh: return "gelu_new";
    case Activation::gelu_exact: return "gelu";
    case Activation::silu: return "silu";
    case Activation::relu: return "relu";
    case Activation::quick_gelu: return "quick_gelu";
  }
  return "gelu";
}

namespace {

using Json = nlohmann::json;

constexpr int kLargestToy = 4096;

// Looks a word up in a short list; the sentence names what is known.
template <class Kind>
Kind choose(ConfigReader& config, const char* key, const char* fallback,
            std::initializer_list<std::pair<const char*, Kind>> known) {
  const std::string word = config.text({key}, fallback);
  std::vector<std::string> names;
  for (const auto& [name, kind] : known) {
    if (word == name) return kind;
    names.emplace_back(name);
  }
  config.refuse(fail(Code::unsupported, "error.arch.scene.word",
                     {config.what(), key, in_quotes(word), join(names, ", ")}));
  return known.begin()->second;
}

// The object at `key`, or an empty one.
Json part(ConfigReader& config, const char* key) {
  const Json* found = config.find({key});
  if (!found) return Json::object();
  if (found->is_object()) return *found;
  config.refuse(fail(Code::bad_format, "error.arch.scene.object", {config.what(), key}));
  return Json::object();
}

template <class Read>
void read_part(ConfigReader& config, const char* key, Read read) {
  const Json object = part(config, key);
  ConfigReader inner(object, config.what() + ": " + key);
  read(inner);
  if (const Status status = inner.status(); !status) config.refuse(status.error());
}

using Kinds = NormSpec::Kind;

// Fields that are missing keep the values of `norm`, so that a block may change one of many.
NormSpec read_norm(ConfigReader& in, NormSpec norm = {NormSpec::Kind::none, 1e-5f, 0.f}) {
  static constexpr const char* kNames[] = {"none", "layer", "rms"};
  norm.kind = choose<Kinds>(in, "kind", kNames[static_cast<int>(norm.kind)],
                            {{"none", Kinds::none}, {"layer", Kinds::layer}, {"rms", Kinds::rms}});
  norm.eps = in.real({"eps"}, static_cast<double>(norm.eps), kEpsilon);
  norm.weight_offset = in.real({"weight_offset"}, static_cast<double>(norm.weight_offset), kFactor);
  return norm;
}

NormSpec norm_at(ConfigReader& in, const char* key, NormSpec norm = {NormSpec::Kind::none, 1e-5f, 0.f}) {
  if (in.find({key})) read_part(in, key, [&](ConfigReader& inner) { norm = read_norm(inner, norm); });
  return norm;
}

AttentionPosition scene_config_read_position(ConfigReader& in, int d_head, AttentionPosition::Kind kind) {
  AttentionPosition p;
  p.kind = kind;
  if (p.rotates()) {
    p.rope = read_rope(in, d_head);
    p.rope.interleaved = in.flag({"interleaved"}, false);
  }
  p.buckets = in.size({"buckets"}, p.buckets, kLargestToy);
  p.max_distance = in.size({"max_distance"}, static_cast<int>(p.max_distance), 1 << 20);
  return p;
}

// Of one block.
AttentionPosition scene_config_read_position(ConfigReader& in, int d_head) {
  using Kind = AttentionPosition::Kind;
  const Kind kind = choose<Kind>(
      in, "kind", "none",
      {{"none", Kind::none}, {"rope", Kind::rope}, {"alibi", Kind::alibi}, {"buckets", Kind::buckets}});
  return scene_config_read_position(in, d_head, kind);
}

AttentionSpec scene_config_read_attention(ConfigReader& in, AttentionSpec a) {
  const int heads = a.n_heads, width = a.d_head;
  a.n_heads = in.size({"n_heads"}, a.n_heads, kLargestToy);
  a.n_kv_heads = in.size({"n_kv_heads"}, a.n_heads == heads ? a.n_kv_heads : a.n_heads, kLargestToy);
  a.d_head = in.size({"d_head"}, a.d_head, kLargestToy);
  const float usual = 1.f / std::sqrt(static_cast<float>(std::max(1, a.d_head)));  // as every family does
  const bool same = a.d_head == width;  // of a block or cross-attention: what the others have
  a.scale = in.real({"scale"}, static_cast<double>(same ? a.scale : usual), kFactor);
  a.cap = in.real({"cap"}, static_cast<double>(a.cap), kStretchOrNone);
  a.sinks = in.flag({"sinks"}, a.sinks);
  a.qk_norm = norm_at(in, "qk_norm", a.qk_norm);
  a.causal = in.flag({"causal"}, a.causal);
  a.mask_before_scale = in.flag({"mask_before_scale"}, a.mask_before_scale);
  if (in.find({"window"})) a.window = in.size({"window"}, 0);
  a.mask = in.text({"mask"}, a.mask);
  if (in.find({"positions"}))
    read_part(in, "positions",
              [&](ConfigReader& inner) { a.position = scene_config_read_position(inner, a.d_head); });
  return a;
}

MlpSpec scene_config_read_mlp(ConfigReader& in, MlpSpec mlp) {
  using Kind = MlpSpec::Kind;
  static constexpr const char* kNames[] = {"none", "plain", "gated"};
  mlp.kind = choose<Kind>(in, "kind", kNames[static_cast<int>(mlp.kind)],
                          {{"none", Kind::none}, {"plain", Kind::plain}, {"gated", Kind::gated}});
  if (mlp.kind == Kind::none) return mlp;
  mlp.activation = in.activation({"activation"}, activation_key(mlp.activation));
  mlp.d_mlp = in.size({"d_mlp"}, mlp.d_mlp, 4 * kLargestToy);
  return mlp;
}

// The positions of a stack: a table that is added, or what the attention of every block does.
void read_positions(ConfigReader& in, int d_head, PositionSpec& table, AttentionPosition& attention) {
  using Table = PositionSpec::Kind;
  using Kind = AttentionPosition::Kind;
  const auto [added, asked] = choose<std::pair<Table, Kind>>(in, "kind", "none",
                                                             {{"none", {Table::none, Kind::none}},
                                                              {"learned", {Table::learned, Kind::none}},
                                                              {"sinusoidal", {Table::sinusoidal, Kind::none}},
                                                              {"rope", {Table::none, Kind::rope}},
                                                              {"alibi", {Table::none, Kind::alibi}},
                                                              {"buckets", {Table::none, Kind::buckets}}});
  table.kind = added;
  if (asked != Kind::none) attention = scene_config_read_position(in, d_head, asked);
  if (added == Table::learned || in.find({"max_positions"}))
    table.max_positions = in.size({"max_positions"}, 0, 1 << 20);
  if (in.find({"offset"})) table.offset = in.size({"offset"}, 0, 64);
  table.halves = in.flag({"halves"}, false);
}

BlockSpec scene_config_read_block(ConfigReader& in, BlockSpec block) {
  static constexpr const char* kOrders[] = {"pre", "post", "parallel"};
  block.residual = in.flag({"residual"}, block.residual);
  block.norm = norm_at(in, "norm", block.norm);
  block.order = choose<NormOrder>(
      in, "order", kOrders[static_cast<int>(block.order)],
      {{"pre", NormOrder::pre}, {"post", NormOrder::post}, {"parallel", NormOrder::parallel}});
  block.shared_norm = in.flag({"shared_norm"}, block.shared_norm);
  block.branch_norms = in.flag({"branch_norms"}, block.branch_norms);
  read_part(in, "attention", [&](ConfigReader& inner) {
    block.attention = scene_config_read_attention(inner, block.attention);
  });
  if (in.find({"cross"})) {
    const AttentionSpec across = (block.cross ? *block.cross : block.attention).as_cross();
    read_part(in, "cross",
              [&](ConfigReader& inner) { block.cross = scene_config_read_attention(inner, across); });
  }
  read_part(in, "mlp", [&](ConfigReader& inner) { block.mlp = scene_config_read_mlp(inner, block.mlp); });
  return block;
}

PatchSpec read_patch(ConfigReader& in) {
  PatchSpec patch;
  patch.size = in.size({"size"}, 0, 256);
  patch.channels = in.size({"channels"}, 3, 16);
  patch.rows = in.size({"rows"}, 0, 64);
  patch.cols = in.size({"cols"}, 0, 64);
  patch.class_token = in.flag({"class_token"}, false);
  return patch;
}

HeadSpec scene_config_read_head(ConfigReader& in) {
  HeadSpec head;
  head.present = in.flag({"present"}, false);
  head.tied = in.flag({"tied"}, false);
  head.transform = in.flag({"transform"}, false);
  head.activation = in.activation({"activation"}, "gelu");
  head.norm = norm_at(in, "norm");
  head.scale = in.real({"scale"}, 1.0, kFactor);
  head.cap = in.real({"cap"}, 0.0, kStretchOrNone);
  head.first_row_only = in.flag({"first_row_only"}, false);
  if (in.find({"outputs"})) head.outputs = in.size({"outputs"}, 0, 1 << 20);
  return head;
}

// One block for all, or a list whose entries change the fields they name.
void scene_config_read_blocks(ConfigReader& config, const BlockSpec& usual, ModelConfig& out) {
  const Json* list = config.find({"blocks"});
  if (!list) {
    out.blocks.assign(static_cast<std::size_t>(config.size({"n_layers"}, 1, 256)), usual);
    return;
  }
  if (!list->is_array() || list->empty() || list->size() > 256) {
    config.refuse(fail(Code::bad_format, "error.arch.scene.blocks", {config.what()}));
    return;
  }
  for (const Json& entry : *list) {
    const Json object = entry.is_object() ? entry : Json::object();
    ConfigReader inner(object, format("%s: blocks[%zu]", config.what().c_str(), out.blocks.size()));
    out.blocks.push_back(scene_config_read_block(inner, usual));
    if (const Status status = inner.status(); !status) config.refuse(status.error());
  }
}

void check_stack(ConfigReader& config, const ModelConfig& out) {
  if (out.head.present && out.outputs() == 0)
    config.refuse(fail(Code::bad_format, "error.arch.scene.head", {config.what()}));
  const PositionSpec& table = out.position;
  if (table.kind == PositionSpec::Kind::learned && out.patch.size > 0 &&
      table.max_positions < out.patch.count())
    config.refuse(fail(Code::bad_shape, "error.arch.scene.patches",
                       {config.what(), "max_positions", table.max_positions, out.patch.count()}));
  for (const BlockSpec& block : out.blocks) {
    if (block.residual && out.d_in != out.d_model)
      config.refuse(fail(Code::bad_shape, "error.arch.scene.width", {config.what()}));
    if (!block.residual && out.blocks.size() > 1)
      config.refuse(fail(Code::unsupported, "error.arch.scene.one_block", {config.what()}));
  }
}

int token(ConfigReader& config, const char* key) { return config.find({key}) ? config.token({key}) : -1; }

// A list of token ids; what is none is passed over.
std::vector<int> ids_at(ConfigReader& config, std::initializer_list<const char*> keys) {
  std::vector<int> out;
  const Json* list = config.find(keys);
  for (std::size_t i = 0; list && list->is_array() && i < list->size(); ++i) {
    const Json& id = (*list)[i];
    if (id.is_number_unsigned() && id.get<std::uint64_t>() < (1u << 30)) out.push_back(id.get<int>());
  }
  return out;
}

ModelConfig scene_config_read_stack(ConfigReader& config, Stack stack) {
  ModelConfig out;
  out.family = "scene";
  out.stack = stack;
  out.d_model = config.size({"d_model"}, 0, kLargestToy);
  out.d_in = config.size({"d_in"}, out.d_model, kLargestToy);
  if (config.find({"vocab_size"})) out.vocab_size = config.size({"vocab_size"}, 0, 1 << 20);
  out.embed_scale = config.real({"embed_scale"}, 1.0, kFactor);
  out.embed_norm = norm_at(config, "embed_norm");
  if (config.find({"type_vocab"})) out.type_vocab = config.size({"type_vocab"}, 0, 1 << 10);
  if (config.find({"patch"}))
    read_part(config, "patch", [&](ConfigReader& in) { out.patch = read_patch(in); });
  BlockSpec usual;
  usual.norm.kind = NormSpec::Kind::none;
  usual.mlp.kind = MlpSpec::Kind::none;
  usual.attention.d_head = 0;  // must be given
  usual = scene_config_read_block(config, usual);
  read_part(config, "positions", [&](ConfigReader& in) {
    read_positions(in, usual.attention.d_head, out.position, usual.attention.position);
  });
  scene_config_read_blocks(config, usual, out);
  out.final_norm = norm_at(config, "final_norm");
  out.head.present = false;
  if (config.find({"head"}))
    read_part(config, "head", [&](ConfigReader& in) { out.head = scene_config_read_head(in); });
  if (config.find({"projected"})) out.projected = config.size({"projected"}, 0, kLargestToy);
  out.shares_embedding = config.flag({"shares_embedding"}, false);
  out.bos = token(config, "bos");
  out.eos = token(config, "eos");
  out.pad = token(config, "pad");
  out.decoder_start = token(config, "decoder_start");
  out.image_token = token(config, "image_token");
  out.suppressed_tokens = ids_at(config, {"suppressed_tokens", "never_said"});  // that one in older files
  check_stack(config, out);
  return out;
}

}  // namespace

Result<ModelConfig> config_from_json(const Json& object, const std::string& what) {
  ConfigReader config(object, what);
  const bool reads = config.find({"encoder"}) != nullptr;
  ModelConfig out = scene_config_read_stack(config, reads ? Stack::dec : Stack::single);
  TRY_OK(config.status());
  for (const auto& [key, stack] : {std::pair("encoder", Stack::enc), std::pair("vision", Stack::vision)}) {
    if (config.find({key})) {
      read_part(config, key, [&, encoder = stack](ConfigReader& in) {
        out.encoders.push_back(scene_config_read_stack(in, encoder));
      });
    }
  }
  TRY_OK(config.status());
  return out;
}

}  // namespace attnscope
