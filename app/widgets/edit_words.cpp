// Texts are in assets/strings/*/edits.json.
#include "app/widgets/edit_words.h"

#include "app/widgets/matrix_plot.h"
#include "core/base/text.h"
#include "core/trace/path.h"

namespace attnscope {

std::string value_text(float value) {
  std::string text = format("%.6g", static_cast<double>(value));
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

Text target_words(const Target& where) {
  std::string text = to_text(where);
  const bool input = where.kind == Target::Kind::input;
  if (input) text.erase(0, std::string_view("input").size());
  for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 2) text.insert(at + 1, " ");
  return input ? Text::of("edit.input", {text}) : Text(text);
}

namespace {

Text value_words(const EditValue& value) {
  if (const auto* number = std::get_if<float>(&value)) return value_text(*number);
  if (const auto* from = std::get_if<FromPos>(&value)) return Text::of("edit.pos", {from->pos});
  if (const auto* frozen = std::get_if<Frozen>(&value)) {
    constexpr std::string_view kDirection = "dir:", kRun = "run:";
    const std::string& origin = frozen->origin;
    if (starts_with(origin, kDirection)) {
      const std::string direction = origin.substr(kDirection.size());
      return starts_with(direction, kRun) && direction.find_first_of("-*") == std::string::npos
                 ? Text::of("edit.to_run", {direction.substr(kRun.size())})
                 : Text::of("edit.direction", {direction});
    }
    if (starts_with(origin, kRun)) return Text::of("edit.run", {origin.substr(kRun.size())});
    return origin.empty() ? Text::of("edit.numbers") : Text::of("edit.frozen", {origin});
  }
  return Text::of("edit.mean");
}

Text number_words(const NumberEdit& edit) {
  if (const Target* from = path_from(edit))
    return Text::of("edit.path", {target_words(*from), receiver_text(edit.where)});
  const Text where = target_words(edit.where);
  const auto* number = std::get_if<float>(&edit.value);
  if (edit.op == EditOp::set && number && *number == 0.f) return Text::of("edit.zero", {where});
  return Text::of(edit.op == EditOp::set   ? "edit.set"
                  : edit.op == EditOp::add ? "edit.add"
                                           : "edit.scale",
                  {where, value_words(edit.value)});
}

Text mask_words(const MaskEdit& mask) {
  if (!mask.spec && mask.cells.size() == 1) return mask_cell_words(mask.of, mask.cells.front());
  const std::string text = mask.spec ? mask.spec->text() : std::string("model");
  return mask.of == AttentionKind::main ? Text::of("edit.mask", {text})
                                        : Text::of("edit.mask_in", {attention_kind_name(mask.of), text});
}

}  // namespace

Text attention_kind_name(AttentionKind of) {
  switch (of) {
    case AttentionKind::encoder: return Text::of("inspector.edits.encoder");
    case AttentionKind::vision: return Text::of("inspector.edits.vision");
    case AttentionKind::cross: return Text::of("inspector.edits.cross");
    case AttentionKind::main: break;
  }
  return Text::of("place.stack.single");
}

Text mask_cell_words(AttentionKind of, const Mask::Cell& cell) {
  if (of == AttentionKind::main)
    return Text::of(cell.allowed ? "inspector.edits.allow" : "inspector.edits.hide", {cell.query, cell.key});
  return Text::of(cell.allowed ? "inspector.edits.allow_in" : "inspector.edits.hide_in",
                  {attention_kind_name(of), cell.query, cell.key});
}

Text edit_words(const Edit& edit) {
  const Text text = edit.number() ? number_words(*edit.number())
                    : edit.mask() ? mask_words(*edit.mask())
                                  : Text::of("edit.exchange", {to_text(edit)});
  return edit.sequence >= 0 ? Text::of("edit.of_sequence", {edit.sequence + 1, text}) : text;
}

}  // namespace attnscope
