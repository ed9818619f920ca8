#include "app/shell/state_file.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "app/look/item_map.h"
#include "app/state/cursor.h"
#include "app/widgets/navigation.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/mask_edits.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kFewCells = 8;              // of a step's first row
constexpr std::int64_t kMostDigested = 1ll << 20;  // larger steps are left out of the digest

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// JSON has no NaN and infinities: strings instead.
Json state_number(float value) {
  if (std::isfinite(value)) return static_cast<double>(value);
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json first_cells(const Trace& trace, const Site& site, std::int64_t head) {
  const Record* record = trace.find(site);
  Json cells = Json::array();
  if (!record || record->shape.empty()) return cells;
  const std::int64_t rows = record->shape.size() > 1 ? record->shape[record->shape.size() - 2] : 1;
  const Tensor last_row =
      trace.slice(site, trace.own_head(site, head), {rows - 1, rows}, {0, kFewCells}).packed();
  for (std::int64_t i = 0; i < last_row.count(); ++i) cells.push_back(state_number(last_row.data()[i]));
  return cells;
}

/// Hash over the bits of every value that the run stores: equal runs have equal digests.
std::string digest(const Trace& trace) {
  Hash hash;
  for (const Record& record : trace.records()) {
    if (record.derived || record.value().count() > kMostDigested) continue;
    const Tensor packed = record.value().packed();
    hash.take({reinterpret_cast<const char*>(packed.data()),
               static_cast<std::size_t>(packed.count()) * sizeof(float)});
  }
  return format("%016llx", static_cast<unsigned long long>(hash.value()));
}

Json describe_cursor(const Workspace& workspace, const RunResult* run) {
  const Cursor& cursor = workspace.cursor;
  return {{"sequence", cursor.sequence},
          {"layer", cursor.layer},
          {"head", cursor.head},
          {"query", cursor.query},
          {"key", cursor.key},
          {"step", to_text(cursor.step)},
          {"index", run ? current_step(workspace, *run) : -1},
          {"pinned", cursor.pinned ? to_text(*cursor.pinned) : std::string()}};
}

Json describe_document(const Document& document) {
  Json sequences = Json::array();
  for (const Sequence& sequence : document.sequences) {
    Json tokens = Json::array();
    for (const Token& token : sequence.tokens) tokens.push_back(token.text);
    sequences.push_back({{"text", sequence.text},
                         {"ids", sequence.input.ids},
                         {"length", sequence.input.length()},
                         {"tokens", tokens}});
  }
  return {{"title", document.opened ? opened_title(*document.opened) : std::string()},
          {"path", document.opened ? document.opened->path : std::string()},
          {"sequences", sequences},
          {"interventions", count_number_edits(document)},
          {"mask_cells", count_switched_cells(document)}};
}

/// True if the document has changed and its run is not finished.
bool awaits_result(const Session& session, const RunResult* run) {
  if (!run || session.error()) return false;
  return run->undo_point != session.history().point() || run->document.opened != session.document().opened;
}

Json describe_items() {
  Json items = Json::object();
  for (const auto& [name, rect] : noted_items()) {
    Json& row = items[name] = {rect.p0.x, rect.p0.y, rect.p1.x, rect.p1.y};
    if (rect.rows > 0) row.insert(row.end(), {rect.rows, rect.cols});
  }
  return items;
}

/// Mouse position and buttons in this frame.
Json describe_mouse(const ImGuiIO& io) {
  const bool down = io.MouseDown[0] || io.MouseDown[1] || io.MouseDown[2];
  if (!ImGui::IsMousePosValid()) return {-1, -1, down};
  return {static_cast<int>(io.MousePos.x), static_cast<int>(io.MousePos.y), down};
}

Json describe_presenter(const Presenter& presenter) {
  return {
      {"on", presenter.on},
      {"black", presenter.black},
      {"pen", presenter.pen},
      {"spotlight", presenter.spotlight.on},
      {"magnifier", presenter.magnifier.on},
      {"words", presenter.words},
      {"notes", presenter.notes},
      {"pointer", ImGui::GetIO().MouseDrawCursor ? 19 * ImGui::GetStyle().MouseCursorScale : 0},  // pixels
      {"strokes", presenter.strokes.size()}};
}

Json describe_messages(const FrameState& state) {
  Json notices = Json::array();
  for (const Notice& notice : state.notices) notices.push_back(notice.text.str());
  const auto& error = state.session.error();
  return {{"error", error ? error->sentence() : std::string()},
          {"hint", error ? error->hint() : std::string()},
          {"notices", notices}};
}

Json describe_training(const Session& session) {
  const Training& training = session.training();
  Json out{{"state", training_state_name(training.state())},
           {"shown_step", session.shown_training_step()},
           {"wanted_step", session.wanted_checkpoint()}};
  if (const auto outcome = training.outcome()) {
    constexpr const char* kKinds[] = {"saved", "exported", "resumed", "failed"};
    out["message"] = kKinds[static_cast<std::size_t>(outcome->kind)];
    out["sentence"] = outcome->error.sentence();
    out["hint"] = outcome->error.hint();
  }
  const auto snapshot = training.snapshot();
  if (!snapshot) return out;
  Json checkpoints = Json::array(), measures = Json::object();
  for (const auto& kept : snapshot->checkpoints) checkpoints.push_back(kept->step);
  for (const Measure& measure : snapshot->measures) measures[measure.name] = measure.value;
  const TrainingCurves& curves = *snapshot->curves;
  out.update({{"task", snapshot->settings.task},
              {"step", snapshot->now.step},
              {"steps", snapshot->steps},
              {"rate_factor", snapshot->learning_rate_factor},
              {"loss", curves.loss.empty() ? 0.0 : curves.loss.back()},
              {"accuracy", curves.held_out.empty() ? 0.0 : curves.held_out.back().accuracy},
              {"checkpoints", checkpoints},
              {"measures", measures},
              {"error", snapshot->error ? snapshot->error->sentence() : std::string()}});
  return out;
}

// The last gradient check: its step or weight by name and index, and its result.
Json describe_check(const GradientCheck& check) {
  Json out{{"name", check.name}, {"index", check.index}, {"done", check.done}, {"agrees", check.agrees()}};
  if (check.error) out["error"] = check.error->sentence();
  if (!check.done || check.error) return out;
  out.update({{"analytic", check.numbers.analytic},
              {"measured", check.numbers.measured},
              {"step", check.numbers.step},
              {"uncertainty", check.numbers.uncertainty}});
  return out;
}

Json describe_backward(const Workspace& workspace) {
  Json out{{"on", workspace.backward},
           {"target", workspace.backward_target},
           {"rows", name_of_value(workspace.backward_rows, kLossRows)}};
  const auto grads = workspace.backward_run.newest();
  if (!workspace.backward || !grads) return out;
  out["error"] = grads->error ? grads->error->sentence() : std::string();
  if (const auto check = workspace.backward_run.checked()) out["check"] = describe_check(*check);
  if (!grads->gradients) return out;
  const Cursor& cursor = workspace.cursor;
  const Record* record = grads->gradients->find(cursor.step);
  out["loss"] = grads->loss;
  out["targets"] = grads->gradients->objective().targets;
  if (!record) return out;
  const std::int64_t head = grads->gradients->trace().own_head(cursor.step, cursor.head);
  const std::int64_t rows = record->shape[record->shape.size() - 2];
  const Tensor row = grads->gradients->slice(cursor.step, head, {rows - 1, rows}, {0, kFewCells}).packed();
  Json values = Json::array();
  for (std::int64_t i = 0; i < row.count(); ++i) values.push_back(state_number(row.data()[i]));
  out.update({{"name", gradient_name(cursor.step)}, {"values", values}});
  return out;
}

}  // namespace

