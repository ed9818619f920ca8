// What an opened model has beside its weights (open.h has what others ask of it).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/arch/open.h"

namespace attnscope {

/// What the file holds, by number format.
void count_formats(const TensorSource& source, OpenedModel& out);
/// The tokenizer that lies in `path`, or a note why there is none.
void add_tokenizer(OpenedModel& out, bool is_there, const std::string& path);
/// What a classifier's outputs stand for.
void add_output_names(OpenedModel& out, const nlohmann::json& config);
/// The card beside the weights, or a note why it could not be read.
void add_card(OpenedModel& out, const Result<nlohmann::json>& file, const std::string& what);

}  // namespace attnscope
