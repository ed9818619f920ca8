// A lesson: pages that are pure state, each with a document to show and a question. Plain data,
// read from assets/lessons by lesson_file.h; the sentences stand in assets/strings under keys that follow
// from the names of lesson and page. Holds no answers: they are computed from the learner's
// own run.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/keyed_text.h"
#include "core/lab/lab.h"
#include "core/lesson/expression.h"
#include "core/sample/sampler.h"
#include "core/session/document.h"

namespace attnscope {

/// The state of a page: all that is needed to open it from anywhere.
struct PageState {
  std::string model;                             ///< "scene:NAME" or "model:NAME"
  std::vector<std::string> texts;                ///< one sequence each; none: the model's own inputs
  std::vector<std::string> decoder_texts;        ///< of encoder-decoders, matched by their order
  std::vector<std::string> spans;                ///< "image=4,text=3,action=3", matched by their order
  std::shared_ptr<const nlohmann::json> inputs;  ///< as a session keeps them, instead of texts; null: none
  Padding padding;
  Edits edits;
  std::shared_ptr<const nlohmann::json> data;   ///< a data set, as give_prompts takes it; null: none
  std::string path;                             ///< of the lesson's file, beside which the data set may lie
  std::shared_ptr<const nlohmann::json> looks;  ///< view and cursor; null: as a fresh window has them
  /// The same, as sessions keep it (app/state/session_look.h); a JSON null where there is none.
  const nlohmann::json& look() const;
};

/// A mistake that has a name: its number, and the key of the sentence about it.
struct Slip {
  std::string id;
  Expression value;
};

/// A number to type; right within `tolerance`, which is absolute.
struct NumberAsk {
  Expression answer;
  double tolerance = 0;
  std::vector<Slip> slips;
};
/// A shape to type, "(2, 4, 3)", the batch in front.
struct ShapeAsk {
  Site site;
  std::vector<Slip> slips = {};  ///< other shapes, as rows of sizes
};
/// One of a few; those are right whose `when` is true.
struct ChoiceAsk {
  struct Choice {
    std::string id;
    std::string words;  ///< the same in every language (a token, a number); empty: the page's key has them
    Expression when;
  };
  /// A number that may be looked at before one chooses, under the key "look.ID".
  struct Look {
    std::string id;
    Expression value;
  };
  std::vector<Choice> choices;
  // A probe: something is wrong with a copy of the page's run, and a few looks have to do to find what.
  Edits fault;              ///< `when` and the looks are of the run with it, `before` is the page's own
  std::vector<Look> looks;  ///< none: no probe
  int budget = 0;           ///< how many may be taken
  bool is_probe() const { return !looks.empty(); }
};
/// A cell of a step to click: right where `pick` is the largest among the cells that `in` leaves open. The
/// coordinates are variables of `pick`, and `value` is the cell's number.
struct CellAsk {
  std::string in;  ///< "blocks.1.attn.pattern[head=3,query={pos('tired')}]"
  Expression pick;
  std::vector<Slip> slips = {};  ///< of the coordinates, too: cells for which the value is not 0
};
/// A head to select: right where `pick`, of the variables `layer` and `head`, is the largest.
struct HeadAsk {
  Expression pick;
  std::vector<Slip> slips = {};  ///< of `layer` and `head`, too: heads for which the value is not 0
};
/// A mask to draw: every pair of tokens as `text` has it.
struct MaskAsk {
  std::string text;
  std::vector<Slip> slips = {};  ///< masks drawn by mistake: those whose value is not 0
};
/// Something to change until `goal` is true; `live` is the number that is shown meanwhile, in the page's
/// sentence "live": {0} is the number, {1} the limit that it is to pass.
struct ChangeAsk {
  /// One of several goals, under the key "goal.ID"; {0} in it is `value`.
  struct Goal {
    std::string id;
    Expression when, value;
  };
  /// A number of a weight that is set on the page itself, under the key "number.ID".
  struct Knob {
    std::string id, place;  ///< "blocks.0.attn.q.weight[in=2,out=0]"
  };
  Expression goal;
  std::optional<Expression> live, above, below;  ///< above, below: the limit, one of them or none
  bool percent = false;                          ///< the number is a share and is told in percent
  std::vector<Slip> slips;                       ///< changes made by mistake: those whose value is not 0
  Edits show;                                    ///< edits that make it true
  std::vector<std::string> show_texts;           ///< inputs instead of the page's
  // Something to build: a few numbers are set until each of several goals holds.
  std::vector<Goal> goals;  ///< then `goal` is all of them; none: a change
  std::vector<Knob> knobs;
  double least = -4, most = 4;  ///< of the numbers
  bool is_build() const { return !goals.empty(); }
};
/// A row of shares to draw before it is seen: bars of a sum of 1. Right where the KL divergence of the truth
/// from what was drawn is at most `good`, in nats.
struct BarsAsk {
  Expression row;  ///< the shares; where they do not sum to 1, one more bar has the rest
  std::vector<Text>
      words;  ///< names of the bars: as written, or by the key "bar.NAME"; none: the run's tokens
  double good = 0.2;
  std::vector<Slip> slips;  ///< rows that are drawn by mistake
  /// A curve instead: values 0 .. top over `words`, which need no sum. Right where the mean distance of what
  /// was drawn is at most `good` of the top; 0: bars.
  double top = 0;
  bool is_curve() const { return top > 0; }
};
/// Steps of the run to put into their order.
struct OrderAsk {
  std::vector<Site> steps;
  std::vector<std::string> stations;  ///< of the film, whose names they have; none: their own
  Text name_of(const Site& step) const;
};
/// monostate: a page to read.
using AskKind = std::variant<std::monostate, NumberAsk, ShapeAsk, ChoiceAsk, CellAsk, HeadAsk, MaskAsk,
                             ChangeAsk, BarsAsk, OrderAsk>;

/// What is said after the answer, under the key "because": it is said only where all of `holds` is true for
/// the run that is shown; `values` are what stands in it for {0}, {1}, ...
struct Because {
  std::vector<Expression> holds, values;
  bool percent = false;  ///< the values are shares and are told in percent
};
/// Something to open from a page by one click: a lab, or a view of the page's run.
struct Explore {
  std::string view, lab;
  LabValues values = {};  ///< of the lab, where the page sets any
};

struct Page {
  std::string id;
  PageState state;
  std::vector<std::string> points;    ///< names of items, or cells, that are highlighted
  std::vector<std::string> hides;     ///< cells and items that stay covered until the page was answered
  std::optional<bool> predicts;       ///< it is bet before anything is seen; not said: rows that are drawn
  bool panels = false;                ///< it needs the network map or the timeline, in small windows too
  std::vector<std::string> controls;  ///< keys of the words on controls that the page's texts name
  AskKind ask;
  Because because;
  std::vector<Explore> explores;
};

struct Lesson {
  std::string id, file;
  std::string kept;  ///< what progress is kept under: the id; of a file with the id of a shipped lesson, also
                     ///< the file ("softmax@mine-1a2b3c4d")
  bool own_texts = false;  ///< such a file has texts of its own, which are kept under `kept`, too
  int number = -1;         ///< place in the list; negative: none, behind those that have one
  int minutes = 0;         ///< that it takes; 0: not said
  bool easy = false;       ///< it opens in the easy window
  /// What its end invites to change of one's own: the text, or the numbers on the stage.
  enum class Own : std::uint8_t { by_input, nothing };
  Own own = Own::by_input;  ///< by_input: the text where the last page's model reads one, else the numbers
  std::vector<Page> pages;
};

/// The keys of a lesson's sentences: "lesson.ID.title"; of a page's: "lesson.ID.PAGE.text", ".ask", ".hint1"
/// ...
std::string lesson_key(const Lesson& lesson, std::string_view what);
std::string page_key(const Lesson& lesson, const Page& page, std::string_view what);
/// A text of a page: "title", "text", "ask", "hint1" ...
std::string page_words(const Lesson& lesson, const Page& page, std::string_view what);
/// The mistakes of a question that have a name; none for a choice, whose answers have reasons of their own.
const std::vector<Slip>& slips_of(const AskKind& ask);
/// "number", "choice", ... as files have it; empty for a page to read.
std::string_view ask_name(const AskKind& ask);
/// The words of the control that opens it: "Labs · Why divide by √d_k?", "KV cache".
Text explore_words(const Explore& explore);
/// The id of the view that a page shows.
std::string page_view(const Page& page);
/// True where the answer is a bet: whatever would say it stays away until it was answered, as are the results
/// of a lab, the stations behind the page's own, and the mark on the key that is looked at most.
bool is_prediction(const Page& page);

}  // namespace attnscope
