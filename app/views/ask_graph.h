// Attribution of the measure as a graph: positions on x, blocks on y, the measure on top; edges weighted by
// their share of the measure; patterns held, or followed through queries and keys. A slider prunes it, a
// click on a node lists its incoming edges with their sum; saved and opened as the JSON of circuit viewers.
// Computed in core/lens, formatted in core/session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/session/circuit.h"

namespace attnscope {

class AskGraph {
 public:
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  struct Spot {
    ImVec2 middle;  ///< centre, 0..1 of the room: to the right and up
    float half = 0;
  };
  struct Opened {
    std::shared_ptr<const Circuit> circuit;
    std::string path;
  };
  std::shared_ptr<const Circuit> circuit(const ViewContext& context, const MeasureAnswer& measure,
                                         bool& fresh);
  void follow(const std::shared_ptr<const Circuit>& circuit, float share);
  void lay_out();
  void draw_choices(const ViewContext& context, const Circuit& whole, float width);
  void draw_graph(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_node(const ViewContext& context, std::size_t node, ImVec2 at, ImVec2 room, int& hovered);
  void draw_labels(ImVec2 at, ImVec2 room) const;
  void draw_edges(ImVec2 at, ImVec2 room, int lit) const;
  void draw_inside(ImVec2 room) const;
  ImVec2 place(std::size_t node, ImVec2 at, ImVec2 room) const;
  int chosen() const;

  Computed<Result<Circuit>> made_;
  std::shared_ptr<Opened> opened_ =
      std::make_shared<Opened>();  ///< a graph from a file, shown instead of the run's
  Error error_;
  std::string chosen_;  ///< CircuitNode::id
  int hovered_ = -1;    ///< node hovered in the last frame
  std::shared_ptr<const Circuit> whole_;
  float shown_share_ = -1;
  Circuit shown_;
  std::vector<Spot> spots_;
  std::vector<std::pair<float, std::string>> columns_, levels_;  ///< position, 0..1 of the room, and label
};

}  // namespace attnscope
