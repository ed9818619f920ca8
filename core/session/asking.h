// Settings and results of the page for causal experiments: the measure, which places are ablated or patched,
// the other prompt of a patch, and the sweep. Saved with the session (text only), not undoable. A sweep
// runs only after start(), and is stopped when its run is no longer on
// screen.
#pragma once

#include <map>
#include <span>

#include "core/io/named.h"
#include "core/lens/attribution.h"
#include "core/lens/head_ranking.h"
#include "core/lens/linear_twin.h"
#include "core/lens/rollout.h"
#include "core/lens/strength.h"
#include "core/session/asked_measure.h"
#include "core/session/asked_sweep.h"
#include "core/session/asked_table.h"

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

/// heads: a table of the effects of ablating heads; texts: those in which a head or a neuron is strongest.
/// links: who writes what another reads. steer: the measure over the strength of what edits add to the
/// stream.
enum class AskPage : std::uint8_t {
  knock_out,
  patch,
  parts,
  heads,
  paths,
  graph,
  probes,
  texts,
  circuit,
  links,
  steer
};
inline constexpr Named<AskPage> kAskPages[] = {
    {"knock_out", AskPage::knock_out}, {"patch", AskPage::patch}, {"parts", AskPage::parts},
    {"heads", AskPage::heads},         {"paths", AskPage::paths}, {"graph", AskPage::graph},
    {"probes", AskPage::probes},       {"texts", AskPage::texts}, {"circuit", AskPage::circuit},
    {"links", AskPage::links},         {"steer", AskPage::steer}};
/// Shows the cells of a sweep.
inline bool asks_cells(AskPage page) { return page <= AskPage::patch || page == AskPage::links; }
/// Computed by a sweep, which can be asked of a data set.
inline bool asks_sweep(AskPage page) { return asks_cells(page) || page == AskPage::heads; }

/// What knocked-out places become. Over a data set the mean is that over its prompts (mean_by_pos: of each
/// position), resample the value of another prompt; of one prompt the mean is over its positions.
enum class AskHow : std::uint8_t { zero, mean, mean_by_pos, resample };
inline constexpr Named<AskHow> kAskHows[] = {{"zero", AskHow::zero},
                                             {"mean", AskHow::mean},
                                             {"mean:pos", AskHow::mean_by_pos},
                                             {"resample", AskHow::resample}};
/// The same of a data set.
DataKnockout::From knockout_from(AskHow how);
/// Over what: the prompt on screen, or all of the data set, as their mean or their standard deviation.
enum class AskOver : std::uint8_t { prompt, mean, spread };
inline constexpr Named<AskOver> kAskOvers[] = {
    {"prompt", AskOver::prompt}, {"mean", AskOver::mean}, {"spread", AskOver::spread}};

/// links: senders and receivers. parts: embeddings, heads and MLPs; tokens: the embedding of each position.
enum class AskFrom : std::uint8_t { parts, tokens, neurons };
inline constexpr Named<AskFrom> kAskFroms[] = {
    {"parts", AskFrom::parts}, {"tokens", AskFrom::tokens}, {"neurons", AskFrom::neurons}};
/// Queries, keys or values of each head; rest: MLPs and the logits.
enum class AskTo : std::uint8_t { q, k, v, rest };
inline constexpr Named<AskTo> kAskTos[] = {
    {"q", AskTo::q}, {"k", AskTo::k}, {"v", AskTo::v}, {"rest", AskTo::rest}};
inline constexpr Named<PathKind> kPathKinds[] = {{"direct", PathKind::direct}, {"total", PathKind::total}};

/// parts: what each part wrote into the row of the measure; the others are the exact linear twin of the run,
/// by the tokens of the input, by heads, by neurons.
enum class AskSum : std::uint8_t { direct, twin_token, twin_head, twin_neuron };
inline constexpr Named<AskSum> kAskSums[] = {{"direct", AskSum::direct},
                                             {"twin_token", AskSum::twin_token},
                                             {"twin_head", AskSum::twin_head},
                                             {"twin_neuron", AskSum::twin_neuron}};
/// Of a linear twin.
inline AttributeBy twin_by(AskSum sum) {
  return sum == AskSum::twin_head     ? AttributeBy::head
         : sum == AskSum::twin_neuron ? AttributeBy::neuron
                                      : AttributeBy::token;
}

/// graph: edges that are drawn, in shares of its scale.
inline constexpr double kLeastGraphShare = 0.004, kMostGraphShare = 0.5;
inline constexpr std::size_t kMostGraphNodes = 400;  ///< as attnscope-cli attribute has

