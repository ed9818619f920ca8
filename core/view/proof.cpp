#include "core/view/proof.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/logit_lens.h"
#include "core/lens/sweep.h"
#include "core/model/gradients.h"
#include "core/sample/sampler.h"
#include "core/session/reference_check.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

constexpr double kSumError = 1e-5, kPushError = 1e-3, kMostProofWork = 4e9;
constexpr std::int64_t kMostRows = 512;

bool has_own_weights(const OpenedModel& opened, const Trace& run) {
  return opened.model && !run.weights().all().empty() &&
         run.shared_weights().get() == &opened.model->weights() && &run.config() == &opened.model->config();
}

std::optional<Proof> same_again(const OpenedModel& opened, const Trace& run) {
  RunOptions options;
  options.edits = run.edits;
  const auto again = opened.model->run(run.input, options);
  if (!again) return std::nullopt;
  Proof out{Text::of("report.proof.again"), 0, 0, 0};
  for (std::int64_t row = 0; row < std::min(kMostRows, run.rows(run.config().stack)); ++row) {
    const Tensor a = run.logits_row(row), b = (*again)->logits_row(row);
    for (std::int64_t id = 0; id < a.count(); ++id, ++out.numbers)
      out.largest =
          std::max(out.largest, std::abs(static_cast<double>(a.at(id)) - static_cast<double>(b.at(id))));
  }
  return out.numbers > 0 ? std::optional(out) : std::nullopt;
}

// Rows of the softmax, where nothing was edited and no sink takes a share.
std::optional<Proof> softmax_sums(const Trace& run) {
  if (!run.edits.empty()) return std::nullopt;
  Proof out{Text::of("report.proof.softmax"), 0, 0, kSumError};
  for (const AttentionPlace& place : attention_places(run))
    for (int layer = 0; layer < run.config().of(place.stack).n_layers(); ++layer) {
      const Site site = place.pattern(layer);
      const Record* record = run.find(site);
      if (!record || record->shape.size() != 3 || run.find(site.near(StepRole::sinks))) continue;
      const std::int64_t rows = std::min(kMostRows, record->shape[1]), keys = record->shape[2];
      for (std::int64_t head = 0; head < record->shape[0]; ++head) {
        const Tensor plane = run.slice(site, head, {0, rows}, {0, keys});
        for (std::int64_t row = 0; row < rows; ++row, ++out.numbers) {
          double sum = 0;
          for (std::int64_t key = 0; key < keys; ++key) sum += static_cast<double>(plane.at(row, key));
          if (sum == 0) continue;  // a row that may look nowhere
          out.largest = std::max(out.largest, std::abs(sum - 1));
        }
      }
    }
  return out.numbers > 0 ? std::optional(out) : std::nullopt;
}

std::optional<Proof> logit_is_a_sum(const Trace& run, std::int64_t row, int token) {
  const std::vector<Addition> parts = additions(run, row);
  if (parts.empty()) return std::nullopt;
  const auto pushed = pushes(run, parts, row, token);
  if (!pushed) return std::nullopt;
  return Proof{Text::of("report.proof.sum"), std::ssize(pushed->of) + 1, std::abs(pushed->rest),
               kPushError * std::max(1.0, std::abs(pushed->total))};
}

std::optional<Proof> self_patch(const OpenedModel& opened, const std::shared_ptr<const Trace>& run,
                                std::int64_t row, int token, const std::atomic<bool>* cancel) {
  LogitMeasure logit;
  logit.kind = LogitMeasure::Kind::logit, logit.target = token, logit.row = row;
  const auto steps = Selector::parse(std::string(stack_prefix(run->config().stack)) + "blocks.*.attn.z");
  if (!steps) return std::nullopt;
  auto sweep = Sweep::patching(opened.model, run, run, logit, *steps, {"head"});
  if (!sweep) return std::nullopt;
  double weights = 0;
  for (const auto& [name, weight] : run->weights().all()) weights += static_cast<double>(weight.count());
  if (weights * static_cast<double>(run->rows(run->config().stack) * std::ssize(sweep->cells())) >
      kMostProofWork)
    return std::nullopt;
  if (!sweep->fill({}, cancel)) return std::nullopt;
  Proof out{Text::of("report.proof.patch"), std::ssize(sweep->cells()), 0, 0};
  for (const SweepCell& cell : sweep->cells())
    out.largest =
        std::max(out.largest, std::isfinite(cell.value) ? std::abs(cell.value - sweep->base()) : HUGE_VAL);
  return out;
}

// The gradient of the loss of the answer by numbers of the stream, against measured ones, in parts of what
// measuring leaves open.
std::optional<Proof> finite_differences(const std::shared_ptr<const Trace>& run, std::int64_t row,
                                        int token) {
  Objective objective;
  objective.targets.assign(static_cast<std::size_t>(run->rows(run->config().stack)), kNotCounted);
  if (row >= std::ssize(objective.targets)) return std::nullopt;
  objective.targets[static_cast<std::size_t>(row)] = token;
  const auto gradients = backward(run, objective);
  if (!gradients) return std::nullopt;
  Proof out{Text::of("report.proof.gradient"), 0, 0, 1e-3};
  for (int layer = 0; layer < run->config().n_layers(); ++layer) {
    const Site site = run->main(StepRole::neurons, layer).near(StepRole::branch, Hue::mlp);
    for (const std::int64_t dim : {std::int64_t{0}, std::int64_t{run->config().d_model / 2}}) {
      const auto found = check_cell(**gradients, site, {row, dim});
      if (!found) continue;
      ++out.numbers;
      const double apart = std::abs(found->analytic - found->measured) - 2 * found->uncertainty;
      out.largest = std::max(out.largest, std::max(0.0, apart) / std::max(1.0, std::abs(found->analytic)));
    }
  }
  return out.numbers > 0 ? std::optional(out) : std::nullopt;
}

