// The functions of expressions, a row each: arithmetic on rows, and properties of the model and its document.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/text.h"
#include "core/lens/head_roles.h"
#include "core/lens/logit_lens.h"
#include "core/lesson/expression_node.h"
#include "core/model/gradients.h"
#include "core/session/measure_text.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

using Values = std::vector<ExpressionValue>;
using Found = Result<ExpressionValue>;

ExpressionValue one(double number) { return ExpressionValue::of(number); }

Error refused(const char* function) {
  return fail(Code::bad_format, "error.lesson.expression.takes", {function});
}

// A number that counts from 0 to size - 1.
std::optional<std::size_t> index_in(const ExpressionValue& value, std::size_t size) {
  const double number = value.number();
  if (!value.scalar() || !(number >= 0 && number < static_cast<double>(size))) return std::nullopt;
  return static_cast<std::size_t>(number);
}

// ---- rows of numbers ------------------------------------------------------------------------------

template <double (*Compute)(const std::vector<double>&)>
Found over_all(const Values& of, const ExpressionScope&) {
  if (of[0].is_text || of[0].numbers.empty())
    return fail(Code::bad_format, "error.lesson.expression.is_text");
  return one(Compute(of[0].numbers));
}
template <double (*Compute)(double)>
Found each(const Values& of, const ExpressionScope&) {
  if (of[0].is_text) return fail(Code::bad_format, "error.lesson.expression.is_text");
  ExpressionValue out = of[0];
  for (double& number : out.numbers) number = Compute(number);
  return out;
}

double total(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double times(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>());
}
double mean(const std::vector<double>& x) { return total(x) / static_cast<double>(x.size()); }
double variance(const std::vector<double>& x) {
  const double middle = mean(x);
  double sum = 0;
  for (const double number : x) sum += (number - middle) * (number - middle);
  return sum / static_cast<double>(x.size());
}
double deviation(const std::vector<double>& x) { return std::sqrt(variance(x)); }
double length(const std::vector<double>& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}
double largest(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }
double smallest(const std::vector<double>& x) { return *std::min_element(x.begin(), x.end()); }
double size(const std::vector<double>& x) { return static_cast<double>(x.size()); }
double not_zero(const std::vector<double>& x) {
  return static_cast<double>(std::count_if(x.begin(), x.end(), [](double n) { return n != 0; }));
}
double place_of_largest(const std::vector<double>& x) {
  return static_cast<double>(std::max_element(x.begin(), x.end()) - x.begin());
}
double place_of_smallest(const std::vector<double>& x) {
  return static_cast<double>(std::min_element(x.begin(), x.end()) - x.begin());
}
double entropy(const std::vector<double>& x) {
  double sum = 0;
  for (const double p : x) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}
double absolute(double x) { return std::fabs(x); }
double root(double x) { return std::sqrt(x); }
double exponential(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }

Found softmax(const Values& of, const ExpressionScope&) {
  if (of[0].is_text || of[0].numbers.empty()) return refused("softmax");
  ExpressionValue out = of[0];
  const double most = largest(out.numbers);
  for (double& number : out.numbers) number = std::exp(number - most);
  const double sum = total(out.numbers);
  for (double& number : out.numbers) number /= sum;
  return out;
}
Found dot(const Values& of, const ExpressionScope&) {
  if (of[0].numbers.size() != of[1].numbers.size() || of[0].is_text) return refused("dot");
  return one(std::inner_product(of[0].numbers.begin(), of[0].numbers.end(), of[1].numbers.begin(), 0.0));
}
Found at(const Values& of, const ExpressionScope&) {
  const auto index = index_in(of[1], of[0].numbers.size());
  if (of[0].is_text || !index) return refused("at");
  return one(of[0].numbers[*index]);
}
/// The place of entry i among all, 1 = largest.
Found rank(const Values& of, const ExpressionScope& scope) {
  TRY(const ExpressionValue mine, at(of, scope));
  const auto larger = [&](double n) { return n > mine.number(); };
  return one(1 + static_cast<double>(std::count_if(of[0].numbers.begin(), of[0].numbers.end(), larger)));
}
/// How many of the most likely entries reach the sum p.
Found top_p(const Values& of, const ExpressionScope&) {
  std::vector<double> sorted = of[0].numbers;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, kept = 0;
  for (const double p : sorted) {
    if (sum >= of[1].number()) break;
    sum += p;
    ++kept;
  }
  return one(kept);
}
/// The size of an axis, by its place.
Found dim(const Values& of, const ExpressionScope&) {
  const auto index = index_in(of[1], of[0].shape.size());
  if (!index) return refused("dim");
  return one(static_cast<double>(of[0].shape[*index]));
}

