// Upper part of the tokenizer view: the text with a background per token, the tokens as chips with ids, the
// words after pre-tokenization. Hovering highlights the token in all of them.
#pragma once

#include <imgui.h>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

/// Selection and highlight; tokens are indices in the encoding.
struct TokenizerChoice {
  int token = -1;
  int word = -1;
  int lit = -1;         ///< hovered in the last frame
  int next_lit = -1;    ///< hovered in this frame
  bool follow = false;  ///< selected by keys: scroll to it
};

/// Background colour of a token's text and chip.
ImU32 token_tint(const TokenizerScene& scene, int token);
/// Tooltip of a token: id, text, bytes, position.
void token_tooltip(const TokenizerScene& scene, int token);

/// The text on at most `lines` lines (then it scrolls). Returns the clicked token, or -1.
int draw_token_text(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines);
/// One chip per token, on at most `lines` lines (then they scroll). Returns the clicked token, or
/// -1.
int draw_token_chips(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines);
/// The words on one line that scrolls horizontally. Returns the clicked word, or -1.
int draw_token_words(const TokenizerScene& scene, TokenizerChoice& choice, float width);

}  // namespace attnscope
