// Things to try: small changes of a shipped model or scene, each with what it does to the answer. They are
// data (assets/try/NAME.json): which tokens, edits and masks of a freshly opened model change, where to look,
// and which answer is claimed before and after. Their sentences are made from those claims; play_try() runs
// both documents, so that a claim can be compared with what the model says.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/keyed_text.h"
#include "core/session/document.h"

namespace attnscope {

/// Whether the share of the first answer grows where the answer stays the same; stays: by less than is shown.
enum class TryMove : std::uint8_t { turns, falls, rises, stays };

struct TryThis {
  /// One token of the first sequence becomes another one; `enc`: of what the encoder reads.
  struct NewToken {
    std::size_t pos = 0;
    std::string from, word;  ///< both as token_label() has them
    bool enc = false;
  };
  std::string id;
  std::vector<NewToken> tokens;
  std::vector<std::string> edits, masks;     ///< as --edit and --mask take them
  double temperature = 0;                    ///< that answers are drawn at then; 0: as it was
  std::string view;                          ///< the id of the view to look at
  std::string at;                            ///< the row to look at: "blocks.1.attn.pattern[head=3,query=13]"
  std::int64_t row = -1;                     ///< whose answer is read; -1: the row that predicts
  std::string before;                        ///< the likeliest answer that is claimed before the change
  std::vector<std::string> after;            ///< and the likeliest ones after it, in their order
  std::size_t action = 0;                    ///< of the Pilot: which of the seven of a movement the answer is
  double share_before = 0, share_after = 0;  ///< of the first answer before, and of the first one after
  TryMove move = TryMove::turns;
  Text sentence;  ///< one line: what to do, and what follows
};

/// The things to try of what is open; none for what is not shipped. Errors: a table that does not read.
Result<std::vector<TryThis>> things_to_try(const OpenedModel& opened);
/// The same from the text of a table, whose name is for errors. Errors: no JSON, a field that lacks or has
/// another type, a place that does not read.
Result<std::vector<TryThis>> read_tries(std::string_view json, const std::string& name);

/// The document of a freshly opened model with the change: what a click on the sentence shows. Errors: an
/// unknown word, a position that does not hold the token it says, edits and masks that do not fit.
Result<Document> try_changed(std::shared_ptr<const OpenedModel> opened, const TryThis& thing);
/// The same on a document of one's own.
Result<Document> try_changed(Document before, const TryThis& thing);

/// The way there, `share` of 1: the changed document, its edits by numbers only so far done. What is added or
/// multiplied grows in even steps, and so does what one cell, or a place that is emptied, is set to; all else
/// is done at once. `run`: of the document before the change.
Document try_partly(const Document& before, const Document& changed, double share, const Trace& run);

/// Both are drawn alike: the same computation and the same temperature.
bool same_try(const Document& a, const Document& b);

/// One answer with its share of 1.
struct TryAnswer {
  std::string word;
  double share = 0;
};
struct TryOutcome {
  std::vector<TryAnswer> before, after;  ///< the likeliest first, at most five
  Text sentence;                         ///< both first answers with their shares
  bool true_claim = false;               ///< the runs say what TryThis claims
};
/// Runs the first sequence of both documents. Where a model answers with words, actions or classes, the
/// answers are those; without a head, the keys of the row TryThis::at by their attention. Errors: those of
/// the documents and runs, edits that reach nothing, a row that the run does not have.
Result<TryOutcome> play_try(std::shared_ptr<const OpenedModel> opened, const TryThis& thing);
/// The same on a document of one's own.
Result<TryOutcome> play_try(const Document& before, const TryThis& thing);

/// A change with its claim: both answers as `run`, of the document before, and a run from there have them,
/// and the sentence of its kind ("hide") with these words; and by how much the share of the first answer
/// moves. Errors: as play_try(); cancelled.
Result<std::pair<TryThis, double>> claim_try(const Document& before, const std::shared_ptr<const Trace>& run,
                                             TryThis change, const std::string& kind,
                                             const std::vector<Text>& words,
                                             const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
