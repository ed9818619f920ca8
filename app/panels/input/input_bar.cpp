#include "app/panels/input/input_bar.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/training_arm.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr int kMostAnswer = 50;  // tokens
constexpr float kChipRow = 38.f, kThumbnail = 56.f;
constexpr float kFieldShare = 0.4f, kLeastInput = 160.f;  // of a line with text and chips, at most

std::string counted(std::int64_t count, const char* one, const char* many) {
  return tr(count == 1 ? one : many, {format_count(count)});
}

// "4 heads", or "4–8 heads" where blocks differ.
std::string heads_text(const ModelConfig& config) {
  const auto [least, most] = extent(config, &BlockSpec::attention, &AttentionSpec::n_heads);
  if (least == most) return counted(most, "input.count.head", "input.count.heads");
  return tr("input.count.heads", {range_text(config, &BlockSpec::attention, &AttentionSpec::n_heads)});
}

/// "11 tokens · 3 blocks · 4 heads · 0.4 ms"
std::string summary(const PanelContext& context, const Sequence& sequence) {
  const ModelConfig& config = context.session.document().model->config();
  const std::string counts =
      config.encoder()
          ? tr("input.summary.two",
               {format_count(static_cast<std::int64_t>(sequence.input.source.size())),
                format_count(sequence.input.length()), std::to_string(config.encoder()->n_layers()),
                std::to_string(config.n_layers())})
          : tr("input.summary",
               {counted(config.patch.size > 0 ? config.patch.count() : sequence.input.length(),
                        "input.count.token", "input.count.tokens"),
                counted(config.n_layers(), "input.count.block", "input.count.blocks"), heads_text(config)});
  if (!context.run || context.workspace.still) return counts;
  const double ms = context.run->milliseconds;
  return tr("input.summary.timed", {counts, format(ms < 10 ? "%.1f" : "%.0f", ms)});
}

/// The same, cached by document and run.
const std::string& summary(const PanelContext& context, const Sequence& sequence, KeptText& kept) {
  return kept.get({context.session.opened_version(), context.session.history().point(),
                   sequence_index(context), context.run ? context.run->version : 0},
                  [&] { return summary(context, sequence); });
}

void right_text(const std::string& text, float right, float y) {
  ImGui::SetCursorScreenPos(ImVec2(right - ImGui::CalcTextSize(text.c_str()).x, y));
  dim_text(text);
}

/// True if the model can generate: new tokens are appended to the main stack.
bool writes(const OpenedModel& opened) {
  return opened.recorded.empty() && opened.model->config().predicts_next();
}

}  // namespace

void answer_anew(Session& session, int sequence) {
  const auto at = static_cast<std::size_t>(sequence);
  const Status begun = session.edit(Text::of("input.edit.forget"), {}, [&](Document& changed) {
    return set_text(changed, at, "", changed.model->config().stack);
  });
  if (begun) session.answer(sequence, kMostAnswer, Text::of("input.edit.answer"));
}

void InputBar::follow(const PanelContext& context, FrameState& state) {
  source_.follow(context);
  main_.follow(context);
  picture_.follow(context, state);
  for (TokenLine* line : {&source_, &main_})
    if (const std::size_t gone = line->take_gone(context.session))
      state.notify_of_change(Text::of(gone == 1 ? "input.edit_gone" : "input.edits_gone", {gone}),
                             Text::of("input.edits_gone.hint"));
}

float InputBar::switches_width(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(9), px(3)));
  return data_.width(context) + batch_.width(context) + px(6) + mask_.width(context);
}

void InputBar::draw_switches(const PanelContext& context, float right, float y) {
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(9), px(3)));
  ImGui::SetCursorScreenPos(ImVec2(right - switches_width(context), y));
  data_.draw(context);
  batch_.draw(context);
  ImGui::SameLine(0, px(6));
  mask_.draw(context);
}

