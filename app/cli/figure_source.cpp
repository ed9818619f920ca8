#include "app/cli/figure_source.h"

#include <algorithm>

#include "core/arch/scene.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/export/carried.h"
#include "core/io/json_number.h"
#include "core/lens/attention_row.h"
#include "core/session/figure_session.h"
#include "core/system/named_files.h"
#include "core/view/controls.h"
#include "core/view/opening_row.h"

namespace attnscope::cli {
namespace {

using nlohmann::json;

std::int64_t index_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  const bool whole = object.is_object() && found != object.end() && found->is_number_integer();
  return whole ? std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, 1 << 30) : 0;
}

// Where a window looked, for a session that no figure was drawn from.
void take_window_look(const json& look, FigureOptions& options) {
  const auto& cursor = look.is_object() && look.contains("cursor") ? look["cursor"] : json();
  json words = {{"layer", index_at(cursor, "layer")}, {"head", index_at(cursor, "head")}};
  if (cursor.is_object() && cursor.contains("query")) words["row"] = index_at(cursor, "query");
  if (const std::string view = member_text(look, "view"); find_view(view)) words["view"] = view;
  if (const std::string level = member_text(look, "level"); level == "easy") words["level"] = level;
  take_figure_words(words, options);
}

Result<FigureSource> source_of_session(FigureOptions& options, const Request& request) {
  const std::string& path = options.models.front();
  TRY(const SessionFile session, open_session_file(path));
  TRY(OpenedModel model, model_of_session(session));
  FigureSource out;
  TRY(out.document, document_of(session, std::move(model)));
  out.opened = out.document.opened, out.session = true, out.look = session.look();
  for (const std::string& warning : in_words(out.opened->warnings))
    std::fprintf(stderr, "attnscope-cli: %s: %s\n", path.c_str(), warning.c_str());
  TRY_OK(apply_request(out.document, request));
  TRY(out.pinned, pinned_of(session, out.document));
  if (const json figure = figure_in(session); !figure.empty())
    take_figure_words(figure, options);
  else
    take_window_look(session.look(), options);
  return out;
}

Result<FigureSource> source_of_model(const FigureOptions& options, const Request& request) {
  TRY(OpenedModel model, open_to_run(options.models.front()));
  FigureSource out;
  out.opened = std::make_shared<const OpenedModel>(std::move(model));
  if (request.empty() || !out.opened->recorded.empty()) {
    out.document = new_document(out.opened);
    TRY_OK(apply_request(out.document, request));
  } else {
    TRY(out.document, options.text.document(*out.opened));
    out.document.opened = out.opened;
  }
  return out;
}

}  // namespace

Result<FigureSource> figure_source(FigureOptions& options) {
  TRY(const Request request, options.text.request());
  const std::string& name = options.models.front();
  const bool session = is_session_path(name) || is_figure_path(name);
  TRY(FigureSource out, session ? source_of_session(options, request) : source_of_model(options, request));
  if (!out.opened->recorded.empty()) {
    TRY(out.run, options.text.run_one(*out.opened));
    return out;
  }
  if (!request.empty() && out.document.sequences.size() > 1)
    return fail(Code::out_of_range, "error.cli.one_sequence", {out.document.sequences.size()});
  const std::vector<Input> inputs = inputs_of(out.document);
  const json none, &cursor = out.look.contains("cursor") ? out.look["cursor"] : none;
  out.sequence = std::min<std::size_t>(static_cast<std::size_t>(index_at(cursor, "sequence")),
                                       inputs.empty() ? 0 : inputs.size() - 1);
  TRY(out.run, run_under(*out.opened, out.document.edits, inputs.at(out.sequence), out.sequence));
  const bool compares =
      options.minus || options.compare || !request.edits.empty() || !request.steers.empty() || out.session;
  TRY(const Request a, options.a_text.request());
  if (a.unused()) return out;
  if (!compares || a.empty()) return fail(Code::out_of_range, "error.cli.figure_a");
  TRY(Document before, options.a_text.document(*out.opened));
  if (before.sequences.size() > 1)
    return fail(Code::out_of_range, "error.cli.one_sequence", {before.sequences.size()});
  before.opened = out.opened;
  out.pinned = std::make_shared<const Document>(std::move(before));
  return out;
}

