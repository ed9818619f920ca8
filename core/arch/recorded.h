// Arrays that another program saved (queries, keys, patterns, residual streams, under our names or those of
// TransformerLens) as traces to look at without a model. Errors: arrays that contradict each other, and files
// without any array of a known name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/trace/trace.h"

namespace attnscope {

struct Recorded {
  std::vector<std::shared_ptr<const Trace>> traces;  ///< one per sequence
  std::vector<int> numbers;                          ///< of each: 5 where its names begin with "seq5."
  std::map<int, std::string> words;                  ///< spelling of token ids, where the file has them
  std::vector<Text> notes;
};

/// True where the metadata marks the file as such a recording, or most of its arrays have names of steps.
bool is_recording(const TensorSource& source);

/// Names are sites ("blocks.0.attn.pattern") or TransformerLens names; "seq1." in front means the second
/// sequence. A leading axis more than the step has is the batch. TransformerLens lays heads behind positions:
/// [pos, head, d_head]. `tokens` (or `input_ids`) hold ids; the metadata entry `words` is a JSON list with
/// the spelling of each position; `causal` = "false" where a pattern is made from Q and K without a mask.
Result<Recorded> read_recording(const TensorSource& source, const std::string& what);

}  // namespace attnscope
