// What one asks, and the answers: the measure, the question about places that is put to it, the other prompt
// of a patch, and the sweep that answers. Saved with the session (text only), not undoable. Refuses to run
// what nobody asked for: start() does, and what is running stops when its numbers are no longer those on
// screen.
#pragma once

#include <map>
#include <span>

#include "core/lens/attribution.h"
#include "core/session/asked_measure.h"
#include "core/session/asked_sweep.h"

namespace attnscope {

/// A question that can be put to every place of a kind.
struct PlaceQuestion {
  const char* id;     ///< "heads": end of the keys of its words
  const char* steps;  ///< a selector inside of a stack: "blocks.*.attn.z"
  const char* over;   ///< "head", "pos", "head,pos"; "": each step at once
  bool patch;         ///< of a patch, else of a knock-out
  bool by_rows;       ///< its columns are rows of one stack
};
std::span<const PlaceQuestion> place_questions();
/// The model has such places.
bool has_places(const ModelConfig& config, const PlaceQuestion& question);
/// How many neurons are knocked out at once.
inline constexpr int kNeuronGroups[] = {1, 8, 32, 128};

/// heads: a table, whose effects are those of knocking out heads.
enum class AskPage : std::uint8_t { knock_out, patch, parts, heads, paths, graph, probes };
/// Answered by a sweep.
inline bool asks_sweep(AskPage page) { return page <= AskPage::patch || page == AskPage::heads; }

/// What a person chose.
struct AskSettings {
  AskPage page = AskPage::knock_out;
  std::string knock_out = "heads", patch = "residual";  ///< PlaceQuestion::id
  bool mean = false;                                    ///< knock out: the mean, not zero
  int group = 1;                                        ///< neurons that are knocked out at once
  std::string other;                                    ///< the other prompt
  bool into_other = true;       ///< places of the run on screen go into that of the other prompt
  Stack stack = Stack::single;  ///< of questions about rows; one that the model lacks: the main stack's, of
                                ///< patches what reads the prompts
  bool change = true;           ///< cells show the change, not the measure itself
  bool operator==(const AskSettings&) const = default;
};

class Asking {
 public:
  AskedMeasure measure;
  AskSettings settings;
  std::shared_ptr<const Attribution> sum;  ///< the newest one that was drawn

  /// Keeps the measure up to date, and stops a sweep whose run is no longer on screen. Once per frame.
  /// `pinned` as in AskedMeasure::follow.
  void follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
              const std::shared_ptr<const RunResult>& pinned = nullptr);
  /// What start() would ask. An Error without a sentence: there is no measure, no other prompt, or no model
  /// to run.
  const Result<SweepRequest>& request() const { return request_; }
  /// Answers the question, or goes on where its answer was stopped; the edits that cells put so far belong to
  /// the run that is asked about.
  void start(Workers& workers);
  /// start() would go on.
  bool can_go_on() const;
  void stop() { sweep_.stop(); }
  /// Another model was opened: answers about the one before are gone.
  void forget();
  bool running() const { return sweep_.running(); }
  /// The newest answer, or null.
  std::shared_ptr<const SweepAnswer> answer() const { return sweep_.newest(); }
  /// The answer is of the question and of the run that are asked now.
  bool is_fresh(const SweepAnswer& answer) const { return request_ && answer.key == key_; }
  /// Runs x parameters x rows that an answer takes.
  double effort() const;
  /// The question that is chosen (the first of its kind where the run has no such places), and the stack
  /// whose rows it is about.
  const PlaceQuestion& question() const;
  Stack stack_of(const ModelConfig& config) const;

  /// Puts a cell's edit into the document, or takes it back where it is in there. Where places go into the
  /// run of the other prompt, that becomes the document's; the two prompts have changed places when it ran.
  Status toggle(Document& document, const SweepAnswer& answer, std::size_t cell);
  /// The document holds the edit of this cell.
  bool is_put(const Document& document, const SweepAnswer& answer, std::size_t cell) const;

 private:
  Result<SweepRequest> made(const RunResult& run) const;
  Status change_places(Document& document);
  void follow_swap(const Document& document);
  std::string own_text(const Document& document) const;
  bool belongs(const std::shared_ptr<const Edit>& edit) const;

  AskedSweep sweep_;
  Result<SweepRequest> request_ = Error{};
  std::uint64_t key_ = 0;
  int sequence_ = 0;
  std::shared_ptr<const RunResult> run_;                    ///< that request_ is about
  AskSettings asked_;                                       ///< that request_ was made of
  std::shared_ptr<const MeasureAnswer> asked_measure_;      ///< the same
  std::map<std::size_t, std::shared_ptr<const Edit>> put_;  ///< by cells of the newest answer
  std::string swapped_own_, swapped_other_;                 ///< the prompts before they changed places last
};

}  // namespace attnscope