StateFile::StateFile() {
  const char* path = std::getenv("ATTNSCOPE_STATE");
  if (path) path_ = path;
}

void StateFile::begin() {
  if (!on()) return;
  frame_begin_ = now_ms();
}

// Milliseconds from the start of the frame with an edit to the moment its result has been presented.
void StateFile::follow_times(Frame& frame) {
  const std::uint64_t point = frame.state().session.history().point();
  const std::uint64_t version = frame.run() ? frame.run()->version : 0;
  if (point != undo_point_) edit_begin_ = frame_begin_;
  if (version != version_ && edit_begin_ > 0) {
    answer_ms_ = now_ms() - edit_begin_;
    edit_begin_ = 0;
  }
  version_ = version;
  undo_point_ = point;
}

void StateFile::follow_numbers(Frame& frame) {
  const RunResult* run = frame.run().get();
  if (!run) return;
  const Cursor& cursor = frame.state().workspace.cursor;
  const std::string key =
      format("%llu/%d/%d/", static_cast<unsigned long long>(run->version), cursor.sequence, cursor.head) +
      to_text(cursor.step) + (frame.walked() == frame.run() ? "" : "/back");
  if (key == numbers_key_) return;
  numbers_key_ = key;
  const Trace& trace = run->trace(cursor.sequence);
  Json kinds = Json::array();
  for (const TimelineStep& step : frame.walked()->steps) kinds.push_back(to_text(step.main));
  numbers_ = {{"values", first_cells(trace, cursor.step, cursor.head)},
              {"last_values",
               run->steps.empty() ? Json::array() : first_cells(trace, run->steps.back().main, cursor.head)},
              {"digest", digest(trace)},
              {"steps", kinds}};
}