void InputBar::draw_generate(const PanelContext& context) {
  const int sequence = context.workspace.cursor.sequence;
  if (context.session.generating()) {
    if (raised_button(std::string("\u25a0 ") + tr("input.stop") + "###generate", true))
      context.commands.act([](Session& session) { session.cancel_generating(); });
    return;
  }
  const Document& document = context.session.document();
  const bool answered = document.opened->tokenizer &&
                        arm_actions_left(*document.opened->tokenizer,
                                         document.sequences[sequence_index(context)].input.ids) == 0;
  {
    const WithColour ink(ImGuiCol_Text, answered ? theme().text_dim : theme().accent);
    ImGui::BeginDisabled(answered);
    if (ImGui::Button(Label("\u25b6 ", tr("input.generate"), "###generate").c_str()))
      context.commands.act([sequence, count = generate_count_](Session& session) {
        session.generate(
            sequence, count,
            count == 1 ? Text::of("output.edit.generate") : Text::of("output.edit.generate_many", {count}));
      });
    ImGui::EndDisabled();
  }
  note_item("generate");
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    compat::item_tooltip(answered ? tr("why_not.answered")
                                  : tr("input.generate.help", {std::to_string(generate_count_)}).c_str());
  ImGui::SameLine(0, px(3));
  if (raised_button({std::to_string(generate_count_), " \u25be###generate_count"}))
    ImGui::OpenPopup("###generate_counts");
  if (!ImGui::BeginPopup("###generate_counts")) return;
  for (const int count : {1, 5, 20, 50})
    if (ImGui::MenuItem(
            (tr("input.tokens", {std::to_string(count)}) + "###count" + std::to_string(count)).c_str(),
            nullptr, count == generate_count_))
      generate_count_ = count;
  if (context.session.document().model->config().encoder()) {
    ImGui::Separator();
    if (ImGui::MenuItem(Label(tr("input.answer"), "###answer").c_str()))
      context.commands.act([sequence](Session& session) { answer_anew(session, sequence); });
    note_item("answer");
  }
  ImGui::EndPopup();
}

void InputBar::draw_add_token(const PanelContext& context) {
  const WithColour ink(ImGuiCol_Text, theme().text_dim);
  if (ImGui::Button(Label(tr("input.add_token"), "###add_token").c_str()))
    context.commands.edit(Text::of("input.edit.add_token"), {}, add_position);
  note_item("add_token");
  compat::item_tooltip(tr("input.add_token.help"));
}

// The chips of the main stack, and the button after them: generate, or add a token to a scene of vectors.
void InputBar::draw_chips(const PanelContext& context, float width) {
  const Document& document = context.session.document();
  const bool vectors = !document.sequences[sequence_index(context)].input.vectors.empty();
  const bool generates = !vectors && writes(*document.opened);
  const float side = px(generates ? 170.f : vectors ? 110.f : 0.f);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  bool clicked = false;
  const float strip = main_.draw_chips(context, width - side, picture_.key(), clicked);
  if (clicked) picture_.ask();
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(10), (px(26) - ImGui::GetFontSize()) / 2));
  ImGui::SetCursorScreenPos(ImVec2(origin.x + strip + px(2), origin.y));
  if (generates) draw_generate(context);
  if (vectors) draw_add_token(context);
}

void InputBar::draw_title(const PanelContext& context, FrameState& state, float width) {
  const Document& document = context.session.document();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = opened_title(*document.opened);
  note_text(title);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(5)));
  dim_text(tr("input.scene"));
  ImGui::SameLine(0, px(5));
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(shortened(title, width * 0.4f).c_str());
  }
  ImGui::SameLine(0, px(16));
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetCursorScreenPos().x, at.y));
  draw_sizes(context, state);
  if (!document.opened->scene || !document.opened->scene->from_seed) return;
  const std::string seed = tr("input.seed", {std::to_string(document.opened->scene->seed)});
  const float left = ImGui::GetItemRectMax().x + px(12);
  if (left + ImGui::CalcTextSize(seed.c_str()).x < at.x + width) right_text(seed, at.x + width, at.y + px(5));
}

// The first row of a model with one stack: text or title, chips, facts, buttons.
float InputBar::draw_head(const PanelContext& context, FrameState& state, Kind kind, float width) {
  const Sequence& sequence = context.session.document().sequences[sequence_index(context)];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float switches = switches_width(context) + px(14);
  float height = ImGui::GetFrameHeight();
  if (kind == Kind::vectors) {
    draw_title(context, state, width - switches);
  } else {
    const std::string& facts = summary(context, sequence, facts_);
    const float facts_width = ImGui::CalcTextSize(facts.c_str()).x;
    float room = width - switches - facts_width - px(24);
    const bool tell = room > px(kLeastInput);
    if (!tell) room = width - switches;
    if (kind == Kind::picture) {
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(shortened(picture_.facts(context), room).c_str());
    } else {
      height =
          main_.draw_field(context, std::exchange(state.focus_text, false), std::max(px(kLeastInput), room));
    }
    if (tell) right_text(facts, at.x + width - switches, at.y + px(5));
  }
  draw_switches(context, at.x + width, at.y + px(3));
  return height;
}

