// Records what llama.cpp computes, for attnscope to open: a run of a GGUF file, part by part while it runs,
// in the folder format of scripts/record.py (record-00003-of-00034.safetensors, model.safetensors.index.json
// last).
//
//   g++ -std=c++17 -O2 scripts/record_llama.cpp -o record_llama $(pkg-config --cflags --libs llama)
//   ./record_llama MODEL.gguf --text "The cat sat" --out RUN      or --ids 1,2,3
//   ./record_llama MODEL.gguf --ids 1,2,3 --list                  which names the graph of this model has
//
// --steps 'blocks.*.resid_pre,*.pattern' chooses (* for any), --store f16 halves the size, --gpu-layers N as
// llama.cpp takes it. The names of llama.cpp's tensors depend on the architecture: what has none is not
// recorded. Flash attention is off, or there would be no patterns; the cache is float32. Debian:
// libllama-dev, libggml-dev.
#include <fnmatch.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <llama.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

struct Array {
  std::string dtype;
  Shape shape;
  std::string bytes;
};

// Text as JSON has it; bytes that are no UTF-8 (a token may end inside a letter) become U+FFFD.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const int more = c < 0x80 ? 0 : c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;
    bool whole = more >= 0 && c < 0xf5 && i + static_cast<std::size_t>(std::max(more, 0)) < text.size();
    for (int k = 1; whole && k <= more; ++k) whole = (text[i + static_cast<std::size_t>(k)] & 0xc0) == 0x80;
    if (!whole) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += std::string("\\") + text[i];
    } else if (c < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += text.substr(i, static_cast<std::size_t>(more) + 1);
      i += static_cast<std::size_t>(more);
    }
  }
  return out + "\"";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return "[" + out + "]";
}

void appears_whole(const fs::path& path, const std::string& head,
                   const std::vector<const std::string*>& pieces) {
  const fs::path part = path.parent_path() / ("." + path.filename().string() + ".part");
  std::ofstream file(part, std::ios::binary);
  file << head;
  for (const std::string* piece : pieces) file << *piece;
  file.close();
  std::error_code error;
  if (file) fs::rename(part, path, error);
  if (file && !error) return;
  fs::remove(part, error);
  throw std::runtime_error(path.string() + " cannot be written. What was recorded before it is there.");
}

