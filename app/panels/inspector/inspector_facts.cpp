// Facts about the step and the head that one stands on: entropy, distance, sink; range, mean, NaN. Long ones
// come from the background; numbers of n^2 cells are not asked for where n is large.
#include <algorithm>

#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/places.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kCheapHead = std::int64_t{1} << 20;   // products of a whole pattern
constexpr std::int64_t kCheapStats = std::int64_t{1} << 18;  // numbers
constexpr std::int64_t kMostDerived = std::int64_t{1} << 20;

std::int64_t count_of(const Record& record) {
  std::int64_t count = 1;
  for (const std::int64_t size : record.shape) count *= size;
  return count;
}

std::string key_of(const PanelContext& context, const Site& site) {
  return format("%llu/%d/%s", static_cast<unsigned long long>(context.run->version),
                context.workspace.cursor.sequence, to_text(site).c_str());
}

std::shared_ptr<const Trace> shared_trace(const PanelContext& context) {
  const auto& traces = context.run->traces;
  const auto last = static_cast<int>(traces.size()) - 1;
  return traces[static_cast<std::size_t>(std::clamp(context.workspace.cursor.sequence, 0, last))];
}

std::optional<RowStats> kept(Result<RowStats> result) {
  return result ? std::optional(*result) : std::nullopt;
}

void stats_rows(const Stats& stats) {
  fact_row(tr("inspector.stats.range"),
           tr("inspector.stats.from_to",
              {shown_number(static_cast<double>(stats.min)), shown_number(static_cast<double>(stats.max))}));
  fact_row(tr("inspector.stats.mean"), shown_number(stats.mean));
  fact_row(tr("inspector.stats.l2"), shown_number(stats.l2), tr("inspector.stats.l2.help"));
  if (stats.infs > 0)
    fact_row(tr("inspector.stats.infs"), format_count(stats.infs), tr("inspector.stats.infs.help"));
  if (stats.nans == 0) return;
  std::vector<std::string> at;
  for (const std::int64_t index : stats.first_nan) at.push_back(std::to_string(index));
  const WithColour colour(ImGuiCol_Text, theme().nan);
  fact_row(tr("inspector.stats.nans"),
           tr("inspector.stats.nans.where", {format_count(stats.nans), join(at, ", ")}));
}

}  // namespace

void draw_head_facts(const PanelContext& context, const Site& site, std::int64_t head, std::int64_t query) {
  Site pattern = site;
  pattern.slot = Slot::pattern;
  const auto trace = shared_trace(context);
  const Record* record = trace->find(pattern);
  if (!record) return;
  InspectorCache& cache = inspector_cache(context.workspace);
  const std::string key = key_of(context, pattern) + format("/%lld", static_cast<long long>(head));
  const auto* row =
      cache.row.get(context, key + format("/%lld", static_cast<long long>(query)), true, "inspector.row",
                    [trace, pattern, head, query] { return kept(row_stats(*trace, pattern, head, query)); });
  const std::int64_t d_head = trace->attention(pattern) ? trace->attention(pattern)->in.q.size(2) : 1;
  const bool cheap = record->shape[1] * record->shape[2] * d_head <= kCheapHead;
  const auto* all = cache.head.get(context, key, cheap, "inspector.head", [trace, pattern, head] {
    return kept(head_stats(*trace, pattern, head));
  });
  const std::string number[] = {std::to_string(std::max(0, site.layer)), std::to_string(head)};
  const ModelConfig& config = trace->config();
  const std::string place = attention_name(config, {site.stack, pattern.part});
  section_title((has_stacks(config) ? tr("inspector.head.of_stack", {number[0], number[1], place})
                                    : tr("inspector.head", {number[0], number[1]}))
                    .c_str());
  if (!row || !*row) return;
  const RowStats& r = **row;
  const RowStats* a = all && *all ? &**all : nullptr;
  const auto both = [&](double one, const double* mean) {
    const std::string rest = mean ? format("%.2f", *mean) : std::string("…");
    return tr("inspector.head.both", {format("%.2f", one), rest});
  };
  fact_row(tr("inspector.head.entropy"),
           tr("inspector.head.of", {format("%.2f", r.entropy), format("%.2f", r.max_entropy)}),
           tr("inspector.head.entropy.help"));
  const bool itself = looks_at_itself({site.stack, pattern.part}) && config.of(site.stack).patch.size == 0;
  if (itself)
    fact_row(tr("inspector.head.distance"), both(r.distance, a ? &a->distance : nullptr),
             tr("inspector.head.distance.help"));
  if (itself)
    fact_row(tr("inspector.head.sink"), both(r.first_share, a ? &a->first_share : nullptr),
             tr("inspector.head.sink.help"));
  fact_row(tr("inspector.head.all"),
           a ? tr("inspector.head.of", {format("%.2f", a->entropy), format("%.2f", a->max_entropy)})
             : std::string("…"),
           tr("inspector.head.all.help"));
}

void draw_step_facts(const PanelContext& context, const Site& site) {
  const auto trace = shared_trace(context);
  const Record* record = trace->find(site);
  if (!record) return;
  const std::int64_t count = count_of(*record);
  if (record->derived && count > kMostDerived) return;
  section_title(tr(context.workspace.backward ? "inspector.stats.forward" : "inspector.stats"));
  const std::string shape = step_shape(*context.run, site);
  fact_row(tr("inspector.stats.shape"), shape, to_text(site));
  const bool cheap = count <= (record->derived ? kCheapStats / 8 : kCheapStats);
  const Stats* found =
      inspector_cache(context.workspace)
          .stats.get(context, key_of(context, site), cheap, "inspector.stats", [trace, site] {
            const auto tensor = trace->tensor(site, kMostDerived * 64);
            return tensor ? stats(*tensor) : Stats{};
          });
  if (found)
    stats_rows(*found);
  else
    dim_text(tr("inspector.working"));
}

}  // namespace attnscope
