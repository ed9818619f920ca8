// A family as a table: which fields of config.json its sizes are, what its blocks are made of, and what its
// tensors are called. What is special beyond that is one function, `finish`.
#pragma once

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/tensor_names.h"

namespace attnscope {

/// A field by any of its spellings, and what it is where the config is silent.
template <class T>
struct ConfigField {
  ConfigReader::Keys keys;
  T fallback{};
};

/// A decoder of one stack with heads of d_model / heads.
struct FamilyTable {
  std::string name;
  std::vector<std::string> model_types;

  ConfigField<int> d_model, vocab, layers, heads;
  ConfigField<int> d_mlp{{}, 0};      ///< 0: 4 d_model
  ConfigField<int> positions{{}, 0};  ///< no keys: any number of them
  ConfigField<const char*> activation{{}, "gelu"};
  ConfigField<double> eps{{}, 1e-5};
  ConfigField<bool> tied{{"tie_word_embeddings"}, true};
  ConfigField<bool> parallel{{}, false};  ///< attention and MLP read the same stream
  bool has_pad = true;                    ///< "pad_token_id" is read
  const char* uneven_heads = "";          ///< error where the heads do not divide d_model
  struct Unsupported {
    const char *flag, *error;
  };
  std::vector<Unsupported> unsupported = {};  ///< flags that must not be set

  PositionSpec::Kind table = PositionSpec::Kind::none;
  AttentionPosition::Kind attention = AttentionPosition::Kind::none;
  double rotary_share = 1;  ///< part of a head that rotates, where the config is silent
  bool embed_norm = false;
  /// The tensor of an own head, beside the base model; without it the head is tied, or there is none.
  const char* head = "lm_head";
  bool headless = false;  ///< files may have no head

  std::vector<std::string> prefixes;  ///< of all tensors; the first with which the anchor is found
  const char* anchor = "";
  TensorNames tensors;
  void (*finish)(ConfigReader& config, ModelConfig& out) = nullptr;
};

/// `table` lives as long as the program.
Family family_of_table(const FamilyTable& table);

}  // namespace attnscope
