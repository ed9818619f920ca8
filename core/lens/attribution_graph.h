// Attribution graph of a prediction: heads and MLPs at every position as the nodes of a graph whose edges are
// addends of the measure (Elhage et al. 2021; Ameisen et al. 2025, "Circuit tracing"). Patterns, norm scales,
// gates and caps are held as in the run, so that all that runs into a node, with its biases, is what runs out
// of it, and what runs into the measure is the measure. Where patterns are followed instead of held, a head
// is read through its query, its keys and its values, each along the straight line from none of them to those
// of the run (core/lens/moving_row.h), and all of that adds up as well. Error: a measure that is not linear
// in the logits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/lens/attribution.h"

namespace attnscope {

struct GraphNode {
  enum class Kind : std::uint8_t { embed, head, mlp, output };
  Kind kind = Kind::embed;
  Site site;               ///< embed (or what leaves its norm), attn.z, mlp.out, logits
  std::int64_t head = -1;  ///< of attn.z
  std::int64_t row = 0;    ///< of its stack
  double value = 0;        ///< of the measure: all that runs out of it, signed
  double bias = 0;  ///< of that, what biases on the way into it add, and edits of norms and of the stream
  double rest = 0;  ///< value - bias - edges into it: what is too small to be an edge; all of it where
                    ///< the node was not followed; edits of the node itself
  bool followed = false;
};

/// What of a head reads.
enum class GraphSide : std::uint8_t { any, query, key, value };
/// "q", "k", "v"; empty for any.
std::string graph_side_name(GraphSide side);

/// A part of the measure: what `from` wrote, read by `to`.
struct GraphEdge {
  int from = 0, to = 0;
  double value = 0;
  GraphSide side = GraphSide::any;  ///< of a head whose pattern is followed
  /// By how much the reader's value falls where this write is missing on this side alone, all else of the
  /// head being as in the run (exact, patterns computed anew); of `any`: the value.
  double alone = 0;
};
enum class GraphPatterns : std::uint8_t { held, followed };

struct AttributionGraph {
  double total = 0;  ///< the measure
  double scale = 0;  ///< sum of the magnitudes of what runs into the measure: what 1 of a share is
  std::vector<GraphNode> nodes;  ///< the measure first, then readers before what they read
  std::vector<GraphEdge> edges;  ///< by reader, then by magnitude
  double least = 0;              ///< share of `scale` below which nothing was followed
  std::vector<std::string> held;
  /// Of edges through queries and keys: sum |value - alone| over sum |alone|; 0 where there is none.
  double off = 0;
};

/// Follows all edges of at least `least` of the scale, at most `most` nodes (`least` is raised until they
/// are no more). Patterns that edits changed are held. Errors: as attribute(); cancelled where `go_on`
/// returns false.
Result<AttributionGraph> attribution_graph(const Trace& trace, const LogitMeasure& measure,
                                           double least = 0.005, std::size_t most = 400,
                                           const std::function<bool()>& go_on = {},
                                           GraphPatterns patterns = GraphPatterns::held);

/// One addend of a finer attribution opened further: of what a head read from one position (`part` of
/// AttributeBy::token) what each part of the model had written there, of a neuron (AttributeBy::neuron) what
/// it read at the row of the measure. Parts are embeddings, heads, MLPs and "bias"; the total is the addend.
/// Errors: as attribute(); an addend that is neither.
Result<Attribution> attribute_inside(const Trace& trace, const LogitMeasure& measure, const LogitPart& part);

}  // namespace attnscope
