// Opens models: a Hugging Face folder, a file inside one, a GGUF file, a JSON scene, or arrays that
// another program recorded (.npz, .safetensors).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arch/checkpoint_series.h"
#include "core/arch/lora.h"
#include "core/arch/model_card.h"
#include "core/arch/preprocess.h"
#include "core/arch/scene.h"
#include "core/model/model.h"
#include "core/text/tokenizer.h"

namespace attnscope {

/// How much of a file is stored in one number format.
struct StoredFormat {
  std::string name;  ///< "F32", "Q4_K"
  std::int64_t tensors = 0;
  std::uint64_t bytes = 0;
};

struct OpenedModel {
  std::string title;   ///< the scene's title, or the folder's name
  std::string path;    ///< as given; "scene:NAME" or "model:NAME" for what is shipped
  std::string family;  ///< "GPT-2", "Llama", "scene"
  std::string dtype;   ///< of the file's largest tensors: "F32", "BF16"
  std::uint64_t file_bytes = 0;
  std::vector<StoredFormat> formats;  ///< the most bytes first; empty for scenes
  bool stays_in_file = false;         ///< matrices are expanded piece by piece
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null: ids only
  std::optional<Scene> scene;
  Preprocessing preprocessing;                         ///< of pictures, for models with image input
  std::vector<std::shared_ptr<const Trace>> recorded;  ///< by another program: shown, never run
  std::vector<int> recorded_numbers;                   ///< of each: 5 where the file calls it "seq5."
  std::map<int, std::string> words;                    ///< spellings of ids that come without a tokenizer
  std::vector<std::string> output_names;  ///< the meaning of each output, where outputs are no tokens
  std::optional<ModelCard> card;          ///< of a model that the trainer wrote
  int training_step = -1;                 ///< of a model in training: the step after which it is this one
  std::vector<Text> notes;                ///< notes for the person ("tokenizer.json could not be read: ...")
  std::vector<Text> warnings;             ///< why its numbers may differ from those of transformers
  std::string architecture;               ///< the class in its config: "LlamaForCausalLM"; may be empty
  std::map<std::string, std::string>
      stored_as;                    ///< the tensor of the file that a weight is a part of, by its name
  std::vector<std::string> unused;  ///< tensors of the file that the config leaves unused
  std::vector<ReadFile> files;      ///< all that was read of it; none of what is shipped
  LoraChoice lora;                  ///< the adapter whose matrices are added to the file's; empty: none
  std::shared_ptr<const CheckpointSeries> series;  ///< the checkpoints that it is one of; null: none
};

struct OpenOptions {
  /// Bytes that expanded weights may take. Where those of other formats would take more, matrices stay as
  /// they are in the file. Negative: memory_limit(), and what can be decoded in the products stays in any
  /// case.
  std::int64_t expand_limit = -1;
  /// An adapter whose matrices are added to those of the file. For folders of safetensors.
  LoraChoice lora;
};

/// The model at `path`, or the one of "random:NAME" (random_model.h). Errors name the file and the
/// tensor, and list the known architectures.
Result<OpenedModel> open_model(const std::string& path, const OpenOptions& options = {});
/// A shipped scene or other text already in memory.
Result<OpenedModel> open_scene_text(std::string_view text, const std::string& name);

/// A model folder that lies in memory: its files by name. The bytes live as long as the program.
using ModelFiles = std::map<std::string, std::string_view, std::less<>>;
/// A shipped model; `name` becomes its path.
Result<OpenedModel> open_model_files(const ModelFiles& files, const std::string& name,
                                     const OpenOptions& options = {});

/// The same, its model with the texts of the tokenizer's ids, or the scene's words.
OpenedModel with_texts(OpenedModel opened);

/// How a token is shown: the tokenizer's spelling, the scene's word, or its id in <>.
std::string token_label(const OpenedModel& opened, int id);
/// Name of output `id`: a class, or a token.
std::string output_name(const OpenedModel& opened, int id);

/// Non-finite weights: how many, and where the first stands ("blocks.0.attn.q.weight[3, 4]"); empty when
/// none.
struct WeightHealth {
  std::int64_t nans = 0, infs = 0;
  std::string first;
};
WeightHealth weight_health(const Weights& weights);

}  // namespace attnscope
