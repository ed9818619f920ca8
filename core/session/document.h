// The Document: everything that is undoable. Small, because tensors are shared: a copy per undo
// point. The Trace is computed from it and is not part of it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/io/image.h"
#include "core/model/padding.h"
#include "core/sample/sampler.h"
#include "core/trace/edit.h"

namespace attnscope {

/// One sequence of the batch: the input, and its text.
struct Sequence {
  Input input;
  std::string text;                  ///< the decoded tokens; empty where there is no tokenizer
  std::vector<Token> tokens;         ///< one per id, with bytes of `text`; empty for vector inputs
  std::string source_text;           ///< the encoder's, for encoder-decoders
  std::vector<Token> source_tokens;  ///< one per id of input.source
  Picture picture;  ///< what input.pixels were made from; empty where they were read as numbers
};

/// How sequences of different lengths run: each by itself, or padded to a common length.
struct Padding {
  bool on = false;
  PadSide side = PadSide::right;
  std::int64_t to = 0;  ///< at least this many tokens; 0 = as many as the longest has
  bool decoder = true;  ///< of a model with an encoder: pads what its decoder reads, too
  bool operator==(const Padding&) const = default;
};

/// Sequences that the window shows at once.
inline constexpr std::size_t kMostDocumentSequences = 32;

struct DataPrompts;

/// A data set beside the inputs: a list of prompts to open one of, and to ask over (prompt_list.h).
struct PromptList {
  std::shared_ptr<const DataPrompts> prompts;        ///< null: none
  std::int64_t opened = -1;                          ///< the prompt that was opened last; -1: none
  bool corrupt = false;                              ///< its corrupt side was opened
  Input as_opened;                                   ///< its input: a text that was changed is no prompt
  std::shared_ptr<const std::vector<Sequence>> own;  ///< what was there before a prompt was opened
};

/// Parts of the model under a name: places ("blocks.0.attn.z[head=2]"), or paths between two of them
/// ("blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]").
struct NamedCircuit {
  std::string name;
  std::vector<std::string> parts;
  std::string measure = {};  ///< by which it was found: "logit_diff"; empty: not known
  bool operator==(const NamedCircuit&) const = default;
};

struct Document {
  std::shared_ptr<const OpenedModel> opened;  ///< null: nothing is open
  std::shared_ptr<const Model> model;         ///< what is run, before edits
  std::vector<Sequence> sequences;
  Padding padding;
  Edits edits;  ///< in the order in which they are carried out
  Sampling sampling;
  std::map<std::string, std::string> notes;  ///< notes of the user on a step or a cell, by its text
  PromptList data;
  std::vector<NamedCircuit> circuits;  ///< that a person named
};

/// One mask of a document as shown: a switched cell holds for every block and sequence, but it
/// is compared with the model's own mask, in which blocks and sequences may differ.
struct MaskPlace {
  AttentionKind of = AttentionKind::main;
  int layer = 0, sequence = 0;
};

/// The inputs as they run: padded by Document::padding.
std::vector<Input> inputs_of(const Document& document);
/// Padding tokens before and after a sequence's own.
struct PadCounts {
  std::int64_t before = 0, after = 0;
  bool operator==(const PadCounts&) const = default;
};
/// How the document pads one sequence: the encoder's tokens (Stack::enc) or the main stack's.
PadCounts padding_of(const Document& document, std::size_t sequence, Stack of);

/// What a model with a tokenizer reads first, where it comes without inputs of its own.
inline constexpr const char* kFirstText = "The cat sat on the mat because it was tired. So the";

/// The document of a freshly opened model: its own inputs, or kFirstText, or a first picture. A decoder
/// with an encoder starts with the model's own output, so it may take as long as a few runs; when
/// `cancel` becomes true it starts with less.
Document new_document(std::shared_ptr<const OpenedModel> opened, const std::atomic<bool>* cancel = nullptr);

/// Text -> sequence by the model's tokenizer; without one, numbers separated by blanks or commas are ids, and
/// a scene's words are looked up. Errors have the piece that was not understood.
Result<Sequence> sequence_from_text(const OpenedModel& opened, const std::string& text);
/// Text -> the input of the encoder (Stack::enc) or the main stack: a decoder's start token and the
/// places of an image stand in front, and a decoder gets no end token from the tokenizer. Only ids,
/// text and tokens of the sequence are set.
Result<Sequence> spelled(const OpenedModel& opened, const std::string& text, Stack of);
/// Ids -> sequence, in input.ids whatever stack they are `of`; the text is their decoded text, without the
/// tokens that are not typed (a decoder's start, the places of an image, what the tokenizer's template adds).
Sequence sequence_from_ids(const OpenedModel& opened, std::vector<int> ids, Stack of = Stack::single);
/// A begin, an end, padding, the place of an image: a token that is no part of a text.
bool is_special_token(const OpenedModel& opened, int id);
/// The [MASK] token, where the vocabulary has it.
std::optional<int> mask_token(const OpenedModel& opened);
/// How position `pos` of a sequence is labelled: its token, or a number for vectors.
std::string position_label(const OpenedModel& opened, const Sequence& sequence, std::int64_t pos);
/// The place of a row of a stack that reads images: "r1 c3", or "[class]".
std::string patch_label(const PatchSpec& patch, std::int64_t row);
/// How row `row` of a stack of a run is labelled: its token, its place in the image ("r1 c3", "[class]"), or
/// a number for vectors; "PAD" for padding.
std::string row_label(const OpenedModel& opened, const Trace& trace, Stack stack, std::int64_t row);

// Edits of a document. Each changes its argument only; Session::edit makes the undo point.
// `of` names the tokens that are meant: the encoder's for Stack::enc, the main stack's for all others.
Status set_text(Document& document, std::size_t sequence, const std::string& text, Stack of = Stack::single);
/// The same with a text that was tokenized before, for example in the background.
Status set_spelled(Document& document, std::size_t sequence, Sequence words, Stack of);
Status replace_token(Document& document, std::size_t sequence, std::size_t pos, int id,
                     Stack of = Stack::single);
Status insert_token(Document& document, std::size_t sequence, std::size_t pos, int id,
                    Stack of = Stack::single);
Status delete_token(Document& document, std::size_t sequence, std::size_t pos, Stack of = Stack::single);
/// The segment of one token, or of it and all after it. Errors: a segment that the model does not have.
Status set_type(Document& document, std::size_t sequence, std::size_t pos, int type, bool and_after = false);
/// The main stack's ids, and the names of its parts, which may be none.
Status set_ids(Document& document, std::size_t sequence, std::vector<int> ids, std::vector<Span> spans);
/// A picture, resized for the model. Errors: the model has no image input.
Status set_picture(Document& document, std::size_t sequence, Picture picture);
/// Pixels that are normalised already [channel, row, column]. Errors: not of the size that the model
/// takes.
Status set_pixels(Document& document, std::size_t sequence, Tensor pixels);
/// A further sequence, a copy of sequence `like`; deleting keeps the last one.
Status add_sequence(Document& document, std::size_t like);
Status delete_sequence(Document& document, std::size_t sequence);
/// Errors: more tokens than the model has positions for.
Status set_padding(Document& document, const Padding& padding);
/// Errors: the mask's text does not parse, or does not fit the sequences.
Status set_mask_text(Document& document, const std::string& text, AttentionKind of = AttentionKind::main);
/// Names parts of a sequence ("image=4,text=3,action=2", from its start on; empty = none). Errors: counts
/// that pass its end.
Status set_spans(Document& document, std::size_t sequence, const std::string& text);
Result<std::vector<Span>> parse_spans(const std::string& text, std::int64_t length);
/// "image=4,text=3,action=2"
std::string spans_text(const std::vector<Span>& spans);
/// One number of a vector input.
Status set_input_cell(Document& document, std::size_t sequence, std::int64_t pos, std::int64_t dim,
                      float value);
/// One number of a weight. A weight of several names changes under all of them.
Status set_weight_cell(Document& document, const std::string& name, const std::vector<std::int64_t>& index,
                       float value);
/// Sets or clears one mask cell; equal to the model's own mask at `place` = no override.
void set_mask_cell(Document& document, std::int64_t query, std::int64_t key, bool allowed,
                   const MaskPlace& place = {});
/// The cells of one mask that were switched by hand, in order.
std::vector<Mask::Cell> switched_cells(const Document& document, AttentionKind of);
/// Replaces them; they are sorted here.
void set_switched_cells(Document& document, AttentionKind of, std::vector<Mask::Cell> cells);
/// The text of one mask's edits; "model" where there are none.
MaskSpec asked_mask(const Document& document, AttentionKind of);
/// A scene at other sizes, drawn from `seed`.
Status resize_scene(Document& document, const SceneSizes& sizes, std::uint64_t seed);
/// Adds a row to every sequence of vectors; its numbers are drawn from the scene's seed and the new length,
/// so that the same click gives the same numbers. Errors: not a scene of vectors, too long for a scene.
Status add_position(Document& document);
/// Takes a row away from every sequence of vectors. Errors: no such row, the last one.
Status delete_position(Document& document, std::int64_t pos);
/// Adds an edit behind the others, or replaces the one that does the same thing with other
/// numbers: the same cells by the same operation, the mask of the same attention, the same part of the model.
void put_edit(Document& document, std::shared_ptr<const Edit> edit);
/// Replaces the edits of one attention's mask by this one; by none where it is empty.
void put_mask(Document& document, MaskEdit mask);
/// Errors: no such edit.
Status switch_edit(Document& document, std::size_t index, bool enabled);
Status remove_edit(Document& document, std::size_t index);
/// Carries it out `by` places later (earlier where negative).
Status move_edit(Document& document, std::size_t index, int by);
/// The scene as it stands with all edits, for saving.
Result<Scene> scene_of(const Document& document);

}  // namespace attnscope
