// The file of a graph: what was run, and how it is computed again.
#include "app/views/ask_graph_file.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/session/figure_session.h"
#include "core/session/measure_text.h"
#include "core/session/told_run.h"

namespace attnscope {

GraphToSave graph_saying_run(const ViewContext& context, const Circuit& circuit) {
  GraphToSave out{circuit, context.run.document};
  if (!out.document.opened) return out;
  nlohmann::json run = told_document(out.document);
  const std::shared_ptr<const MeasureAnswer> asked = context.workspace.asking.measure.newest();
  const int sequence = context.run.traces.size() > 1 ? context.workspace.cursor.sequence : 0;
  const Trace& run_of = context.run.trace(sequence);
  run["inputs"] = {{"text", told_input(*out.document.opened, run_of.input)}};
  run["method"] = {{"graph", true}, {"qk", circuit.followed}};
  if (context.run.traces.size() > 1) run["sequence"] = sequence;
  if (asked && asked->measure) {
    const std::string text = to_text(*out.document.opened, *asked->measure);
    const std::int64_t row = row_of(*asked->measure, run_of);
    nlohmann::json& measure = run["measure"] = {{"text", text}, {"row", row}};
    if (asked->measure->target >= 0) measure["target"] = asked->measure->target;
    if (asked->measure->distractor >= 0) measure["distractor"] = asked->measure->distractor;
    if (sequence == 0)
      out.command = {"attribute", kRunSession,         "--measure", text,
                     "--at",      std::to_string(row), "--least",   format("%.6g", kLeastGraphShare)};
    if (sequence == 0 && circuit.followed) out.command.emplace_back("--qk");
  }
  out.circuit.run = run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return out;
}

Status write_graph_file(const GraphToSave& graph, const std::string& path) {
  Circuit out = graph.circuit;
  nlohmann::json run = nlohmann::json::parse(out.run, nullptr, false);
  if (!graph.command.empty() && run.is_object()) {
    const auto session = figure_session(graph.document, nlohmann::json::object(), {}, nullptr, path);
    if (session) put_session_command(run, *session, graph.command);
    out.run = run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return write_circuit(path, out);
}

}  // namespace attnscope
