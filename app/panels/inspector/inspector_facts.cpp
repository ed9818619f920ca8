// Facts about the current step and head: entropy, mean distance, attention sink; range, mean, NaN. Expensive
// ones run as background jobs; those over n^2 cells are omitted for long inputs.
#include <algorithm>
#include <bit>

#include "app/look/pointed.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

constexpr std::int64_t kCheapHead = std::int64_t{1} << 20;   // multiplications for a whole pattern
constexpr std::int64_t kCheapStats = std::int64_t{1} << 18;  // values
constexpr std::int64_t kMostDerived = std::int64_t{1} << 20;

std::int64_t count_of(const Record& record) {
  std::int64_t count = 1;
  for (const std::int64_t size : record.shape) count *= size;
  return count;
}

// Cache key: this step in the current run.
std::uint64_t shown_key(const PanelContext& context, const Site& site) {
  return key_of(
      {context.run->version, static_cast<std::uint64_t>(context.workspace.cursor.sequence), key_of(site)});
}

std::shared_ptr<const Trace> shared_trace(const PanelContext& context) {
  return context.run->shared(context.workspace.cursor.sequence);
}

std::optional<RowStats> kept(Result<RowStats> result) {
  return result ? std::optional(*result) : std::nullopt;
}

// Marks the last item as pointed at on hover, and highlights it when it is (look/pointed.h).
void light_item() {
  const ImVec2 p0 = ImGui::GetItemRectMin(), p1 = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(p0.x - px(4), p0.y - px(1)),
                                            ImVec2(p1.x + px(4), p1.y + px(1)),
                                            with_alpha(theme().accent, 0.22f), px(3));
}

void stats_rows(const Stats& stats, KeptText& range) {
  const auto ends = [&] {
    return tr("inspector.stats.from_to",
              {shown_number(static_cast<double>(stats.min)), shown_number(static_cast<double>(stats.max))});
  };
  fact_row(
      tr("inspector.stats.range"),
      range.get({std::bit_cast<std::uint32_t>(stats.min), std::bit_cast<std::uint32_t>(stats.max)}, ends));
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

bool moves_heads(Slot slot) {
  const StepRole role = role_of(slot);
  return role == StepRole::view || role == StepRole::split || role == StepRole::concat;
}

// Time of one matmul for all heads, and of one matmul per head.
void product_row(const PanelContext& context, const std::shared_ptr<const Trace>& trace, const Site& site) {
  // The projection that the heads were split from; for joined heads the queries'.
  const Hue hue = makes_heads(site.slot) ? step_of(site.slot).hue : Hue::query;
  const Site projected = site.near(StepRole::projection, hue);
  const auto from = flow_inputs(*trace, projected);
  const Record* input = from.size() == 1 ? trace->find(from.front()) : nullptr;
  const Tensor weight = trace->weights().get(to_text(projected) + ".weight");
  const AttentionSpec& attention = trace->config().attention_at(site);
  const int kv = attention.n_kv_heads > 0 ? attention.n_kv_heads : attention.n_heads;
  const int heads = hue == Hue::query ? attention.n_heads : kv;
  if (!input || input->derived || input->value().rank() != 2 || weight.rank() != 2 || heads < 2) return;
  const auto times = inspector_cache(context.workspace)
                         .products.get(key_of({key_of(projected), context.session.opened_version(),
                                               static_cast<std::uint64_t>(input->shape.front())}),
                                       context.workers(),
                                       [x = input->value(), weight, heads](const std::atomic<bool>& cancel) {
                                         return time_head_products(x, weight, heads, cancel);
                                       });
  if (!times || times->together_us <= 0) return;
  fact_row(tr("inspector.memory.together", {std::to_string(heads)}),
           tr("inspector.memory.us", {format("%.1f", times->together_us)}),
           tr("inspector.memory.together.help", {shown_number(times->largest_difference)}));
  fact_row(tr("inspector.memory.each", {std::to_string(heads)}),
           tr("inspector.memory.us", {format("%.1f", times->one_by_one_us)}),
           tr("inspector.memory.together.help", {shown_number(times->largest_difference)}));
}

// Memory layout of the heads: views with other strides, until a step makes a contiguous copy.
void memory_rows(const PanelContext& context, const std::shared_ptr<const Trace>& trace, const Site& site) {
  const Record* record = trace->find(site);
  if (!moves_heads(site.slot) || record->derived || record->value().empty()) return;
  const std::int64_t batch = batch_of(*context.run, site);
  const MemoryOrder order = memory_order(record->value(), batch);
  std::vector<std::string> strides, axes;
  for (const std::int64_t stride : order.strides) strides.push_back(std::to_string(stride));
  const int ahead = batch > 0 ? 1 : 0;  // the batch is axis 0
  for (const int axis : order.axes)
    axes.emplace_back(axis < ahead ? std::string_view("batch")
                                   : axis_name(record->axes[static_cast<std::size_t>(axis - ahead)]));
  fact_row(tr("inspector.memory.strides"), "(" + join(strides, ", ") + ")",
           tr("inspector.memory.strides.help"));
  fact_row(tr("inspector.memory.order"), join(axes, " › "), tr("inspector.memory.order.help"));
  fact_row("contiguous()",
           order.contiguous ? std::string(tr("inspector.memory.nothing"))
                            : tr("inspector.memory.copies",
                                 {format_bytes(static_cast<std::uint64_t>(order.copied_bytes))}),
           tr("inspector.memory.contiguous.help"));
  product_row(context, trace, site);
}

}  // namespace