// Name, text field and chips of one stack side by side.
float InputBar::draw_line(const PanelContext& context, FrameState& state, TokenLine& line, const char* name,
                          float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label =
      std::max(ImGui::CalcTextSize(tr("input.encoder")).x, ImGui::CalcTextSize(tr("input.decoder")).x) +
      px(16);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(5)));
  {
    const WithFont face(fonts().body_bold);
    dim_text(tr(name));
  }
  const bool source = &line == &source_;
  const float wanted = std::max(source_.wanted_width(), main_.wanted_width());  // aligns the chips
  const float field = std::max(px(kLeastInput), std::min(wanted, width * kFieldShare));
  ImGui::SetCursorScreenPos(ImVec2(at.x + label, at.y));
  const bool focus = source && std::exchange(state.focus_text, false);
  const float height = line.draw_field(context, focus, field);
  const float left = label + field + px(8);
  ImGui::SetCursorScreenPos(ImVec2(at.x + left, at.y + px(1)));
  bool clicked = false;
  if (source)
    line.draw_chips(context, width - left, {}, clicked);
  else
    draw_chips(context, width - left);
  return std::max(height, px(34));
}

// Encoder and decoder: two lines, with the buttons after the first and the facts after the second.
float InputBar::draw_pair(const PanelContext& context, FrameState& state, ImVec2 at, float width) {
  const float switches = switches_width(context) + px(14);
  float y = at.y;
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  const float first = draw_line(context, state, source_, "input.encoder", width - switches);
  draw_switches(context, at.x + width, y + px(3));
  y += first;
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  y += source_.draw_error(width);
  const std::string& facts =
      summary(context, context.session.document().sequences[sequence_index(context)], facts_);
  const float facts_width = ImGui::CalcTextSize(facts.c_str()).x + px(14);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  const float second = draw_line(context, state, main_, "input.decoder", width - facts_width);
  right_text(facts, at.x + width, y + px(5));
  y += second;
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  return y + main_.draw_error(width) - at.y + px(4);
}

float InputBar::draw_rows(const PanelContext& context, FrameState& state, Kind kind, ImVec2 at, float width) {
  if (kind == Kind::source_and_text) return draw_pair(context, state, at, width);
  if (!picture_.key().empty()) {
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(3)));
    picture_.draw_thumbnail(context, px(kThumbnail));
    at.x += px(kThumbnail + 14);
    width -= px(kThumbnail + 14);
  }
  ImGui::SetCursorScreenPos(at);
  float y = at.y + draw_head(context, state, kind, width);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + px(2)));
  y += main_.draw_error(width);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + px(3)));
  draw_chips(context, width);
  return y + px(3) + px(kChipRow) - at.y;
}

float InputBar::draw(const PanelContext& context, FrameState& state, ImVec2 position, float width) {
  const Document& document = context.session.document();
  entering_ = false;
  name_unknown(context, state);
  const ImVec2 inner(position.x + px(metric::kPadding), position.y + px(5));
  const float room = width - 2 * px(metric::kPadding);
  if (!document.opened || document.sequences.empty()) {
    ImGui::SetCursorScreenPos(ImVec2(inner.x, inner.y + px(7)));
    dim_text(context.session.opening() ? tr("frame.opening") : tr("input.nothing"));
    return px(44);
  }
  follow(context, state);
  const Input& input = document.sequences[sequence_index(context)].input;
  const Kind kind = !input.vectors.empty()               ? Kind::vectors
                    : document.model->config().encoder() ? Kind::source_and_text
                    : input.ids.empty()                  ? Kind::picture
                                                         : Kind::text;
  const float height = draw_rows(context, state, kind, inner, room);
  source_.draw_menu(context);
  main_.draw_menu(context);
  picture_.draw_window(context, state, main_.chips());
  return height + inner.y - position.y;
}

}  // namespace attnscope
