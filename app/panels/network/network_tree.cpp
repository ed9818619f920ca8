#include "app/panels/network/network_tree.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/network/network_layout.h"
#include "app/state/controls.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"

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

// Blocks in the order of their index, all others by name.
bool before(const ModuleNode& a, const ModuleNode& b) {
  const auto number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos ? text.size() : 0u;
  };
  const std::size_t one = number(a.label), two = number(b.label);
  if (one && two && one != two) return one < two;
  return a.label < b.label;
}

// Computes sums and common blocks, from the leaves up.
void finish(ModuleNode& node) {
  for (ModuleNode& one : node.children) finish(one);
  std::sort(node.children.begin(), node.children.end(), before);
  if (node.children.empty()) return;
  node.layer = node.children.front().layer, node.stack = node.children.front().stack;
  for (const ModuleNode& one : node.children) {
    node.parameters += one.parameters;
    if (one.layer != node.layer || one.stack != node.stack) node.layer = -1;
    if (!node.goes && one.goes) node.goes = true, node.site = one.site;
  }
}

std::string with_count(const std::string& label, std::int64_t parameters) {
  return parameters > 0 ? tr("map.tree.count", {label, short_count(parameters)}) : label;
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
  const std::string label =
      leaf ? tr("map.tree.leaf", {node.label, node.shape}) : with_count(node.label, node.parameters);
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
    const auto stored = opened.stored_as.find(name);
    const std::string& path = stored == opened.stored_as.end() ? name : stored->second;
    ModuleNode* node = &root;
    for (const std::string& part : split(path, '.')) node = &child(*node, part);
    node->weight = node->weight.empty() ? name : node->weight + ", " + name;
    node->parameters += values.count();
    node->shape = shape_text(values);
    if (!node->goes) node->goes = step_of_weight(trace, name, node->site);
    node->layer = node->goes ? node->site.layer : -1, node->stack = node->site.stack;
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

}  // namespace attnscope
