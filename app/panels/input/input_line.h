// One line of the input: the tokens of one stack, as an editable text and as chips with a menu. Text that is
// not valid for the model stays in the field, with the error below. Changes are queued as commands; long
// texts are tokenized by a background job.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/input/input_menu.h"
#include "app/state/frame_state.h"
#include "app/state/panel.h"

namespace attnscope {

class TokenLine {
 public:
  explicit TokenLine(Stack of) : of_(of) {}

  /// Before drawing, once per frame.
  void follow(const PanelContext& context);
  /// Width in pixels at which the field shows its whole text, in the current font.
  float wanted_width() const;
  /// The text field; returns the height used, pixels. `focus`: takes the keyboard focus.
  float draw_field(const PanelContext& context, bool focus, float width);
  /// The field of the easy window: Enter or a click elsewhere applies the text, Escape leaves it. False: it
  /// is done with. Text that is refused stays, with its error, until it is left.
  bool draw_entry(const PanelContext& context, bool focus, float width);
  /// True once after draw_entry() applied a text.
  bool take_applied() { return std::exchange(applied_, false); }
  /// How many edits went with their words in the text that was typed; said once, when nobody types any more.
  std::size_t take_gone(const Session& session);
  /// The error of the typed text; returns the height used in pixels, 0 if there is none.
  float draw_error(float width);
  /// The chips in a strip that scrolls horizontally, at most `width` wide; returns the width used. `picture`:
  /// Painter key of the model's image, or empty. Sets `picture_clicked` if its chip was clicked.
  float draw_chips(const PanelContext& context, float width, const std::string& picture,
                   bool& picture_clicked);
  /// The menu of a chip, if it is open.
  void draw_menu(const PanelContext& context) { menu_.draw(context, of_, chips_); }
  /// True while typing: undo has to remove the whole gesture.
  bool typing() const { return typing_; }
  const std::vector<Chip>& chips() const { return chips_; }

 private:
  struct Measured {  // key of the cached chips
    std::uint64_t opened = 0;
    std::size_t sequence = 0;
    std::uint64_t ids = 0, types = 0, typed = 0;  ///< hashes
    std::int64_t rows = 0;
    PadCounts padding;
    float scale = 0;
    bool typing = false;
    std::string language;
    bool operator==(const Measured&) const = default;
  };

  // input_line.cpp
  bool is_source() const { return of_ == Stack::enc; }
  std::string item(const char* name) const;
  void typed(const PanelContext& context);
  void take_back_typed(const PanelContext& context);
  void take_typed(Session& session, std::size_t sequence, Result<Sequence> made, bool pasted);
  void light_spans(const std::vector<Token>& tokens, const std::string& spelled, ImVec2 min, ImVec2 max);
  bool draw_box(const PanelContext& context, bool focus, float width, float height, bool many_lines,
                const char* hint);
  std::optional<Error> refusal(const Document& document, const Result<Sequence>& made) const;
  bool enter(const PanelContext& context);
  // input_chips.cpp
  void measure(const PanelContext& context);
  void draw_chip(const PanelContext& context, std::size_t index, float height, const std::string& picture,
                 bool& picture_clicked);
  void click_chip(const PanelContext& context, const Chip& chip) const;
  float begin_of_chip(float x) const;
  float last_scroll(float width) const;
  void scroll_strip(const PanelContext& context, float width);

  Stack of_;
  std::string text_;  ///< content of the field: the document's text, or text being typed
  bool typing_ = false;
  std::uint64_t typed_over_ = 0;        ///< the undo point that was there when the field took the keys
  double last_key_ = 0;                 ///< ImGui time; 0: no gesture is open
  std::optional<Document> typed_from_;  ///< what was there before the text that is being typed
  std::uint64_t typed_version_ = 0;     ///< of the history, once the last key was taken
  std::size_t gone_ = 0;                ///< edits that went with their words, of take_gone()
  std::optional<Error> error_;
  bool applied_ = false;           ///< of take_applied()
  std::uint64_t error_point_ = 0;  ///< history point at which it occurred
  std::size_t sequence_ = 0;
  std::uint64_t opened_ = 0;
  Computed<Result<Sequence>> tokenized_;  ///< of a long text
  bool tokenized_pasted_ = false;         ///< it came from the clipboard

  std::vector<Chip> chips_;
  std::vector<float> chip_x_;  ///< left edge of each chip, and the end of the last
  Measured measured_;
  std::int64_t lit_ = -1, lit_next_ = -1;  ///< hovered token, in the text or among the chips
  std::int64_t shown_row_ = -1;
  float shown_width_ = 0;  ///< width of the strip when that row was scrolled into view
  ChipMenu menu_;
};

/// The chips of a stack: tokens with padding, rows of vectors, or patches of an image.
std::vector<Chip> chips_of(const Document& document, std::size_t sequence, Stack of);
/// Index of the cursor's sequence, clamped to the document.
std::size_t sequence_index(const PanelContext& context);

}  // namespace attnscope
