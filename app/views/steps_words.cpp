// Fills the catalog's text templates; adapts them to the model's config where it differs (RMSNorm, gated
// MLP).
#include "app/views/steps_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/row_off_one.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

constexpr std::size_t kCellsSpelled = 2;  // cells edited by hand in a mask

// Properties of a step in this model, used to adapt the catalog's templates.
struct StepFacts {
  const Trace& trace;
  const Site& site;
  const Step& step = step_of(site.slot);
  const ModelConfig& config = trace.config();
  const ModelConfig& stack = config.of(site.stack);
  const BlockSpec& block = config.block_at(site);
  const AttentionSpec& attention = config.attention_at(site);
  const NormSpec& norm = norm_spec(config, site);

  template <class Which>
  bool has(Which role) const {
    return trace.find(site_of(role, -1, site.stack)) != nullptr;
  }
  bool has_weight(const std::string& name) const { return trace.weights().find(name) != nullptr; }
  bool normed() const { return step.rule == Rule::norm || step.rule == Rule::norm_scale; }
  bool rms() const { return norm.kind == NormSpec::Kind::rms; }
  bool gated_product() const { return site.is(StepRole::neurons) && block.mlp.kind == MlpSpec::Kind::gated; }
  bool across() const { return site.part == Part::cross; }
  bool given() const { return site.stack == config.stack && !trace.input.vectors.empty(); }
  bool usual_scale() const {
    return std::fabs(attention.scale * std::sqrt(static_cast<float>(attention.d_head)) - 1.f) < 1e-5f;
  }
  /// Parallel block: attention and MLP are added in one sum.
  bool both_at_once() const {
    return block.order == NormOrder::parallel && block.mlp.kind != MlpSpec::Kind::none;
  }
  /// Numbers of this very step were changed: what it says of all of its rows is no longer so.
  bool edited() const {
    const auto here = [&](const NumberEdit* edit) { return edit && edit->where.site == site; };
    return std::any_of(trace.edits.begin(), trace.edits.end(),
                       [&](const auto& edit) { return edit->enabled && here(edit->number()); });
  }
  /// Query heads per K/V head; 1 for multi-head attention.
  std::int64_t shared() const {
    return attention.n_kv_heads > 0 ? attention.n_heads / attention.n_kv_heads : 1;
  }
  /// End of a block without an MLP: attention's sum, or the unchanged stream.
  bool ends_without_mlp() const {
    return site.is(StepKind::residual_post) && block.mlp.kind == MlpSpec::Kind::none;
  }
  bool adds_attention() const { return ends_without_mlp() && block.order == NormOrder::parallel; }
  /// The mask that was applied, from any source; null in a recording without one.
  const Mask* mask() const {
    const AttentionState* state = trace.attention(site);
    return state ? &state->in.mask : nullptr;
  }
  bool triangle() const {
    return mask() ? mask()->causal && !mask()->rule : attention.causal && attention.mask.empty() && !across();
  }
  /// True if some keys of the run are padding.
  bool pads_keys() const {
    const auto* real = mask() ? mask()->attention_mask.get() : nullptr;
    return real && std::find(real->begin(), real->end(), 0) != real->end();
  }
  /// A softmax over the scores and a sink.
  bool has_sinks() const {
    return site.is(StepRole::pattern) && trace.find(site.near(StepRole::sinks)) != nullptr;
  }
  std::int64_t window() const { return mask() ? mask()->window : attention.window; }
  /// "ln1.out" -> "ln1."
  std::string norm_name() const {
    const std::string text = to_text(site);
    return step.part == Part::attn ? text + "." : text.substr(0, text.rfind('.') + 1);
  }
};

std::string steps_words_number(double value) { return format("%.6g", value); }
std::string steps_words_number(float value) { return steps_words_number(static_cast<double>(value)); }

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

