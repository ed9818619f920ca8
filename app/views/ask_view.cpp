// The Ask view: which parts of the model caused the output? Ablation, activation patching from another
// prompt's run, attribution to a sum of parts; the same numbers as the command line's ablate, patch and
// attribute. Unavailable for models without logits, recordings and prompts that were not typed; the reason is
// shown.
#include "app/views/ask_view.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/ask_places.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kAskField = 250.f, kLeastField = 140.f;  // units

// The name of a page: only the one that is open stands on a ground of its own.
bool page_name(const Label& label, bool open, const char* help) {
  const Theme& t = theme();
  bool clicked = false;
  {
    const ColourScope ground(ImGuiCol_Button, open ? t.accent_soft : 0),
        edge(ImGuiCol_Border, open ? t.accent : 0),
        ink(ImGuiCol_Text, !open                       ? t.text_dim
                           : t.kind == ThemeKind::dark ? t.accent
                                                       : t.text);
    clicked = ImGui::Button(label.c_str());
  }
  note_item(label);
  compat::item_tooltip(help);
  return clicked;
}

}  // namespace

std::string AskView::unavailable(const RunResult& run) const {
  if (run.traces.empty()) return "ask.none";
  const Trace& trace = run.trace(0);
  if (trace.find(trace.main(StepRole::logits))) return "";
  return run.recorded() ? "ask.none.recorded" : "ask.none";
}

// The place that matters most, once every cell of a knock-out is exact; empty before.
std::string AskView::result(const ViewContext& context, const std::string& measure) {
  const Asking& asking = context.workspace.asking;
  const auto answer = asking.answer();
  const AskPage page = asking.settings.page;
  const bool here = page == AskPage::knock_out || page == AskPage::links || asking.over_data();
  if (!here || !answer || !answer->sweep || answer->request.other || !asking.is_fresh(*answer)) return {};
  if (answer->over_data()) return answer->done ? data_result(context, *answer, measure) : std::string();
  if (answer->known() < std::ssize(answer->values)) return {};
  const double base = answer->base();
  std::optional<std::size_t> most;
  const auto moves = [&](std::size_t cell) { return std::abs(answer->values[cell] - base); };
  for (std::size_t cell = 0; cell < answer->values.size(); ++cell)
    if (std::isfinite(answer->values[cell]) && (!most || moves(cell) > moves(*most))) most = cell;
  if (!most || moves(*most) == 0) return {};
  const auto number = [](double value) { return number_text(static_cast<float>(value), 2); };
  const char* key = asking.settings.how != AskHow::zero ? "ask.result.mean" : "ask.result.zero";
  if (const auto& path = answer->request.path)
    key = path->kind == PathKind::direct ? "ask.result.direct" : "ask.result.total";
  return tr(key, {place_words(*context.run.document.opened, *answer, answer->cells()[*most]), measure,
                  number(base), number(answer->values[*most])});
}

// What is asked of each prompt with its own answers; empty where the measure names its tokens, or there is no
// data set.
std::string AskView::prompts_measure(const ViewContext& context) {
  const auto& prompts = context.session.document().data.prompts;
  const auto measure =
      prompts ? data_measure(context.workspace.asking.measure.text, *prompts) : Result<std::string>(Error{});
  return measure && !own_measure_words(*measure).empty() ? *measure : std::string();
}

// Of each prompt's own answers. False: of the run's.
bool AskView::draw_circuit_head(const ViewContext& context, float width) {
  const std::string measure = prompts_measure(context);
  if (measure.empty()) return false;
  view_heading(own_measure_question(measure), kept_tr("ask.sentence.circuit", {own_measure_words(measure)}),
               width);
  note_item("ask_sentence");
  ImGui::Dummy(ImVec2(1, scaled(2)));
  return true;
}

namespace {

// What the cells of an answer over a data set are, before there is one.
const char* data_sentence(const AskSettings& settings) {
  switch (settings.page) {
    case AskPage::heads: return "ask.data.sentence.heads";
    case AskPage::patch: return "ask.data.sentence.patch";
    case AskPage::links: return "ask.data.sentence.links";
    default: return "ask.data.sentence";
  }
}

}  // namespace

