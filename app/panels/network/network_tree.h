// The model as a tree of the names in its checkpoint ("model.layers.0.self_attn.q_proj.weight"), as PyTorch
// prints modules, in the order of the forward pass and with the class of each ("nn.Linear(64, 192)"); a click
// on a weight moves to the step that reads it. Without a checkpoint the program's own names are used.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "app/state/panel.h"

namespace attnscope {

struct ModuleNode {
  static constexpr int kNever = std::numeric_limits<int>::max();
  std::string label;
  std::vector<ModuleNode> children;
  std::string weight;           ///< of a leaf: our name of it
  std::string shape;            ///< of a leaf
  std::string module;           ///< "nn.Embedding(198, 64)", of one that holds weights
  int order = kNever;           ///< the first step that reads one of its weights: index in Trace::records()
  std::int64_t parameters = 0;  ///< including children
  int layer = -1;               ///< block of all its weights; -1: none or several
  Stack stack = Stack::single;
  Site site;  ///< target of a click, if `goes`
  bool goes = false;
};
/// The tree of a run's model; the root's label is the model class in its config.
ModuleNode module_tree(const OpenedModel& opened, const Trace& trace);
/// Finds the step of the run that reads a weight; false if there is none.
bool step_of_weight(const Trace& trace, const std::string& weight, Site& site);

void draw_module_tree(const PanelContext& context);

/// Toggles between boxes and the checkpoint's names.
void draw_map_switch(Workspace& workspace);

}  // namespace attnscope
