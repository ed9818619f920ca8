#include "app/panels/input/input_data.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/measure_text.h"
#include "core/session/prompt_list.h"

namespace attnscope {
namespace {

constexpr float kDataName = 150.f, kDataList = 520.f, kDataRow = 22.f, kDataRows = 14.f;  // units, rows

const PromptList& list_of(const PanelContext& context) { return context.session.document().data; }

// "#7" in the words of the model's vocabulary.
std::string answer_text(const OpenedModel& opened, const DataLine& line) {
  const auto id = line.answer.starts_with('#') ? parse_output(opened, line.answer) : Result<int>(Error{});
  return id ? token_label(opened, *id) : line.answer;
}

bool passes(const DataLine& line, const std::string& text, const std::string& wanted) {
  const auto has = [&](const std::string& one) { return lower(one).find(wanted) != std::string::npos; };
  return has(text) || has(line.answer) ||
         std::any_of(line.groups.begin(), line.groups.end(),
                     [&](const auto& group) { return has(group.first + "=" + group.second); });
}

}  // namespace

const std::string& DataBox::label(const PanelContext& context) {
  const PromptList& list = list_of(context);
  const std::int64_t at = prompt_looked_at(context.session.document());
  return label_.get({reinterpret_cast<std::uintptr_t>(list.prompts.get()), static_cast<std::uint64_t>(at)},
                    [&] {
                      const std::string name = shortened(data_name(list.prompts->choice), px(kDataName)),
                                        all = format_count(std::ssize(list.prompts->lines));
                      return (at < 0 ? tr("input.data.count", {name, all})
                                     : tr("input.data.at", {name, format_count(at + 1), all})) +
                             " \u25be###prompts";
                    });
}

float DataBox::width(const PanelContext& context) {
  return list_of(context).prompts ? button_width(label(context)) + px(10) : 0;
}

void DataBox::follow(const PanelContext& context) {
  const PromptList& list = list_of(context);
  const bool other = of_ != list.prompts;
  if (other) {
    of_ = list.prompts;
    const OpenedModel& opened = *context.session.document().opened;
    texts_.clear(), answers_.clear();
    for (const DataLine& line : of_->lines) {
      texts_.push_back(prompt_text(opened, line));
      answers_.push_back(answer_text(opened, line));
    }
  }
  if (!other && filtered_ == filter_) return;
  filtered_ = filter_;
  shown_.clear();
  const std::string wanted = lower(filter_);
  for (std::size_t i = 0; i < texts_.size(); ++i)
    if (wanted.empty() || passes(of_->lines[i], texts_[i], wanted)) shown_.push_back(i);
}

void DataBox::draw_row(const PanelContext& context, std::size_t prompt, float width) {
  const bool here = prompt_looked_at(context.session.document()) == static_cast<std::int64_t>(prompt);
  const std::string number = std::to_string(prompt + 1);
  const std::string id = "###prompt_" + number;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable(id.c_str(), here, 0, ImVec2(width, px(kDataRow)));
  note_item(id);
  const float numbers = ImGui::CalcTextSize("00000").x + px(8);
  const float answer = width * 0.2f;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const DataLine& line = of_->lines[prompt];
  draw->AddText(ImVec2(at.x + px(4), at.y), theme().text_dim, number.c_str());
  const std::string text = shortened(texts_[prompt], width - numbers - answer - px(10));
  note_text(text);
  draw->AddText(ImVec2(at.x + numbers, at.y), theme().text, text.c_str());
  if (!line.answer.empty()) {
    const std::string shown = shortened(answers_[prompt], answer);
    draw->AddText(ImVec2(at.x + width - answer, at.y), theme().text_dim, shown.c_str());
  }
  if (ImGui::IsItemHovered()) compat::item_tooltip(texts_[prompt].c_str());
  if (!clicked) return;
  context.workspace.cursor.sequence = 0;
  context.commands.edit(
      Text::of("input.edit.prompt", {static_cast<std::int64_t>(prompt) + 1}), {},
      [prompt](Document& document) { return open_prompt(document, static_cast<std::int64_t>(prompt)); });
  ImGui::CloseCurrentPopup();
}

void DataBox::draw_rows(const PanelContext& context, float width) {
  const WithVar tight(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()), px(kDataRow));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::SetCursorPosY(static_cast<float>(i) * px(kDataRow));
      draw_row(context, shown_[static_cast<std::size_t>(i)], width);
    }
  if (shown_.empty()) dim_text(tr("input.data.no_match"));
}

void DataBox::draw_list(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  if (!ImGui::BeginPopup("###prompts_popup")) {
    filter_.clear();
    return;
  }
  follow(context);
  const Document& document = context.session.document();
  const float width = px(kDataList);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  ImGui::InputTextWithHint("###prompts_filter", tr("input.data.filter"), &filter_);
  note_item("prompts_filter");
  const bool own = prompt_looked_at(document) < 0;
  const std::string& mine = own_.get({own, context.session.history().point()}, [&] {
    const std::vector<Sequence>& read = own || !document.data.own ? document.sequences : *document.data.own;
    const Sequence& first = read.front();
    const std::string& text = first.source_text.empty() ? first.text : first.source_text;
    return tr("input.data.own", {text}) + "###own_text";
  });
  if (ImGui::Selectable(mine.c_str(), own, 0, ImVec2(width, 0)) && !own) {
    context.commands.edit(Text::of("input.edit.own_text"), {}, open_own_text);
    ImGui::CloseCurrentPopup();
  }
  note_item("own_text");
  ImGui::Separator();
  const float rows = std::min(kDataRows, static_cast<float>(std::max<std::size_t>(1, shown_.size())));
  {
    const ChildScope list("prompts_list", ImVec2(width, px(kDataRow) * rows + px(4)));
    draw_rows(context, ImGui::GetContentRegionAvail().x - px(12));
  }
  ImGui::Separator();
  const std::string& count = kept_tr(of_->more ? "input.data.shown_more" : "input.data.shown",
                                     {format_count(std::ssize(shown_)), format_count(std::ssize(texts_))});
  dim_text(count);
  ImGui::SameLine(width - button_width(tr("input.data.close")));
  if (raised_button({tr("input.data.close"), "###prompts_close"})) {
    context.commands.edit(Text::of("input.edit.no_data"), {}, [](Document& changed) {
      put_prompts(changed, nullptr);
      return Status(Done{});
    });
    ImGui::CloseCurrentPopup();
  }
  compat::item_tooltip(tr("input.data.close.help"));
  ImGui::EndPopup();
}

void DataBox::draw(const PanelContext& context) {
  if (!list_of(context).prompts) return;
  if (raised_button(label(context), prompt_looked_at(context.session.document()) >= 0))
    ImGui::OpenPopup("###prompts_popup");
  compat::item_tooltip(tr("input.data.help"));
  popup_below_item(true);
  draw_list(context);
  ImGui::SameLine(0, px(10));
}

}  // namespace attnscope