/// The settings on screen.
struct AskSettings {
  AskPage page = AskPage::knock_out;
  std::string knock_out = "heads", patch = "residual";  ///< PlaceQuestion::id
  AskHow how = AskHow::zero;                            ///< ablation
  AskOver over = AskOver::prompt;                       ///< of every page of a sweep
  int group = 1;                                        ///< neurons that are ablated at once
  std::string other;                                    ///< the other prompt
  bool into_other = true;       ///< places of the run on screen go into that of the other prompt
  Stack stack = Stack::single;  ///< of experiments on rows; one that the model lacks: the main stack's, of
                                ///< patches what reads the prompts
  bool change = true;           ///< cells show the change, not the measure itself
  bool normalised = false;      ///< patch: cells show (value - corrupt) / (clean - corrupt) instead
  std::string strongest;  ///< texts: whose, a place ("blocks.1.attn.z[head=3]"); empty: the cursor's head
  StrengthBy strength = StrengthBy::write;  ///< texts: of a head
  AskHow circuit_how = AskHow::mean;        ///< circuit: what the other parts become
  AskFrom from = AskFrom::parts;            ///< links
  AskTo to = AskTo::q;                      ///< links
  PathKind path = PathKind::direct;         ///< links
  AskSum sum = AskSum::direct;              ///< parts
  std::int64_t twin_row = -1;  ///< twin by token: whose matrix stands beside; -1: of the largest addend
  bool whole_range = false;    ///< texts: over the whole range, not the strongest alone
  HeadScore heads_by = HeadScore::effect;  ///< heads: the column that sorts them
  bool heads_largest = true;               ///< heads: the largest first
  float heads_least = 0;  ///< heads: those below this share (0..1) of the largest in that column are left out
  bool heads_before = false;  ///< heads: the change is that against the run before the last edit, not A
  AttentionPath attention = AttentionPath::rollout;  ///< paths
  std::string attention_of;   ///< paths: a step of the attention that is followed ("blocks.0.cross.pattern");
                              ///< empty, or one that the run lacks: what the main stack looks at itself with
  bool graph_qk = false;      ///< graph: patterns are followed, too, through queries and keys
  float graph_share = 0.03f;  ///< graph: edges below this share of its scale are left out
  std::string graph_file;     ///< graph: the file that is shown in place of the run's; empty: none
  bool operator==(const AskSettings&) const = default;
};

/// One score of a head, split by what wrote its query and its key, or over the directions of its QK.
struct AskedScore {
  Site pattern;
  std::int64_t head = 0, query = 0, key = 0;
  std::shared_ptr<const ScoreSplit> split;        ///< null: `loadings`
  std::shared_ptr<const ScoreLoadings> loadings;  ///< null: `split`
};
/// What the page of the sum shows.
struct AskedParts {
  std::shared_ptr<const Trace> run;        ///< of `sum`
  std::shared_ptr<const Attribution> sum;  ///< null: not of the run and measure on screen yet
  std::shared_ptr<const LinearTwin> twin;  ///< shown in place of `sum`
  std::int64_t twin_row = -1;              ///< of a twin by token: whose matrix; -1: of the largest addend
  LogitMeasure measure;                    ///< of either
  std::string inside_of;                   ///< the part that is opened beside it: "blocks.1.attn.z[head=3]"
  std::vector<LogitPart> inside;           ///< its addends
  std::optional<AskedScore> score;         ///< shown in their place
};

class Asking {
 public:
  AskedMeasure measure;
  AskSettings settings;
  AskedParts parts;  ///< what was drawn last
  /// What the page that shows a table showed last; made anew where `key` is another one.
  template <class Make>
  void show_table(AskPage page, std::uint64_t key, const Make& make) {
    if (table_ && table_->first == page && table_->second.key == key) return;
    ShownTable made = make();
    made.key = key;
    table_ = std::make_shared<const std::pair<AskPage, ShownTable>>(page, std::move(made));
  }
  /// Of the page that is open; null: it shows none.
  const ShownTable* table() const {
    return table_ && table_->first == settings.page ? &table_->second : nullptr;
  }

