// The upper part of the tokenizer view: the text with a ground per token, the tokens as chips with their ids,
// the words as the vocabulary sees them. Pointing at one lights it everywhere.
#pragma once

#include <imgui.h>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

/// What is chosen and lit; tokens are places in the encoding.
struct TokenizerChoice {
  int token = -1;
  int word = -1;
  int lit = -1;         ///< under the pointer in the last frame
  int next_lit = -1;    ///< ... in this one
  bool follow = false;  ///< the choice moved by keys: scroll it into sight
};

/// The ground of a token's stretch and of its chip.
ImU32 token_tint(const TokenizerScene& scene, int token);
/// Everything about a token in a tooltip: id, spelling, bytes, place.
void token_tooltip(const TokenizerScene& scene, int token);

/// The text on at most `lines` lines (then it scrolls). Returns the token that was clicked, or -1.
int draw_token_text(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines);
/// One chip per token, wrapped into at most `lines` lines (then they scroll). Returns the clicked token, or
/// -1.
int draw_token_chips(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines);
/// The words on one line that scrolls sideways. Returns the clicked word, or -1.
int draw_token_words(const TokenizerScene& scene, TokenizerChoice& choice, float width);

}  // namespace attnscope
