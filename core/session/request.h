// What a person asks to be run, as both programs take it: texts or ids of sequences, what decoders have
// written, images, named parts, segments, masks, edits, padding. One table of flags says how each is written;
// one reader and one writer turn words ("--text", "the cat") into a Request and back. apply_request() lays it
// over a Document, whose inputs_of() and edits are what runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number.h"
#include "core/session/document.h"
#include "core/system/arguments.h"

namespace attnscope {

struct Request {
  /// What one sequence reads: a text ("@FILE" is read from there), or token ids as "1,2,3".
  struct Words {
    std::string text;
    bool ids = false;
    bool operator==(const Words&) const = default;
  };
  std::vector<Words> words;          ///< one sequence each, in the order in which they were given
  std::vector<Words> decoder_words;  ///< matched to the sequences by their order, like the next three
  std::vector<std::string> images, spans, types;
  std::vector<std::string> masks;      ///< "causal", "enc:window(4)", "cross:@FILE.npy"
  std::vector<std::string> edits;      ///< "blocks.0.attn.z[head=1]=0"
  std::vector<std::string> steers;     ///< "v.gguf", "v.npz:0.5": added to the stream before the edits
  std::optional<std::int64_t> pad_to;  ///< tokens of every sequence; 0: as many as the longest has
  std::optional<PadSide> pad_side;     ///< alone: pads to the longest

  bool operator==(const Request&) const = default;
  /// No sequence is given: the model's own are meant.
  bool empty() const { return words.empty() && images.empty(); }
  /// Nothing is given at all.
  bool unused() const { return *this == Request(); }
};

/// One flag: its name ("text" for --text), its value as a help shows it, the key of its help, and what it
/// sets.
struct RequestFlag {
  std::string_view name, type, help;
  bool once = false;         ///< of the whole batch; all others may be repeated
  bool takes_empty = false;  ///< an empty text is a text
  NumberCheck check = {};    ///< null: any value; else the sentence where one is not taken
  Status (*take)(Request&, const std::string& value, const std::string& flag);
  /// Its values in a request; null for texts and ids, whose order among each other counts.
  std::vector<std::string> (*values)(const Request&);
};
const std::vector<RequestFlag>& request_flags();
/// The same for a parser of arguments, their helps in words; without `batch` those that are not `once`. With
/// a prefix, --clean says the same as --clean-text.
std::vector<ValueFlag> request_value_flags(const std::string& prefix = "", bool batch = true);
/// "1,2,3". Errors: no such list; the sentence names the flag that it stands behind.
Result<std::vector<int>> parse_ids(const std::string& text, const std::string& flag);

/// Reads {"--text", "the cat", "--ids", "1,2"}; `prefix` stands before every name ("clean-": --clean-text).
/// Errors: no such flag, no value, a value that it does not take.
Result<Request> read_request(const std::vector<std::string>& words, const std::string& prefix = "");
/// The words that read back as this request.
std::vector<std::string> request_words(const Request& request, const std::string& prefix = "");

/// What "mean" and "resample" are at a place where prompts of a data set are at hand
/// (core/session/data_edits.h), and where the numbers came from.
using DataNumbers =
    std::function<Result<Frozen>(const std::string& name, const Target& where, const Document& document)>;

/// Lays a request over a document that has a model: words replace its sequences, all else goes to those that
/// are there; edits stand behind those of the document. Errors: text without a tokenizer, more decoder inputs
/// (images, ...) than sequences, what a model does not read, files that cannot be read. `prefix` as above.
/// Without `data`, "mean" is over positions and "resample" an error.
Status apply_request(Document& document, const Request& request, const std::string& prefix = "",
                     const DataNumbers& data = {});
/// The edits of a text over a document, as put behind the others: `named` finds @run: and @dir:, `runs` the
/// runs that places may need.
Result<Edits> edits_of_text(const std::string& text, const Document& document, const EditNumbers& named,
                            const EditRuns& runs, const DataNumbers& data);
/// The inputs and edits of the model's scene, where it has one. It is used while `opened` lives.
Document blank_document(const OpenedModel& opened);
/// The document of a request alone, or of the inputs of the model's scene. It is used while `opened` lives.
/// Errors: also a model that brings no input, where none is given.
Result<Document> requested_document(const OpenedModel& opened, const Request& request,
                                    const std::string& prefix = "");

}  // namespace attnscope
