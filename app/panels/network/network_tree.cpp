#include "app/panels/network/network_tree.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/panels/network/network_layout.h"
#include "app/state/controls.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/model/expected_weights.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

ModuleNode& child(ModuleNode& parent, const std::string& label) {
  const auto at = std::find_if(parent.children.begin(), parent.children.end(),
                               [&](const ModuleNode& node) { return node.label == label; });
  if (at != parent.children.end()) return *at;
  parent.children.push_back({});
  parent.children.back().label = label;
  return parent.children.back();
}

// Computes sums and common blocks, from the leaves up; children in the order in which they are read.
void finish(ModuleNode& node) {
  for (ModuleNode& one : node.children) finish(one);
  std::stable_sort(node.children.begin(), node.children.end(),
                   [](const ModuleNode& a, const ModuleNode& b) { return a.order < b.order; });
  if (node.children.empty()) return;
  node.layer = node.children.front().layer, node.stack = node.children.front().stack;
  for (const ModuleNode& one : node.children) {
    node.parameters += one.parameters;
    node.order = std::min(node.order, one.order);
    if (one.layer != node.layer || one.stack != node.stack) node.layer = -1;
    if (!node.goes && one.goes) node.goes = true, node.site = one.site;
  }
}

NormSpec::Kind norm_of(const Trace& trace, const std::string& weight, const Site& site) {
  const ModelConfig& stack = trace.config().of(site.stack);
  if (const BlockSpec* block = stack.block_of(weight)) return block->norm.kind;
  return weight.find("embed") != std::string::npos ? stack.embed_norm.kind : stack.final_norm.kind;
}

// The class of PyTorch that holds such a weight. `columns`: of all weights that the file keeps in one.
std::string module_of(const Trace& trace, const std::string& name, const Tensor& values, std::int64_t columns,
                      const Site& site) {
  const auto call = [](const char* type, std::initializer_list<std::int64_t> sizes) {
    std::vector<std::string> words;
    for (const std::int64_t size : sizes) words.push_back(std::to_string(size));
    return std::string(type) + "(" + join(words, ", ") + ")";
  };
  if (!ends_with(name, ".weight")) return {};
  if (values.rank() == 1)
    return call(norm_of(trace, name, site) == NormSpec::Kind::rms ? "nn.RMSNorm" : "nn.LayerNorm",
                {values.size(0)});
  if (values.rank() != 2) return {};
  const bool table = is_table(name) || name.find("rel_bias") != std::string::npos;
  return call(table ? "nn.Embedding" : "nn.Linear", {values.size(0), columns});
}

std::string node_label(const ModuleNode& node) {
  if (node.children.empty()) return tr("map.tree.leaf", {node.label, node.shape});
  if (!node.module.empty()) return tr("map.tree.module", {node.label, node.module});
  return node.parameters > 0 ? tr("map.tree.count", {node.label, short_count(node.parameters)}) : node.label;
}

/// The tree of the newest model, cached.
struct KeptTree {
  std::uint64_t opened = 0;
  ModuleNode root;
};

void draw_node(const PanelContext& context, const ModuleNode& node, bool root) {
  const Cursor& cursor = context.workspace.cursor;
  const bool leaf = node.children.empty();
  const bool here = node.goes && leaf && node.site == cursor.step;
  ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_OpenOnArrow;
  if (leaf) flags |= ImGuiTreeNodeFlags_Leaf | ImGuiTreeNodeFlags_Bullet;
  if (here) flags |= ImGuiTreeNodeFlags_Selected;
  const bool own = node.layer < 0 || (node.layer == cursor.layer && node.stack == cursor.stack);
  if (root || !own || node.layer < 0) ImGui::SetNextItemOpen(root || own, ImGuiCond_Once);
  if (node.layer >= 0 && own) ImGui::SetNextItemOpen(true, ImGuiCond_Once);
  const std::string label = node_label(node);
  const WithColour ink(ImGuiCol_Text, here ? theme().accent : leaf ? theme().text_dim : theme().text);
  const bool open = ImGui::TreeNodeEx(node.label.c_str(), flags, "%s", label.c_str());
  if (leaf && node.goes) {
    note_item("module." + node.weight);
    compat::item_tooltip(tr("map.tree.help", {node.weight, to_text(node.site)}).c_str());
  }
  if (node.goes && ImGui::IsItemClicked() && (leaf || !ImGui::IsItemToggledOpen())) {
    context.workspace.playing = false;
    go_to_site(context.workspace, *context.run, node.site);
  }
  if (!open) return;
  for (const ModuleNode& one : node.children) draw_node(context, one, false);
  ImGui::TreePop();
}

}  // namespace

