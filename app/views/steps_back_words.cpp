#include "app/views/steps_back_words.h"

#include <algorithm>
#include <cmath>

#include "app/look/theme.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/step/catalog_backward.h"

namespace attnscope {
namespace {

// The catalog entry with the text for this step; post-norm outputs, which are the stream, use the stream's.
Slot row_slot(const BackwardResult& grads, const Site& site) {
  const auto& readers = grads.readers_of(site);
  const bool stream = std::any_of(readers.begin(), readers.end(),
                                  [](const Site& reader) { return reader.is(StepRole::stream); });
  const bool words = !readers.empty() && readers.front().is(StepRole::logits);
  if (words) return slot_of(StepKind::norm_final);
  if (stream && step_of(site.slot).rule == Rule::norm && step_of(site.slot).part == Part::block)
    return site.is(StepRole::post_norm) ? site.slot : slot_of(StepKind::residual_mid);
  // Norm outputs with other readers than their own projections: a shared norm, cross-attention.
  const auto usual = [&](const Site& reader) {
    if (site.is(StepKind::norm1)) return reader.part == Part::attn && reader.is(StepKind::qkv);
    return site.is(StepKind::norm2) && reader.is(StepKind::mlp_up);
  };
  const bool normed = step_of(site.slot).rule == Rule::norm && step_of(site.slot).part != Part::attn;
  if (normed && readers.size() > 1 && !std::all_of(readers.begin(), readers.end(), usual))
    return slot_of(StepKind::norm_cross);
  // Inputs of a rotation or of a per-head norm.
  const Hue hue = step_of(site.slot).hue;
  if (site.is(StepRole::split) && hue != Hue::value && !readers.empty() &&
      !readers.front().is(StepKind::scores))
    return readers.front().is(StepRole::rotated) ? slot_of(StepRole::head_norm, hue)
                                                 : slot_of(StepKind::residual_cross);
  return site.slot;
}

// The later step shown in the figure: the only one, or the chosen one.
const Site* one_reader(const BackwardResult& grads, const Site& site, int from) {
  const auto& readers = grads.readers_of(site);
  if (readers.size() == 1) return &readers.front();
  const bool chosen = from >= 0 && from < static_cast<int>(readers.size());
  return chosen ? &readers[static_cast<std::size_t>(from)] : nullptr;
}

const BackwardStep* table_row(const BackwardResult& grads, const Site& site, int from) {
  const Site* reader = one_reader(grads, site, from);
  if (reader && step_of(reader->slot).rule == Rule::norm) {
    const NormSpec& spec = norm_spec(grads.gradients->trace().config(), *reader);
    return &backward_through_norm(spec.kind == NormSpec::Kind::layer);
  }
  const BackwardStep* special = reader ? backward_through(site.slot, reader->slot) : nullptr;
  return special ? special : backward_step(row_slot(grads, site));
}

// "dQ · W_Qᵀ + dK · W_Kᵀ" if all readers are matmuls; empty if one is not, or there are too many.
std::string product_sum(const std::vector<Site>& readers) {
  std::vector<std::string> out;
  for (const Site& reader : readers) {
    const std::string_view product = backward_product(reader.slot);
    const bool twice = std::count_if(readers.begin(), readers.end(),
                                     [&](const Site& other) { return other.slot == reader.slot; }) > 1;
    if (product.empty() || twice || readers.size() > 4) return {};
    out.emplace_back(product);
  }
  return join(out, " + ");
}

// A formula that contains words is in the string tables, others are in the catalog.
std::string formula_words(const BackwardStep& row, const char* which, std::string_view plain) {
  const std::string key = words_key(row) + which;
  return has_string(key) ? std::string(tr(key)) : std::string(plain);
}

ImU32 letter_colour(const std::string& word) {
  const std::size_t at = word.size() > 1 && word[0] == 'd' ? 1 : 0;
  if (word.size() > at + 1 && static_cast<unsigned char>(word[at + 1]) < 0x80 && word[at] != 'W') return 0;
  for (const auto& [letter, colour] : {std::pair{'Q', theme().q}, {'K', theme().k}, {'V', theme().v}})
    if (word[at] == letter || (word[at] == 'W' && word.size() > at + 2 && word[at + 2] == letter))
      return colour;
  return 0;
}

bool ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Splits "dW_Q = xᵀ · dQ" into pieces; names after an underscore become subscripts.
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] != ' ' && text[end] != ',' && text[end] != '(') ++end;
    if (end == at) {
      out.push_back({text.substr(at++, 1)});
      continue;
    }
    const std::string word = text.substr(at, end - at);
    const ImU32 colour = letter_colour(word);
    const std::size_t under = word.find('_');
    out.push_back({word.substr(0, under), colour});
    if (under != std::string::npos) {
      std::size_t last = under + 1;
      while (last < word.size() && ascii_letter(word[last])) ++last;
      out.push_back({word.substr(under + 1, last - under - 1), colour, true});
      if (last < word.size()) out.push_back({word.substr(last), colour});
    }
    at = end;
  }
  return out;
}