namespace {

// "F.{act_torch}(h)" -> "F.gelu(h, approximate=\"tanh\")"
void fill_activation(std::string& text, Activation act) {
  static const std::map<Activation, std::pair<std::string_view, std::string_view>> kCalls{
      {Activation::gelu_tanh, {"F.gelu(", ", approximate=\"tanh\")"}},
      {Activation::gelu_exact, {"F.gelu(", ")"}},
      {Activation::silu, {"F.silu(", ")"}},
      {Activation::relu, {"F.relu(", ")"}},
      {Activation::quick_gelu, {"quick_gelu(", ")"}}};
  const std::size_t at = text.find("F.{act_torch}(");
  if (at == std::string::npos) return;
  const auto& [open, close] = kCalls.at(act);
  text.replace(text.rfind(')'), 1, close);
  text.replace(at, std::string_view("F.{act_torch}(").size(), open);
}

void replace_one(std::string& text, std::string_view what, std::string_view with) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

// Variable name of a step's rows in the PyTorch lines: x for the stream, y for normed rows.
std::string variable_of(const StepFacts& at, const Site& site) {
  const bool post = site.layer >= 0 && at.config.block_at(site).order == NormOrder::post;
  const Rule rule = step_of(site.slot).rule;
  switch (kind_of(site.slot)) {
    case StepKind::norm1:
    case StepKind::norm2:
    case StepKind::norm_cross: return post ? "x" : "y";
    case StepKind::norm_final: return "y";
    case StepKind::head: return rule == Rule::norm ? "y" : rule == Rule::activation ? "a" : "x";
    case StepKind::output:
    case StepKind::norm1_post: return "out";
    case StepKind::mlp_down:
    case StepKind::norm2_post: return "m";
    case StepKind::mlp_act: return at.config.block_at(site).mlp.kind == MlpSpec::Kind::gated ? "h" : "a";
    default: return "x";
  }
}

// Variable read by a norm, a projection, the MLP or the head.
std::string read_variable(const StepFacts& at) {
  if (at.site.is(StepKind::mlp_down)) return variable_of(at, at.site.near(StepRole::neurons));
  const std::vector<Site> read = flow_inputs(at.trace, at.site);
  if (read.empty()) return "x";
  const bool across = read.front().stack != at.site.stack;
  return across ? "encoded" : variable_of(at, read.front());
}

void mend_norm(const StepFacts& at, std::string& text) {
  const bool own = at.step.part != Part::attn;  // norms of Q and K have their own names
  const std::string row = own ? read_variable(at) : text.substr(0, 1);
  if (at.step.rule == Rule::norm_scale) {
    text = "scale = (" + row +
           (at.rms() ? ".pow(2).mean(-1, keepdim=True) + {eps}).sqrt()"
                     : ".var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()");
    return;
  }
  if (own) text = variable_of(at, at.site) + " = {norm}(" + row + ")";
  if (own && at.norm.weight_offset != 0.f)
    text = variable_of(at, at.site) + " = " + row + " / scale * (" +
           steps_words_number(at.norm.weight_offset) + " + weight)";
}

std::string embed_torch(const StepFacts& at) {
  if (at.given()) return "x = inputs";
  std::string text = at.stack.patch.class_token ? "x = torch.cat([class_token, x], 1)"
                     : at.stack.patch.size > 0 || at.has(StepRole::merged) ? "x = x"
                                                                           : "x = tok";
  if (at.has(StepRole::position)) text += " + pos";
  return at.has(StepRole::segment) ? text + " + typ" : text;
}

// PyTorch expression for the keys that are not padding: by bounds for padding at the ends, else by the
// attention mask.
std::string real_keys_torch(const std::vector<std::uint8_t>& real, const std::string& keys) {
  const auto is_real = [](std::uint8_t one) { return one != 0; };
  const auto begin = std::find_if(real.begin(), real.end(), is_real);
  const auto end = std::find_if(real.rbegin(), real.rend(), is_real).base();
  if (begin >= end || !std::all_of(begin, end, is_real)) return "attention_mask.bool()";
  const std::string at = "(torch.arange(" + keys + ")";
  std::vector<std::string> out;
  if (begin != real.begin()) out.push_back(at + " >= " + std::to_string(begin - real.begin()) + ")");
  if (end != real.end()) out.push_back(at + " < " + std::to_string(end - real.begin()) + ")");
  return join(out, " & ");
}

std::string mask_torch(const StepFacts& at) {
  const Mask* mask = at.mask();
  std::string text = mask && mask->rule ? "mask = rule(query, key)"
                     : at.triangle()    ? "mask = torch.ones(t, t).tril()"
                     : at.across()      ? "mask = torch.ones(t, s)"
                                        : "mask = torch.ones(t, t)";
  if (!mask || !mask->rule) {
    if (at.window() > 0) text += ".triu(-" + std::to_string(at.window() - 1) + ")";
    text += ".bool()";
  }
  if (at.pads_keys()) text += " & " + real_keys_torch(*mask->attention_mask, at.across() ? "s" : "t");
  for (std::size_t i = 0; mask && i < mask->cells.size(); ++i) {
    if (i == kCellsSpelled) return text + "; mask[queries, keys] = by_hand";
    const Mask::Cell& cell = mask->cells[i];
    text += format("; mask[%lld, %lld] = %s", static_cast<long long>(cell.query),
                   static_cast<long long>(cell.key), cell.allowed ? "True" : "False");
  }
  return text;
}

// Sets the input variable of projections, MLP and head, which depends on pre-norm or post-norm.
void mend_rows(const StepFacts& at, std::string& text) {
  const bool of_rows = at.step.rule == Rule::dot && !at.site.is(StepKind::scores) &&
                       !at.site.is(StepRole::head_out) && !at.site.is(StepKind::output) &&
                       !at.site.is(StepRole::patches);
  if (of_rows)
    for (const char* row : {"(x)", "(y)", "(a)"}) replace_one(text, row, "(" + read_variable(at) + ")");
  const bool of_keys = at.step.hue == Hue::key || at.step.hue == Hue::value;
  if (at.across() && of_keys) replace_one(text, "b, t,", "b, s,");
}

std::string logits_torch(const StepFacts& at, std::string text) {
  if (at.stack.head.first_row_only) replace_one(text, ")", "[:, :1])");
  if (at.stack.head.scale != 1.f)
    replace_one(text, ")", " * " + steps_words_number(at.stack.head.scale) + ")");
  const std::string cap = steps_words_number(at.stack.head.cap);
  if (at.stack.head.cap > 0.f) text += "; logits = " + cap + " * torch.tanh(logits / " + cap + ")";
  return text;
}

std::string torch_template(const StepFacts& at) {
  std::string text(at.step.torch);
  if (at.normed()) mend_norm(at, text);
  if (at.gated_product()) return "h = a * u";
  if (at.ends_without_mlp()) return at.adds_attention() ? "x = x + out" : "x = x";
  mend_rows(at, text);
  switch (at.step.role) {
    case StepRole::embedding: return embed_torch(at);
    case StepRole::mask: return mask_torch(at);
    case StepRole::logits: return logits_torch(at, text);
    case StepRole::pattern:
      if (at.has_sinks()) replace_one(text, "scores", "torch.cat([scores, sinks], dim=-1)");
      return at.has_sinks() ? text + "[..., :-1]" : text;
    case StepRole::stream:
      return at.site.is(StepKind::residual_post) && at.both_at_once() ? "x = x + out + m" : text;
    default: return text;
  }
}

}  // namespace

