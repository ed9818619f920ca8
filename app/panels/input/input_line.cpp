#include "app/panels/input/input_line.h"

#include <algorithm>
#include <cstdlib>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/typed_edits.h"
#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

constexpr std::size_t kLongText = 8192;    // bytes; longer texts are tokenized by a background job
constexpr double kBurstSeconds = 1.2;      // a longer pause in typing starts a new undo point
constexpr std::size_t kSentenceText = 32;  // code points of the text in an undo label

std::string excerpt(const std::string& text) {
  std::string out;
  std::size_t at = 0, count = 0;
  while (at < text.size() && count++ < kSentenceText) {
    const char32_t code = next_code_point(text, at);
    append_utf8(out, code < 32 ? U' ' : code);
  }
  return at < text.size() ? out + "\u2026" : out;
}

/// True if the keys of this frame paste into the field, or cut from it.
bool pastes_now() {
  using compat::Key;
  const ImGuiIO& io = ImGui::GetIO();
  const bool ctrl = io.KeyCtrl || io.KeySuper;
  return (ctrl && (compat::key_pressed(Key::v, true) || compat::key_pressed(Key::x, true))) ||
         (io.KeyShift && (compat::key_pressed(Key::insert, true) || compat::key_pressed(Key::del, true)));
}

int vocabulary_of(const Document& document, Stack of) {
  const ModelConfig& config = document.model->config();
  return config.of(of == Stack::enc ? of : config.stack).vocab_size;
}

/// The first id outside the vocabulary, or -1.
int unknown_id(const std::vector<int>& ids, int known) {
  const auto at = std::find_if(ids.begin(), ids.end(), [&](int id) { return id < 0 || id >= known; });
  return at == ids.end() ? -1 : std::abs(*at);
}

}  // namespace

std::size_t sequence_index(const PanelContext& context) {
  const std::size_t count = context.session.document().sequences.size();
  const auto wanted = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  return std::min(wanted, count - 1);
}

std::string TokenLine::item(const char* name) const {
  return (is_source() ? "source_" : "") + std::string(name);
}

void TokenLine::follow(const PanelContext& context) {
  const std::size_t sequence = sequence_index(context);
  if (opened_ != context.session.opened_version() || sequence_ != sequence) {
    typing_ = false;
    error_.reset();
    tokenized_.forget();
    shown_row_ = -1;
  }
  opened_ = context.session.opened_version();
  sequence_ = sequence;
  const Sequence& now = context.session.document().sequences[sequence];
  const std::uint64_t point = context.session.history().point();
  if (error_ && !typing_ && point != error_point_) error_.reset();  // the document was changed by other means
  error_point_ = point;
  const std::string& text = is_source() ? now.source_text : now.text;
  if (!typing_ && !error_ && !tokenized_.waits() && text_ != text) {
    text_ = text;
    note_text(text_);  // the field may show characters that are in no token label
  }
  lit_ = lit_next_;
  lit_next_ = -1;
  if (auto made = tokenized_.take())
    context.commands.act([this, made = *std::move(made), sequence, pasted = tokenized_pasted_](
                             Session& session) { take_typed(session, sequence, made, pasted); });
  if (last_key_ > 0 && ImGui::GetTime() - last_key_ > kBurstSeconds) {
    last_key_ = 0;
    typed_from_.reset();
    context.commands.end_gesture();
  }
}

// Why the document cannot take the text.
std::optional<Error> TokenLine::refusal(const Document& document, const Result<Sequence>& made) const {
  if (!made) return made.error();
  if (made->input.ids.empty()) return fail(Code::bad_format, "input.empty");
  const int known = vocabulary_of(document, of_), id = unknown_id(made->input.ids, known);
  if (id < 0) return std::nullopt;
  return Error{Code::out_of_range, Text::of("input.unknown_id", {id, known}),
               Text::of("input.unknown_id.hint", {known - 1})};
}

