// The model as a tree of the names that its checkpoint uses ("model.layers.0.self_attn.q_proj.weight"), as
// PyTorch prints modules: a click on a weight goes to the step that reads it. Refuses to know families: the
// names are those of the file, or the program's own where there is no file.
#pragma once

#include <string>
#include <vector>

#include "app/state/panel.h"

namespace attnscope {

struct ModuleNode {
  std::string label;
  std::vector<ModuleNode> children;
  std::string weight;           ///< our name of it; of a leaf
  std::string shape;            ///< of a leaf
  std::int64_t parameters = 0;  ///< below it too
  int layer = -1;               ///< of the block that all of its weights belong to
  Stack stack = Stack::single;
  Site site;  ///< where a click goes, where `goes`
  bool goes = false;
};
/// The tree of a run's model; the root's label is the class that its config names.
ModuleNode module_tree(const OpenedModel& opened, const Trace& trace);
/// The step of the run that reads a weight; false where there is none.
bool step_of_weight(const Trace& trace, const std::string& weight, Site& site);

void draw_module_tree(const PanelContext& context);

}  // namespace attnscope