std::string torch_line(const RunResult& run, const Site& site, int sequence) {
  const StepFacts at{run.trace(sequence), site};
  std::string text = torch_template(at);
  fill_activation(text, activation_at(at.config, site));
  const std::string width = std::to_string(at.stack.d_model), eps = steps_words_number(at.norm.eps);
  const std::string call =
      std::string(at.rms() ? "nn.RMSNorm(" : "nn.LayerNorm(") + width + ", eps=" + eps + ")";
  const std::pair<const char*, std::string> values[] = {
      {"{n_heads}", std::to_string(at.attention.n_heads)},
      {"{n_kv_heads}", std::to_string(at.attention.n_kv_heads)},
      {"{d_head}", std::to_string(at.attention.d_head)},
      {"{repeat}", at.shared() > 1 ? ".repeat_interleave(" + std::to_string(at.shared()) + ", dim=1)" : ""},
      {"{scale}", steps_words_number(at.attention.scale)},
      {"{cap}", steps_words_number(at.attention.cap)},
      {"{embed_scale}", steps_words_number(at.stack.embed_scale)},
      {"{patch}", std::to_string(at.stack.patch.size)},
      {"{eps}", eps},
      {"{norm}", call},
      {"{act}", std::string(activation_name(activation_at(at.config, site)))}};
  for (const auto& [what, with] : values) replace_all(text, what, with);
  const Record* record = at.trace.find(site);
  return text + "  # " + (record ? shape_text(record->shape, batch_of(run, site)) : std::string());
}

}  // namespace attnscope
