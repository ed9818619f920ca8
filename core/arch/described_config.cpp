// describe_config: the family's own reader over a config.json that has no file of weights beside it. What the
// file would show (a head, biases) follows from "architectures", as the transformers library builds it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/described.h"
#include "core/arch/image_parts.h"
#include "core/arch/known_family.h"
#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr int kMostSize = 1 << 24;

// Names and shapes of tensors, and nothing behind them.
class NamesOnly final : public TensorSource {
 public:
  void add(std::string name, std::vector<std::int64_t> shape = {}) {
    TensorInfo info;
    info.name = std::move(name);
    info.shape = std::move(shape);
    infos_.push_back(std::move(info));
  }
  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override {
    const auto at = std::find_if(infos_.begin(), infos_.end(), [&](const auto& i) { return i.name == name; });
    return at == infos_.end() ? nullptr : &*at;
  }
  Result<Tensor> load(std::string_view name) const override { return nothing(name); }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override { return nothing(name); }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

 private:
  static Error nothing(std::string_view name) {
    return fail(Code::not_found, "error.model.tensor_missing", {name, "[]"});
  }
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::string> metadata_;
};

bool has(std::string_view text, std::string_view piece) { return text.find(piece) != std::string_view::npos; }

// True for the classes without a head: "BertModel", "LlamaModel", "T5EncoderModel"; "MarianMTModel" has one.
bool is_base(const std::string& architecture) {
  return ends_with(architecture, "Model") && !ends_with(architecture, "MTModel") &&
         !has(architecture, "HeadModel");
}

// What a file of this class would hold of the tensors that families look for.
NamesOnly described_config_names_of(const Json& config, const std::string& type,
                                    const std::string& architecture) {
  NamesOnly out;
  const auto size = [&](const char* key, std::int64_t otherwise) {
    const auto at = config.find(key);
    return at != config.end() && at->is_number_integer() ? at->get<std::int64_t>() : otherwise;
  };
  if (type == "t5" || type == "mt5") {
    out.add("encoder.final_layer_norm.weight");
    if (!has(architecture, "Encoder")) out.add("decoder.final_layer_norm.weight");
  }
  if (is_base(architecture)) return out;
  if (has(architecture, "MaskedLM") || has(architecture, "ForPreTraining")) {
    out.add("cls.predictions.transform.dense.weight");
    out.add("lm_head.dense.weight");
    return out;
  }
  if (type == "vit" && (architecture.empty() || has(architecture, "ImageClassification")))
    out.add("classifier.weight", {size("num_labels", 1000), size("hidden_size", 768)});
  if (type == "bert" || type == "roberta" || has(architecture, "SequenceClassification")) return out;
  out.add("lm_head.weight");
  out.add("embed_out.weight");
  return out;
}

bool flag(const Json& config, const char* key, bool otherwise) {
  const auto at = config.find(key);
  return at != config.end() && at->is_boolean() ? at->get<bool>() : otherwise;
}

// Whether such a checkpoint holds an optional weight: LayerNorm's models have biases, RMSNorm's have none,
// and the config's own word goes first.
bool is_there(const ModelConfig& config, const Json& text, const std::string& type, const std::string& name) {
  const bool sight = starts_with(name, stack_prefix(Stack::vision)) || config.patch.size > 0;
  const bool enc = starts_with(name, stack_prefix(Stack::enc));
  const ModelConfig& own = sight ? config.of(Stack::vision) : enc ? config.of(Stack::enc) : config;
  const BlockSpec* block = own.block_of(name);
  const bool biased = block && block->norm.kind == NormSpec::Kind::layer;
  if (!ends_with(name, ".bias")) return true;
  if (has(name, "logits.")) return config.head.transform || config.head.first_row_only;
  if (sight || has(name, "head.pre") || has(name, "ln")) return true;
  if (has(name, ".mlp.")) return flag(text, "mlp_bias", biased);
  if (!has(name, ".attn.") && !has(name, ".cross.")) return true;
  if (type == "qwen2") return !ends_with(name, ".out.bias");
  return flag(text, "attention_bias", biased);
}

// The config inside that describes the words, where there is one.
const Json& words_of(const Json& config) {
  const auto text = config.find("text_config");
  return text != config.end() && text->is_object() ? *text : config;
}

std::string dtype_of(const Json& config) {
  for (const char* key : {"torch_dtype", "dtype"}) {
    const auto at = config.find(key);
    if (at == config.end() || !at->is_string()) continue;
    const std::string name = at->get<std::string>();
    return name == "bfloat16" ? "bf16" : name == "float16" ? "f16" : name == "float32" ? "f32" : "";
  }
  return {};
}