Json StateFile::describe(Frame& frame) {
  const FrameState& state = frame.state();
  const Workspace& workspace = state.workspace;
  const History& history = state.session.history();
  const ImGuiIO& io = ImGui::GetIO();
  Json views = Json::array(), offered = Json::array();
  for (const auto& view : state.views) {
    views.push_back(view->id());
    if (!state.run || view->unavailable(*state.run).empty()) offered.push_back(view->id());
  }
  Json all{{"window", {static_cast<int>(io.DisplaySize.x), static_cast<int>(io.DisplaySize.y)}},
           {"views", views},
           {"offered_views", offered},
           {"view", workspace.view},
           {"second_view", workspace.second_view},
           {"theme", state.settings.theme == ThemeKind::light ? "light" : "dark"},
           {"language", language()},
           {"zoom", state.settings.zoom},
           {"playing", workspace.playing},
           {"presenting", describe_presenter(state.presenter)},
           {"slide", state.lecture.at()},
           {"difference", workspace.show_difference},
           {"log_scale", workspace.log_scale},
           {"backward", describe_backward(workspace)},
           {"map_width", workspace.map_width},
           {"inspector_width", workspace.inspector_width},
           {"cursor", describe_cursor(workspace, frame.walked().get())},
           {"version", version_},
           {"opened_version", state.session.opened_version()},
           {"undo", history.undo_sentence()},
           {"redo", history.redo_sentence()},
           {"busy", state.session.workers().any_busy() || awaits_result(state.session, frame.run().get())},
           {"popup", ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)},
           {"typing", io.WantTextInput},
           {"mouse", describe_mouse(io)},
           {"recent", state.settings.recent},
           {"answer_ms", answer_ms_},
           {"training", describe_training(state.session)},
           {"items", describe_items()}};
  all.update(describe_document(state.session.document()));
  all.update(describe_messages(state));
  all.update(numbers_);
  return all;
}

void StateFile::end(Frame& frame) {
  if (!on()) return;
  ++frames_;
  follow_times(frame);
  follow_numbers(frame);
  Json now = describe(frame);
  if (now == written_) return;
  written_ = now;
  now["frame"] = frames_;
  const std::string text = now.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (Status status = write_file(path_, text); !status) {
    std::fprintf(stderr, "attnscope: %s\n", status.error().text().c_str());
    path_.clear();
  }
}

}  // namespace attnscope
