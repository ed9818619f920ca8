// Fills the catalog's text templates; adapts them to the model's config where it differs (RMSNorm, gated
// MLP).
#include "app/views/steps_words.h"

#include <algorithm>
#include <cmath>

#include "app/look/theme.h"
#include "app/views/steps_facts.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/lens/row_off_one.h"

namespace attnscope {
namespace {

std::string norm_formula(const StepFacts& at) {
  if (at.step.rule == Rule::norm_scale) return at.rms() ? "σ = √(mean(x²) + ε)" : "σ = √(var(x) + ε)";
  const std::string gain = at.norm.weight_offset != 0.f
                               ? " · (" + steps_words_number(at.norm.weight_offset) + " + γ)"
                           : at.has_weight(at.norm_name() + "weight") ? " · γ"
                                                                      : "";
  if (at.step.part == Part::attn) {
    const std::string letter = at.step.hue == Hue::query ? "q" : "k";
    return letter + " ← " + (at.rms() ? letter : "(" + letter + " − μ)") + " / σ" + gain;
  }
  if (at.rms()) return "y = x / σ" + gain;
  return "y = (x − μ) / σ" + gain + (at.has_weight(at.norm_name() + "bias") ? " + β" : "");
}

std::string embed_formula(const StepFacts& at) {
  if (at.given()) return "x";
  std::string text = at.stack.patch.class_token ? "x = [class; E]" : "x = E";
  if (at.has(StepRole::position)) text += " + P";
  return at.has(StepRole::segment) ? text + " + T" : text;
}

std::string mask_formula(const StepFacts& at) {
  std::string text;
  if (at.mask() && at.mask()->rule)
    text = tr("steps.formula.mask_rule");
  else if (!at.triangle())
    text = tr(at.window() > 0 ? "steps.formula.mask_both_window" : "steps.formula.mask_padding");
  else
    text =
        at.window() > 0 ? std::string(tr("steps.formula.mask_window")) : std::string(step_formula(at.step));
  const bool said = !at.triangle() && at.window() == 0 && !(at.mask() && at.mask()->rule);
  if (at.pads_keys() && !said) text = tr("steps.formula.mask_and_padding", {text});
  const std::size_t cells = at.mask() ? at.mask()->cells.size() : 0;
  return cells ? tr("steps.formula.mask_by_hand", {text, std::to_string(cells)}) : text;
}

std::string logits_formula(const StepFacts& at) {
  std::string text = at.stack.head.scale != 1.f ? "y · s · W_U" : "y · W_U";
  if (at.has_weight(to_text(at.site) + ".bias")) text += " + b";
  return at.stack.head.cap > 0.f ? "L = c · tanh((" + text + ") / c)" : "L = " + text;
}

// For grouped-query attention: query heads that share a K/V head.
std::string shared_formula(const StepFacts& at) {
  std::string text(step_formula(at.step));
  if (at.shared() < 2) return text;
  for (const char* name : {"K", "V"}) replace_all(text, name + std::string("ₕ"), name + std::string("ⱼ"));
  return text + ", j = ⌊h / " + std::to_string(at.shared()) + "⌋";
}

std::string formula_text(const Trace& trace, const Site& site) {
  const StepFacts at{trace, site};
  if (at.normed()) return norm_formula(at);
  if (at.gated_product()) return "h = a ⊙ u";
  if (at.ends_without_mlp()) return at.adds_attention() ? "x ← x + O" : "x";
  if (site.is(StepRole::embedding)) return embed_formula(at);
  if (site.is(StepRole::mask)) return mask_formula(at);
  if (site.is(StepRole::logits)) return logits_formula(at);
  if (site.is(StepKind::scores) || site.is(StepRole::head_out)) return shared_formula(at);
  if (site.is(StepKind::scale) && !at.usual_scale()) return "S · " + steps_words_number(at.attention.scale);
  if (site.is(StepKind::residual_post) && at.both_at_once()) return "x ← x + O + m";
  if (at.has_sinks()) return "A = exp(S − max) / (exp(s − max) + Σ exp(S − max))";
  std::string text(step_formula(at.step));
  const bool biased = at.has_weight(to_text(site) + ".bias");
  const bool dot = at.step.rule == Rule::dot;
  if (dot && !biased && text.find(" + b") != std::string::npos) text.erase(text.find(" + b"));
  if (dot && biased && text.find(" + b") == std::string::npos) text += " + b";
  replace_all(text, "{act}", activation_name(activation_at(at.config, site)));
  return text;
}

ImU32 role_colour(const std::string& word) {
  for (const auto& [letter, colour] : {std::pair{'Q', theme().q}, {'K', theme().k}, {'V', theme().v}}) {
    const bool base = word[0] == letter && (word.size() == 1 || static_cast<unsigned char>(word[1]) >= 0x80);
    const bool subscript = word.size() == 3 && word[1] == '_' && word[2] == letter;
    if (base || subscript) return colour;
  }
  return 0;
}

bool word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || byte >= 0x80;
}

}  // namespace

std::string text_of(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) out += piece.text;
  return out;
}

std::string precise(double value) {
  const double size = std::abs(value);
  const int digits = size == 0 || size >= 0.01 ? 4 : size >= 0.0001 ? 6 : 8;
  return number_text(static_cast<float>(value), digits);
}

std::string title_text(const Trace& trace, const Site& site) {
  const StepFacts at{trace, site};
  if (site.is(StepKind::residual_post) && at.both_at_once()) return tr("steps.title.both");
  if (at.gated_product()) return tr("steps.title.gated");
  if (at.ends_without_mlp())
    return at.adds_attention() ? std::string(step_title(step_of(slot_of(StepKind::residual_mid))))
                               : tr("steps.title.stream_out");
  return std::string(step_title(at.step));
}

