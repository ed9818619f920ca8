// What a document changed of the numbers that it opened with: weights and vector inputs, cell by cell.
// Interventions and mask cells stand in the document itself. Refuses to list without end.
#pragma once

#include <string>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

/// One number that is no longer what the file said.
struct NumberChange {
  std::string weight;               ///< empty: a vector input
  int sequence = 0;                 ///< of the input
  std::vector<std::int64_t> index;  ///< [pos, dim] of an input
  float before = 0, now = 0;
};

/// Weights of `now` that differ from `first`, at most `limit` numbers. Tensors that were never edited cost
/// nothing.
std::vector<NumberChange> weight_changes(const Model& first, const Model& now, std::size_t limit = 100);
/// Vector inputs that differ from those of the opened scene, at most `limit`; none where the sizes differ.
std::vector<NumberChange> input_changes(const Document& document, std::size_t limit = 100);
/// Puts the number back to what the file said.
Status take_back(Document& document, const NumberChange& change);

}  // namespace attnscope
