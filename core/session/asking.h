// Settings and results of the page for causal experiments: the measure, which places are ablated or patched,
// the other prompt of a patch, and the sweep. Saved with the session (text only), not undoable. A sweep
// runs only after start(), and is stopped when its run is no longer on
// screen.
#pragma once

#include <map>
#include <span>

#include "core/io/named.h"
#include "core/lens/attribution.h"
#include "core/session/asked_measure.h"
#include "core/session/asked_sweep.h"

namespace attnscope {

/// An experiment on every place of a kind.
struct PlaceQuestion {
  const char* id;     ///< "heads": end of the keys of its texts
  const char* steps;  ///< a selector inside of a stack: "blocks.*.attn.z"
  const char* over;   ///< "head", "pos", "head,pos"; "": each step at once
  bool patch;         ///< of a patch, else of an ablation
  bool by_rows;       ///< its columns are rows of one stack
};
std::span<const PlaceQuestion> place_questions();
/// The model has such places.
bool has_places(const ModelConfig& config, const PlaceQuestion& question);
/// How many neurons are ablated at once.
inline constexpr int kNeuronGroups[] = {1, 8, 32, 128};

/// heads: a table of the effects of ablating heads.
enum class AskPage : std::uint8_t { knock_out, patch, parts, heads, paths, graph, probes };
inline constexpr Named<AskPage> kAskPages[] = {{"knock_out", AskPage::knock_out}, {"patch", AskPage::patch},
                                               {"parts", AskPage::parts},         {"heads", AskPage::heads},
                                               {"paths", AskPage::paths},         {"graph", AskPage::graph},
                                               {"probes", AskPage::probes}};
/// Computed by a sweep.
inline bool asks_sweep(AskPage page) { return page <= AskPage::patch || page == AskPage::heads; }

/// The settings on screen.
struct AskSettings {
  AskPage page = AskPage::knock_out;
  std::string knock_out = "heads", patch = "residual";  ///< PlaceQuestion::id
  bool mean = false;                                    ///< ablation: the mean, not zero
  int group = 1;                                        ///< neurons that are ablated at once
  std::string other;                                    ///< the other prompt
  bool into_other = true;       ///< places of the run on screen go into that of the other prompt
  Stack stack = Stack::single;  ///< of experiments on rows; one that the model lacks: the main stack's, of
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
  /// The request of start(). An Error without a sentence: there is no measure, no other prompt, or no model
  /// to run.
  const Result<SweepRequest>& request() const { return request_; }
  /// Starts the sweep, or resumes it where it was stopped; the edits put into the document so far stay with
  /// the run of the request.
  void start(Workers& workers);
  /// start() would resume.
  bool can_go_on() const;
  void stop() { sweep_.stop(); }
  /// Another model was opened: answers about the one before are gone.
  void forget();
  bool running() const { return sweep_.running(); }
  /// The newest answer, or null.
  std::shared_ptr<const SweepAnswer> answer() const { return sweep_.newest(); }
  /// The answer has the current request and run.
  bool is_fresh(const SweepAnswer& answer) const { return request_ && answer.key == key_; }
  /// Runs x parameters x rows that an answer takes.
  double effort() const;
  /// The chosen experiment (the first of its kind where the run has no such places), and the stack
  /// of its rows.
  const PlaceQuestion& question() const;
  Stack stack_of(const ModelConfig& config) const;

  /// Puts a cell's edit into the document, or takes it back where it is in there. Where places go into the
  /// run of the other prompt, that becomes the document's; the two prompts have changed places when it ran.
  Status toggle(Document& document, const SweepAnswer& answer, std::size_t cell);
  /// True where the document holds the edit of this cell.
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
  std::shared_ptr<const RunResult> run_;                    ///< of request_
  AskSettings asked_;                                       ///< from which request_ was made
  std::shared_ptr<const MeasureAnswer> asked_measure_;      ///< the same
  std::map<std::size_t, std::shared_ptr<const Edit>> put_;  ///< by cells of the newest answer
  std::string swapped_own_, swapped_other_;                 ///< the prompts before they were last swapped
};

}  // namespace attnscope