// Pasted text is an undo point of its own; typed text shares one. Edits of words that are gone go, too, and
// come back with undo.
void TokenLine::take_typed(Session& session, std::size_t sequence, Result<Sequence> made, bool pasted) {
  if (pasted) session.end_gesture();
  if (pasted || session.history().version() != typed_version_) typed_from_.reset();
  if (!typed_from_) typed_from_ = session.document();
  error_ = refusal(session.document(), made);
  if (!error_) {
    const Text sentence =
        made->text.empty()
            ? Text::of("input.edit.no_text")
            : Text::of(is_source() ? "input.edit.source_text" : "input.edit.text", {excerpt(made->text)});
    (void)session.edit(sentence, item("typing"), [&](Document& document) -> Status {
      TRY_OK(set_spelled(document, sequence, *std::move(made), of_));
      const Input& input = document.sequences[sequence].input;
      document.edits =
          edits_of_same_words(*typed_from_, sequence, of_, is_source() ? input.source : input.ids);
      gone_ = edits_gone(typed_from_->edits, document.edits);
      return Done{};
    });
    if (pasted) session.end_gesture();
  }
  typed_version_ = session.history().version();
}

// What is gone may come back with the next key, or with undo.
std::size_t TokenLine::take_gone(const Session& session) {
  if (session.history().version() != typed_version_) gone_ = 0;
  return last_key_ > 0 ? 0 : std::exchange(gone_, 0);
}

void TokenLine::typed(const PanelContext& context) {
  last_key_ = ImGui::GetTime();
  note_text(text_);
  const bool pasted = pastes_now();
  const auto opened = context.session.document().opened;
  if (text_.size() <= kLongText) {
    context.commands.act([this, opened, sequence = sequence_, text = text_, pasted](Session& session) {
      take_typed(session, sequence, spelled(*opened, text, of_), pasted);
    });
    return;
  }
  tokenized_pasted_ = pasted;
  tokenized_.begin(context.workers(),
                   [opened, text = text_, of = of_] { return spelled(*opened, text, of); });
}

// Escape: the text is as it was before, and so is the document. What was typed can be redone.
void TokenLine::take_back_typed(const PanelContext& context) {
  error_.reset();
  tokenized_.forget();
  note_text(text_);
  context.commands.act([point = typed_over_](Session& session) {
    while (session.history().can_undo() && session.history().point() > point) session.undo();
  });
}

// Highlights the hovered token (here or among the chips) in the text; not while the field is scrolled.
void TokenLine::light_spans(const std::vector<Token>& tokens, const std::string& spelled, ImVec2 min,
                            ImVec2 max) {
  const float room = max.x - min.x - 2 * ImGui::GetStyle().FramePadding.x;
  if (text_ != spelled || text_.find('\n') != std::string::npos ||
      ImGui::CalcTextSize(text_.c_str()).x > room)
    return;
  const float left = min.x + ImGui::GetStyle().FramePadding.x;
  const float pointer = ImGui::GetIO().MousePos.x;
  const bool over = ImGui::IsItemHovered();
  for (std::size_t pos = 0; pos < tokens.size(); ++pos) {
    const Token& token = tokens[pos];
    if (token.end <= token.begin || (!over && lit_ != static_cast<std::int64_t>(pos))) continue;
    const char* text = text_.c_str();
    const float x0 = left + ImGui::CalcTextSize(text, text + token.begin).x;
    const float x1 = left + ImGui::CalcTextSize(text, text + token.end).x;
    if (over && pointer >= x0 && pointer < x1) lit_next_ = static_cast<std::int64_t>(pos);
    if (lit_ != static_cast<std::int64_t>(pos)) continue;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(ImVec2(x0, min.y + px(2)), ImVec2(x1, max.y - px(2)),
                        with_alpha(theme().accent, 0.22f), px(3));
    list->AddLine(ImVec2(x0, max.y - px(3)), ImVec2(x1, max.y - px(3)), theme().accent, px(2));
  }
}

bool TokenLine::draw_box(const PanelContext& context, bool focus, float width, float height, bool many_lines,
                         const char* hint) {
  if (focus) compat::focus_next_item();
  const WithColour border(ImGuiCol_Border, error_    ? theme().error
                                           : typing_ ? theme().accent
                                                     : IM_COL32_BLACK_TRANS);
  const WithColour ground(ImGuiCol_FrameBg, typing_ ? theme().panel_raised : IM_COL32_BLACK_TRANS);
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(4)));
  const std::string id = "###" + item(is_source() ? "text" : "input_text");
  const bool decoder = context.session.document().model->config().encoder() && !is_source();
  if (!hint) hint = is_source() ? "input.hint.source" : decoder ? "input.hint.target" : "input.hint";
  bool changed = false;
  if (many_lines) {
    changed = ImGui::InputTextMultiline(id.c_str(), &text_, ImVec2(width, height));
  } else {
    ImGui::SetNextItemWidth(width);
    changed = ImGui::InputTextWithHint(id.c_str(), tr(hint), &text_);
  }
  note_item(id);
  return changed;
}

