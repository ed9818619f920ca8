// The Document: all that a person made and can undo. Small, because tensors are shared: a copy per undo
// point. The Trace follows from it and is not part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/sample/sampler.h"
#include "core/trace/intervention.h"

namespace attnscope {

/// One sequence of the batch: what runs, and how it is written.
struct Sequence {
  Input input;
  std::string text;           ///< what the tokens spell; empty where there is no tokenizer
  std::vector<Token> tokens;  ///< one per id, with bytes of `text`; empty for vector inputs
};

struct Document {
  std::shared_ptr<const OpenedModel> opened;  ///< null: nothing is open
  std::shared_ptr<const Model> model;         ///< opened->model with the weight edits applied
  std::vector<Sequence> sequences;
  std::vector<Mask::Cell> mask_cells;
  std::vector<Intervention> interventions;
  Sampling sampling;
};

/// The document of a freshly opened model: its own inputs, or a first text.
Document new_document(std::shared_ptr<const OpenedModel> opened);

/// Text -> sequence by the model's tokenizer; without one, numbers separated by blanks or commas are ids, and
/// a scene's words are looked up. Errors say which piece was not understood.
Result<Sequence> sequence_from_text(const OpenedModel& opened, const std::string& text);
/// Ids -> sequence; the text is what they spell.
Sequence sequence_from_ids(const OpenedModel& opened, std::vector<int> ids);
/// How position `pos` is labelled: its token, or "token 3" for vector inputs (a number, not a word: see the
/// app).
std::string position_label(const OpenedModel& opened, const Sequence& sequence, std::int64_t pos);

// Edits of a document. Each changes its argument only; Session::edit makes the undo point.
Status set_text(Document& document, std::size_t sequence, const std::string& text);
Status replace_token(Document& document, std::size_t sequence, std::size_t pos, int id);
Status insert_token(Document& document, std::size_t sequence, std::size_t pos, int id);
Status delete_token(Document& document, std::size_t sequence, std::size_t pos);
/// One number of a vector input.
Status set_input_cell(Document& document, std::size_t sequence, std::int64_t pos, std::int64_t dim,
                      float value);
/// One number of a weight (shared tensors are copied once per edit).
Status set_weight_cell(Document& document, const std::string& name, const std::vector<std::int64_t>& index,
                       float value);
/// Sets or clears one mask cell; equal to the model's own mask = no override.
void set_mask_cell(Document& document, std::int64_t query, std::int64_t key, bool allowed);
/// A scene at other sizes, drawn from `seed`.
Status resize_scene(Document& document, const SceneSizes& sizes, std::uint64_t seed);
/// Adds a row to every sequence of vectors; its numbers are drawn from the scene's seed and the new length,
/// so that the same click gives the same numbers. Errors: not a scene of vectors, too long for a scene.
Status add_position(Document& document);
/// Takes a row away from every sequence of vectors. Errors: no such row, the last one.
Status delete_position(Document& document, std::int64_t pos);
/// Adds an intervention, or replaces the one at the same place.
void set_intervention(Document& document, Intervention intervention);
/// The scene as it stands with all edits, for saving.
Result<Scene> scene_of(const Document& document);

}  // namespace attnscope
