// card.json beside a model's weights: what the model is for, the inputs to open it
// with, and the attention head to show first. The trainer writes it (core/train/card.h); every field may be
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
  std::vector<Input> inputs;           ///< shown first; empty = the usual first text
  std::string task;                    ///< that it was trained on
  std::optional<CountedRows> counted;  ///< rows in the loss of its training; older cards have the task alone
  int layer = -1, head = -1;           ///< of the main stack; of cross-attention where there is an encoder
  /// Share of what it says that was right on `measured` held-out examples of its task; nothing: not measured.
  std::optional<double> accuracy;
  int measured = 0;
};

/// Errors: no object, inputs that are none.
Result<ModelCard> model_card_from_json(const nlohmann::json& json, const std::string& what);

}  // namespace attnscope
