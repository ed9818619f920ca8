// A folder of recorded arrays that a recorder (scripts/record.py, scripts/record_llama.cpp) fills part by
// part while the model runs: record-00003-of-00034.safetensors, each appearing whole, and
// model.safetensors.index.json behind the last one. It can be read at any time; what is missing is said.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/io/tensor_source.h"

namespace attnscope {

struct RecordedFolder {
  std::shared_ptr<TensorSource> source;  ///< of all parts that are whole
  std::vector<Text> warnings;            ///< which parts are missing or damaged
};

/// A file of recorded arrays, also one that was cut off while it was written: what is whole of it, and a
/// warning. Errors: open_safetensors's.
Result<std::shared_ptr<TensorSource>> open_recorded_part(const std::string& path,
                                                         std::vector<Text>& warnings);
/// The name of a part, or of the index behind them.
bool is_recorded_part(const std::string& file);
bool has_recorded_parts(const std::string& folder);
/// Errors: no part that is whole; one array in two parts; parts of two records.
Result<RecordedFolder> open_recorded_parts(const std::string& folder);

}  // namespace attnscope
