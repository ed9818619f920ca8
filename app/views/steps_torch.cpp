// The line of PyTorch that a step is, with the names and shapes of the model.
#include <algorithm>
#include <map>

#include "app/views/steps_facts.h"
#include "app/views/steps_words.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

constexpr std::size_t kCellsSpelled = 2;  // cells edited by hand in a mask

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
