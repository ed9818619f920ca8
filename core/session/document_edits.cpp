// A document's edits and its mask: what is put, switched, moved and taken back.
#include <algorithm>

#include "core/model/masks.h"
#include "core/session/document.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

// The mask has a value for every pair of this input, in every block.
Status resolves(const ModelConfig& config, AttentionKind of, const MaskSpec& mask, const Input& input) {
  if (of != AttentionKind::main) {
    TRY_OK(other_mask(config, of, 0, mask, input, input.length()));
    return Done{};
  }
  for (const BlockSpec& block : config.blocks) {
    TRY_OK(self_mask(block.attention, mask, input.spans, input.attention_mask, input.length()));
    if (!mask.is_model()) break;  // it decides instead of the blocks' own
  }
  return Done{};
}

}  // namespace

Status set_mask_text(Document& document, const std::string& text, AttentionKind of) {
  TRY(MaskSpec mask, MaskSpec::parse(text));
  const std::vector<Input> inputs = inputs_of(document);
  const ModelConfig& config = document.model->config();
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    const Input& input = inputs[at];
    const Status resolved = resolves(config, of, mask, input);
    if (resolved) continue;
    const bool several = inputs.size() > 1;
    return several ? within(Text::of("error.sequence", {at + 1}), resolved.error()) : resolved.error();
  }
  MaskEdit edit{of, {}, switched_cells(document, of)};
  if (!mask.is_model()) edit.spec = std::move(mask);
  put_mask(document, std::move(edit));
  return Done{};
}

void set_mask_cell(Document& document, std::int64_t query, std::int64_t key, bool allowed,
                   const MaskPlace& place) {
  std::vector<Mask::Cell> cells = switched_cells(document, place.of);
  std::erase_if(cells, [&](const Mask::Cell& cell) { return cell.query == query && cell.key == key; });
  if (own_mask_of(document, place).allowed(query, key) != allowed) cells.push_back({query, key, allowed});
  set_switched_cells(document, place.of, std::move(cells));
}

std::vector<Mask::Cell> switched_cells(const Document& document, AttentionKind of) {
  return asked_mask(document.edits, of).cells;
}

MaskSpec asked_mask(const Document& document, AttentionKind of) {
  return asked_mask(document.edits, of).spec.value_or(MaskSpec());
}

void set_switched_cells(Document& document, AttentionKind of, std::vector<Mask::Cell> cells) {
  MaskEdit mask = asked_mask(document.edits, of);
  const auto order = [](const Mask::Cell& a, const Mask::Cell& b) {
    return std::pair(a.query, a.key) < std::pair(b.query, b.key);
  };
  std::sort(cells.begin(), cells.end(), order);
  mask.cells = std::move(cells);
  put_mask(document, std::move(mask));
}

namespace {

bool same_task(const Edit& a, const Edit& b) {
  if (a.what.index() != b.what.index() || a.sequence != b.sequence) return false;
  if (const NumberEdit* number = a.number())
    return number->where == b.number()->where && number->op == b.number()->op;
  if (const MaskEdit* mask = a.mask()) return mask->of == b.mask()->of;
  Exchange first = *a.exchange(), second = *b.exchange();
  first.value = second.value;
  return first == second;
}

Error no_edit() { return fail(Code::out_of_range, "error.session.no_edit"); }

}  // namespace

void put_edit(Document& document, std::shared_ptr<const Edit> edit) {
  const auto old = std::find_if(document.edits.rbegin(), document.edits.rend(),
                                [&](const auto& one) { return same_task(*one, *edit); });
  if (old == document.edits.rend())
    document.edits.push_back(std::move(edit));
  else
    *old = std::move(edit);
}

void put_mask(Document& document, MaskEdit mask) {
  const bool nothing = !mask.spec && mask.cells.empty();
  const auto is_same = [of = mask.of](const auto& edit) { return edit->mask() && edit->mask()->of == of; };
  const auto first = std::find_if(document.edits.begin(), document.edits.end(), is_same);
  const auto place = first - document.edits.begin();
  std::erase_if(document.edits, is_same);
  if (!nothing) document.edits.insert(document.edits.begin() + place, make_edit(std::move(mask)));
}

Status switch_edit(Document& document, std::size_t index, bool enabled) {
  if (index >= document.edits.size()) return no_edit();
  Edit changed = *document.edits[index];
  changed.enabled = enabled;
  document.edits[index] = std::make_shared<const Edit>(std::move(changed));
  return Done{};
}

Status remove_edit(Document& document, std::size_t index) {
  if (index >= document.edits.size()) return no_edit();
  document.edits.erase(document.edits.begin() + static_cast<std::ptrdiff_t>(index));
  return Done{};
}

Status move_edit(Document& document, std::size_t index, int by) {
  const auto to = static_cast<std::ptrdiff_t>(index) + by;
  if (index >= document.edits.size() || to < 0 || to >= std::ssize(document.edits)) return no_edit();
  auto edit = document.edits[index];
  document.edits.erase(document.edits.begin() + static_cast<std::ptrdiff_t>(index));
  document.edits.insert(document.edits.begin() + to, std::move(edit));
  return Done{};
}

}  // namespace attnscope