// A folder that is filled part by part: "input", "embed", "blocks.0", ..., "head".
class Record {
 public:
  Record(fs::path folder, std::string steps, bool half, int layers, std::map<std::string, std::string> told)
      : folder_(std::move(folder)), half_(half), told_(std::move(told)) {
    std::stringstream words(steps);
    for (std::string word; std::getline(words, word, ',');) steps_.push_back(word);
    parts_ = {"input", "embed"};
    for (int i = 0; i < layers; ++i) parts_.push_back("blocks." + std::to_string(i));
    parts_.emplace_back("head");
    told_["format"] = "attnscope-trace";
    told_["version"] = "1";
    told_["parts"] = list_of(parts_);
    fs::create_directories(folder_);
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("record-", 0) == 0 || name == kIndex || name == "config.json")
        throw std::runtime_error(folder_.string() +
                                 " holds a record or a model already: name another folder.");
    }
  }

  bool wants(const std::string& name) const {
    for (const std::string& word : steps_)
      if (fnmatch(word.c_str(), name.c_str(), 0) == 0) return true;
    return false;
  }
  void add(const std::string& name, Shape shape, const std::vector<float>& values) {
    if (!wants(name)) return;
    Array array{half_ ? "F16" : "F32", std::move(shape), std::string(values.size() * (half_ ? 2 : 4), '\0')};
    if (half_)
      ggml_fp32_to_fp16_row(values.data(), reinterpret_cast<ggml_fp16_t*>(array.bytes.data()),
                            static_cast<std::int64_t>(values.size()));
    else
      std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    waiting_[part_of(name)][name] = std::move(array);
  }
  void add_tokens(const std::vector<llama_token>& ids) {
    const std::vector<std::int64_t> wide(ids.begin(), ids.end());
    waiting_["input"]["tokens"] = {"I64",
                                   {static_cast<std::int64_t>(wide.size())},
                                   std::string(reinterpret_cast<const char*>(wide.data()), wide.size() * 8)};
  }

  // Writes a part. Nothing more comes for it.
  void finish(const std::string& part) {
    if (!done_.insert(part).second) return;
    const auto number = std::find(parts_.begin(), parts_.end(), part) - parts_.begin() + 1;
    char file[64];
    std::snprintf(file, sizeof file, "record-%05d-of-%05d.safetensors", static_cast<int>(number),
                  static_cast<int>(parts_.size()));
    const std::map<std::string, Array> arrays = std::move(waiting_[part]);
    std::string header = "{\"__metadata__\": {" + told() + "}";
    std::size_t at = 0;
    std::vector<const std::string*> data;
    for (const auto& [name, array] : arrays) {
      std::string shape;
      for (const std::int64_t size : array.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      header += ", " + quoted(name) + ": {\"dtype\": \"" + array.dtype + "\", \"shape\": [" + shape +
                "], \"data_offsets\": [" + std::to_string(at) + ", " +
                std::to_string(at + array.bytes.size()) + "]}";
      at += array.bytes.size();
      data.push_back(&array.bytes);
      files_[name] = file;
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(header.size());
    appears_whole(folder_ / file, std::string(reinterpret_cast<const char*>(&length), 8) + header, data);
    bytes_ += at;
  }
  void close() {
    for (const std::string& part : parts_) finish(part);
    std::string map;
    for (const auto& [name, file] : files_)
      map += (map.empty() ? "" : ",\n  ") + quoted(name) + ": " + quoted(file);
    appears_whole(folder_ / kIndex,
                  "{\"metadata\": {\"total_size\": " + std::to_string(bytes_) + ", " + told() +
                      "},\n \"weight_map\": {\n  " + map + "}}\n",
                  {});
  }

 private:
  static constexpr const char* kIndex = "model.safetensors.index.json";

  static std::string part_of(const std::string& name) {
    if (name.rfind("blocks.", 0) == 0) return name.substr(0, name.find('.', 7));
    return name.rfind("ln_final", 0) == 0 || name == "logits" ? "head" : "embed";
  }
  std::string told() const {
    std::string out;
    for (const auto& [key, value] : told_)
      out += (out.empty() ? "" : ", ") + quoted(key) + ": " + quoted(value);
    return out;
  }

  fs::path folder_;
  bool half_;
  std::vector<std::string> steps_, parts_;
  std::map<std::string, std::string> told_, files_;
  std::map<std::string, std::map<std::string, Array>> waiting_;
  std::set<std::string> done_;
  std::size_t bytes_ = 0;
};

// What the callback of the graph needs to know.
struct Run {
  Record* record = nullptr;  // null: names are listed
  int layers = 0, heads = 0, kv_heads = 0;
  std::int64_t tokens = 0;
  bool rotates = false, pairs_beside = false;  // RoPE; of neighbouring numbers, not of the two halves
  bool gated = true;                           // the MLP has two matrices up
  std::string failure;
};

// "l_out-3" -> "l_out", 3; -1 where there is no layer.
std::pair<std::string, int> parts_of(const char* name) {
  const std::string text = name;
  const std::size_t dash = text.rfind('-');
  if (dash == std::string::npos || dash + 1 == text.size() ||
      text.find_first_not_of("0123456789", dash + 1) != std::string::npos)
    return {text, -1};
  return {text.substr(0, dash), std::stoi(text.substr(dash + 1))};
}

// The step that a tensor of the graph is, below its block; empty: none.
std::string step_of(const Run& run, const ggml_tensor* t, const std::string& name) {
  static const std::map<std::string, std::string> kSteps = {{"embd", "tok_embed"},
                                                            {"inp_embd", "tok_embed"},
                                                            {"inpL", "embed"},
                                                            {"attn_norm", "ln1.out"},
                                                            {"Vcur", "attn.v"},
                                                            {"kq_soft_max", "attn.pattern"},
                                                            {"kqv_out", "attn.concat"},
                                                            {"attn_out", "attn.out"},
                                                            {"ffn_inp", "resid_mid"},
                                                            {"ffn_norm", "ln2.out"},
                                                            {"ffn_gate", "mlp.gate"},
                                                            {"ffn_up", "mlp.up"},
                                                            {"ffn_swiglu", "mlp.post"},
                                                            {"ffn_gate_par", "mlp.post"},
                                                            {"ffn_out", "mlp.out"},
                                                            {"l_out", "resid_post"},
                                                            {"result_norm", "ln_final.out"},
                                                            {"result_output", "logits"}};
  if (name == "Qcur" || name == "Kcur") {
    const std::string which = name == "Qcur" ? "q" : "k";
    if (run.rotates) return t->op == GGML_OP_ROPE ? "attn.rot_" + which : "";
    return "attn." + which;
  }
  if (!run.gated) {  // one matrix up, and its bias
    if (name == "ffn_up_b") return "mlp.pre";
    if (name == "ffn_up") return "";
    if (name == "ffn_gelu") return "mlp.post";
  }
  const auto found = kSteps.find(name);
  return found == kSteps.end() ? "" : found->second;
}

// The numbers in the order of the axes, also of a view that lies in another tensor.
std::vector<float> values_of(const ggml_tensor* t) {
  std::string bytes(ggml_nbytes(t), '\0');
  ggml_backend_tensor_get(t, bytes.data(), 0, bytes.size());
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(ggml_nelements(t)));
  for (std::int64_t i3 = 0; i3 < t->ne[3]; ++i3)
    for (std::int64_t i2 = 0; i2 < t->ne[2]; ++i2)
      for (std::int64_t i1 = 0; i1 < t->ne[1]; ++i1)
        for (std::int64_t i0 = 0; i0 < t->ne[0]; ++i0) {
          const std::size_t at =
              static_cast<std::size_t>(i0) * t->nb[0] + static_cast<std::size_t>(i1) * t->nb[1] +
              static_cast<std::size_t>(i2) * t->nb[2] + static_cast<std::size_t>(i3) * t->nb[3];
          std::memcpy(&out.emplace_back(), bytes.data() + at, sizeof(float));
        }
  return out;
}