  /// Keeps the measure up to date, and stops a sweep whose run is no longer on screen. Once per frame.
  /// `pinned` as in AskedMeasure::follow.
  void follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
              const std::shared_ptr<const RunResult>& pinned = nullptr);
  /// The request of start(). An Error without a sentence: there is no measure, no other prompt, or no model
  /// to run.
  const Result<SweepRequest>& request() const { return request_; }
  /// Starts the sweep, or resumes it where it was stopped; the edits put into the document so far stay with
  /// the run of the request. Pages of cells ask about the run without them, the page of heads, whose other
  /// columns are those of the run on screen, about the run with them.
  void start(Workers& workers);
  /// start() would resume.
  bool can_go_on() const;
  void stop() { sweep().stop(); }
  /// Another model was opened: answers about the one before are gone.
  void forget();
  bool running() const { return sweep().running(); }
  /// The newest answer, or null; where all of a data set is asked, that over the data set.
  std::shared_ptr<const SweepAnswer> answer() const { return sweep().newest(); }
  /// All prompts of the document's data set are asked, not the one on screen.
  bool over_data() const { return over_data_; }
  /// The answer has the current request and run.
  bool is_fresh(const SweepAnswer& answer) const { return request_ && answer.key == key_; }
  /// Runs x parameters x rows that an answer takes.
  double effort() const;
  /// The chosen experiment (the first of its kind where the run has no such places), and the stack
  /// of its rows.
  const PlaceQuestion& question() const;
  Stack stack_of(const ModelConfig& config) const;

  /// Of the run on screen: puts a cell's edit into the document, or takes it back where it is in there. Where
  /// places go into the run of the other prompt, that becomes the document's; the two prompts have changed
  /// places when it ran.
  Status toggle(Document& document, const SweepAnswer& answer, std::size_t cell);
  /// The edit of this cell takes a run that toggle() would wait for: of a total path, without its sender.
  bool edits_need_run(const SweepAnswer& answer, std::size_t cell) const;
  /// Makes it beside the frame.
  void begin_edits(Workers& workers, const std::shared_ptr<const SweepAnswer>& answer, std::size_t cell);
  /// The cell whose edit is there for toggle(); once.
  std::optional<Result<std::size_t>> take_edits();
  /// True where the document holds the edit of this cell.
  bool is_put(const Document& document, const SweepAnswer& answer, std::size_t cell) const;

  /// What answer() is about: the document without the edits that toggle() and put_prompt() put there.
  Document asked_document(Document document) const;

  // One prompt of an answer over a data set, opened with the edit of one cell.
  struct PromptEdit {
    std::int64_t prompt = 0;  ///< of the data set
    Edits edits;
    bool corrupt = false;  ///< of its corrupt side: what is patched
  };
  /// Makes it beside the frame: the edit may hold numbers of other prompts.
  void begin_prompt(Workers& workers, const std::shared_ptr<const SweepAnswer>& answer, std::size_t cell,
                    std::int64_t prompt);
  /// Once it is there; once.
  std::optional<Result<PromptEdit>> take_prompt() { return prompt_->take(); }
  /// Puts it into the document: the prompt as its text, the edit in the place of the one that was put before.
  Status put_prompt(Document& document, const PromptEdit& made);
  /// The document reads this prompt under the edit that was put with it.
  bool is_prompt_put(const Document& document, std::size_t cell, std::int64_t prompt) const;

 private:
  std::shared_ptr<const std::pair<AskPage, ShownTable>> table_;
  Result<SweepRequest> made(const RunResult& run) const;
  Result<SweepRequest> made_over_data(const RunResult& run) const;
  static Result<PromptEdit> prompt_edit(const SweepAnswer& answer, std::size_t cell, std::int64_t prompt,
                                        const std::atomic<bool>& cancel);
  void take_places(const ModelConfig& config, SweepRequest& out) const;
  void take_path(const ModelConfig& config, SweepRequest& out) const;
  double path_cells(const ModelConfig& config) const;
  bool asks_data(const RunResult& run) const;
  void follow_prompt(const RunResult& run);
  void take_other_side(const Document& document, std::int64_t prompt);
  AskedSweep& sweep() { return over_data_ ? data_sweep_ : sweep_; }
  const AskedSweep& sweep() const { return over_data_ ? data_sweep_ : sweep_; }
  Status change_places(Document& document);
  Result<Edits> edits_of(const SweepAnswer& answer, std::size_t cell) const;
  void follow_swap(const Document& document);
  std::string own_text(const Document& document) const;
  bool belongs(const std::shared_ptr<const Edit>& edit) const;

  AskedSweep sweep_, data_sweep_;
  bool over_data_ = false;
  std::shared_ptr<Computed<Result<PromptEdit>>> prompt_ =
      std::make_shared<Computed<Result<PromptEdit>>>();  ///< shared by copies
  // Of one cell of the answer with that key.
  struct CellEdits {
    std::uint64_t key = 0;
    std::size_t cell = 0;
    Edits edits;
  };
  std::shared_ptr<Computed<Result<CellEdits>>> making_ =
      std::make_shared<Computed<Result<CellEdits>>>();  ///< shared by copies
  std::optional<CellEdits> ready_;
  std::size_t put_cell_ = 0;
  Edits put_prompt_;                           ///< the edits that were put with a prompt last
  std::shared_ptr<const RunResult> followed_;  ///< of follow_prompt()
  std::string followed_text_;
  // The prompt that `followed_` looked at; -1: a text of one's own.
  struct Side {
    std::int64_t prompt = -1;
    bool corrupt = false;
    bool operator==(const Side&) const = default;
  };
  std::optional<Side> side_;
  std::string other_before_;  ///< the other prompt, before a corrupt side was opened
  Result<SweepRequest> request_ = Error{};
  std::uint64_t key_ = 0;
  int sequence_ = 0;
  std::shared_ptr<const RunResult> run_;                ///< of request_
  AskSettings asked_;                                   ///< from which request_ was made
  std::shared_ptr<const MeasureAnswer> asked_measure_;  ///< the same
  std::map<std::size_t, Edits> put_;                    ///< by cells of the newest answer
  std::string swapped_own_, swapped_other_;             ///< the prompts before they were last swapped
};

}  // namespace attnscope
