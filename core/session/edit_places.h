// The places around a cell (its row, its head, its step), as targets of edits, and which of a document's
// edits touch a place. What can be edited is decided in core/trace/editable.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

/// A cell of a step with some of its coordinates open, narrowest place first: the cell, its rows and columns,
/// the head, the whole step. A stage of attention ends with its head's output (z), a block's stream
/// begins with what the block adds to it. Numbers of an input of rows are named as the input's.
std::vector<Target> places_of(const Trace& trace, const Cell& cell);
/// A cell of a weight, its row, its column, all of it; under the name that the weight is kept by.
std::vector<Target> places_of(const Trace& trace, const std::string& weight,
                              const std::vector<std::int64_t>& index);

/// True where every cell of `inner` is one of `outer`.
bool within(const Target& inner, const Target& outer);
/// True where they have a cell in common.
bool meet(const Target& a, const Target& b);
/// The numbers that enabled edits put into places of sequence `sequence` that meet this one.
std::vector<const NumberEdit*> edits_of(const Edits& edits, int sequence, const Target& where);
/// Removes the number edits of sequence `sequence` inside of a place; true where there were any.
bool take_back_edits(Document& document, int sequence, const Target& where);
/// The document without the enabled edits that reach this cell in sequence `sequence`: numbers put into
/// places that hold it, and the switch of this cell of a mask. Null where there are none.
std::optional<Document> without_edits_at(const Document& document, const Trace& trace, int sequence,
                                         const Cell& cell);
/// The same of a number of a weight.
std::optional<Document> without_edits_at(const Document& document, const Trace& trace, int sequence,
                                         const std::string& weight, const std::vector<std::int64_t>& index);
/// Puts the edit; one that changes nothing (times 1, plus 0) is taken out instead.
void put_or_take_back(Document& document, std::shared_ptr<const Edit> edit);

}  // namespace attnscope