// [pos, head, d] -> [head, pos, d], the pairs of a rotation as Hugging Face lays them: one half, then the
// other.
std::vector<float> heads_in_front(const Run& run, const std::vector<float>& values, std::int64_t heads) {
  const std::int64_t width = static_cast<std::int64_t>(values.size()) / (run.tokens * heads);
  std::vector<float> out(values.size());
  for (std::int64_t pos = 0; pos < run.tokens; ++pos)
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t i = 0; i < width; ++i) {
        const std::int64_t to = run.pairs_beside ? i / 2 + (i % 2) * (width / 2) : i;
        out[static_cast<std::size_t>((head * run.tokens + pos) * width + to)] =
            values[static_cast<std::size_t>((pos * heads + head) * width + i)];
      }
  return out;
}

void take(const Run& run, const ggml_tensor* t, const std::string& step, int layer) {
  Record& record = *run.record;
  const std::string front = layer < 0 ? "" : "blocks." + std::to_string(layer) + ".";
  const std::vector<float> values = values_of(t);
  const auto count = static_cast<std::int64_t>(values.size());
  if (step == "attn.pattern") {  // [head, query, key], keys up to the size of the cache
    const std::int64_t keys = t->ne[0], heads = t->ne[2];
    if (t->ne[1] < run.tokens || keys < run.tokens || t->ne[3] != 1) return;
    std::vector<float> out;
    for (std::int64_t row = 0; row < heads * t->ne[1]; ++row)
      if (row % t->ne[1] < run.tokens)
        out.insert(out.end(), values.begin() + row * keys, values.begin() + row * keys + run.tokens);
    record.add(front + step, {heads, run.tokens, run.tokens}, out);
  } else if (count % run.tokens != 0) {
    return;
  } else if (step == "attn.rot_q" || step == "attn.rot_k") {
    const std::int64_t heads = step == "attn.rot_q" ? run.heads : run.kv_heads;
    record.add(front + step, {heads, run.tokens, count / (run.tokens * heads)},
               heads_in_front(run, values, heads));
  } else {
    const Shape shape{run.tokens, count / run.tokens};
    record.add(front + step, shape, values);
    const bool leaves = step == "resid_post" && layer + 1 < run.layers;
    if (leaves) record.add("blocks." + std::to_string(layer + 1) + ".resid_pre", shape, values);
    if (step == "tok_embed" && run.rotates) record.add("blocks.0.resid_pre", shape, values);
    if (step == "embed") record.add("blocks.0.resid_pre", shape, values);
  }
}

// Asked before a tensor is computed, whether it is wanted; called again with its numbers.
bool on_tensor(ggml_tensor* t, bool ask, void* data) {
  Run& run = *static_cast<Run*>(data);
  const auto [name, layer] = parts_of(t->name);
  const std::string step = step_of(run, t, name);
  if (ask && !run.record)
    std::printf("%-24s %-12s %5d %5d %5d %5d  %s\n", t->name, ggml_op_name(t->op), static_cast<int>(t->ne[0]),
                static_cast<int>(t->ne[1]), static_cast<int>(t->ne[2]), static_cast<int>(t->ne[3]),
                step.c_str());
  if (ask) return run.record && !step.empty();
  if (!run.record || step.empty()) return true;
  if (t->type != GGML_TYPE_F32) return true;
  try {
    take(run, t, step, layer);
    if (step == "attn.v" || step == "ln1.out") run.record->finish("embed");
    if (step == "resid_post") run.record->finish("blocks." + std::to_string(layer));
  } catch (const std::exception& error) {
    run.failure = error.what();
    return false;  // the run ends here
  }
  return true;
}

struct Options {
  std::string model, text, ids, out, steps = "*";
  bool half = false, list = false;
  int gpu_layers = 0;
};

