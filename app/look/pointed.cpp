#include "app/look/pointed.h"

#include <algorithm>
#include <vector>

#include "core/step/catalog.h"

namespace attnscope {
namespace {

enum class PointedKind : std::uint8_t { token, head, neuron };
struct PointedThing {
  PointedKind kind = PointedKind::token;
  Stack stack = Stack::single;
  Part part = Part::model;
  int layer = -1;
  std::int64_t at = 0;
  bool operator==(const PointedThing&) const = default;
};

struct PointedState {
  std::vector<PointedThing> now, before;  // at most a few entries
};
PointedState& pointed_state() {
  static PointedState all;
  return all;
}

void add(const PointedThing& thing) {
  auto& now = pointed_state().now;
  if (std::find(now.begin(), now.end(), thing) == now.end()) now.push_back(thing);
}
bool was(const PointedThing& thing) {
  const auto& before = pointed_state().before;
  return std::find(before.begin(), before.end(), thing) != before.end();
}

Axis row_axis(std::string_view name) {
  return name == "query" ? Axis::query : name == "key" ? Axis::key : name == "pos" ? Axis::pos : Axis::none;
}

// The token, head or neuron that an entry of an axis stands for; false when it is none of these.
bool thing_of(const Site& site, std::string_view axis, std::int64_t at, PointedThing& out) {
  if (const Axis rows = row_axis(axis); rows != Axis::none)
    out = {PointedKind::token, rows_stack(site, rows), Part::model, -1, at};
  else if (axis == "head")
    out = {PointedKind::head, site.stack, site.part, site.layer, at};
  else if (axis == "d_mlp")
    out = {PointedKind::neuron, site.stack, Part::model, site.layer, at};
  else
    return false;
  return true;
}

}  // namespace

void begin_pointing() {
  PointedState& s = pointed_state();
  std::swap(s.now, s.before);
  s.now.clear();
}

void point_token(Stack stack, std::int64_t row) { add({PointedKind::token, stack, Part::model, -1, row}); }
void point_head(Stack stack, Part part, int layer, std::int64_t head) {
  add({PointedKind::head, stack, part, layer, head});
}
void point_neuron(Stack stack, int layer, std::int64_t neuron) {
  add({PointedKind::neuron, stack, Part::model, layer, neuron});
}

void point_cell(const Site& site, const std::vector<std::int64_t>& index) {
  PointedThing thing;
  for (std::size_t d = 0; d < index.size(); ++d)
    if (thing_of(site, axis_of(site, static_cast<int>(d)), index[d], thing)) add(thing);
}

bool token_pointed(Stack stack, std::int64_t row) {
  return was({PointedKind::token, stack, Part::model, -1, row});
}
bool head_pointed(Stack stack, Part part, int layer, std::int64_t head) {
  return was({PointedKind::head, stack, part, layer, head});
}
bool neuron_pointed(Stack stack, int layer, std::int64_t neuron) {
  return was({PointedKind::neuron, stack, Part::model, layer, neuron});
}

namespace {

std::int64_t pointed_of(PointedKind kind, Stack stack, Part part, int layer) {
  for (const PointedThing& thing : pointed_state().before)
    if (thing.kind == kind && thing.stack == stack && thing.part == part && thing.layer == layer)
      return thing.at;
  return -1;
}

}  // namespace

std::int64_t pointed_head(Stack stack, Part part, int layer) {
  return pointed_of(PointedKind::head, stack, part, layer);
}
std::int64_t pointed_neuron(Stack stack, int layer) {
  return pointed_of(PointedKind::neuron, stack, Part::model, layer);
}

std::string_view axis_of(const Site& site, int axis) {
  std::string_view rest = step_of(site.slot).axes;
  for (int d = 0; axis >= 0; ++d) {
    const std::size_t end = rest.find(' ');
    if (d == axis) return rest.substr(0, end);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {};
}

bool entry_pointed(const Site& site, int axis, std::int64_t at) {
  if (pointed_state().before.empty()) return false;
  PointedThing thing;
  return thing_of(site, axis_of(site, axis), at, thing) && was(thing);
}

}  // namespace attnscope