// ---- the model and its document -------------------------------------------------------------------

Found config(const Values& of, const ExpressionScope& scope) {
  const ModelConfig& c = scope.run.trace(scope.sequence).config();
  if (c.blocks.empty()) return refused("config");
  const auto shared = [&](auto... path) -> std::optional<double> {
    const auto value = common(c, path...);
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  };
  using B = BlockSpec;
  using A = AttentionSpec;
  const std::pair<const char*, std::optional<double>> known[] = {
      {"n_layers", c.n_layers()},
      {"n_heads", shared(&B::attention, &A::n_heads)},
      {"n_kv_heads", shared(&B::attention, &A::n_kv_heads)},
      {"d_head", shared(&B::attention, &A::d_head)},
      {"scale", shared(&B::attention, &A::scale)},
      {"d_model", c.d_model},
      {"d_in", c.d_in},
      {"d_mlp", shared(&B::mlp, &MlpSpec::d_mlp)},
      {"vocab_size", c.vocab_size}};
  for (const auto& [name, value] : known) {
    if (!of[0].is_text || of[0].text != name) continue;
    if (!value)
      return fail(Code::unsupported, "error.lesson.expression.blocks_differ", {in_quotes(of[0].text)});
    return one(*value);
  }
  return fail(Code::not_found, "error.lesson.expression.config", {in_quotes(of[0].text)});
}
/// How much of a head's weight goes to what its role looks at: role('induction', layer, head).
Found role(const Values& of, const ExpressionScope& scope) {
  const Trace& trace = scope.run.trace(scope.sequence);
  const auto layer = index_in(of[1], trace.config().blocks.size());
  const Site site = trace.main(StepRole::pattern, static_cast<int>(layer.value_or(0)));
  const Record* record = layer ? trace.find(site) : nullptr;
  const auto among = index_in(of[2], record ? static_cast<std::size_t>(record->shape[0]) : 0);
  if (!among) return refused("role");
  const auto head = static_cast<std::int64_t>(*among);
  for (int r = 0; r < kRoleCount; ++r) {
    if (role_name(static_cast<Role>(r)) != of[0].text) continue;
    RoleMeter meter(trace, {site.stack, site.part});
    const Range queries{0, record->shape[1]}, keys{0, record->shape[2]};
    Site mask = site;
    mask = mask.near(StepRole::mask);
    meter.add(trace.slice(site, head, queries, keys), trace.slice(mask, head, queries, keys), 0);
    return one(meter.roles().of(static_cast<Role>(r)).score);
  }
  return fail(Code::not_found, "error.lesson.expression.role", {in_quotes(of[0].text)});
}
Found measure(const Values& of, const ExpressionScope& scope) {
  const Trace& trace = scope.run.trace(scope.sequence);
  TRY(const LogitMeasure asked, parse_measure(*scope.run.document.opened, of[0].text, -1, &trace));
  TRY(const double found, measured(asked, trace));
  return one(found);
}

