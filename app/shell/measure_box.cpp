// Texts are in assets/strings/*/ask_view.json.
#include "app/shell/measure_box.h"

#include <bit>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/state/controls.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLeastMeasureWords = 40.f, kMeasureBoxGap = 10.f;

struct BoxTexts {
  std::string title, words, value, change;
  float width = 0;
};

float width_of(const BoxTexts& texts, const std::string& words) {
  float width = 2 * px(kMeasureBoxGap) + text_size(fonts().mono, texts.value).x;
  if (!texts.title.empty()) width += text_size(fonts().body, texts.title).x + px(kMeasureBoxGap);
  if (!words.empty()) width += text_size(fonts().mono, words).x + px(kMeasureBoxGap);
  if (!texts.change.empty()) width += text_size(fonts().mono, texts.change).x + px(kMeasureBoxGap);
  return width;
}

// Shortens the text to fit: without the title, then truncated, then none.
void fit(BoxTexts& texts, float room) {
  texts.width = width_of(texts, texts.words);
  if (texts.width <= room) return;
  texts.title.clear();
  const float bare = width_of(texts, {}) + px(kMeasureBoxGap);
  texts.words = room - bare > px(kLeastMeasureWords)
                    ? middle_truncated(fonts().mono, texts.words, room - bare)
                    : std::string();
  texts.width = width_of(texts, texts.words);
}

const BoxTexts& box_texts(const RunResult& run, const MeasureAnswer& answer, float room) {
  static Kept<BoxTexts> kept;
  const LogitMeasure& measure = *answer.measure;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return kept.get({run.version, number(measure.kind), number(measure.target), number(measure.distractor),
                   bits(answer.value), bits(answer.change()), number(answer.unedited.has_value()),
                   bits(static_cast<double>(room))},
                  [&] {
                    BoxTexts texts{tr("ask.measure"), measure_words(*run.document.opened, measure),
                                   signed_number(answer.value),
                                   answer.unedited ? signed_number(answer.change()) : std::string()};
                    note_text(texts.words);
                    fit(texts, room);
                    return texts;
                  });
}

void draw_texts(const BoxTexts& texts, ImVec2 at, float height, bool fresh, double change) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& t = theme();
  float x = at.x + px(kMeasureBoxGap);
  const auto put = [&](ImFont* font, const std::string& text, ImU32 ink) {
    if (text.empty()) return;
    const ImVec2 size = text_size(font, text);
    draw_text(Canvas(list), font, ImVec2(x, at.y + (height - size.y) / 2), ink, text);
    x += size.x + px(kMeasureBoxGap);
  };
  put(fonts().body, texts.title, t.text_dim);
  put(fonts().mono, texts.words, t.text);
  put(fonts().mono, texts.value, fresh ? t.text : t.text_dim);
  put(fonts().mono, texts.change, change < 0 ? t.negative : change > 0 ? t.positive : t.text_dim);
}

void draw_popup(FrameState& state, const RunResult& run, const MeasureAnswer& answer) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(12)));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), px(8)));
  if (!ImGui::BeginPopup("###measure_popup")) return;
  {
    const WithFont bold(fonts().body_bold);
    ImGui::TextUnformatted(tr("ask.measure.title"));
  }
  state.measure_field.draw_field("###measure_text", state.workspace, run, px(430));
  state.measure_field.draw_kinds(state.workspace, run);
  ImGui::Dummy(ImVec2(px(430), 0));
  (void)state.measure_field.draw_error(state.workspace, run);
  const std::string value = signed_number(answer.value, 4);
  const std::string line =
      answer.unedited ? tr("ask.measure.edited",
                           {signed_number(*answer.unedited, 4), value, signed_number(answer.change(), 4)})
                      : tr("ask.measure.value", {value});
  dim_text(line);
  ImGui::EndPopup();
}

}  // namespace

void draw_measure_box(FrameState& state, float right, float middle, float room) {
  if (state.lessons.hides_measure()) return;
  const auto run = state.session.result();
  const auto answer = state.workspace.asking.measure.newest();
  if (!run || !answer || !answer->measure || !run->document.opened) return;
  const BoxTexts& texts = box_texts(*run, *answer, room);
  const float width = texts.width, height = ImGui::GetFrameHeight();
  if (width > room) return;
  const ImVec2 at(right - width, middle - height / 2);
  ImGui::SetCursorScreenPos(at);
  if (hit_area("###measure_box", ImVec2(width, height))) ImGui::OpenPopup("###measure_popup");
  note_item("measure_box");
  const bool lit = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + width, at.y + height);
  list->AddRectFilled(at, end, lit ? theme().hovered : theme().ground, px(metric::kRounding));
  list->AddRect(at, end, theme().border, px(metric::kRounding));
  draw_texts(texts, at, height, answer->run == run->version, answer->change());
  if (lit)
    compat::item_tooltip(
        (answer->unedited ? tr("ask.measure.help.edited", {answer->text, signed_number(*answer->unedited)})
                          : tr("ask.measure.help", {answer->text}))
            .c_str());
  ImGui::SetNextWindowPos(ImVec2(at.x, end.y + px(5)), ImGuiCond_Always);
  draw_popup(state, *run, *answer);
}

}  // namespace attnscope
