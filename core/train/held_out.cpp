#include "core/train/held_out.h"

#include <algorithm>

#include "core/base/thread_pool.h"

namespace attnscope {
namespace {

constexpr int kAtOnce = 32;  // runs that are kept while they wait for the judge

// Heads of each block; 0 where a block has no such attention.
std::vector<int> heads_of(const ModelConfig& config, Part part) {
  std::vector<int> out;
  for (const BlockSpec& block : config.blocks)
    out.push_back(part == Part::attn ? block.attention.n_heads : block.cross ? block.cross->n_heads : 0);
  return out;
}

}  // namespace

void run_held_out(const Task& task, const Model& model, std::uint64_t seed, int count,
                  const std::function<void(const Example&, const Trace&)>& judge) {
  for (int first = 0; first < count; first += kAtOnce) {
    const int some = std::min(kAtOnce, count - first);
    std::vector<Example> examples(static_cast<std::size_t>(some));
    std::vector<std::shared_ptr<const Trace>> runs(static_cast<std::size_t>(some));
    parallel_for(some, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        examples[at] = task.example(seed, Split::held_out, first + i);
        auto run = model.run(examples[at].input);
        CHECK(run.ok());
        runs[at] = *std::move(run);
      }
    });
    for (std::size_t at = 0; at < runs.size(); ++at) judge(examples[at], *runs[at]);
  }
}

RowsRight rows_right(const Trace& trace, const std::vector<int>& targets) {
  RowsRight out;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0) continue;
    const Tensor logits = trace.logits_row(static_cast<std::int64_t>(row));  // [vocab]
    std::int64_t best = 0;
    for (std::int64_t id = 1; id < logits.size(0); ++id)
      if (logits.at(id) > logits.at(best)) best = id;
    out.right += best == targets[row] ? 1 : 0;
    ++out.counted;
  }
  return out;
}

HeadScores::HeadScores(const std::vector<int>& heads) {
  for (std::size_t layer = 0; layer < heads.size(); ++layer)
    for (int head = 0; head < heads[layer]; ++head) sums_.push_back({static_cast<int>(layer), head, 0});
}

HeadScores::HeadScores(const ModelConfig& config, Part part) : HeadScores(heads_of(config, part)) {}

void HeadScores::add(const std::function<double(int, int)>& score) {
  for (FoundHead& one : sums_) one.mean += score(one.layer, one.head);
  ++count_;
}

FoundHead HeadScores::best() const {
  if (count_ == 0 || sums_.empty()) return {};
  FoundHead out = *std::max_element(sums_.begin(), sums_.end(),
                                    [](const FoundHead& a, const FoundHead& b) { return a.mean < b.mean; });
  out.mean /= static_cast<double>(count_);
  return out;
}

}  // namespace attnscope