void AskView::draw_head(const ViewContext& context, const MeasureAnswer& answer, float width) {
  const OpenedModel& opened = *context.run.document.opened;
  const Asking& asking = context.workspace.asking;
  const bool data = asking.over_data();
  if (asking.settings.page == AskPage::circuit && draw_circuit_head(context, width)) return;
  const std::initializer_list<std::uint64_t> key{context.run.opened_version, data,
                                                 std::hash<std::string>{}(answer.text),
                                                 std::hash<std::string>{}(asking.measure.text)};
  const std::string& words = words_.get(key, [&] {
    return data ? data_measure_words(asking, opened) : measure_words(opened, *answer.measure);
  });
  const char* sentence = "ask.sentence.knock_out";
  const AskSettings& settings = context.workspace.asking.settings;
  if (settings.page == AskPage::patch)
    sentence = settings.into_other ? "ask.sentence.patch" : "ask.sentence.patch.back";
  if (settings.page == AskPage::parts)
    sentence = settings.sum == AskSum::direct       ? "ask.sentence.parts"
               : settings.sum == AskSum::twin_token ? "ask.sentence.twin"
                                                    : "ask.sentence.twin.written";
  if (settings.page == AskPage::heads) sentence = "ask.sentence.heads";
  if (settings.page == AskPage::links)
    sentence = settings.path == PathKind::direct ? "ask.sentence.direct" : "ask.sentence.total";
  if (data) sentence = data_sentence(settings);
  if (settings.page == AskPage::paths) sentence = "ask.sentence.paths";
  if (settings.page == AskPage::graph) sentence = "ask.sentence.graph";
  if (settings.page == AskPage::probes) sentence = "ask.sentence.probes";
  if (settings.page == AskPage::circuit) sentence = "ask.sentence.circuit";
  if (settings.page == AskPage::steer) sentence = "ask.sentence.steer";
  if (settings.page == AskPage::texts) {
    view_heading(texts_.title(context), tr("ask.sentence.texts"), width);
    note_item("ask_sentence");
    ImGui::Dummy(ImVec2(1, scaled(2)));
    return;
  }
  const auto swept = context.workspace.asking.answer();
  const std::string& found =
      result_.get({swept ? swept->change : 0, key_of(words), key_of(language()),
                   static_cast<std::uint64_t>(settings.page), static_cast<std::uint64_t>(settings.how),
                   static_cast<std::uint64_t>(swept && context.workspace.asking.is_fresh(*swept))},
                  [&] { return result(context, words); });
  view_heading(title_.get(key,
                          [&] {
                            return data ? data_measure_question(asking, opened)
                                        : measure_question(opened, *answer.measure);
                          }),
               found.empty() ? kept_tr(sentence, {words}) : found, width);
  note_item(found.empty() ? "ask_sentence" : "ask_result");
  if (found.empty()) note_item(sentence);
  ImGui::Dummy(ImVec2(1, scaled(2)));
}

void AskView::draw_pages(const ViewContext& context, float width) {
  AskSettings& settings = context.workspace.asking.settings;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(6)));
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), ImGui::GetStyle().FramePadding.y));
  // What changes the answer; what wrote it; what is asked of many texts.
  const struct {
    AskPage page;
    const char* key;
    bool first = false;  // of its group
    bool plain = false;  // there without a click on more
  } pages[] = {{AskPage::knock_out, "ask.page.knock_out", false, true},
               {AskPage::patch, "ask.page.patch", false, true},
               {AskPage::heads, "ask.page.heads"},
               {AskPage::parts, "ask.page.parts", true, true},
               {AskPage::graph, "ask.page.graph"},
               {AskPage::links, "ask.page.paths"},
               {AskPage::steer, "ask.page.steer"},
               {AskPage::circuit, "ask.page.circuit", true},
               {AskPage::texts, "ask.page.texts"},
               {AskPage::probes, "ask.page.probes"}};
  ChipRow line(width);
  const bool more = context.workspace.shows_ask_more();
  for (const auto& [page, key, first, plain] : pages) {
    const bool on = settings.page == page || (page == AskPage::links && settings.page == AskPage::paths);
    if (!more && !plain && !on) continue;
    if (first) line.part();
    const Label label(tr(key), "###", key);
    (void)line.place(chip_width(label));
    if (page_name(label, on, tr(Label(key, ".help"))) && !on) settings.page = page;
  }
  if (!context.workspace.told) {
    line.part();
    const Label label(tr(more ? "ask.less" : "ask.more"), "###ask_more");
    (void)line.place(chip_width(label));
    if (page_name(label, false, tr("ask.more.help"))) context.workspace.ask_more = !more;
  }
  if (settings.page == AskPage::texts || settings.page == AskPage::probes) return;  // they ask no measure
  // After the last chip where there is room, else in a line of its own.
  const ImVec2 last(ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y);
  const float beside = at.x + width - last.x - scaled(13), field = std::min(scaled(kAskField), beside);
  if (field > scaled(kLeastField)) ImGui::SetCursorScreenPos(ImVec2(at.x + width - field, last.y));
  field_.draw_field("###ask_measure", context.workspace, context.run,
                    field > scaled(kLeastField) ? field : std::min(scaled(kAskField), width),
                    settings.page == AskPage::circuit ? prompts_measure(context) : std::string());
  (void)field_.draw_error(context.workspace, context.run);
}