/// Trainable parameters of the weights that a pattern names, shared ones once.
Found params(const Values& of, const ExpressionScope& scope) {
  const Trace& trace = scope.run.trace(scope.sequence);
  std::int64_t count = 0;
  for (const std::string& name : parameters(trace.config(), trace.weights()))
    if (of.empty() || glob_match(of[0].text, name)) count += trace.weights().get(name).count();
  return one(static_cast<double>(count));
}
/// The place of a word among the tokens: of its first, or its `of[1]`-th copy from 0 on.
Found pos(const Values& of, const ExpressionScope& scope) {
  const RunResult& run = scope.run;
  const Sequence& sequence = run.document.sequences[static_cast<std::size_t>(scope.sequence)];
  const auto among = of.size() > 1 ? index_in(of[1], 1 << 20) : std::size_t{0};
  if (!among) return refused("pos");
  std::size_t copy = *among;
  for (std::int64_t row = 0; row < sequence.input.length(); ++row) {
    const std::string label = position_label(*run.document.opened, sequence, row);
    const std::size_t letter = label.find_first_not_of(' ');
    if (letter != std::string::npos && label.substr(letter) == of[0].text && copy-- == 0)
      return one(static_cast<double>(row));
  }
  return fail(Code::not_found, "error.lesson.expression.word", {in_quotes(of[0].text)});
}
/// How many of the tokens are called so, as they were typed or as the model reads them: copies('<unk>').
Found copies(const Values& of, const ExpressionScope& scope) {
  const RunResult& run = scope.run;
  const Sequence& sequence = run.document.sequences[static_cast<std::size_t>(scope.sequence)];
  double count = 0;
  for (std::int64_t row = 0; row < sequence.input.length(); ++row)
    count += position_label(*run.document.opened, sequence, row) == of[0].text ||
                     (!sequence.input.ids.empty() &&
                      token_label(*run.document.opened, sequence.input.ids[static_cast<std::size_t>(row)]) ==
                          of[0].text)
                 ? 1
                 : 0;
  return one(count);
}
Found id(const Values& of, const ExpressionScope& scope) {
  TRY(const int found, parse_output(*scope.run.document.opened, of[0].text));
  return one(found);
}
Found tokens(const Values&, const ExpressionScope& scope) {
  return one(static_cast<double>(scope.run.trace(scope.sequence).length));
}
Found sequences(const Values&, const ExpressionScope& scope) {
  return one(static_cast<double>(scope.run.traces.size()));
}
/// Logits [vocab] of the logit lens at a position after so many blocks, 0: the embedding: lens(blocks, pos).
Found lens(const Values& of, const ExpressionScope& scope) {
  const Trace& trace = scope.run.trace(scope.sequence);
  const auto blocks = index_in(of[0], trace.config().blocks.size() + 1);
  const auto pos = index_in(of[1], static_cast<std::size_t>(trace.length));
  const LensRow* last = nullptr;
  const std::vector<LensRow> rows = lens_rows(trace);
  for (const LensRow& row : rows)
    if (blocks && row.site.layer < static_cast<int>(*blocks)) last = &row;
  if (!last || !pos) return refused("lens");
  const Tensor logits = lens_logits(trace, *last, static_cast<std::int64_t>(*pos)).packed();
  ExpressionValue out;
  for (const float logit : logits.values()) out.numbers.push_back(static_cast<double>(logit));
  out.shape = logits.sizes();
  return out;
}
Found edits(const Values&, const ExpressionScope& scope) {
  return one(static_cast<double>(scope.run.document.edits.size()));
}
Found sampling(const Values& of, const ExpressionScope& scope) {
  const Sampling& s = scope.run.document.sampling;
  if (of[0].text == "temperature") return one(static_cast<double>(s.temperature));
  if (of[0].text == "top_k") return one(s.top_k);
  if (of[0].text == "top_p") return one(static_cast<double>(s.top_p));
  if (of[0].text == "min_p") return one(static_cast<double>(s.min_p));
  if (of[0].text == "repetition_penalty") return one(static_cast<double>(s.repetition_penalty));
  return refused("sampling");
}
Found before(const Values& of, const ExpressionScope&) { return of[0]; }
Found without(const Values& of, const ExpressionScope&) { return of[1]; }  // of the run that called() makes
Found rounded(const Values& of, const ExpressionScope&) {
  ExpressionValue out = of[0];
  const double unit = std::pow(10.0, of.size() > 1 ? of[1].number() : 0);
  for (double& number : out.numbers) number = std::round(number * unit) / unit;
  return out;
}

