// The tokenizer view: how the text becomes tokens. Text and tokens at the top, words below, and all steps of
// the selected word: merges (BPE), lattice (unigram) or attempts (WordPiece). The steps are recorded by the
// same code that tokenizes.
#include <algorithm>
#include <functional>

#include "app/look/kept_text.h"
#include "app/views/tokenizer_shelf.h"
#include "app/views/tokenizer_steps.h"
#include "app/views/tokenizer_text.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

const Tokenizer* tokenizer_of(const RunResult& run) {
  return run.document.opened ? run.document.opened->tokenizer.get() : nullptr;
}

// True if there is more to see than one piece per character: merges, alternatives, failed attempts.
bool is_telling(const SegmentedWord& word) {
  const WordSteps& steps = word.steps;
  if (word.added || steps.cut_short || word.parts.size() < 2) return false;
  const std::size_t letters = utf8_length(word.text.text());
  if (steps.kind == WordSteps::Kind::lattice) return steps.candidates.size() >= letters + 3;
  return step_count(word) >= 3;
}

// The first word with such steps, else the first word.
int most_pieces_word(const TokenizerScene& scene) {
  const std::vector<SegmentedWord>& words = scene.steps.words;
  const auto found = std::find_if(words.begin(), words.end(), is_telling);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  return words.empty() ? -1 : 0;
}

class TokenizerView : public View {
 public:
  TokenizerView() : View({"tokenizer", ViewGroup::words, 0, {.all = true, .text = true}}) {}
  std::string unavailable(const RunResult& run) const override {
    return tokenizer_of(run) ? std::string() : "tokenizer.none";
  }
  bool takes_arrows(const RunResult& run) const override { return unavailable(run).empty(); }
  void keep(Choices& choices) override {
    shelf_.keep(choices);
    choices.of(source_);
    choices.of("word", choice_.word, -1, 1 << 24);
    choices.of("token", choice_.token, -1, 1 << 24);
    choices.of("step", step_, 0, 1 << 24);
  }
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void follow_cursor(const ViewContext& context);
  void draw_head(const ViewContext& context, float width);
  void draw_source_chips(const ViewContext& context);
  void draw_notes(const ViewContext& context, float width);
  void draw_walk(float width);
  void play(const ViewContext& context);
  void draw_result(const SegmentedWord& word, float width);
  void walk_keys(const ViewContext& context);
  void choose_token(const ViewContext& context, int token);
  void choose_word(const ViewContext& context, int word);
  void go(std::int64_t step);
  const Sequence& sequence(const ViewContext& context) const;
  const std::vector<int>& input_ids(const ViewContext& context) const;
  bool as_typed(const ViewContext& context) const;

  TokenizerShelf shelf_;
  bool playing_ = false;
  double played_ = 0;  ///< seconds since the last step
  Computed<TokenizerScene> scenes_;
  std::shared_ptr<const TokenizerScene> scene_;
  bool fresh_ = false;  ///< the scene belongs to the current text
  PieceNames names_;
  TokenizerChoice choice_;
  static constexpr Option<bool> kTexts[] = {{"source", true}, {"target", false}};
  /// Shows the encoder's text.
  OneOf<bool> source_{"source", kTexts, false, "tokenizer.", "###tokenizer_"};
  std::int64_t step_ = 0;       ///< of the selected word
  bool moved_ = true;           ///< scroll to the step
  std::int64_t last_row_ = -1;  ///< the cursor's row in the last frame
};

const Sequence& TokenizerView::sequence(const ViewContext& context) const {
  const auto& all = context.run.document.sequences;
  const int last = static_cast<int>(all.size()) - 1;
  return all[static_cast<std::size_t>(std::clamp(context.workspace.cursor.sequence, 0, last))];
}

const std::vector<int>& TokenizerView::input_ids(const ViewContext& context) const {
  const Sequence& shown = sequence(context);
  return source_ ? shown.input.source : shown.input.ids;
}

// True if the input ids are exactly the tokens of the text: then rows correspond to tokens.
bool TokenizerView::as_typed(const ViewContext& context) const {
  return scene_ && !shelf_.chosen() &&
         std::ranges::equal(scene_->steps.encoding.tokens, input_ids(context), {}, &Token::id);
}

void TokenizerView::follow(const ViewContext& context) {
  const Sequence& shown = sequence(context);
  if (shown.source_text.empty()) source_ = false;
  const std::string& text = source_ ? shown.source_text : shown.text;
  shelf_.follow(context, text);
  const auto tokenizer = shelf_.chosen() ? shelf_.chosen() : context.run.document.opened->tokenizer;
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(source_.value), shelf_.version()});
  const std::uint64_t key = key_of({subject, std::hash<std::string>()(text)});
  const auto before = scene_;
  const auto made = scenes_.get_or_before(
      subject, key, context.workers(),
      [tokenizer, text](const std::atomic<bool>&) { return make_tokenizer_scene(tokenizer, text); });
  scene_ = made.value;
  fresh_ = made.fresh;
  if (scene_ == before || !scene_) return;
  if (!shelf_.chosen() && scene_->kind == WordSteps::Kind::whole && !context.workspace.told &&
      !context.workspace.presenting)
    shelf_.begin_with_merges();
  choice_ = {};
  last_row_ = -1;
  choice_.word = most_pieces_word(*scene_);
  const SegmentedWord* word = scene_->word(choice_.word);
  if (word && !word->parts.empty()) choice_.token = static_cast<int>(word->first_token);
  go(INT64_MAX);
  playing_ = false;
}