std::string steps_back_words_operand_shape(const RunResult& run, const Trace& trace, const Operand& operand) {
  if (operand.is_weight()) {
    std::vector<std::int64_t> sizes = trace.weights().get(operand.weight).sizes();
    if (operand.transposed && sizes.size() > 1) std::swap(sizes[0], sizes[1]);
    return shape_text(sizes);
  }
  const Record* record = trace.find(operand.site);
  if (!record) return {};
  std::vector<std::int64_t> sizes = record->shape;
  if (operand.transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  return shape_text(sizes, batch_of(run, operand.site));
}

// The left side, "q", of "q = W_query(x)"; empty if the line is no assignment.
std::string assigned(const std::string& line) {
  const std::size_t at = line.find(" = ");
  return at == std::string::npos ? std::string() : line.substr(0, at);
}

// The module, "W_query", of "q = W_query(x)"; empty if the right side does not call a module.
std::string module_of(const std::string& line) {
  const std::size_t from = line.find(" = ");
  if (from == std::string::npos) return {};
  const std::size_t open = line.find('(', from);
  if (open == std::string::npos) return {};
  const std::string name = line.substr(from + 3, open - from - 3);
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return ascii_letter(c) || c == '_' || (c >= '0' && c <= '9');
  });
  return plain ? name : std::string();
}

}  // namespace

std::string gradient_sentence(const BackwardResult& grads, const Site& site, int from) {
  const auto& readers = grads.readers_of(site);
  const Site* reader = one_reader(grads, site, from);
  if (readers.size() > 1 && reader && step_of(reader->slot).rule != Rule::norm)
    return tr(
        step_of(reader->slot).rule == Rule::dot ? "steps.back.share.product" : "steps.back.share.passed",
        {reader_name(readers, *reader)});
  const BackwardStep* row = table_row(grads, site, from);
  if (!row) return tr("steps.back.no_gradient");
  return tr(words_key(*row) + ".sentence");
}

std::vector<Piece> gradient_formula(const BackwardResult& grads, const Site& site, const std::string& weight,
                                    int from) {
  const BackwardStep* own = backward_step(site.slot);
  const BackwardStep* row = table_row(grads, site, from);
  if (!own || !row) return {};
  std::string text = formula_words(*row, ".formula", row->formula);
  const auto& readers = grads.readers_of(site);
  const Site* reader = one_reader(grads, site, from);
  const bool normed = reader && step_of(reader->slot).rule == Rule::norm;
  if (readers.size() > 1 && !normed) {
    const std::string products = product_sum(reader ? std::vector<Site>{*reader} : readers);
    if (!products.empty())
      text = "dy = " + products;
    else if (reader)
      text = "dx";
  }
  if (!weight.empty()) {
    text = formula_words(*own, ".weights", own->weights);
    const std::size_t comma = text.find(",  ");
    const bool bias = weight.ends_with(".bias");
    if (comma != std::string::npos) text = bias ? text.substr(comma + 3) : text.substr(0, comma);
  }
  std::vector<Piece> out = pieces_of(text);
  if (!weight.empty() && from < 0 && weight_parts(*grads.gradients, weight).size() > 1)
    out.push_back({tr("steps.back.other_use"), theme().text_dim});
  return out;
}

std::string gradient_shapes(const BackwardResult& grads, const GradientFigure& figure) {
  const Trace& trace = grads.gradients->trace();
  const Figure& drawn = figure.figure;
  const int result = drawn.result();
  if (result < 0) return {};
  const std::string end =
      steps_back_words_operand_shape(*grads.run, trace, drawn.operands[static_cast<std::size_t>(result)]);
  std::vector<std::string> inputs;
  if (!figure.pieces.empty()) {
    for (const GradientPiece& piece : figure.pieces) {
      const std::string one = steps_back_words_operand_shape(*grads.run, trace, piece.left) + " @ " +
                              steps_back_words_operand_shape(*grads.run, trace, piece.top);
      if (std::find(inputs.begin(), inputs.end(), one) == inputs.end()) inputs.push_back(one);
    }
    return join(inputs, " + ") + " → " + end;
  }
  for (std::size_t i = 0; i < drawn.operands.size(); ++i) {
    const Operand& operand = drawn.operands[i];
    if (static_cast<int>(i) == result || operand.col.key == "one") continue;
    if (operand.is_weight() || trace.find(operand.site))
      inputs.push_back(steps_back_words_operand_shape(*grads.run, trace, operand));
  }
  return inputs.empty() ? end : inputs.front() + " → " + end;
}

std::string gradient_torch(const BackwardResult& grads, const Site& site, const std::string& weight) {
  const std::string line = torch_line(*grads.run, site);
  if (!weight.empty()) {
    const std::string module = module_of(std::string(step_of(site.slot).torch));
    const std::string part = weight.ends_with(".bias") ? "bias" : "weight";
    const bool transposed = part == "weight" && step_of(site.slot).rule == Rule::dot;
    return (module.empty() ? part : module + "." + part) + (transposed ? ".grad.T" : ".grad") + "  # " +
           tr("steps.back.torch_weight");
  }
  const std::string name = assigned(line);
  return name + ".grad  # " + tr("steps.back.torch", {name});
}

}  // namespace attnscope
