// What card.json beside a model's weights tells whoever opens it: what the model is for, the inputs to begin
// with, and the head worth looking at. The trainer writes it (core/train/card.h); everything in it may be
// absent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/counted_rows.h"
#include "core/trace/input_json.h"

namespace attnscope {

struct ModelCard {
  std::string title, sentence;         ///< English
  std::vector<Input> inputs;           ///< to begin with; empty = the usual first text
  std::string task;                    ///< that it was trained on
  std::optional<CountedRows> counted;  ///< rows that its training counted; older cards name the task alone
  int layer = -1, head = -1;           ///< of the main stack; of cross-attention where there is an encoder
};

/// Errors: no object, inputs that are none.
Result<ModelCard> model_card_from_json(const nlohmann::json& json, const std::string& what);

}  // namespace attnscope