// The pooler of base models that have one: a matrix over the first row.
void add_pooler(Described& out, const std::string& type, const std::string& architecture) {
  const bool poolable = type == "bert" || type == "roberta" || type == "vit";
  const bool pooled = is_base(architecture) || has(architecture, "ForPreTraining") ||
                      (type == "bert" && has(architecture, "SequenceClassification"));
  if (!poolable || !pooled || architecture.empty()) return;
  const std::int64_t d = out.config.d_model;
  out.beside.push_back({"pooler.weight", {d, d}});
  out.beside.push_back({"pooler.bias", {d}, false});
}

Result<Described> by_family(const Json& given, const std::string& what) {
  TRY(const KnownFamily known, known_family(given, what));
  Json config = given;
  config["model_type"] = known.type;
  const std::string architecture = architecture_of(given);
  Described out;
  const NamesOnly names = described_config_names_of(config, known.type, architecture);
  TRY(out.config, known.family->read_config(config, names));
  out.family = out.config.family = known.family->name;
  out.dtype = dtype_of(given);
  const Json& text = words_of(config);
  for (const WeightShape& weight : expected_weights(out.config))
    if (!weight.required && !is_there(out.config, text, known.type, weight.name))
      out.absent.insert(any_block(weight.name));
  add_pooler(out, known.type, architecture);
  return out;
}

// ---- what has experts or a latent cache: read as the family whose block it shares --------------------
struct Borrowed {
  const char *type, *as, *name;
};
constexpr Borrowed kBorrowed[] = {
    {"mixtral", "mistral", "Mixtral"},       {"qwen3_moe", "qwen3", "Qwen3-MoE"},
    {"gpt_oss", "llama", "gpt-oss"},         {"deepseek_v2", "llama", "DeepSeek-V2"},
    {"deepseek_v3", "llama", "DeepSeek-V3"}, {"phi3", "llama", "Phi-3"}};

const Borrowed* borrowed(const Json& config) {
  const auto type = config.is_object() ? config.find("model_type") : config.end();
  if (!config.is_object() || type == config.end()) return nullptr;
  for (const Borrowed& one : kBorrowed)
    if (*type == one.type) return &one;
  return nullptr;
}

void read_experts(ConfigReader& config, Described& out) {
  ExpertSpec& e = out.experts;
  e.count = config.count({"num_local_experts", "n_routed_experts", "num_experts"}, 0, kMostSize);
  if (e.count == 0) return;
  e.active = config.size({"num_experts_per_tok", "experts_per_token"}, 0, kMostSize);
  if (e.active > e.count)
    config.refuse(fail(Code::out_of_range, "error.arch.active_experts", {config.what(), e.active, e.count}));
  e.shared = config.count({"n_shared_experts"}, 0, 1024);
  e.first_block = config.count({"first_k_dense_replace"}, 0, 4096);
  const int wide = config.size({"moe_intermediate_size", "intermediate_size"}, 0, kMostSize);
  for (int block = e.first_block; block < out.config.n_layers(); ++block)
    out.config.blocks[static_cast<std::size_t>(block)].mlp.d_mlp = wide;
}

void read_latent(ConfigReader& config, Described& out) {
  LatentSpec& s = out.latent;
  s.kv_rank = config.count({"kv_lora_rank"}, 0, kMostSize);
  if (s.kv_rank == 0) return;
  s.q_rank = config.count({"q_lora_rank"}, 0, kMostSize);
  s.nope = config.size({"qk_nope_head_dim"}, 0, kMostSize);
  s.rope = config.size({"qk_rope_head_dim"}, 0, kMostSize);
  s.v = config.size({"v_head_dim"}, 0, kMostSize);
}

// Windows by "layer_types", where the family that was borrowed has none.
void read_windows(ConfigReader& config, Described& out) {
  const Json* types = config.find({"layer_types"});
  if (!types || !types->is_array()) return;
  const int window = config.count({"sliding_window"}, 0, 1 << 30);
  for (std::size_t i = 0; i < out.config.blocks.size() && i < types->size(); ++i)
    out.config.blocks[i].attention.window = (*types)[i] == "sliding_attention" ? window : 0;
}

// gpt-oss: biases in its experts and its router, one sink for each head.
void add_gpt_oss(Described& out) {
  out.experts.router_bias = true;
  std::erase_if(out.absent, [](const std::string& name) { return has(name, ".mlp."); });
  for (BlockSpec& block : out.config.blocks) block.attention.sinks = true;
}