// Selects the token at the cursor's row, if rows correspond to tokens.
void TokenizerView::follow_cursor(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const std::int64_t row = cursor.query;
  if (row == last_row_ || !as_typed(context)) return;
  const bool first = last_row_ < 0;
  last_row_ = row;
  const auto count = static_cast<std::int64_t>(scene_->word_of_token.size());
  if (row < 0 || row >= count || scene_->word_of_token[static_cast<std::size_t>(row)] < 0) return;
  if (first && (row == 0 || row + 1 >= count))
    return;  // initial cursor of a new input: not chosen by the user
  const int word = scene_->word_of_token[static_cast<std::size_t>(row)];
  choice_.token = static_cast<int>(row);
  choice_.follow = true;
  if (word == choice_.word) return;
  choice_.word = word;
  go(INT64_MAX);
}

void TokenizerView::go(std::int64_t step) {
  const SegmentedWord* word = scene_ ? scene_->word(choice_.word) : nullptr;
  step_ = std::clamp<std::int64_t>(step, 0, word ? step_count(*word) : 0);
  moved_ = true;
}

void TokenizerView::choose_token(const ViewContext& context, int token) {
  if (token < 0) return;
  choice_.token = token;
  const int word = scene_->word_of_token[static_cast<std::size_t>(token)];
  if (word >= 0 && word != choice_.word) {
    choice_.word = word;
    go(INT64_MAX);
  }
  if (!as_typed(context)) return;
  context.workspace.cursor.query = last_row_ = token;
}

void TokenizerView::choose_word(const ViewContext& context, int index) {
  const SegmentedWord* word = scene_->word(index);
  if (!word) return;
  choice_.word = index;
  go(INT64_MAX);
  if (!word->parts.empty() && word->first_token < scene_->word_of_token.size())
    choose_token(context, static_cast<int>(word->first_token));
}

