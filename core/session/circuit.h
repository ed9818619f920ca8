// An attribution graph with labels for display: made of a run's own graph, or read from
// the attribution-graph JSON that circuit viewers exchange (metadata, qParams, nodes, links; as
// circuit-tracer writes it and Neuronpedia shows it). Errors: files of other kinds, links to absent nodes,
// and values that are no numbers; unknown fields are ignored.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/lens/attribution_graph.h"

namespace attnscope {

struct CircuitNode {
  enum class Kind : std::uint8_t { embed, head, mlp, output, other };
  Kind kind = Kind::other;
  std::string id;     ///< "1_3_13": layer, number in it, row
  std::string label;  ///< "head 1.3"; from a file: its label
  int layer = -1;     ///< -1: the embedding; one more than the last for the output; encoders count first
  std::int64_t number = 0;  ///< in its layer: a head, the MLP behind the heads, a token, a feature
  std::int64_t row = 0;     ///< among Circuit::tokens
  std::optional<double> value, bias, rest;  ///< as in GraphNode; a file of others has none
  std::string step;                         ///< "blocks.1.attn.z"; empty where there is none
  std::int64_t step_head = -1, step_row = -1;
};
struct CircuitLink {
  int from = 0, to = 0;
  double weight = 0;
  GraphSide side = GraphSide::any;  ///< of a head that reads, where its pattern is followed
  std::optional<double> alone;      ///< as in GraphEdge
};
struct Circuit {
  std::string model, prompt, measure;
  std::string edits;  ///< of the run; empty: none
  std::string run;    ///< what was run, as JSON; empty: it is not said
  std::vector<std::string>
      tokens;             ///< rows of the encoder, where there is one, before those of the main stack
  int layers = 0;         ///< without embedding and output
  bool followed = false;  ///< patterns too, through queries and keys
  double off = 0;         ///< as in AttributionGraph
  double scale = 0;       ///< the value of a share of 1: sum of the magnitudes of all links into the outputs
  std::vector<CircuitNode> nodes;
  std::vector<CircuitLink> links;  ///< by reader, then by magnitude
};

/// The graph of a run with the tokens of its model as labels.
Circuit circuit_of(const OpenedModel& opened, const Trace& trace, const AttributionGraph& graph,
                   const std::string& measure);
/// Whether an edge says on which side of a head it is read.
bool has_side(const CircuitLink& link);
nlohmann::json to_json(const Circuit& circuit);
/// Errors: not of this form; the sentence has the entry.
Result<Circuit> circuit_from_json(const nlohmann::json& json);
/// Whole or not at all. Errors: the writer's; the reader's and circuit_from_json's.
Status write_circuit(const std::string& path, const Circuit& circuit);
Result<Circuit> read_circuit(const std::string& path);

/// The circuit without links below `share` of its scale, and without nodes that reach no output; what
/// is left out is added to the `rest` of its reader. Circuits without an output keep nodes with any link.
Circuit pruned(const Circuit& circuit, double share);

}  // namespace attnscope
