// Sentences stand in assets/strings/*/edits.json.
#include "app/widgets/edit_words.h"

#include "app/widgets/matrix_plot.h"
#include "core/base/words.h"

namespace attnscope {

std::string value_text(float value) {
  std::string text = format("%.6g", static_cast<double>(value));
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::string target_words(const Target& where) {
  std::string text = to_text(where);
  if (where.kind == Target::Kind::input) text.replace(0, std::string_view("input").size(), tr("edit.input"));
  for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 2) text.insert(at + 1, " ");
  return text;
}

namespace {

std::string value_words(const EditValue& value) {
  if (const auto* number = std::get_if<float>(&value)) return value_text(*number);
  if (const auto* from = std::get_if<FromPos>(&value)) return tr("edit.pos", {std::to_string(from->pos)});
  if (const auto* frozen = std::get_if<Frozen>(&value))
    return frozen->origin.empty() ? std::string(tr("edit.numbers")) : tr("edit.frozen", {frozen->origin});
  return tr("edit.mean");
}

std::string number_words(const NumberEdit& edit) {
  const std::string where = target_words(edit.where), value = value_words(edit.value);
  const auto* number = std::get_if<float>(&edit.value);
  if (edit.op == EditOp::set && number && *number == 0.f) return tr("edit.zero", {where});
  return tr(edit.op == EditOp::set   ? "edit.set"
            : edit.op == EditOp::add ? "edit.add"
                                     : "edit.scale",
            {where, value});
}

std::string mask_words(const MaskEdit& mask) {
  if (!mask.spec && mask.cells.size() == 1) return mask_cell_words(mask.of, mask.cells.front());
  const std::string text = mask.spec ? mask.spec->text() : std::string("model");
  return mask.of == AttentionKind::main ? tr("edit.mask", {text})
                                        : tr("edit.mask_in", {attention_kind_name(mask.of), text});
}

}  // namespace

const char* attention_kind_name(AttentionKind of) {
  switch (of) {
    case AttentionKind::encoder: return tr("inspector.edits.encoder");
    case AttentionKind::vision: return tr("inspector.edits.vision");
    case AttentionKind::cross: return tr("inspector.edits.cross");
    case AttentionKind::main: break;
  }
  return tr("place.stack.single");
}

std::string mask_cell_words(AttentionKind of, const Mask::Cell& cell) {
  const std::string query = std::to_string(cell.query), key = std::to_string(cell.key);
  if (of == AttentionKind::main)
    return tr(cell.allowed ? "inspector.edits.allow" : "inspector.edits.hide", {query, key});
  return tr(cell.allowed ? "inspector.edits.allow_in" : "inspector.edits.hide_in",
            {attention_kind_name(of), query, key});
}

std::string edit_words(const Edit& edit) {
  std::string text = edit.number() ? number_words(*edit.number())
                     : edit.mask() ? mask_words(*edit.mask())
                                   : tr("edit.exchange", {to_text(edit)});
  if (edit.sequence >= 0) text = tr("edit.of_sequence", {std::to_string(edit.sequence + 1), text});
  return text;
}

}  // namespace attnscope