// Numbers one beside the other.
Result<ExpressionValue> row_of(const std::vector<ExpressionValue>& arguments, const ExpressionScope&) {
  ExpressionValue out;
  for (const ExpressionValue& argument : arguments) {
    if (!argument.scalar()) return fail(Code::bad_format, "error.lesson.expression.takes", {"row"});
    out.numbers.push_back(argument.number());
  }
  out.shape = {static_cast<std::int64_t>(out.numbers.size())};
  return out;
}

constexpr ExpressionFunction kFunctions[] = {{"abs", 1, 1, each<absolute>},
                                             {"argmax", 1, 1, over_all<place_of_largest>},
                                             {"argmin", 1, 1, over_all<place_of_smallest>},
                                             {"at", 2, 2, at},
                                             {"before", 1, 1, before},
                                             {"cache", 2, 2, expression_cache},
                                             {"calc", 2, 2, expression_calc},
                                             {"config", 1, 1, config},
                                             {"copies", 1, 1, copies},
                                             {"cos", 1, 1, each<cosine>},
                                             {"count", 1, 1, over_all<not_zero>},
                                             {"dim", 2, 2, dim},
                                             {"dot", 2, 2, dot},
                                             {"drawn", 3, 4, expression_drawn},
                                             {"edits", 0, 0, edits},
                                             {"entropy", 1, 1, over_all<entropy>},
                                             {"exp", 1, 1, each<exponential>},
                                             {"grammar", 2, 2, expression_grammar},
                                             {"id", 1, 1, id},
                                             {"lens", 2, 2, lens},
                                             {"ln", 1, 1, each<logarithm>},
                                             {"log", 1, 1, each<logarithm>},
                                             {"max", 1, 1, over_all<largest>},
                                             {"mean", 1, 1, over_all<mean>},
                                             {"measure", 1, 1, measure},
                                             {"min", 1, 1, over_all<smallest>},
                                             {"norm", 1, 1, over_all<length>},
                                             {"params", 0, 1, params},
                                             {"pos", 1, 2, pos},
                                             {"product", 1, 1, over_all<times>},
                                             {"rank", 2, 2, rank},
                                             {"role", 3, 3, role},
                                             {"round", 1, 2, rounded},
                                             {"row", 2, 16, row_of},
                                             {"sampling", 1, 1, sampling},
                                             {"sequences", 0, 0, sequences},
                                             {"sin", 1, 1, each<sine>},
                                             {"size", 1, 1, over_all<size>},
                                             {"softmax", 1, 1, softmax},
                                             {"sqrt", 1, 1, each<root>},
                                             {"std", 1, 1, over_all<deviation>},
                                             {"sum", 1, 1, over_all<total>},
                                             {"tokens", 0, 0, tokens},
                                             {"top_p", 2, 2, top_p},
                                             {"trained", 3, 3, expression_trained},
                                             {"var", 1, 1, over_all<variance>},
                                             {"without", 2, 2, without},
                                             {"grad", 1, 1, expression_gradient},
                                             {"loss", 0, 1, expression_loss}};

}  // namespace

const ExpressionFunction* expression_function(std::string_view name) {
  for (const ExpressionFunction& function : kFunctions)
    if (name == function.name) return &function;
  return nullptr;
}

std::string expression_functions() {
  std::string out;
  for (const ExpressionFunction& function : kFunctions)
    out += (out.empty() ? "" : ", ") + std::string(function.name);
  return out;
}

}  // namespace attnscope
