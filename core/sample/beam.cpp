#include "core/sample/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/model/measure.h"
#include "core/sample/prompt.h"
#include "core/sample/sampler.h"
#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Log softmax [vocab]; then the repetition penalty and suppressed_tokens, in the order of transformers.
std::vector<double> log_chances(const ModelConfig& config, const Tensor& logits, const std::vector<int>& said,
                                float penalty) {
  std::vector<double> out = log_probabilities(logits);
  std::vector<int> ids = said;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const int id : ids)  // log probabilities are not above 0
    if (penalty != 1.f && id >= 0 && id < static_cast<int>(out.size()))
      out[static_cast<std::size_t>(id)] *= static_cast<double>(penalty);
  for (const int id : config.suppressed_tokens)
    if (id >= 0 && id < static_cast<int>(out.size())) out[static_cast<std::size_t>(id)] = kNever;
  return out;
}

struct Beam {
  int node = 0;
  Input input;
  std::shared_ptr<const Trace> trace;  // of all tokens but the last
};

bool likelier(const BeamNode& a, const BeamNode& b) {
  if (a.sum != b.sum) return a.sum > b.sum;
  return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
}

class Search {
 public:
  Search(const Model& model, const BeamSettings& settings, const RunOptions& options)
      : model_(model), config_(model.config()), settings_(settings), options_(options) {
    options_.keep = Keep::predictions;
    out_.nodes.emplace_back();
  }
  Result<BeamSearch> run(Input prompt, const std::function<void(int)>& on_depth);

 private:
  Result<std::vector<BeamNode>> weigh();
  void take(std::vector<BeamNode> found, int depth);
  void finish(int node, int depth);
  bool done(int depth) const;

  const Model& model_;
  const ModelConfig& config_;
  const BeamSettings& settings_;
  RunOptions options_;
  BeamSearch out_;
  std::vector<Beam> beams_;
};

// The most likely next tokens of all beams together, twice as many as there are beams.
Result<std::vector<BeamNode>> Search::weigh() {
  std::vector<BeamNode> found;
  const auto most = static_cast<std::size_t>(2 * settings_.beams);
  for (Beam& beam : beams_) {
    RunOptions own = options_;
    own.base = beam.trace;
    TRY(beam.trace, model_.run(beam.input, own));
    out_.unreached = beam.trace->unreached;
    const Tensor logits = beam.trace->logits_row(beam.trace->length - 1);  // [vocab]
    TRY_OK(check_logits(model_, *beam.trace, own, logits));
    const std::vector<double> chances =
        log_chances(config_, logits, beam.input.ids, settings_.repetition_penalty);
    const BeamNode& parent = out_.nodes[static_cast<std::size_t>(beam.node)];
    std::vector<BeamNode> own_best;
    for (std::size_t id = 0; id < chances.size(); ++id)
      if (chances[id] > kNever)
        own_best.push_back({beam.node, static_cast<int>(id), parent.depth + 1, chances[id],
                            parent.sum + chances[id], BeamNode::Fate::dropped});
    keep_first(own_best, most, likelier);
    found.insert(found.end(), own_best.begin(), own_best.end());
  }
  std::sort(found.begin(), found.end(), likelier);
  found.resize(std::min(most, found.size()));
  return found;
}

void Search::finish(int node, int depth) {
  const double sum = out_.nodes[static_cast<std::size_t>(node)].sum;
  out_.hypotheses.push_back({node, sum / std::pow(depth, settings_.length_penalty)});
  std::stable_sort(out_.hypotheses.begin(), out_.hypotheses.end(),
                   [](const BeamHypothesis& a, const BeamHypothesis& b) { return a.score > b.score; });
  if (std::ssize(out_.hypotheses) > settings_.beams) out_.hypotheses.pop_back();
}

// The best that do not end become the beams; those that end are set aside where they are among the first.
void Search::take(std::vector<BeamNode> found, int depth) {
  std::vector<Beam> next;
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    BeamNode& node = found[rank];
    const bool first = static_cast<int>(rank) < settings_.beams, ends = node.id == config_.eos;
    const int index = static_cast<int>(out_.nodes.size());
    if (ends && first) node.fate = BeamNode::Fate::ended;
    if (!ends && std::ssize(next) < settings_.beams) {
      node.fate = BeamNode::Fate::kept;
      const auto parent = std::find_if(beams_.begin(), beams_.end(),
                                       [&](const Beam& beam) { return beam.node == node.parent; });
      next.push_back({index, parent->input, parent->trace});
      append_token(next.back().input, node.id);
    }
    out_.nodes.push_back(node);
    if (node.fate == BeamNode::Fate::ended) finish(index, depth);
  }
  beams_ = std::move(next);
}

// No beam can become better than the worst that is set aside, were it to end now.
bool Search::done(int depth) const {
  if (beams_.empty()) return true;
  if (std::ssize(out_.hypotheses) < settings_.beams) return false;
  const double best = out_.nodes[static_cast<std::size_t>(beams_.front().node)].sum;
  return best / std::pow(depth, settings_.length_penalty) <= out_.hypotheses.back().score;
}

Result<BeamSearch> Search::run(Input prompt, const std::function<void(int)>& on_depth) {
  const std::int64_t limit = longest_input(config_), before = prompt.length();
  beams_.push_back({0, std::move(prompt), nullptr});
  int depth = 0;
  while (depth < settings_.max_new_tokens && !done(std::max(1, depth))) {
    if (depth > 0 && limit > 0 && before + depth > limit) {
      out_.note = Text::of("note.generate.positions", {depth, limit});
      break;
    }
    TRY(std::vector<BeamNode> found, weigh());
    take(std::move(found), ++depth);
    if (on_depth) on_depth(depth);
  }
  if (!done(std::max(1, depth)))
    for (const Beam& beam : beams_)
      if (beam.node > 0) finish(beam.node, depth);
  return std::move(out_);
}

}  // namespace

Status check_beams(const BeamSettings& settings) {
  if (settings.beams < 1 || settings.beams > kMostBeams)
    return fail(Code::out_of_range, "error.sample.beams", {settings.beams, kMostBeams});
  if (!std::isfinite(settings.length_penalty))
    return fail(Code::out_of_range, "error.sample.length_penalty", {format("%g", settings.length_penalty)});
  return check_penalty(settings.repetition_penalty);
}

std::vector<int> BeamSearch::ids(int node) const {
  std::vector<int> out;
  for (; node > 0; node = nodes[static_cast<std::size_t>(node)].parent)
    out.push_back(nodes[static_cast<std::size_t>(node)].id);
  std::reverse(out.begin(), out.end());
  return out;
}

Result<BeamSearch> beam_search(const Model& model, const Input& prompt, const BeamSettings& settings,
                               const RunOptions& options, const std::function<void(int)>& on_depth) {
  TRY_OK(check_beams(settings));
  TRY(Input input, prompt_to_continue(model, prompt));
  return Search(model, settings, options).run(std::move(input), on_depth);
}

}  // namespace attnscope
