// The input of the run: a line of tokens for each stack with token input, or title and sizes of a scene of
// vectors; the image; the sequences of the batch, their padding and the attention mask. Always two rows.
// Changes are queued as commands.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "app/panels/input/input_batch.h"
#include "app/panels/input/input_data.h"
#include "app/panels/input/input_line.h"
#include "app/panels/input/input_mask.h"
#include "app/panels/input/input_picture.h"
#include "app/state/frame_state.h"
#include "app/state/panel.h"

namespace attnscope {

/// Clears the decoder's text and generates it anew from the encoder's input.
void answer_anew(Session& session, int sequence);

class InputBar {
 public:
  /// Draws at `position`; returns the height used, pixels.
  float draw(const PanelContext& context, FrameState& state, ImVec2 position, float width);
  /// The easy window's: the sentence as chips alone, or what else the model reads in one line. A click behind
  /// the chips opens a field to type another text.
  float draw_easy(const PanelContext& context, FrameState& state, ImVec2 position, float width);

 private:
  enum class Kind : std::uint8_t { vectors, picture, text, source_and_text };
  // input_bar.cpp
  void follow(const PanelContext& context, FrameState& state);
  float draw_rows(const PanelContext& context, FrameState& state, Kind kind, ImVec2 at, float width);
  float draw_head(const PanelContext& context, FrameState& state, Kind kind, float width);
  void draw_title(const PanelContext& context, FrameState& state, float width);
  void draw_chips(const PanelContext& context, float width);
  float draw_line(const PanelContext& context, FrameState& state, TokenLine& line, const char* name,
                  float width);
  float draw_pair(const PanelContext& context, FrameState& state, ImVec2 at, float width);
  float switches_width(const PanelContext& context);
  void draw_switches(const PanelContext& context, float right, float y);
  void draw_generate(const PanelContext& context);
  void draw_add_token(const PanelContext& context);
  // input_easy.cpp
  void follow_entry(const PanelContext& context, FrameState& state);
  void name_unknown(const PanelContext& context, FrameState& state);
  float draw_easy_line(const PanelContext& context, TokenLine& line, ImVec2 at, float width);
  void draw_pencil(ImVec2 at, float width);
  // input_sizes.cpp
  void draw_sizes(const PanelContext& context, FrameState& state);

  TokenLine source_{Stack::enc}, main_{Stack::single};
  BatchBar batch_;
  DataBox data_;
  MaskBox mask_;
  PictureBox picture_;
  int generate_count_ = 1;
  bool entering_ = false, entry_begins_ = false;  ///< the text field of the easy window is open; opens now
  std::uint64_t entering_in_ = 0;                 ///< Session::opened_version() of that
  std::set<std::string> named_;  ///< words that the vocabulary does not know, of which a notice was given
  std::pair<std::uint64_t, std::uint64_t> named_in_;  ///< opened_version() and the history's of that
  KeptText facts_;
};

}  // namespace attnscope
