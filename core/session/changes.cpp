#include "core/session/changes.h"

#include <algorithm>
#include <set>

namespace attnscope {
namespace {

// Adds the cell where the two differ.
void compare_cell(const Tensor& first, const Tensor& now, const std::vector<std::int64_t>& at,
                  const NumberChange& where, std::vector<NumberChange>& changes) {
  const float before = first.at(at), value = now.at(at);
  if (before == value || (before != before && value != value)) return;
  NumberChange change = where;
  change.index = at, change.before = before, change.now = value;
  changes.push_back(std::move(change));
}

// Both tensors have the same sizes; `at` walks over them in row-major order.
void compare(const Tensor& first, const Tensor& now, std::size_t limit, const NumberChange& where,
             std::vector<NumberChange>& changes) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(now.rank()), 0);
  for (std::int64_t i = 0; i < now.count() && changes.size() < limit; ++i) {
    compare_cell(first, now, at, where, changes);
    for (int d = now.rank() - 1; d >= 0 && ++at[static_cast<std::size_t>(d)] == now.size(d); --d)
      at[static_cast<std::size_t>(d)] = 0;
  }
}

// Both expand the same bytes of a file: they can differ only where a value was set by hand.
void compare_cells(const Tensor& first, const Tensor& now, std::size_t limit, const NumberChange& where,
                   std::vector<NumberChange>& changes) {
  std::set<std::vector<std::int64_t>> cells;
  for (const Tensor* tensor : {&first, &now})
    for (auto& cell : tensor->set_by_hand()) cells.insert(std::move(cell));
  for (const auto& cell : cells)
    if (changes.size() < limit) compare_cell(first, now, cell, where, changes);
}

}  // namespace

std::vector<NumberChange> weight_changes(const Model& first, const Model& now, std::size_t limit) {
  std::vector<NumberChange> changes;
  if (&first == &now) return changes;
  for (const auto& [name, tensor] : now.weights().all()) {
    const Tensor* old = first.weights().find(name);
    if (!old || old->same_place(tensor) || old->sizes() != tensor.sizes()) continue;
    if (old->is_encoded() && old->same_bytes(tensor))
      compare_cells(*old, tensor, limit, {name, 0, {}, 0, 0}, changes);
    else
      compare(*old, tensor, limit, {name, 0, {}, 0, 0}, changes);
  }
  return changes;
}

std::vector<NumberChange> input_changes(const Document& document, std::size_t limit) {
  std::vector<NumberChange> changes;
  if (!document.opened || !document.opened->scene) return changes;
  const std::vector<Input>& inputs = document.opened->scene->inputs;
  for (std::size_t i = 0; i < std::min(inputs.size(), document.sequences.size()); ++i) {
    const Tensor &first = inputs[i].vectors, &now = document.sequences[i].input.vectors;
    if (now.empty() || first.same_place(now) || first.sizes() != now.sizes()) continue;
    compare(first, now, limit, {{}, static_cast<int>(i), {}, 0, 0}, changes);
  }
  return changes;
}

Status take_back(Document& document, const NumberChange& change) {
  if (!change.weight.empty()) return set_weight_cell(document, change.weight, change.index, change.before);
  return set_input_cell(document, static_cast<std::size_t>(change.sequence), change.index[0], change.index[1],
                        change.before);
}

}  // namespace attnscope
