// The texts of the data set in which a head or a neuron is strongest, each with its tokens shaded by its
// strength there, and a histogram of all positions. A click on a text opens that very run. Computed in
// core/session/strongest_texts.h, beside the frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/ask_over_data.h"
#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/session/strongest_texts.h"

namespace attnscope {

/// What is known by now.
struct TextsAnswer {
  std::vector<Strongest> found;  ///< one, or none before the first text
  std::optional<Error> error;
  bool done = false;
};

class AskTexts {
 public:
  /// "Where is head 1.3 strongest?"
  const std::string& title(const ViewContext& context);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

 private:
  struct Token {
    std::string text;
    float x, y, width;
    float share;  ///< of the largest strength; negative: the strength is
    bool most;    ///< the position where it is strongest
  };
  struct Line {
    StrongTextPtr text;
    std::string id, value;  ///< of the button; the strength
    float y, height;
    std::vector<Token> tokens;
  };
  void follow(const ViewContext& context);
  void draw_choices(const ViewContext& context, float width);
  void draw_place(const ViewContext& context, class ChipRow& line);
  void ask(const ViewContext& context, const std::shared_ptr<const DataPrompts>& prompts);
  void lay_out(const OpenedModel& opened, float width);
  void draw_list(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_line(const ViewContext& context, const Line& line, ImVec2 at, float width);
  struct Bars {
    std::vector<HistogramBar> all;
    std::int64_t most = 1;
    std::string title, from, to;
  };
  static Bars bars_of(const Strongest& found);
  static void draw_histogram(const Bars& bars, ImVec2 at, ImVec2 room);
  void open(const ViewContext& context, const StrongText& text);
  void look_where_opened(const ViewContext& context);

  OverData over_;
  StrengthPlace place_;
  std::uint64_t place_from_ = 0, place_key_ = 0;  ///< what it was taken from; its hash
  KeptText title_;
  Kept<Bars> bars_;
  Computed<TextsAnswer> made_;
  std::shared_ptr<const TextsAnswer> answer_;
  std::uint64_t serial_ = 0, laid_out_ = 0, allowed_ = 0;  ///< key that a click allowed to take long
  bool fresh_ = false;
  struct Opening {
    std::int64_t prompt = -1, query = 0, key = 0;
  };
  std::optional<Opening> opening_;    ///< the text that was clicked, until its run is there
  std::vector<StrongTextPtr> shown_;  ///< the texts of `lines_`
  std::vector<Line> lines_;
  float height_ = 0;
};

}  // namespace attnscope
