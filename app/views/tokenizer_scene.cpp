#include "app/views/tokenizer_scene.h"

#include <algorithm>

#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

void place_words(TokenizerScene& scene) {
  const std::size_t count = scene.steps.encoding.tokens.size();
  scene.word_of_token.assign(count, -1);
  for (std::size_t index = 0; index < scene.steps.words.size(); ++index) {
    const SegmentedWord& word = scene.steps.words[index];
    for (std::size_t i = 0; i < word.parts.size() && word.first_token + i < count; ++i)
      scene.word_of_token[word.first_token + i] = static_cast<int>(index);
    if (scene.kind == WordSteps::Kind::whole && !word.added) scene.kind = word.steps.kind;
  }
}

// Spans of text in order; tokens that overlap the previous span (bytes of one character) share it.
void place_runs(TokenizerScene& scene) {
  const std::vector<Token>& tokens = scene.steps.encoding.tokens;
  scene.run_of_token.assign(tokens.size(), -1);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.end <= token.begin) continue;
    const bool shares = token.begin < done && !scene.runs.empty();
    if (!shares && token.begin > done) scene.runs.push_back({done, token.begin, {}});
    if (!shares) scene.runs.push_back({token.begin, token.end, {}});
    TokenRun& run = scene.runs.back();
    run.end = std::max(run.end, token.end);
    run.tokens.push_back(static_cast<int>(i));
    scene.run_of_token[i] = static_cast<int>(scene.runs.size()) - 1;
    done = run.end;
  }
  const auto size = static_cast<std::int64_t>(scene.text.size());
  if (done < size) scene.runs.push_back({done, size, {}});
}

// Replacing spaces by ▁ does not count as a change.
bool changed_by_normalizer(const TokenizerScene& scene) {
  if (scene.steps.stretch_count > scene.steps.stretches.size()) return false;
  std::string seen;
  for (const Segment& stretch : scene.steps.stretches) {
    const std::string_view text = stretch.text.text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const bool mark = next_code_point(text, at) == U'▁';
      seen += mark ? std::string_view(" ") : text.substr(begin, at - begin);
    }
  }
  const std::string typed = valid_utf8(scene.text);
  return seen != typed && seen != " " + typed;
}

}  // namespace

const SegmentedWord* TokenizerScene::word(int index) const {
  const bool known = index >= 0 && static_cast<std::size_t>(index) < steps.words.size();
  return known ? &steps.words[static_cast<std::size_t>(index)] : nullptr;
}

TokenizerScene make_tokenizer_scene(std::shared_ptr<const Tokenizer> tokenizer, std::string text) {
  TokenizerScene scene;
  scene.tokenizer = std::move(tokenizer);
  scene.text = std::move(text);
  auto steps = segment(*scene.tokenizer, scene.text);
  if (!steps) {
    scene.error = steps.error().text();
    return scene;
  }
  scene.steps = *std::move(steps);
  for (const Token& token : scene.steps.encoding.tokens) {
    const bool as_id = token.text == scene.tokenizer->token_text(token.id);
    scene.names.push_back(as_id ? scene.tokenizer->token_display(token.id) : display_bytes(token.text));
  }
  place_words(scene);
  place_runs(scene);
  scene.normalized = changed_by_normalizer(scene);
  return scene;
}

std::int64_t step_count(const SegmentedWord& word) {
  switch (word.steps.kind) {
    case WordSteps::Kind::whole:  // looked up whole, or unchanged
    case WordSteps::Kind::attempts: return static_cast<std::int64_t>(word.steps.attempts.size());
    case WordSteps::Kind::merges: return static_cast<std::int64_t>(word.steps.merges.size());
    case WordSteps::Kind::lattice: return static_cast<std::int64_t>(utf8_length(word.text.text()));
  }
  return 0;
}

std::string piece_name(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece) {
  if (piece.id >= 0 && !piece.as_written) return scene.tokenizer->token_display(piece.id);
  const std::string_view text = word.text.text();
  return display_bytes(text.substr(std::min<std::size_t>(piece.begin, text.size()), piece.end - piece.begin));
}

PieceNames::Named PieceNames::of(const TokenizerScene& scene, const SegmentedWord& word,
                                 const WordPart& piece) {
  const auto make = [&] {
    Named out{piece_name(scene, word, piece), 0};
    note_text(out.text);
    out.width = text_size(fonts().mono, out.text).x;
    return out;
  };
  if (scene_ != &scene || scale_ != ui_scale() || fonts_pending()) known_.clear();
  scene_ = &scene;
  scale_ = ui_scale();
  if (piece.id < 0 || piece.as_written) return make();
  const auto found = known_.find(piece.id);
  return found != known_.end() ? found->second : known_.emplace(piece.id, make()).first->second;
}

std::string hex_bytes(std::string_view bytes) {
  constexpr std::size_t kMost = 24;
  std::string out;
  for (std::size_t i = 0; i < std::min(bytes.size(), kMost); ++i)
    out += format(i > 0 ? " %02X" : "%02X", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
  return bytes.size() > kMost ? out + " …" : out;
}

std::string text_on_one_line(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::string(text);
  const std::size_t last = text.find_last_not_of(' ') + 1;
  return std::string(text.substr(0, first)) + display_bytes(text.substr(first, last - first)) +
         std::string(text.substr(last));
}

}  // namespace attnscope
