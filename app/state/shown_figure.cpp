#include "app/state/shown_figure.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/data.h"
#include "core/export/export.h"
#include "core/session/figure_session.h"
#include "core/view/caption.h"

namespace attnscope {
namespace {

using nlohmann::json;

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

// The state of a view of the panels.
ViewState cursor_state(const FrameState& state, ShownView& of) {
  const Cursor& cursor = state.workspace.cursor;
  const RunResult& run = *state.run;
  const auto at =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(0, cursor.sequence)), run.traces.size() - 1);
  ViewState out = first_state(*run.document.opened, run.traces[at]);
  out.place = cursor_place(cursor, *out.run);
  out.layer = cursor.layer, out.head = cursor.head;
  out.row = std::clamp<std::int64_t>(cursor.query, 0,
                                     std::max<std::int64_t>(0, out.run->rows(out.place.stack) - 1));
  out.temperature = static_cast<double>(run.document.sampling.temperature);
  of.other = state.session.pinned();
  if (of.other && !of.other->traces.empty()) {
    out.before = of.other->traces[std::min(at, of.other->traces.size() - 1)];
    out.opened_before = of.other->document.opened.get();
    out.compare = state.workspace.show_difference;
  }
  return out;
}

// How attnscope-cli figure draws it again.
json figure_words(const ShownView& shown, const ExportRequest& request) {
  const ViewState& state = shown.state;
  json out = {{"view", shown.view->id},
              {"level", name_of_value(state.level, kLevels)},
              {"size", request.size},
              {"theme", theme().kind == ThemeKind::dark ? "dark" : "light"},
              {"scale", static_cast<int>(request.scale)},
              {"paper", request.paper},
              {"caption", request.caption},
              {"transparent", request.transparent}};
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
              {"temperature", state.temperature},
              {"compare", state.compare}});
  return out;
}

PageStyle style_of(const ExportRequest& request, const PageSize& size) {
  const bool paper = request.paper || size.printed;
  return {paper ? &kPaperLetters : &figure::kWindowLetters,
          request.paper ? &figure::paper_palette() : &figure::palette(theme().kind == ThemeKind::dark)};
}

Status write_shown(const Exporter& exporter, figure::Figure figure, const std::vector<Text>& caption,
                   const std::string& session, const ExportRequest& request) {
  std::vector<std::string> words = in_words(caption);
  if (const figure::Part* part = find_part(figure, "sentence"))
    if (const auto* said = std::get_if<figure::WordsMark>(&part->mark); said && !said->forms.empty())
      words.insert(words.begin(), said->forms.front().str());
  FigureToExport what{&figure,
                      nullptr,
                      figure.title.str(),
                      join(words, " "),
                      session,
                      std::max(1, static_cast<int>(request.scale)),
                      request.transparent};
  FigurePage page;
  if (exporter.picture) {
    TRY(const PageSize size, parse_page_size(request.size));
    if (request.paper) figure = for_print(std::move(figure));
    if (request.caption) figure = captioned(std::move(figure), caption);
    TRY(page, page_of(figure, size, request.size, style_of(request, size)));
    what.page = &page;
  }
  return export_figure(exporter, what, request.path);
}

// The view with its figure, or why there is none.
Result<std::pair<ShownView, figure::Figure>> drawn(const FrameState& state, bool titled) {
  std::optional<ShownView> shown = shown_view(state);
  if (!shown)
    return fail(Code::unsupported, "error.export.no_form", {in_quotes(tr("view." + state.workspace.view))});
  TRY(figure::Figure figure, draw_view(*shown->view, shown->state, titled));
  return std::pair(*std::move(shown), std::move(figure));
}

}  // namespace

bool has_figure(const FrameState& state) {
  return state.easy_spec != nullptr || view_named(state.workspace.view) != nullptr;
}

std::optional<ShownView> shown_view(const FrameState& state) {
  ShownView out;
  out.run = state.run;
  if (state.easy_spec && state.easy_view && state.easy_view->run) {
    out.view = state.easy_spec, out.state = *state.easy_view, out.other = state.session.pinned();
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

std::string session_to_carry(const FrameState& state, const std::string& path, const json& figure) {
  const std::shared_ptr<const RunResult> pinned = state.session.pinned();
  const auto session = figure_session(state.session.document(), state.look(), figure,
                                      pinned ? &pinned->document : nullptr, path);
  return session ? *session : std::string();
}

void export_shown_figure(FrameState& state, const ExportRequest& request) {
  const auto exporter = exporter_of_path(request.path);
  auto shown = drawn(state, !request.paper);
  if (!exporter || !shown) {
    const Error& why = exporter ? shown.error() : exporter.error();
    return state.notify(Notice::Kind::warning, why.what, why.advice, 0);
  }
  auto& [view, figure] = *shown;
  const Document* document = view.run ? &view.run->document : nullptr;
  const std::vector<Text> caption =
      caption_of(*view.view, view.state, view.state.run ? document : nullptr,
                 static_cast<std::size_t>(std::max(0, state.workspace.cursor.sequence)), figure);
  const std::string session =
      (*exporter)->picture ? session_to_carry(state, request.path, figure_words(view, request)) : "";
  state.write_in_background(request.path,
                            [exporter = *exporter, figure = std::move(figure), caption, session, request] {
                              return write_shown(*exporter, figure, caption, session, request);
                            });
}

void copy_values(FrameState& state, bool markdown) {
  const auto shown = drawn(state, true);
  if (!shown) return state.notify(Notice::Kind::warning, shown.error().what, shown.error().advice, 0);
  const std::vector<FigureData> data = data_of(shown->second);
  ImGui::SetClipboardText((markdown ? table_text(data, true) : tab_separated(data)).c_str());
  state.notify(Notice::Kind::good, Text::of("export.values_copied"));
}

}  // namespace attnscope
