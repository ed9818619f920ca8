// The file of a graph: what was run, and how it is computed again.
#pragma once

#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/session/circuit.h"

namespace attnscope {

/// What is written into the file of a graph: what was run, and how it is computed again.
struct GraphToSave {
  Circuit circuit;
  Document document = {};
  std::vector<std::string> command = {};  ///< none: it is not computed again
};

/// The graph of what is open with what was run, as the other files of the window say it, and the measure.
/// The command asks the first text of a session: a graph of another one of a batch has none.
GraphToSave graph_saying_run(const ViewContext& context, const Circuit& circuit);
/// Errors: those of writing.
Status write_graph_file(const GraphToSave& graph, const std::string& path);

}  // namespace attnscope