Options read_options(int argc, char** argv) {
  Options options;
  const auto value = [&](int& i) -> std::string {
    if (i + 1 >= argc) throw std::runtime_error(std::string(argv[i]) + " needs a value.");
    return argv[++i];
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--text")
      options.text = value(i);
    else if (word == "--ids")
      options.ids = value(i);
    else if (word == "--out")
      options.out = value(i);
    else if (word == "--steps")
      options.steps = value(i);
    else if (word == "--store")
      options.half = value(i) == "f16";
    else if (word == "--gpu-layers")
      options.gpu_layers = std::stoi(value(i));
    else if (word == "--list")
      options.list = true;
    else if (options.model.empty() && word.rfind("--", 0) != 0)
      options.model = word;
    else
      throw std::runtime_error("Unknown word: " + word);
  }
  if (options.model.empty() || (options.text.empty() && options.ids.empty()) ||
      (options.out.empty() && !options.list))
    throw std::runtime_error(
        "record_llama MODEL.gguf --text T | --ids 1,2,3 --out RUN [--steps S] [--store f16] "
        "[--gpu-layers N] | --list");
  return options;
}

std::vector<llama_token> tokens_of(const Options& options, const llama_vocab* vocab) {
  std::vector<llama_token> ids;
  if (!options.ids.empty()) {
    std::stringstream words(options.ids);
    for (std::string word; std::getline(words, word, ',');) ids.push_back(std::stoi(word));
    return ids;
  }
  ids.resize(options.text.size() + 8);
  const int count = llama_tokenize(vocab, options.text.data(), static_cast<int>(options.text.size()),
                                   ids.data(), static_cast<int>(ids.size()), true, false);
  if (count <= 0) throw std::runtime_error("The text could not be made into tokens.");
  ids.resize(static_cast<std::size_t>(count));
  return ids;
}

std::string words_of(const std::vector<llama_token>& ids, const llama_vocab* vocab) {
  std::vector<std::string> words;
  for (const llama_token id : ids) {
    char piece[256];
    const int length = llama_token_to_piece(vocab, id, piece, sizeof piece, 0, true);
    words.emplace_back(piece, static_cast<std::size_t>(std::max(length, 0)));
  }
  return list_of(words);
}

void record(const Options& options) {
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level >= GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  ggml_backend_load_all();
  llama_model_params how = llama_model_default_params();
  how.n_gpu_layers = options.gpu_layers;
  how.use_extra_bufts = false;                                // weights as they are in the file
  how.progress_callback = [](float, void*) { return true; };  // or dots are printed
  llama_model* model = llama_model_load_from_file(options.model.c_str(), how);
  if (!model) throw std::runtime_error(options.model + " cannot be opened by llama.cpp.");
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const std::vector<llama_token> ids = tokens_of(options, vocab);
  const int count = static_cast<int>(ids.size());
  Run run{nullptr,
          llama_model_n_layer(model),
          llama_model_n_head(model),
          llama_model_n_head_kv(model),
          count,
          llama_model_rope_type(model) != LLAMA_ROPE_TYPE_NONE,
          llama_model_rope_type(model) == LLAMA_ROPE_TYPE_NORM,
          true,
          {}};
  char kind[64] = "";
  llama_model_meta_val_str(model, "general.architecture", kind, sizeof kind);
  for (const char* plain : {"gpt2", "gptneox", "bloom", "mpt", "falcon", "starcoder", "starcoder2", "phi2"})
    run.gated &= std::strcmp(kind, plain) != 0;
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(std::max(count, 32));
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.type_k = params.type_v = GGML_TYPE_F32;
  params.cb_eval = on_tensor;
  params.cb_eval_user_data = &run;
  llama_context* context = llama_init_from_model(model, params);
  if (!context) throw std::runtime_error("llama.cpp makes no context for " + options.model + ".");
  std::map<std::string, std::string> told{{"engine", "llama.cpp"}, {"model", options.model}};
  if (llama_vocab_type(vocab) != LLAMA_VOCAB_TYPE_NONE) told["words"] = words_of(ids, vocab);
  std::vector<Record> records;
  if (!options.list) {
    records.emplace_back(options.out, options.steps, options.half, run.layers, told);
    run.record = &records.front();
    run.record->add_tokens(ids);
    run.record->finish("input");
  }
  llama_batch batch = llama_batch_init(count, 0, 1);
  for (int i = 0; i < count; ++i) {
    batch.token[i] = ids[static_cast<std::size_t>(i)];
    batch.pos[i] = i;
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = 0;
    batch.logits[i] = 1;  // or the last block would keep the last row alone
  }
  batch.n_tokens = count;
  const int status = llama_decode(context, batch);
  llama_batch_free(batch);
  if (run.failure.empty() && status != 0)
    run.failure = "llama.cpp did not run: " + std::to_string(status) + ".";
  if (run.failure.empty() && run.record) run.record->close();
  llama_free(context);
  llama_model_free(model);
  if (!run.failure.empty()) throw std::runtime_error(run.failure);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    record(read_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_llama: %s\n", error.what());
    return 1;
  }
  return 0;
}