std::string short_count(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (count < 1000) return std::to_string(count);
  if (count < 1000000) return format(count < 10000 ? "%.1fk" : "%.0fk", value / 1e3);
  if (count < 1000000000) return format(count < 10000000 ? "%.1fM" : "%.0fM", value / 1e6);
  return format("%.1fB", value / 1e9);
}

bool step_of_weight(const Trace& trace, const std::string& weight, Site& site) {
  const std::size_t dot = weight.rfind('.');
  const std::string parent = weight.substr(0, dot);
  for (const char* end : {"", ".out"}) {
    const auto found = parse_site(parent + end);
    if (!found || !trace.find(*found)) continue;
    site = *found;
    return true;
  }
  return false;
}

ModuleNode module_tree(const OpenedModel& opened, const Trace& trace) {
  ModuleNode root;
  root.label = opened.architecture.empty() ? opened.family : opened.architecture;
  for (const auto& [name, values] : trace.weights().all()) {
    if (is_tied(trace.config(), name)) continue;  // the table of tokens once more
    const auto stored = opened.stored_as.find(name);
    const std::string& path = stored == opened.stored_as.end() ? name : stored->second;
    ModuleNode *node = &root, *holder = &root;
    for (const std::string& part : split(path, '.')) holder = std::exchange(node, &child(*node, part));
    node->weight = node->weight.empty() ? name : node->weight + ", " + name;
    node->parameters += values.count();
    if (!node->goes) node->goes = step_of_weight(trace, name, node->site);
    node->layer = node->goes ? node->site.layer : -1, node->stack = node->site.stack;
    if (node->goes) node->order = std::min(node->order, trace.index_of(node->site));
    std::vector<std::int64_t> sizes{node->parameters};  // of all that the file keeps in one
    if (values.rank() == 2) sizes = {values.size(0), node->parameters / values.size(0)};
    node->shape = values.rank() > 2 ? shape_text(values) : shape_text(sizes);
    if (std::string module = module_of(trace, name, values, sizes.back(), node->site); !module.empty())
      holder->module = std::move(module);
  }
  finish(root);
  return root;
}

void draw_module_tree(const PanelContext& context) {
  const auto& opened = context.run->document.opened;
  if (!opened || !context.run->document.model) return wrapped_text(tr("map.tree.none"), theme().text_dim);
  if (!context.workspace.map_tree) context.workspace.map_tree = std::make_shared<KeptTree>();
  KeptTree& kept = *std::static_pointer_cast<KeptTree>(context.workspace.map_tree);
  const std::uint64_t now = context.session.opened_version();
  if (kept.opened != now || kept.root.children.empty()) {
    kept.opened = now;
    kept.root = module_tree(*opened, context.run->trace(context.workspace.cursor.sequence));
  }
  const WithFont mono(fonts().mono_small);
  const WithVar indent(ImGuiStyleVar_IndentSpacing, px(12));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(2)));
  draw_node(context, kept.root, true);
}

void draw_map_switch(Workspace& workspace) {
  const WithFont small(fonts().small);
  const WithVar tight(ImGuiStyleVar_FramePadding, ImVec2(px(7), px(1)));
  const Label label(tr("map.tree"), "###map_modules");
  const float left = ImGui::GetContentRegionMax().x - button_width(label) - px(8);
  if (left < ImGui::CalcTextSize(tr("map.title")).x + px(14)) return;  // no room beside the title
  ImGui::SameLine(left);
  if (raised_button(label, workspace.shows_modules)) workspace.shows_modules = !workspace.shows_modules;
  note_item("map_modules");
  compat::item_tooltip(tr("map.tree.switch"));
}

}  // namespace attnscope