std::optional<Proof> equals_torch(const OpenedModel& opened, const std::atomic<bool>* cancel) {
  if (!has_reference(opened)) return std::nullopt;
  const ModelCheck check = check_model(opened.path, cancel);
  if (check.error) return std::nullopt;
  const TorchVerdict verdict = check.verdict();
  return Proof{Text::of("report.proof.torch", {Text(check.reference.made_by)}), verdict.steps,
               verdict.first_wrong && !verdict.first_wrong->compared() ? HUGE_VAL
               : verdict.worst                                         ? verdict.worst->error()
                                                                       : 0,
               kReferenceTolerance};
}

std::string as_list(const Tensor& plane) {
  std::string out = "[";
  for (std::int64_t row = 0; row < plane.size(0); ++row) {
    out += row == 0 ? "[" : ",\n [";
    for (std::int64_t col = 0; col < plane.size(1); ++col) {
      const auto value = static_cast<double>(plane.at(row, col));
      out += (col == 0 ? "" : ", ") + format("%.9g", value);
    }
    out += "]";
  }
  return out + "]";
}

}  // namespace

std::vector<Proof> proofs_of(const OpenedModel& opened, const std::shared_ptr<const Trace>& run,
                             std::int64_t row, const std::atomic<bool>* cancel) {
  std::vector<Proof> out;
  const auto add = [&](std::optional<Proof> proof) {
    if (proof && !(cancel && *cancel)) out.push_back(*std::move(proof));
  };
  const Tensor logits = run->logits_row(row);
  const bool weights = has_own_weights(opened, *run);
  if (weights) add(same_again(opened, *run));
  add(softmax_sums(*run));
  if (!logits.empty()) {
    const int token = next_tokens(logits, Sampling{}).front().id;
    add(logit_is_a_sum(*run, row, token));
    if (weights) add(self_patch(opened, run, row, token, cancel));
    if (weights) add(finite_differences(run, row, token));
  }
  add(equals_torch(opened, cancel));
  return out;
}

std::string pattern_script(const ViewState& state, std::int64_t most) {
  const Trace& run = *state.run;
  const Site pattern = state.place.pattern(state.layer),
             scaled = state.place.site(StepKind::scale, state.layer), queries = read_heads(state, Hue::query),
             keys = read_heads(state, Hue::key);
  const Record *record = run.find(pattern), *read = run.find(queries);
  if (!record || record->shape.size() != 3 || !read || !run.find(keys) || !run.find(scaled)) return {};
  if (run.find(pattern.near(StepRole::sinks)) || !run.edits.empty()) return {};
  const std::int64_t rows = record->shape[1], cols = record->shape[2], width = read->shape[2];
  if (rows * cols + (rows + cols) * width > most) return {};
  const Tensor q = run.slice(queries, run.own_head(queries, state.head), {0, rows}, {0, width}),
               k = run.slice(keys, run.own_head(keys, state.head), {0, cols}, {0, width}),
               scores = run.slice(scaled, state.head, {0, rows}, {0, cols}),
               weights = run.slice(pattern, state.head, {0, rows}, {0, cols});
  const auto scale = static_cast<double>(run.config().attention_at(pattern).scale);
  std::string allowed;
  for (std::int64_t row = 0; row < rows; ++row) {
    allowed += row == 0 ? "[" : ",\n [";
    for (std::int64_t key = 0; key < cols; ++key) {
      double score = 0;
      for (std::int64_t dim = 0; dim < width; ++dim)
        score += static_cast<double>(q.at(row, dim)) * static_cast<double>(k.at(key, dim));
      if (std::abs(score * scale - static_cast<double>(scores.at(row, key))) >
          1e-3 * std::max(1.0, std::abs(score)))
        return {};  // a bias or a cap stands between
      allowed += weights.at(row, key) > 0 ? "1," : "0,";
    }
    allowed += "]";
  }
  return "import torch\n\nq = torch.tensor(" + as_list(q) + ", dtype=torch.float64)\nk = torch.tensor(" +
         as_list(k) + ", dtype=torch.float64)\nallowed = torch.tensor([" + allowed +
         "], dtype=torch.bool)\npattern = torch.tensor(" + as_list(weights) +
         ", dtype=torch.float64)\n\nscores = q @ k.T * " + format("%.9g", scale) +
         "\nagain = scores.masked_fill(~allowed, float(\"-inf\")).softmax(-1).nan_to_num(0)\nprint(\"" +
         to_text(pattern) + "[head=" + std::to_string(state.head) +
         "]\", (again - pattern).abs().max().item())\n";
}

}  // namespace attnscope