void draw_head_facts(const PanelContext& context, const Site& site, std::int64_t head, std::int64_t query) {
  Site pattern = site;
  pattern = pattern.near(StepRole::pattern);
  const auto trace = shared_trace(context);
  const Record* record = trace->find(pattern);
  if (!record) return;
  InspectorCache& cache = inspector_cache(context.workspace);
  const std::uint64_t key = key_of({shown_key(context, pattern), static_cast<std::uint64_t>(head)});
  const auto row =
      cache.row.get(key_of({key, static_cast<std::uint64_t>(query)}), true, context.workers(),
                    [trace, pattern, head, query] { return kept(row_stats(*trace, pattern, head, query)); });
  const std::int64_t d_head = trace->attention(pattern) ? trace->attention(pattern)->in.q.size(2) : 1;
  const bool cheap = record->shape[1] * record->shape[2] * d_head <= kCheapHead;
  const auto all = cache.rows.get(key, cheap, context.workers(),
                                  [trace, pattern, head] { return kept(head_stats(*trace, pattern, head)); });
  const ModelConfig& config = trace->config();
  const std::string& title = cache.head.get({key}, [&] {
    const std::string layer = std::to_string(std::max(0, site.layer)), number = std::to_string(head);
    return has_stacks(config) ? tr("inspector.head.of_stack",
                                   {layer, number, attention_name(config, {site.stack, pattern.part})})
                              : tr("inspector.head", {layer, number});
  });
  section_title(title.c_str());
  if (ImGui::IsItemHovered()) point_head(site.stack, pattern.part, site.layer, head);
  if (head_pointed(site.stack, pattern.part, site.layer, head)) light_item();
  if (!row || !*row) return;
  const RowStats& r = **row;
  const RowStats* a = all && *all ? &**all : nullptr;
  // Padding, and rows that see nothing, count in no mean.
  std::string_view counted = tr("inspector.head.all");
  if (a && a->in_sight < record->shape[1])
    counted = kept_tr("inspector.head.some", {std::to_string(a->in_sight), std::to_string(record->shape[1])});
  const auto both = [&](double one, const double* mean) -> const std::string& {
    const std::string rest = mean ? format("%.2f", *mean) : std::string("…");
    return kept_tr("inspector.head.both", {format("%.2f", one), rest, counted});
  };
  fact_row(tr("inspector.head.entropy"),
           kept_tr("inspector.head.of", {format("%.2f", r.entropy), format("%.2f", r.max_entropy)}),
           tr("inspector.head.entropy.help"));
  const bool itself = looks_at_itself({site.stack, pattern.part}) && config.of(site.stack).patch.size == 0;
  if (itself)
    fact_row(tr("inspector.head.distance"), both(r.distance, a ? &a->distance : nullptr),
             tr("inspector.head.distance.help"));
  if (itself)
    fact_row(tr("inspector.head.sink"), both(r.first_share, a ? &a->first_share : nullptr),
             tr("inspector.head.sink.help"));
  fact_row(counted,
           a ? std::string_view(
                   kept_tr("inspector.head.of", {format("%.2f", a->entropy), format("%.2f", a->max_entropy)}))
             : "…",
           tr("inspector.head.all.help"));
}

void draw_step_facts(const PanelContext& context, const Site& site) {
  const auto trace = shared_trace(context);
  const Record* record = trace->find(site);
  if (!record) return;
  const std::int64_t count = count_of(*record);
  if (record->derived && count > kMostDerived) return;
  section_title(tr(context.workspace.backward ? "inspector.stats.forward" : "inspector.stats"));
  InspectorCache& cache = inspector_cache(context.workspace);
  const std::uint64_t key = shown_key(context, site);
  const bool shapes = !context.workspace.hides_shapes;  // a lesson asks for one
  if (shapes)
    fact_row(tr("inspector.stats.shape"),
             cache.shape.get({key}, [&] { return shape_text(record->shape, batch_of(*context.run, site)); }),
             cache.name.get({key}, [&] { return to_text(site); }));
  if (shapes)
    fact_row(tr("inspector.stats.letters"),
             cache.letters.get({key}, [&] { return step_letters(*context.run, site); }),
             tr("inspector.stats.letters.help"));
  memory_rows(context, trace, site);
  const bool cheap = count <= (record->derived ? kCheapStats / 8 : kCheapStats);
  const auto found = cache.stats.get(key, cheap, context.workers(), [trace, site] {
    const auto tensor = trace->tensor(site, kMostDerived * 64);
    return tensor ? stats(*tensor) : Stats{};
  });
  if (found)
    stats_rows(*found, cache.range);
  else
    dim_text(tr("inspector.working"));
}

}  // namespace attnscope
