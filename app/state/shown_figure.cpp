#include "app/state/shown_figure.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/clipboard.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/data.h"
#include "core/session/figure_session.h"
#include "core/session/told_run.h"
#include "core/system/atomic_file.h"
#include "core/view/ask_figures.h"
#include "core/view/caption.h"
#include "core/view/figure_file.h"
#include "core/view/report.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

const ViewSpec* view_named(const std::string& id) {
  for (const ViewSpec& view : views_by_file())
    if (view.id == id) return &view;
  return nullptr;
}

ViewState lab_state(const Workspace& workspace) {
  ViewState out;
  out.lab = &labs().front();
  if (const auto lab = find_lab(workspace.lab)) out.lab = *lab;
  const auto values = workspace.lab_values.find(out.lab->id());
  out.values = values == workspace.lab_values.end() ? initial_values(*out.lab) : values->second;
  return out;
}

// What the page of Ask shows that is open; null: nothing of its question yet, or nothing for a file.
std::shared_ptr<const AskShown> asked_shown(const FrameState& state,
                                            const std::shared_ptr<const Trace>& run) {
  const Asking& asking = state.workspace.asking;
  const AskSettings& settings = asking.settings;
  AskShown out;
  out.page = settings.page;
  if (settings.page != AskPage::parts && !asks_cells(settings.page)) {
    if (!asking.table()) return nullptr;
    out.table = *asking.table(), out.whole = out.table->whole;
    return std::make_shared<const AskShown>(std::move(out));
  }
  if (settings.page == AskPage::parts) {
    if ((!asking.parts.sum && !asking.parts.twin) || asking.parts.run != run) return nullptr;
    out.parts = asking.parts;
    return std::make_shared<const AskShown>(std::move(out));
  }
  const auto answer = asking.answer();
  if (!answer || !asking.is_fresh(*answer)) return nullptr;
  if (answer->over_data() ? !answer->data : !answer->sweep || answer->known() == 0) return nullptr;
  out.sweep = answer, out.other = settings.other, out.whole = answer->whole();
  out.change = settings.change, out.normalised = settings.normalised;
  return std::make_shared<const AskShown>(std::move(out));
}

// Why the page of Ask that is open gives no file yet; null where it does.
const char* no_page(const FrameState& state) {
  if (state.workspace.view != "ask") return nullptr;
  const RunResult* run = state.run.get();
  if (!run || run->traces.empty()) return nullptr;
  const std::shared_ptr<const Trace>& trace = run->shared(state.workspace.cursor.sequence);
  return asked_shown(state, trace) ? nullptr : "error.export.not_asked";
}

// The state of a view of the panels.
ViewState cursor_state(const FrameState& state, ShownView& of) {
  const Cursor& cursor = state.workspace.cursor;
  const RunResult& run = *state.run;
  ViewState out = first_state(*run.document.opened, run.shared(cursor.sequence));
  look_at_cursor(out, cursor);
  out.words = state.workspace.circuit_words, out.distance = state.workspace.circuit_distance;
  out.temperature = static_cast<double>(run.document.sampling.temperature);
  if (of.view->id == "ask") out.asked = asked_shown(state, out.run);
  of.other = state.session.pinned();
  if (of.other && !of.other->traces.empty()) {
    out.before = of.other->shared(cursor.sequence);
    out.opened_before = of.other->document.opened.get();
    out.compare = state.workspace.show_difference;
  }
  out.sequence = static_cast<std::size_t>(run.nearest(cursor.sequence));
  take_choices(*of.view, state.look(), out);
  return out;
}