Result<Described> by_borrowing(const Json& given, const Borrowed& from, const std::string& what) {
  Json config = given;
  config["model_type"] = from.as;
  config.erase("architectures");
  config.erase("rope_scaling");  // counts nothing
  config.erase("rope_parameters");
  if (std::string_view(from.type) == "mixtral" && !config.contains("sliding_window"))
    config["sliding_window"] = nullptr;
  if (std::string_view(from.type) == "gpt_oss") config["attention_bias"] = true;
  const auto nope = config.find("qk_nope_head_dim");
  if (nope != config.end()) config["head_dim"] = 2;  // unused: the widths of the heads are in the latent spec
  TRY(Described out, by_family(config, what));
  ConfigReader reader(config, what);
  read_experts(reader, out);
  read_latent(reader, out);
  read_windows(reader, out);
  TRY_OK(reader.status());
  if (std::string_view(from.type) == "gpt_oss") add_gpt_oss(out);
  out.family = out.config.family = from.name;
  out.dtype = dtype_of(given);
  out.runs = false;
  return out;
}

// ---- OpenVLA: two vision encoders side by side, a projector over both, Llama 2 ------------------------
// The rows of one vision encoder's weights that a ViT does not have.
void add_tower_parts(const Json& config, const ModelConfig& tower, Described& out) {
  const std::int64_t d = tower.d_model, wide = extent(tower, &BlockSpec::mlp, &MlpSpec::d_mlp).second;
  const auto registers = config.value("registers", 0);
  if (registers > 0) out.beside.push_back({"vision.register_embed.weight", {registers, d}});
  for (int block = 0; flag(config, "layer_scale", false) && block < tower.n_layers(); ++block) {
    const std::string base = "vision.blocks." + std::to_string(block);
    out.beside.push_back({base + ".attn.layer_scale", {d}});
    out.beside.push_back({base + ".mlp.layer_scale", {d}});
  }
  if (!flag(config, "attention_pool", false)) return;
  const std::string pool = "pooler.vision.";
  out.beside.push_back({pool + "query", {1, d}});
  for (const char* name : {"q", "k", "v", "out"}) {
    out.beside.push_back({pool + name + ".weight", {d, d}});
    out.beside.push_back({pool + name + ".bias", {d}});
  }
  out.beside.push_back({pool + "ln.weight", {d}});
  out.beside.push_back({pool + "ln.bias", {d}});
  out.beside.push_back({pool + "up.weight", {d, wide}});
  out.beside.push_back({pool + "up.bias", {wide}});
  out.beside.push_back({pool + "down.weight", {wide, d}});
  out.beside.push_back({pool + "down.bias", {d}});
}

Status add_towers(const Json& config, Described& out) {
  std::int64_t seen = 0;
  for (const Json& one : config["vision_configs"]) {
    ConfigReader reader(one, "config.json: vision_configs");
    ImageDefaults defaults;
    defaults.class_token = reader.flag({"class_token"}, false);
    ModelConfig tower = read_image_config(reader, Stack::vision, defaults);
    if (reader.flag({"patch_positions_only"}, false))
      tower.position.max_positions = std::int64_t{tower.patch.rows} * tower.patch.cols;
    TRY_OK(reader.status());
    add_tower_parts(one, tower, out);
    seen += tower.d_model;
    out.config.encoders.push_back(std::move(tower));
  }
  std::int64_t in = seen;
  int layer = 0;
  for (const Json& width : config["projector"]) {
    const auto next = width.get<std::int64_t>();
    const std::string name = "projected." + std::to_string(layer++);
    out.beside.push_back({name + ".weight", {in, next}});
    out.beside.push_back({name + ".bias", {next}});
    in = next;
  }
  return Done{};
}

// The published config leaves out the sizes of Llama 2 and the vision encoders: they are in the preset.
Result<Described> openvla(const Json& given, const std::string& what) {
  TRY(Json config, preset_config("openvla-7b"));
  if (const auto text = given.find("text_config"); text != given.end() && text->is_object())
    config["text_config"].merge_patch(*text);
  TRY(Described out, by_family(config["text_config"], what));
  TRY_OK(add_towers(config, out));
  out.family = out.config.family = "OpenVLA";
  out.dtype = dtype_of(config);
  out.runs = false;
  return out;
}

}  // namespace

Result<Described> describe_config(const Json& config, const std::string& what) {
  const bool vla = config.is_object() && config.value("model_type", Json()) == "openvla";
  if (vla) return openvla(config, what);
  if (const Borrowed* from = borrowed(config)) return by_borrowing(config, *from, what);
  return by_family(config, what);
}

}  // namespace attnscope