std::string sentence_text(const Trace& trace, const Site& site) {
  const StepFacts at{trace, site};
  const bool post = site.layer >= 0 && at.block.order == NormOrder::post;
  if (at.step.rule == Rule::norm_scale && at.rms()) return tr("steps.sentence.rms_scale");
  if (at.gated_product()) return tr("steps.sentence.gated");
  switch (kind_of(site.slot)) {
    case StepKind::embed:
      if (!site.is(StepRole::embedding)) break;
      if (at.has(StepKind::norm_embed)) return tr("steps.sentence.embed_normed");
      if (!at.has(StepRole::position)) return tr("steps.sentence.embed");
      break;
    case StepKind::norm1:
    case StepKind::norm2:
      if (at.step.rule == Rule::norm && at.edited()) return tr("steps.sentence.norm_off");
      if (post && at.step.rule == Rule::norm) return tr("steps.sentence.norm_after");
      break;
    case StepKind::scale:
      if (!at.usual_scale()) return tr("steps.sentence.scaled", {steps_words_number(at.attention.scale)});
      break;
    case StepKind::residual_post:
      if (at.both_at_once()) return tr("steps.sentence.both");
      if (at.adds_attention()) return std::string(step_sentence(step_of(slot_of(StepKind::residual_mid))));
      if (at.ends_without_mlp()) return tr("steps.sentence.stream_out");
      break;
    case StepKind::logits:
      if (at.stack.head.first_row_only) return tr("steps.sentence.classes");
      break;
    case StepKind::softmax:
      if (!site.is(StepRole::pattern)) break;
      if (const auto sums = row_sums_with_sinks(trace, site))
        return tr("steps.sentence.pattern_sinks", {number_text(static_cast<float>(sums->least), 4),
                                                   number_text(static_cast<float>(sums->most), 4)});
      if (const auto off = row_off_one(trace, site))
        return tr("steps.sentence.pattern_off", {std::to_string(off->row), std::to_string(off->head),
                                                 number_text(static_cast<float>(off->sum), 4)});
      return tr("steps.sentence.pattern");
    case StepKind::probs:
      if (!at.attention.causal && at.attention.mask.empty()) return tr("steps.sentence.probs");
      break;
    default: break;
  }
  const std::string sentence(step_sentence(at.step));
  if (at.shared() < 2) return sentence;
  const bool of_keys = site.is(StepRole::projection, Hue::key) || site.is(StepKind::scores);
  if (!of_keys && !site.is(StepRole::projection, Hue::value) && !site.is(StepRole::head_out)) return sentence;
  return tr(of_keys ? "steps.sentence.shared_k" : "steps.sentence.shared_v",
            {sentence, std::to_string(at.attention.n_kv_heads), std::to_string(at.shared())});
}

std::vector<Piece> formula_pieces(const Trace& trace, const Site& site) {
  const std::string text = formula_text(trace, site);
  std::vector<Piece> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && word_byte(text[end])) ++end;
    if (end == at) {
      while (end < text.size() && !word_byte(text[end])) ++end;
      out.push_back({text.substr(at, end - at)});
    } else {
      const std::string word = text.substr(at, end - at);
      const std::size_t under = word.find('_');
      const ImU32 colour = role_colour(word);
      out.push_back({word.substr(0, under), colour});
      if (under != std::string::npos) out.push_back({word.substr(under + 1), colour, true});
    }
    at = end;
  }
  return out;
}

namespace {

// "(1, 2×2, 8, 5)" for repeated heads: two K/V heads, each for two query heads.
std::string steps_words_operand_shape(const RunResult& run, int sequence, const Operand& operand,
                                      bool repeated) {
  const Trace& trace = run.trace(sequence);
  if (operand.is_weight()) return shape_text(trace.weights().get(operand.weight));
  const Record* record = trace.find(operand.site);
  if (!record) return {};
  std::vector<std::int64_t> sizes = record->shape;
  if (operand.transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  const std::int64_t batch = batch_of(run, operand.site),
                     shared = repeated ? shared_heads(trace, operand.site) : 1;
  std::string text = shape_text(sizes, batch);
  if (shared < 2) return text;
  const std::string heads = std::to_string(sizes[0]) + ",";
  const std::size_t at = batch > 0 ? text.find(", ") + 2 : 1;
  return text.replace(at, heads.size(), std::to_string(sizes[0]) + "×" + std::to_string(shared) + ",");
}

}  // namespace

std::string shapes_line(const RunResult& run, const Figure& figure, int sequence) {
  std::vector<std::string> seen, inputs;
  for (const Operand& operand : figure.operands) {
    if (operand.part || (!operand.is_weight() && operand.site == figure.site)) continue;
    const std::string name = operand.is_weight() ? operand.weight : to_text(operand.site);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    inputs.push_back(
        steps_words_operand_shape(run, sequence, operand, figure.layout == Figure::Layout::product));
  }
  const std::string result = step_shape(run, figure.site, sequence);
  if (inputs.empty()) return result;
  if (figure.rule == Rule::lookup) {
    const auto length = std::to_string(run.trace(sequence).rows(figure.site.stack));
    return inputs[0] + "[(" + std::to_string(batch_of(run, figure.site)) + ", " + length + ")] → " + result;
  }
  std::string out = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const bool product = figure.layout == Figure::Layout::product;
    out += (product && i == 1                     ? " @ "
            : product || figure.rule == Rule::sum ? " + "
            : figure.rule == Rule::product        ? " * "
                                                  : ", ") +
           inputs[i];
  }
  return out + " → " + result;
}

}  // namespace attnscope
