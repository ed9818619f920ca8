#include "core/trace/edit.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace attnscope {
namespace {

bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  if (a.same_place(b)) return true;
  const std::vector<float> x = a.values(), y = b.values();
  return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

bool same_operand(const EditValue& a, const EditValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* number = std::get_if<float>(&a))
    return std::bit_cast<std::uint32_t>(*number) == std::bit_cast<std::uint32_t>(std::get<float>(b));
  if (const auto* from = std::get_if<FromPos>(&a)) return *from == std::get<FromPos>(b);
  if (const auto* path = std::get_if<WithoutPath>(&a)) return *path == std::get<WithoutPath>(b);
  if (const auto* frozen = std::get_if<Frozen>(&a))
    return same_numbers(frozen->values, std::get<Frozen>(b).values);
  return true;
}

bool same_cells(const std::vector<Mask::Cell>& a, const std::vector<Mask::Cell>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Mask::Cell& x, const Mask::Cell& y) {
    return x.query == y.query && x.key == y.key && x.allowed == y.allowed;
  });
}

}  // namespace

Target target_of(const Cell& cell) { return {Target::Kind::step, cell.site, {}, cell.at}; }

Target weight_target(std::string weight, std::vector<AxisRange> at) {
  return {Target::Kind::weight, {}, std::move(weight), std::move(at)};
}

const AxisRange* range_on(const Target& target, Axis axis) { return range_on(target.at, axis_name(axis)); }

bool same_edit(const Edit& a, const Edit& b) {
  if (a.what.index() != b.what.index() || a.sequence != b.sequence || a.enabled != b.enabled) return false;
  if (const NumberEdit* number = a.number()) {
    const NumberEdit& other = *b.number();
    return number->where == other.where && number->op == other.op && same_operand(number->value, other.value);
  }
  if (const MaskEdit* mask = a.mask()) {
    const MaskEdit& other = *b.mask();
    return mask->of == other.of && mask->spec == other.spec && same_cells(mask->cells, other.cells);
  }
  return *a.exchange() == *b.exchange();
}

Edits edits_for(const Edits& edits, int sequence) {
  Edits out;
  for (const auto& edit : edits)
    if (edit->enabled && (edit->sequence < 0 || edit->sequence == sequence)) out.push_back(edit);
  return out;
}

Edits without_inputs(const Edits& edits) {
  Edits out;
  for (const auto& edit : edits)
    if (!edit->number() || edit->number()->where.kind != Target::Kind::input) out.push_back(edit);
  return out;
}

MaskEdit asked_mask(const Edits& edits, AttentionKind of) {
  MaskEdit out;
  out.of = of;
  for (const auto& edit : edits) {
    const MaskEdit* mask = edit->enabled ? edit->mask() : nullptr;
    if (!mask || mask->of != of) continue;
    if (mask->spec) {
      out.spec = mask->spec;
      out.cells.clear();
    }
    for (const Mask::Cell& cell : mask->cells) {
      std::erase_if(out.cells,
                    [&](const Mask::Cell& old) { return old.query == cell.query && old.key == cell.key; });
      out.cells.push_back(cell);
    }
  }
  std::sort(out.cells.begin(), out.cells.end(), [](const Mask::Cell& a, const Mask::Cell& b) {
    return std::pair(a.query, a.key) < std::pair(b.query, b.key);
  });
  return out;
}

}  // namespace attnscope