float TokenLine::wanted_width() const {
  const bool one_line = text_.find('\n') == std::string::npos;
  return one_line ? ImGui::CalcTextSize(text_.c_str()).x + px(20) : 0;  // room for the next character
}

float TokenLine::draw_field(const PanelContext& context, bool focus, float width) {
  const Sequence& sequence = context.session.document().sequences[sequence_];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool many_lines = text_.find('\n') != std::string::npos;
  const float height = many_lines ? 2 * ImGui::GetTextLineHeight() + px(8) : ImGui::GetFrameHeight();
  ImGui::SetCursorScreenPos(ImVec2(at.x - px(6), at.y));
  const bool changed = draw_box(context, focus, width, height, many_lines, nullptr);
  const bool ended = ImGui::IsItemDeactivated();
  typing_ = ImGui::IsItemActive();
  if (ImGui::IsItemActivated()) typed_over_ = context.session.history().point();
  const bool escaped = changed && ended && compat::key_pressed(compat::Key::escape, false);
  if (!typing_ && wanted_width() > width) compat::item_tooltip(text_.c_str());
  light_spans(is_source() ? sequence.source_tokens : sequence.tokens,
              is_source() ? sequence.source_text : sequence.text, ImGui::GetItemRectMin(),
              ImGui::GetItemRectMax());
  if (escaped)
    take_back_typed(context);
  else if (changed)
    typed(context);
  if (ended && last_key_ > 0) {
    last_key_ = 0;
    typed_from_.reset();
    context.commands.end_gesture();
  }
  return height;
}

// True: the document takes the text. False: the error says why not, and the document stays as it is.
bool TokenLine::enter(const PanelContext& context) {
  const Document& document = context.session.document();
  const Stack stack = is_source() ? of_ : document.model->config().stack;
  Result<Sequence> made = spelled(*document.opened, text_, of_);
  error_ = refusal(document, made);
  if (!error_ && text_.find_first_not_of(" \t\n") == std::string::npos)
    error_ = fail(Code::bad_format, "input.empty");
  const std::int64_t most = longest_input(document.model->config().of(stack));
  if (!error_ && most > 0 && std::ssize(made->input.ids) > most)
    error_ = fail(Code::out_of_range, "error.model.too_long", {made->input.ids.size(), most});
  error_point_ = context.session.history().point();
  if (error_) return false;
  note_text(text_);
  context.commands.act([this, made = *std::move(made), sequence = sequence_](Session& session) {
    take_typed(session, sequence, made, true);
  });
  applied_ = true;
  return true;
}

bool TokenLine::draw_entry(const PanelContext& context, bool focus, float width) {
  const Sequence& now = context.session.document().sequences[sequence_];
  const bool was_refused = error_.has_value();
  (void)draw_box(context, focus, width, ImGui::GetFrameHeight(), false, "easy.type.hint");
  const bool ended = ImGui::IsItemDeactivated();
  typing_ = ImGui::IsItemActive();
  if (!ended) return true;
  const bool escaped = compat::key_pressed(compat::Key::escape, false);
  const bool same = text_ == (is_source() ? now.source_text : now.text) && !was_refused;
  if (!escaped && (same || enter(context))) return false;
  if (!escaped && compat::key_pressed(compat::Key::enter, false)) return true;
  error_.reset();
  return false;
}

float TokenLine::draw_error(float width) {
  if (!error_) return 0;
  const std::string whole = error_->text();
  note_text(whole);
  const WithColour ink(ImGuiCol_Text, theme().error);
  const float height = ImGui::CalcTextSize(whole.c_str(), nullptr, false, width).y;
  text_in_lines(whole, width);
  note_item(item(is_source() ? "error" : "input_error"));
  return height + px(4);
}

}  // namespace attnscope