void AskView::draw_questions(const ViewContext& context, float width) {
  Asking& asking = context.workspace.asking;
  const AskSettings& settings = asking.settings;
  const float right = ImGui::GetCursorScreenPos().x + width;
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  const float start =
      std::max({chip_width(tr("ask.start")), chip_width(tr("ask.cancel")), chip_width(tr("ask.go_on"))}) +
      scaled(8);
  ChipRow line(width - start - scaled(8));
  if (settings.page == AskPage::links) {
    paths_.draw_kinds(context, line);
    draw_link_ends(context, line);
  }
  draw_ask_places(context, line);
  line.part();
  prompts_.draw_choice(context, line);
  draw_start(context, right, start);
}

void AskView::draw_start(const ViewContext& context, float right, float width) {
  Asking& asking = context.workspace.asking;
  const bool running = asking.running();
  const bool on = asking.can_go_on();
  const Label label(tr(running ? "ask.cancel" : on ? "ask.go_on" : "ask.start"), "###ask_start");
  ImGui::SameLine();
  ImGui::SetCursorScreenPos(ImVec2(right - width, ImGui::GetCursorScreenPos().y));
  const DisabledScope disabled(!running && !asking.request());
  bool clicked = false;
  {
    const ColourScope ground(ImGuiCol_Button, running ? theme().panel_raised : theme().accent),
        over(ImGuiCol_ButtonHovered,
             mix(running ? theme().panel_raised : theme().accent, theme().text, 0.2f)),
        ink(ImGuiCol_Text, running ? theme().text : theme().on_accent);
    clicked = ImGui::Button(label.c_str(), ImVec2(width, 0));
  }
  note_item(label);
  compat::item_tooltip(tr(running ? "ask.cancel.help" : on ? "ask.go_on.help" : "ask.start.help"));
  if (!clicked) return;
  context.commands.act([&asking, running](Session& session) {
    if (running)
      asking.stop();
    else
      asking.start(session.workers());
  });
}

// The other prompt, and which of the two runs is edited.
void AskView::draw_other(const ViewContext& context, float width) {
  Asking& asking = context.workspace.asking;
  AskSettings& settings = asking.settings;
  if (!typing_ && other_ != settings.other) other_ = settings.other;
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().text_dim, tr("ask.other"));
  ImGui::SameLine();
  const Label there(tr("ask.into.other"), "###ask.into.other"), here(tr("ask.into.own"), "###ask.into.own");
  const float chips = chip_width(there) + chip_width(here) + scaled(10);
  const float left = at.x + width - ImGui::GetCursorScreenPos().x, field = left - chips - scaled(4);
  const bool one_line = field > scaled(150);
  ImGui::SetNextItemWidth(one_line ? field : left);
  note_text(other_);
  bool entered = ImGui::InputTextWithHint("###ask_other", tr("ask.other.hint"), &other_,
                                          ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("ask_other");
  typing_ = ImGui::IsItemActive();
  entered |= ImGui::IsItemDeactivatedAfterEdit();
  compat::item_tooltip(tr("ask.other.help"));
  if (entered) settings.other = other_;
  if (one_line) ImGui::SameLine();
  if (chip(there, settings.into_other, tr("ask.into.other.help"))) settings.into_other = true;
  ImGui::SameLine();
  if (chip(here, !settings.into_other, tr("ask.into.own.help"))) settings.into_other = false;
}

void AskView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  AskPrompts::follow(context);
  AskGrid::follow_edits(context);
  const auto answer = context.workspace.asking.measure.newest();
  if (!answer) return caption(tr("ask.waiting"));
  if (!answer->measure) {
    view_heading(tr("view.ask"), answer->error ? answer->error->text() : std::string(tr("ask.waiting")),
                 width);
    return;
  }
  draw_head(context, *answer, width);
  draw_pages(context, width);
  const AskPage page = context.workspace.asking.settings.page;
  const bool over = context.session.document().data.prompts != nullptr;  // then: one prompt, or which numbers
  if (asks_sweep(page) && (context.workspace.shows_ask_more() || over || needs_start(context)))
    draw_questions(context, width);
  if (page == AskPage::patch && !context.workspace.asking.over_data()) draw_other(context, width);
  const ImVec2 at(origin.x, ImGui::GetCursorScreenPos().y + scaled(4));
  const ImVec2 left(width, std::max(scaled(80), origin.y + room.y - at.y));
  switch (page) {
    case AskPage::parts: return parts_.draw(context, *answer->measure, at, left);
    case AskPage::heads: answer_at_once(context); return heads_.draw(context, *answer, at, left);
    case AskPage::paths: return paths_.draw(context, *answer, at, left);
    case AskPage::graph: return graph_.draw(context, *answer, at, left);
    case AskPage::probes: return probes_.draw(context, at, left);
    case AskPage::texts: return texts_.draw(context, at, left);
    case AskPage::circuit: return circuit_.draw(context, at, left);
    case AskPage::steer: return steer_.draw(context, *answer, at, left);
    default: return draw_sweep(context, at, left);
  }
}

std::unique_ptr<View> make_ask_view();
std::unique_ptr<View> make_ask_view() { return std::make_unique<AskView>(); }

}  // namespace attnscope