namespace {

// What was asked for and the view does not have.
Status check_flags(const ViewSpec& view, const ViewState& state, const FigureOptions& options) {
  const std::vector<ViewControl> controls = view_controls(view, state);
  std::vector<std::string> pages = pages_of(view, state);
  if (!view.aside.empty()) pages.emplace_back(view.aside);
  const auto has = [&](const char* name) {
    if (name == std::string_view("page")) return !pages.empty();
    return std::any_of(controls.begin(), controls.end(),
                       [&](const ViewControl& one) { return one.control.id() == name; });
  };
  for (const char* name : {"page", "words", "distance", "temperature"})
    if (options.given.contains(name) && !has(name))
      return fail(Code::unsupported, "error.cli.figure_flag", {in_quotes(view.id), name});
  if (options.given.contains("page") && std::find(pages.begin(), pages.end(), options.page) == pages.end())
    return fail(Code::not_found, "error.view.page", {in_quotes(options.page), join(pages, ", ")});
  return Done{};
}

}  // namespace

Result<ViewState> figure_state(const FigureSource& source, const FigureOptions& options) {
  ViewState state = first_state(*source.opened, source.run);
  state.compare = options.compare;
  state.level = value_of_name(options.level, kLevels).value_or(Level::full);
  state.layer = static_cast<int>(options.layer), state.head = options.head, state.page = options.page;
  const bool own_head = options.given.contains("layer") || options.given.contains("head") || source.session;
  if (state.level == Level::easy && !own_head) look_at_first_try(state);
  state.words = options.words, state.distance = options.distance;
  state.temperature = options.temperature;
  if (const std::int64_t own = opening_row(options.view, state); own >= 0) state.row = own;
  if (options.row >= 0) state.row = options.row;
  if (const int own = opening_layer(options.view, state); own >= 0 && state.level == Level::easy && !own_head)
    state.layer = own;
  // What a figure carries gives way to what is given on the command line.
  TRY(const ViewSpec* view, find_view(options.view));
  TRY_OK(check_flags(*view, state, options));
  for (const std::string& one : options.set)
    if (options.given.contains("set") || !options.given.contains(one.substr(0, one.find('='))))
      TRY_OK(set_control(*view, state, one));
  const bool edited = std::any_of(source.document.edits.begin(), source.document.edits.end(),
                                  [](const auto& edit) { return edit->enabled; });
  if (options.minus || options.compare || edited || source.pinned) {
    TRY_OK(check_runs(*source.opened));
    if (source.pinned) {
      const std::vector<Input> inputs = inputs_of(*source.pinned);
      TRY(state.before, run_under(*source.pinned->opened, source.pinned->edits, inputs.front()));
      if (source.pinned->opened != source.opened) state.opened_before = source.pinned->opened.get();
    } else {
      TRY(state.before, run_under(*source.opened, {}, source.run->input));
    }
  }
  TRY_OK(check_state(state));
  return state;
}

namespace {

// Where the window looked, with what is drawn now in its place: what no figure says, such as the page of Ask,
// stays.
json look_with(const json& look, json drawn, const FigureOptions& options) {
  json out = look.is_object() ? look : json::object();
  if (const auto cursor = out.find("cursor");
      cursor != out.end() && cursor->is_object() && drawn.contains("cursor")) {
    drawn["cursor"].erase("key");
    const bool same = !options.given.contains("view") && !options.given.contains("layer");
    if (same && cursor->contains("step")) drawn["cursor"].erase("step");
  }
  out.merge_patch(drawn);
  return out;
}

}  // namespace

json figure_look(const ViewSpec& view, const ViewState& state, const FigureSource& source,
                 const FigureOptions& options) {
  json out = {{"view", view.id}, {"level", options.level}};
  if (state.lab) {
    json values = json::object();
    for (const LabControl& control : state.lab->controls)
      if (state.values.all().contains(control.id())) values[control.id()] = value_text(control, state.values);
    out["lab"] = state.lab->id(), out["lab_values"] = {{state.lab->id(), values}};
  }
  if (!state.run) return look_with(source.look, std::move(out), options);
  out["difference"] = options.minus;
  out["cursor"] = {
      {"sequence", source.sequence},
      {"layer", state.layer},
      {"head", state.head},
      {"query", state.row},
      {"key", strongest_key(*state.run, state.place.pattern(state.layer), state.head, state.row)},
      {"step", to_text(state.place.pattern(state.layer))},
      {"cross", state.place.part == Part::cross}};
  return look_with(source.look, std::move(out), options);
}

}  // namespace attnscope::cli