// How attnscope-cli figure draws it again.
Json figure_words(const ShownView& shown, const ExportRequest& request) {
  const ViewState& state = shown.state;
  Json out = {{"view", shown.view->id},
              {"level", name_of_value(state.level, kLevels)},
              {"size", request.size},
              {"lang", language()},
              {"theme", theme().kind == ThemeKind::dark ? "dark" : "light"},
              {"scale", static_cast<int>(request.scale)},
              {"paper", request.paper},
              {"caption", request.caption},
              {"transparent", request.transparent},
              {"minus", false},
              {"present", false},
              {"step", ""},
              {"set", Json::array()}};
  if (state.lab) {
    out["page"] = state.lab->id();
    for (const LabControl& control : state.lab->controls)
      if (state.values.all().contains(control.id()))
        out["set"].push_back(control.id() + "=" + value_text(control, state.values));
    return out;
  }
  out.update({{"page", state.page},
              {"layer", state.layer},
              {"head", state.head},
              {"row", state.row},
              {"words", state.words},
              {"distance", state.distance},
              {"temperature", state.temperature},
              {"compare", state.compare}});
  return out;
}

// The figures of a walk; without one, the one that is shown.
Result<std::vector<FigureForFile>> figures_of(const ShownView& shown, const Document* document,
                                              std::size_t sequence, const Exporter& exporter,
                                              const ExportRequest& request) {
  std::vector<ViewState> states{shown.state};
  if (exporter.moves || !request.walk.empty()) {
    const std::vector<Walk> known = walks_of(*shown.view, shown.state);
    const Walk first = known.empty() ? Walk::rows : known.front();
    TRY(states, walked(*shown.view, shown.state, value_of_name(request.walk, kWalks).value_or(first)));
  }
  std::vector<FigureForFile> out;
  for (const ViewState& state : states) {
    TRY(figure::Figure figure, draw_view(*shown.view, state, !request.paper));
    std::vector<Text> caption = caption_of(*shown.view, state, document, sequence, figure);
    out.push_back({std::move(figure), std::move(caption), state.run});
  }
  return out;
}

FileStyle style_of(const ExportRequest& request) {
  FileStyle out;
  out.size = request.size, out.paper = request.paper, out.caption = request.caption;
  out.transparent = request.transparent, out.dark = theme().kind == ThemeKind::dark;
  out.scale = std::max(1, static_cast<int>(request.scale));
  return out;
}

Error no_form(const FrameState& state) {
  return fail(Code::unsupported, "error.export.no_form", {in_quotes(tr("view." + state.workspace.view))});
}

// What is on the stage, or why it is no figure.
Result<ShownView> shown_or_why(const FrameState& state) {
  if (const auto why = why_hidden(state)) return *why;
  if (const auto why = why_no_figure(state)) return *why;
  if (auto shown = shown_view(state)) return *std::move(shown);
  return no_form(state);
}

}  // namespace

std::optional<Error> why_hidden(const FrameState& state) {
  if (!state.workspace.hides && !state.workspace.holds_back) return std::nullopt;
  return fail(Code::unsupported, "error.export.hidden");
}

std::optional<Error> why_no_figure(const FrameState& state) {
  if (state.easy_spec) return std::nullopt;
  if (!view_named(state.workspace.view)) return no_form(state);
  if (const char* page = no_page(state)) return fail(Code::unsupported, page);
  return std::nullopt;
}

std::optional<ShownView> shown_view(const FrameState& state) {
  ShownView out;
  out.run = state.run;
  if (state.easy_spec && state.easy_view && state.easy_view->run) {
    out.view = state.easy_spec, out.state = *state.easy_view, out.other = state.session.pinned();
    out.state.slow_pending = false;  // a file has all of it
    return out;
  }
  out.view = view_named(state.workspace.view);
  if (!out.view) return std::nullopt;
  if (!out.view->model) {
    out.state = lab_state(state.workspace);
    return out;
  }
  if (!state.run || state.run->traces.empty() || !state.run->document.opened) return std::nullopt;
  out.state = cursor_state(state, out);
  return out;
}

// What a click on a cell of an answer put into the document is no part of the answer.
static Document shown_document(const FrameState& state, const ShownView& shown, const Document& document) {
  const Asking& asking = state.workspace.asking;
  const bool answer = shown.view->id == std::string_view("ask") && asks_cells(asking.settings.page);
  return answer ? asking.asked_document(document) : document;
}

