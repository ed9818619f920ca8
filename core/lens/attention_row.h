// One row of attention spelled out: for each key the score, its value after scaling, soft cap, bias and mask,
// the exponential and the weight. Errors: rows that the run does not have.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct AttentionTerm {
  double score = 0;        ///< q . k
  double scaled = 0;       ///< times the scale; where the mask comes first: the softmax's input
  double capped = 0;       ///< after the soft cap; `scaled` where there is none
  double bias = 0;         ///< added for the distance between query and key (ALiBi, T5)
  bool allowed = true;     ///< by the mask
  double exponential = 0;  ///< exp(x - maximum) of the softmax's input; 0 for masked keys
  double weight = 0;       ///< of the pattern
};

struct AttentionRow {
  std::vector<AttentionTerm> terms;  ///< one per key
  std::optional<double> sink;        ///< a logit beside the scores, in maximum and sum
  double maximum = 0, sum = 0;       ///< of the row; -inf and 0 where every key is masked
  double scale = 1;                  ///< the factor between score and scaled
  std::int64_t root_of = 0;  ///< n where the factor is 1/√n, usually the head size; 0: it is another
  double cap = 0;            ///< > 0: soft cap of the scaled scores
  bool biased = false;       ///< the bias is not 0 everywhere
  bool mask_first = false;   ///< the mask comes before the scaling
  bool edited = false;       ///< the pattern was edited: weight is not exp / sum
};

/// `pattern` names the pattern of a block. Errors: no such attention, head or query out of range.
Result<AttentionRow> attention_row(const Trace& trace, const Site& pattern, std::int64_t head,
                                   std::int64_t query);

/// The key with the largest weight in a row of the pattern; the first of equal ones. 0 where there is no such
/// row.
std::int64_t strongest_key(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query);

}  // namespace attnscope
