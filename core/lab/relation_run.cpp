#include "core/lab/relation_run.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/lab/pieces.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kRelationSeed = 0;
constexpr int kRelationsAtOnce = 32;  // runs that are kept while they wait to be counted
constexpr std::size_t kRelationRunsKept = 8;

struct KeptRelationRun {
  std::string name;
  int texts = 0;
  std::shared_ptr<const RelationRun> run;
};
struct KeptRelationRuns {
  std::mutex mutex;
  std::deque<KeptRelationRun> kept;
};
KeptRelationRuns& relation_runs() {
  static KeptRelationRuns runs;
  return runs;
}

std::shared_ptr<const RelationRun> known_relations(const std::string& name, int texts) {
  KeptRelationRuns& runs = relation_runs();
  const std::lock_guard lock(runs.mutex);
  for (const KeptRelationRun& one : runs.kept)
    if (one.name == name && one.texts == texts) return one.run;
  return nullptr;
}

// Examples first .. first + some - 1, counted in their order.
void count_relations(const RelationRun& of, int first, int some, RelationMeter& meter) {
  std::vector<RelatedWords> words(static_cast<std::size_t>(some));
  std::vector<std::shared_ptr<const Trace>> traces(words.size());
  parallel_for(some, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      words[at] = *of.task->related(kRelationSeed, first + i);
      auto run = of.opened->model->run(words[at].input);
      CHECK(run.ok());  // the task's own text
      traces[at] = *std::move(run);
    }
  });
  for (std::size_t at = 0; at < traces.size(); ++at) meter.add(*traces[at], words[at].relations);
}

}  // namespace

const RelationScore* RelationRun::find(std::string_view relation, Stack stack) const {
  const auto at = std::find_if(scores.begin(), scores.end(), [&](const RelationScore& score) {
    return score.relation == relation && score.stack == stack;
  });
  return at == scores.end() ? nullptr : &*at;
}

Result<std::shared_ptr<const RelationRun>> relation_run(const std::string& name, int texts,
                                                        const std::atomic<bool>& cancel) {
  if (auto known = known_relations(name, texts)) return known;
  auto made = std::make_shared<RelationRun>();
  TRY(made->opened, shipped_model(name));
  TRY(made->task, find_task(made->opened->card ? made->opened->card->task : name));
  if (!made->task->related(kRelationSeed, 0))
    return fail(Code::unsupported, "error.lab.no_relations", {in_quotes(name)});
  RelationMeter meter;
  for (int first = 0; first < texts; first += kRelationsAtOnce) {
    TRY_OK(go_on(cancel));
    count_relations(*made, first, std::min(kRelationsAtOnce, texts - first), meter);
  }
  made->scores = meter.scores();
  KeptRelationRuns& runs = relation_runs();
  const std::lock_guard lock(runs.mutex);
  runs.kept.push_back({name, texts, made});
  if (runs.kept.size() > kRelationRunsKept) runs.kept.pop_front();
  return std::shared_ptr<const RelationRun>(made);
}

}  // namespace attnscope