// The run that the page compares with: where nothing is pinned, heads are compared with the run before the
// last edit.
static std::shared_ptr<const RunResult> compared_with(const FrameState& state, const ShownView* shown) {
  const AskSettings& asked = state.workspace.asking.settings;
  const bool before = shown && shown->view->id == std::string_view("ask") && asked.page == AskPage::heads &&
                      asked.heads_before;
  return before ? state.session.against() : state.session.pinned();
}

std::string session_to_carry(const FrameState& state, const std::string& path, const Json& figure,
                             const ShownView* shown) {
  const std::shared_ptr<const RunResult> pinned = compared_with(state, shown);
  const Document& document = state.session.document();
  const auto session = figure_session(shown ? shown_document(state, *shown, document) : document,
                                      state.look(), figure, pinned ? &pinned->document : nullptr, path);
  return session ? *session : std::string();
}

bool is_report_path(const std::string& path) { return lower(path).ends_with(".html"); }

namespace {

// The view on the stage first, then those that say most of a run.
Result<std::function<Status()>> report_writer(const FrameState& state, const std::string& path) {
  TRY(const ShownView shown, shown_or_why(state));
  std::vector<std::string> views{shown.view->id};
  for (const char* more : {"attention", "residual", "output"})
    if (views.front() != more) views.emplace_back(more);
  return std::function<Status()>([shown, views, path]() -> Status {
    TRY(const std::string html, report_html(shown.run->document, shown.state, views));
    return write_file(path, html);
  });
}

// What was run, with the session that attnscope-cli draws the page from again. `document`: null of a lab,
// which has no model. `whole` false: an answer that was saved before all of it was there.
std::string run_of_data(const Document* document, const std::string& session, bool whole) {
  Json out = document ? told_document(*document) : Json{{"version", told_version()}};
  put_session_command(out, session, {"figure", kRunSession});
  if (!whole) out["complete"] = false;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::function<Status()>> shown_figure_writer(const FrameState& state, const ExportRequest& request) {
  if (is_report_path(request.path)) return report_writer(state, request.path);
  TRY(const Exporter* exporter, exporter_of_path(request.path));
  TRY(const ShownView shown, shown_or_why(state));
  const auto sequence = static_cast<std::size_t>(std::max(0, state.workspace.cursor.sequence));
  std::shared_ptr<const Document> document;  // of a lab: none
  if (shown.view->model && shown.run)
    document = std::make_shared<const Document>(shown_document(state, shown, shown.run->document));
  TRY(std::vector<FigureForFile> figures,
      figures_of(shown, shown.state.run ? document.get() : nullptr, sequence, *exporter, request));
  const std::string session =
      !exporter->moves && request.walk.empty()
          ? session_to_carry(state, request.path, figure_words(shown, request), &shown)
          : "";
  const bool whole = !shown.state.asked || shown.state.asked->whole;
  return std::function<Status()>([exporter, figures = std::move(figures), session, document, whole,
                                  style = style_of(request), path = request.path]() mutable -> Status {
    if (!exporter->picture) style.run = run_of_data(document.get(), session, whole);
    TRY_OK(write_figures(*exporter, figures, exporter->picture ? session : "", style, path));
    return Done{};
  });
}

void export_shown_figure(FrameState& state, const ExportRequest& request) {
  auto writer = shown_figure_writer(state, request);
  if (!writer) return state.notify(writer.error());
  state.write_in_background(request.path, *std::move(writer));
}

void copy_values(FrameState& state, bool markdown) {
  const auto shown = shown_or_why(state);
  const auto figure = shown ? draw_view(*shown->view, shown->state) : Result<figure::Figure>(shown.error());
  if (!figure) return state.notify(figure.error());
  const std::vector<FigureData> data = data_of(*figure);
  if (copy_text(markdown ? table_text(data, true) : tab_separated(data)))
    state.notify(Notice::Kind::good, Text::of("export.values_copied"));
}

}  // namespace attnscope
