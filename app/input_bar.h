// The line of what goes in: the title, or the text that can be typed over; tokens as chips with a menu; the
// sizes of a scene. Text that is no input for the model stays as it was typed, with a sentence under it.
// Refuses to compute: edits go through commands, long texts are tokenized in the background.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/frame_state.h"
#include "app/panel.h"

namespace attnscope {

class InputBar {
 public:
  /// Draws at `position`; the height that was used.
  float draw(const PanelContext& context, FrameState& state, ImVec2 position, float width);

 private:
  struct Tokenized {  // of a long text, made in the background
    Result<Sequence> sequence = Error{};
    std::atomic<bool> done{false};
  };
  struct Search {  // of the vocabulary, made in the background
    std::string query;
    std::vector<int> ids;
    std::atomic<bool> done{false};
  };
  enum class Change { replace, before, after };

  // input_bar.cpp
  void follow(const PanelContext& context);
  float draw_title(const PanelContext& context, FrameState& state, float width);
  float draw_text(const PanelContext& context, FrameState& state, float width);
  void light_spans(const Sequence& sequence, ImVec2 min, ImVec2 max);
  void typed(const PanelContext& context, int sequence);
  void take_typed(Session& session, int sequence, Result<Sequence> made);
  float draw_inline_error(float width);
  // input_chips.cpp
  void draw_chips(const PanelContext& context, float width);
  void measure_chips(const PanelContext& context, const Document& document, const Sequence& sequence);
  void draw_chip(const PanelContext& context, const Sequence& sequence, std::size_t pos, float height);
  void draw_strip(const PanelContext& context, const Sequence& sequence, float width, float height);
  void draw_generate(const PanelContext& context);
  void draw_sequences(const PanelContext& context, float right);
  // input_menu.cpp
  void draw_chip_menu(const PanelContext& context);
  void draw_token_search(const PanelContext& context, const Document& document);
  const std::vector<int>& found_ids(const PanelContext& context, const OpenedModel& opened);
  void change_token(const PanelContext& context, int id);
  // input_sizes.cpp
  void draw_sizes(const PanelContext& context, FrameState& state);

  std::string text_;  ///< in the field: the document's, or what is being typed
  bool typing_ = false, focus_next_ = false;
  double last_key_ = 0;  ///< ImGui time; 0: no gesture is open
  std::optional<Error> typed_error_;
  int typed_sequence_ = 0;
  std::shared_ptr<Tokenized> tokenized_;
  std::uint64_t opened_ = 0;

  std::vector<int> chip_ids_;
  std::vector<std::string> chip_labels_;
  std::vector<float> chip_x_;  ///< left edges, and the end of the last
  float chip_scale_ = 0;
  std::int64_t lit_ = -1, lit_next_ = -1, shown_query_ = -1;

  std::size_t menu_pos_ = 0;
  bool open_menu_ = false;
  Change change_ = Change::replace;
  std::string query_;
  std::shared_ptr<Search> search_;
  std::vector<int> found_;
  bool open_sizes_ = false;
  int generate_count_ = 1;
};

}  // namespace attnscope
