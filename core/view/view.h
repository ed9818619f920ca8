// A view as a pure function from a state to a figure: what it shows is data (core/figure), so that the
// window, the command line, an export and a test show the same. One file per view, core/view/view_NAME.cpp,
// with one function ViewSpec view_NAME(); its texts are "figure.NAME.*" of the string tables.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/open.h"
#include "core/figure/figure.h"
#include "core/io/named.h"
#include "core/lab/lab.h"
#include "core/lens/attention_places.h"
#include "core/model/gradients.h"
#include "core/sample/sampler.h"
#include "core/trace/trace.h"

namespace attnscope {

/// easy: one picture, one sentence, the answer. full: all that the view has to say.
enum class Level : std::uint8_t { easy, full };
inline constexpr Named<Level> kLevels[] = {{"easy", Level::easy}, {"full", Level::full}};

struct AskShown;
struct CalcChosen;
struct CheckChosen;
struct SlowPart;

/// What a view is drawn from.
struct ViewState {
  const OpenedModel* opened = nullptr;
  std::shared_ptr<const Trace> run;     ///< null for views of no model
  std::shared_ptr<const Trace> before;  ///< the run compared with, mostly without its edits; null: none
  const OpenedModel* opened_before = nullptr;  ///< of `before`; null: `opened`
  bool compare = false;        ///< show both and their difference, where the view shows a matrix
  bool trained_apart = false;  ///< one of two such: of two models that learned one task under different masks
  AttentionPlace place;        ///< whose attention is looked at
  int layer = 0;               ///< block
  std::int64_t head = 0;
  std::int64_t row = 0;    ///< of the main stack, or of the queries
  double temperature = 1;  ///< that the outputs are drawn at; 0: the likeliest one
  Level level = Level::full;
  std::string page;        ///< of a view of several pages; empty: its first
  std::string words = {};  ///< Circuits: whose scores, tokens with commas between; empty: those of the run
  std::int64_t distance = -1;  ///< Circuits: rows from a query back to its key, where heads rotate; -1: one
  const Lab* lab = nullptr;    ///< of the view of labs
  LabValues values;            ///< of its controls
  std::shared_ptr<const Result<LabPicture>> lab_picture = {};  ///< null: it is computed from `values`
  std::shared_ptr<const AskShown> asked = {};       ///< Ask: what its page shows; null: each head knocked out
  std::shared_ptr<const CalcChosen> calc = {};      ///< Calculator: its choices; null: the first ones
  std::shared_ptr<const CheckChosen> check = {};    ///< Check: the same
  std::size_t sequence = 0;                         ///< of its document, `run` is of
  std::shared_ptr<const Gradients> gradients = {};  ///< what ViewSpec::gradients gives; null: not there yet
  std::shared_ptr<const SlowPart> slow = {};        ///< what ViewSpec::slow gives; null: not there yet
  bool slow_pending = false;                        ///< it is computed elsewhere: without it the view says so
};

/// What a view says: one question, one true sentence, one picture. Of texts the full one first, then shorter.
struct ViewDrawing {
  std::vector<Text> question, sentence;
  std::optional<figure::PartBox> picture;     ///< beside the answer of the model
  std::optional<figure::PartBox> below = {};  ///< over the whole width: the row that is looked at, a formula
  std::optional<figure::PartBox> above = {};  ///< the same above the picture
  std::optional<figure::PartBox> notes = {};  ///< at the left of the answer; below it where `above` is empty
  std::int64_t answer = -1;                   ///< the row whose answer it is; < 0: that of answer_row()
  int right = -1;  ///< an output that has a row in the answer, however unlikely it is; < 0: none
};

/// What of a view takes runs of its own; nothing where this run has no such part.
struct SlowPart {
  std::optional<ViewDrawing> drawn;
};

/// One of several pages of a view that are walked in their order: the film strip of a window lists them.
struct Station {
  std::string id;   ///< "softmax": ViewState::page
  Text name;        ///< short
  figure::Ink ink;  ///< of its kind of step
  Site site;        ///< the step whose numbers it shows
};

struct ViewSpec {
  std::string id;       ///< "attention"
  int order = 0;        ///< in lists, smallest first
  bool model = true;    ///< it shows a run
  bool answers = true;  ///< the answer stands beside its picture; false: it is about something else, or is it
  /// Errors: what the run lacks; a place outside of it.
  Result<ViewDrawing> (*draw)(const ViewState& state) = nullptr;
  bool heads = false;  ///< it shows one head, which can be chosen
  /// The pages that it has for this run; null: it has one, without a name.
  std::vector<Station> (*stations)(const ViewState& state) = nullptr;
  bool block = false;  ///< it shows one block, which can be chosen
  /// The backward pass that its pages behind the first show. They compute it themselves where
  /// ViewState::gradients is null. Errors: those of backward(), a run without a loss.
  Result<std::shared_ptr<const Gradients>> (*gradients)(const ViewState& state) = nullptr;
  bool compares = false;  ///< in the full window, too, A, B and B - A are drawn by it
  /// Runs and what is drawn of them, for a window to compute beside its frames. The view computes it itself
  /// where ViewState::slow is null and not pending.
  SlowPart (*slow)(const ViewState& state) = nullptr;
  std::string_view aside = {};  ///< a page that no station leads to, which a lesson opens; empty: none
  bool rules = false;           ///< the rule of its mask can be chosen below its picture
  /// What can be chosen beside block, head and row (core/view/controls.h): "temperature".
  std::vector<std::string_view> takes = {};
  bool row = true;        ///< it depends on the row that is looked at, and the text stands above it
  bool own_text = false;  ///< it shows how a text looks at itself: it opens there, not at cross-attention
  /// Takes what was chosen inside it (`chosen`, as a session or the window keeps it) and, where none is open,
  /// its page. Null: nothing but controls is chosen in it.
  void (*choose)(const nlohmann::json& chosen, ViewState& state) = nullptr;
};
/// The view's choices out of a look of a session or of the window as it is ("views").
void take_choices(const ViewSpec& view, const nlohmann::json& look, ViewState& state);
/// The pages of a view that a run has, in their order; none: it has one, without a name.
std::vector<std::string> pages_of(const ViewSpec& view, const ViewState& state);
/// `page` where it is one of them or the view's aside, else empty: the first.
std::string known_page(const ViewSpec& view, const ViewState& state, const std::string& page);
/// The figure of a view: question (where `titled`), sentence, the picture beside the answer, the row. With
/// ViewState::compare that of compared(), where there is one.
Result<figure::Figure> draw_view(const ViewSpec& view, const ViewState& state, bool titled = true);

/// A (`before`), B (`run`) and B - A of the matrix that matters most in the picture, their answers, and the
/// row that is looked at of all three. Nothing where no run is compared with, or the picture has no matrix.
std::optional<ViewDrawing> compared(const ViewSpec& view, const ViewState& state);

/// The largest difference of a row of the two matrices that a figure compares.
struct RowChange {
  std::int64_t row = 0, col = 0;
  double a = 0, b = 0;  ///< the cell in each run
  double by = 0;        ///< |b - a|; a cell masked in one run counts as 0
};
/// Of a figure with ViewState::compare: one for each row that differs by as much as its digits show, the
/// largest first. Empty where the figure has no difference.
std::vector<RowChange> largest_changes(const figure::Figure& picture);

/// True where a picture has a matrix, which compared() can set beside that of another run.
bool shows_matrix(const figure::Figure& figure);

/// From core/view/view_*.cpp, in the order of files.
const std::vector<ViewSpec>& views_by_file();
/// In their own order.
std::vector<const ViewSpec*> view_specs();
/// Errors: an unknown id (lists those that are known).
Result<const ViewSpec*> find_view(std::string_view id);
/// The state of a run that was just made: its first attention, block 0, head 0, the row of the prediction.
ViewState first_state(const OpenedModel& opened, std::shared_ptr<const Trace> run);
/// Errors: a block, head or row that the run does not have; the sentence says how many there are.
Status check_state(const ViewState& state);

// ---- pieces that views share -----------------------------------------------------------------------

/// The name of a row: its token, its patch; "token 3" of an input of vectors, whose rows have their number
/// alone.
Text row_name(const ViewState& state, Stack stack, std::int64_t row);
/// Names of the rows of a stack.
figure::Names row_names(const ViewState& state, Stack stack, figure::Ink ink, std::int64_t looked = -1);
/// The name of a row as sentences have it: "mat 6" where the text has the word twice.
Text told_apart(const ViewState& state, Stack stack, std::int64_t row);
/// Those of all rows of a stack.
figure::Names names_apart(const ViewState& state, Stack stack, figure::Ink ink, std::int64_t looked = -1);
/// One head's plane of a step of attention. In a pattern a masked cell is -inf.
Tensor attention_cells(const Trace& run, const Site& site, std::int64_t head);
/// The key with the largest weight in a row of that plane; -1: there is none.
int strongest_cell(const Trace& run, const Site& pattern, std::int64_t head, std::int64_t row);
/// One head at a stage of the attention that is looked at, whole: names, numbers, colours.
figure::MatrixMark attention_matrix(const ViewState& state, Slot stage);
/// Its row `state.row` alone, to be drawn large: the keys ordered by weight, largest first.
figure::MatrixMark attention_row_matrix(const ViewState& state, const figure::MatrixMark& pattern);
/// Digits behind the point for the weights of a row: 2, or 4 where all are small, as after an edit of the
/// largest.
int weight_digits(const std::vector<float>& weights);
/// The numbers of one vector as a strip of colours, with digits where they fit.
figure::MatrixMark numbers_mark(const Tensor& vector);
/// The cell of the run that a matrix shows at (row, col). Nothing where it names no place, or one that is not
/// a plane of rows and columns, or one of its rows or columns.
std::optional<Cell> cell_of(const Trace& run, const figure::MatrixMark& matrix, std::int64_t row,
                            std::int64_t col);
/// Position of the main stack whose answer is shown: the one that is looked at, or the predicting one.
std::int64_t answer_row(const ViewState& state);
/// The row to begin with: of a [MASK], of the first action, or the predicting one.
std::int64_t first_row(const OpenedModel& opened, const Trace& run);
/// The `most` likeliest outputs of a row with their probabilities, and what the others add up to; beside
/// each its probability in `state.before`. Errors: a run without logits.
/// `right`: an output that takes the last row where it is none of them; < 0: none does.
Result<figure::TableMark> answer_table(const ViewState& state, std::int64_t row, std::size_t most,
                                       double temperature = 1, int right = -1);
/// The name of an output at a row; in the easy level an action of the Pilot with the metres or degrees that
/// it stands for.
Text answer_name(const ViewState& state, std::int64_t row, int id);
/// How sure it is: the lead of the likeliest output over the second in logits and as a factor, the entropy of
/// all of them, and of how many equally likely ones that would be. Errors: a run without logits.
Result<figure::TableMark> sureness_table(const ViewState& state, std::int64_t row);
/// "The word it says next"; or letter, class, action, ..., by what the model says. Full, then short.
std::vector<Text> answer_title(const ViewState& state, std::int64_t row);
/// A text of which there is one for each kind of output: "figure.answer." + "word", "sign",
/// "class", ...
/// False where the logits of a row are NaN: there is no answer.
bool says_numbers(const ViewState& state, std::int64_t row);
/// How many outputs have the largest logit of a row.
std::int64_t equally_likely(const Tensor& logits);
Text answer_text(const ViewState& state, std::int64_t row, const std::string& key,
                 std::vector<Text> arguments = {});
/// "98.4 %", in the language of the moment when it is read.
Text percent(double share);

}  // namespace attnscope