void TokenizerView::walk_keys(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if (context.workspace.view != id() || io.WantTextInput || io.KeyCtrl || io.KeyAlt ||
      ImGui::IsAnyItemActive() ||
      ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    return;
  const int step = compat::arrow_pressed();
  if (step != 0) go(step_ + step);
  const int word = compat::key_pressed(compat::Key::down) ? 1 : compat::key_pressed(compat::Key::up) ? -1 : 0;
  if (word == 0) return;
  choose_word(context, choice_.word + word);
  choice_.follow = true;
}

void TokenizerView::draw_source_chips(const ViewContext& context) {
  if (sequence(context).source_text.empty()) return;
  ChipRow row;
  choose(row, source_);
}

void TokenizerView::draw_head(const ViewContext& context, float width) {
  const char *title = "tokenizer.title", *sentence = "tokenizer.sentence.whole";
  const WordSteps::Kind kind = scene_ ? scene_->kind : WordSteps::Kind::whole;
  if (kind == WordSteps::Kind::merges)
    title = "tokenizer.title.merges", sentence = "tokenizer.sentence.merges";
  if (kind == WordSteps::Kind::lattice)
    title = "tokenizer.title.lattice", sentence = "tokenizer.sentence.lattice";
  if (kind == WordSteps::Kind::attempts)
    title = "tokenizer.title.attempts", sentence = "tokenizer.sentence.attempts";
  if (shelf_.beside()) title = "tokenizer.title.beside", sentence = "tokenizer.sentence.beside";
  const Tokenizer* tokenizer = shelf_.chosen() ? shelf_.chosen().get() : tokenizer_of(context.run);
  view_heading(tr(title), kept_tr(sentence, {format_count(tokenizer->vocab_size())}), width);
  draw_source_chips(context);
  shelf_.draw_choice(width);
}

void TokenizerView::draw_notes(const ViewContext& context, float width) {
  if (scene_->normalized) {
    std::string seen;
    for (const Segment& stretch : scene_->steps.stretches) seen += stretch.text.text();
    const std::string line = tr("tokenizer.normalized", {text_on_one_line(seen.substr(0, 400))});
    note_text(line);
    text_line(fonts().small, theme().text_dim, middle_truncated(fonts().small, line, width));
  }
  const std::vector<int>& input = input_ids(context);
  if (!fresh_ || shelf_.chosen() || input.empty() || as_typed(context)) return;
  std::vector<int> own;  // tokens of the text itself, without the template's
  for (const Token& token : scene_->steps.encoding.tokens)
    if (token.end > token.begin) own.push_back(token.id);
  const bool inside = std::search(input.begin(), input.end(), own.begin(), own.end()) != input.end();
  const std::string note =
      inside ? tr("tokenizer.besides", {std::to_string(input.size() - own.size())}) : tr("tokenizer.changed");
  text_line(fonts().small, theme().text_dim, middle_truncated(fonts().small, note, width));
}

// The resulting tokens of the word, at the right of the play controls.
void TokenizerView::draw_result(const SegmentedWord& word, float width) {
  std::string shown;
  for (const WordPart& part : word.parts) {
    const std::string name = piece_name(*scene_, word, part);
    shown += (shown.empty() ? "" : "  ") + name + " " + std::to_string(part.id);
    if (shown.size() > 400) break;
  }
  note_text(shown);
  const std::string& line = kept_tr("tokenizer.becomes", {shown});
  text_line(fonts().mono_small, theme().text_dim, middle_truncated(fonts().mono_small, line, width));
}

// Playing: one step after the other at the timeline's speed.
void TokenizerView::play(const ViewContext& context) {
  const SegmentedWord* word = scene_->word(choice_.word);
  if (!playing_ || !word) return;
  context.workspace.moving = true;
  played_ += static_cast<double>(ImGui::GetIO().DeltaTime);
  const double seconds = 1.0 / static_cast<double>(std::max(0.1f, context.workspace.speed));
  if (played_ < seconds) return;
  played_ = 0;
  go(step_ + 1);
  playing_ = step_ < step_count(*word);
}

void TokenizerView::draw_walk(float width) {
  const SegmentedWord* word = scene_->word(choice_.word);
  if (!word) return;
  const std::int64_t steps = word->steps.cut_short || word->added ? 0 : step_count(*word);
  step_ = std::clamp<std::int64_t>(step_, 0, steps);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float slider = std::min(scaled(200), width * 0.3f);
  if (steps > 0) {
    if (play_button("###tokenizer_play", playing_, tr("tokenizer.play.help"))) {
      playing_ = !playing_;
      played_ = 0;
      if (playing_ && step_ == steps) go(0);
    }
    ImGui::SameLine(0, scaled(8));
    const SliderEvent event = slider_int("###tokenizer_step", tr("tokenizer.step"), step_, 0, steps,
                                         slider - scaled(36), tr("tokenizer.step.help"));
    moved_ = moved_ || event.changed;
    if (event.changed) playing_ = false;
  } else {
    ImGui::Dummy(ImVec2(slider, scaled(30)));
  }
  const float below = ImGui::GetCursorScreenPos().y;
  const float x = at.x + slider + scaled(18), room = width - slider - scaled(18);
  ImGui::SetCursorScreenPos(ImVec2(x, at.y));
  const std::string sentence = step_words(*scene_, *word, step_);
  note_text(sentence);
  text_line(fonts().body, theme().text, middle_truncated(fonts().body, sentence, room));
  ImGui::SetCursorScreenPos(ImVec2(x, at.y + text_size(fonts().body, "X").y + scaled(5)));
  draw_result(*word, room);
  end_at(ImVec2(at.x, std::max(below, ImGui::GetCursorScreenPos().y) + scaled(4)));
}

void TokenizerView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  draw_head(context, width);
  if (!scene_) return caption(tr("tokenizer.pending"));
  if (!scene_->error.empty()) return caption(scene_->error);
  if (scene_->text.empty() && scene_->steps.encoding.tokens.empty()) return caption(tr("tokenizer.no_text"));
  follow_cursor(context);
  walk_keys(context);
  choice_.lit = choice_.next_lit;
  choice_.next_lit = -1;
  play(context);
  if (shelf_.beside()) return shelf_.draw_beside(context, scene_->text, ImGui::GetCursorScreenPos(), width);
  const bool tall = room.y > scaled(520);
  choose_token(context, draw_token_text(*scene_, choice_, width, tall ? 4 : 2));
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const bool figure = scene_->kind == WordSteps::Kind::merges || scene_->kind == WordSteps::Kind::lattice;
  choose_token(context, draw_token_chips(*scene_, choice_, width, tall ? 3 : figure ? 1 : 2));
  draw_notes(context, width);
  if (scene_->steps.words.size() > 1) choose_word(context, draw_token_words(*scene_, choice_, width));
  draw_walk(width);
  if (const SegmentedWord* word = scene_->word(choice_.word)) {
    const float top = ImGui::GetCursorScreenPos().y, left = origin.y + room.y - top;
    const std::int64_t clicked =
        draw_token_steps(*scene_, *word, names_, step_, moved_, ImVec2(width, std::max(scaled(60), left)));
    moved_ = false;
    if (clicked >= 0) step_ = clicked;
  }
  choice_.follow = false;
}

}  // namespace

std::unique_ptr<View> make_tokenizer_view();
std::unique_ptr<View> make_tokenizer_view() { return std::make_unique<TokenizerView>(); }

}  // namespace attnscope
