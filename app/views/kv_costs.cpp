#include "app/views/kv_costs.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/figure/canvas.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

struct Sums {
  std::int64_t passes = 0, products = 0, attention = 0;
  double seconds = 0;
  bool complete = true;
};
Sums sum_to(const CachedRun& run, std::size_t last, bool cached) {
  Sums out;
  for (std::size_t i = 0; i <= last; ++i) {
    const CacheStep& step = run.steps[i];
    const CountedPass& pass = cached ? step.with : step.without;
    out.passes += cached ? pass.rows : step.length;
    if (!pass.ran()) out.complete = false;
    out.products += std::max<std::int64_t>(0, pass.products);
    out.attention += pass.attention;
    out.seconds += pass.seconds;
  }
  return out;
}

std::string milliseconds(double seconds) { return tr("kv.ms", {significant(1e3 * seconds, 3)}); }

Table count_table(const CachedRun& run, std::size_t at_step, float width) {
  const CacheStep& step = run.steps[at_step];
  const Sums with = sum_to(run, at_step, true), without = sum_to(run, at_step, false);
  const std::string unknown = tr("kv.not_run");
  const auto count = [&](bool known, std::int64_t value) { return known ? format_count(value) : unknown; };
  Table out;
  const float second = std::max(scaled(130), width * 0.22f);
  out.columns = {{.share = 1},
                 {.kind = TableColumn::Kind::number, .title = tr("kv.with"), .ink = theme().v},
                 {TableColumn::Kind::number, tr("kv.without"), second, 0, 0, theme().k}};
  out.lines = true;
  const auto row = [&](const char* key, const std::string& cached, const std::string& uncached) {
    out.rows.push_back({{}, {{tr(key)}, {cached}, {uncached}}});
  };
  row("kv.count.step", format_count(step.with.total()), count(step.without.ran(), step.without.total()));
  row("kv.count.step.attention", format_count(step.with.attention),
      count(step.without.ran(), step.without.attention));
  row("kv.count.all", format_count(with.products + with.attention),
      count(without.complete, without.products + without.attention));
  row("kv.count.passes", format_count(with.passes), format_count(without.passes));
  row("kv.count.time", milliseconds(with.seconds),
      without.complete ? milliseconds(without.seconds) : unknown);
  return out;
}

// n(n+1)/2 row passes if every token is a step, and the saving by prefilling several at once.
std::string passes_formula(const CachedRun& run, std::size_t at_step) {
  const std::int64_t n = run.steps[at_step].length, p = run.prompt();
  const Sums with = sum_to(run, at_step, true), without = sum_to(run, at_step, false);
  return tr(p == 1 ? "kv.formula.one" : "kv.formula",
            {format_count(n), format_count(without.passes), format_count(with.passes), format_count(p)});
}

}  // namespace

void draw_kv_products(const CachedRun& run, std::size_t at_step, ImVec2 at, ImVec2 size) {
  const Table counts = count_table(run, at_step, size.x);
  const float table = table_height(counts) + scaled(6), words = text_size(fonts().body, "X").y + scaled(8);
  LinePlot plot;
  plot.key = "kv_products";
  plot.title = tr("kv.products");
  plot.x_title = tr("kv.axis.token");
  plot.x0 = static_cast<float>(run.prompt()) - 0.5f;
  plot.x1 = static_cast<float>(run.length()) + 0.5f;
  LineSeries with, without;
  with.colour = theme().v, with.label = tr("kv.with"), with.dots = true;
  without.colour = theme().k, without.label = tr("kv.without"), without.dots = true;
  for (const CacheStep& step : run.steps) {
    const auto x = static_cast<float>(step.length);
    with.points.emplace_back(x, static_cast<float>(step.with.total()));
    if (step.without.ran()) without.points.emplace_back(x, static_cast<float>(step.without.total()));
  }
  plot.series = {without, with};
  plot.x_marks = {static_cast<float>(run.steps[at_step].length)};
  plot.readout = true;
  plot.x_name = tr("kv.axis.token");
  fit_y(plot);
  plot.y0 = 0;
  const float height = size.y - table - words;
  if (height > scaled(70)) (void)draw_line_plot(plot, at, ImVec2(size.x, height - scaled(6)));
  const float below = at.y + std::max(0.f, height);
  (void)draw_table(counts, ImVec2(at.x, below), size.x);
  draw_text(Canvas(), fonts().body, ImVec2(at.x, below + table), theme().text_dim,
            middle_truncated(fonts().body, passes_formula(run, at_step), size.x));
}

void draw_kv_bytes(const Described& model, std::int64_t now, std::int64_t source, const Format& format,
                   ImVec2 at, ImVec2 size) {
  const Theme& t = theme();
  const Canvas canvas;
  const DrawGroupScope group("kv_bytes");
  std::vector<std::int64_t> contexts{now};
  for (const std::int64_t more : {1024, 8192, 32768, 131072})
    if (more > now) contexts.push_back(more);
  Workload work;
  work.cache = format;
  work.source = source;
  std::vector<CacheForms> forms;
  for (const std::int64_t context : contexts) {
    work.seq = context;
    forms.push_back(cache_forms(model, work));
  }
  const std::string heads = range_text(model.config, &BlockSpec::attention, &AttentionSpec::n_heads),
                    own = range_text(model.config, &BlockSpec::attention, &AttentionSpec::n_kv_heads);
  struct Column {
    std::string title;
    std::array<Count, 5> bytes;
    ImU32 colour = 0;
  };
  std::vector<Column> columns{{tr("kv.form.mha", {heads}), {}, t.k},
                              {tr("kv.form.own", {own}), {}, t.accent},
                              {tr("kv.form.gqa", {std::to_string(forms.front().groups)}), {}, t.v},
                              {tr("kv.form.mqa"), {}, t.q}};
  for (std::size_t i = 0; i < forms.size(); ++i) {
    columns[0].bytes[i] = forms[i].mha;
    columns[1].bytes[i] = forms[i].own;
    columns[2].bytes[i] = forms[i].gqa;
    columns[3].bytes[i] = forms[i].mqa;
  }
  const float name = scaled(104), line = text_size(fonts().small, "X").y;
  const float wide = (size.x - name) / static_cast<float>(columns.size());
  const float head = line + scaled(8);
  const float tall =
      std::clamp((size.y - head) / static_cast<float>(contexts.size()), scaled(30), scaled(74));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const float x = at.x + name + wide * static_cast<float>(c);
    draw_text(canvas, fonts().small, ImVec2(x, at.y), t.text_dim,
              middle_truncated(fonts().small, columns[c].title, wide - scaled(8)));
  }
  for (std::size_t r = 0; r < contexts.size(); ++r) {
    const float y = at.y + head + tall * static_cast<float>(r);
    canvas.line(ImVec2(at.x, y - scaled(4)), ImVec2(at.x + size.x, y - scaled(4)),
                with_alpha(t.border, 0.7f));
    const std::string label =
        r == 0 ? tr("kv.context.now", {format_count(contexts[r])}) : format_count(contexts[r]);
    draw_text(canvas, fonts().body, ImVec2(at.x, y), t.text, middle_truncated(fonts().body, label, name));
    double most = 1;
    for (const Column& column : columns) most = std::max(most, column.bytes[r].real());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const float x = at.x + name + wide * static_cast<float>(c), room = wide - scaled(14);
      draw_text(canvas, fonts().mono, ImVec2(x, y), t.text, binary_bytes(columns[c].bytes[r]));
      const float top = y + text_size(fonts().mono, "0").y + scaled(3);
      const float bottom = std::min(top + scaled(12), y + tall - scaled(8));
      const auto bar = static_cast<float>(columns[c].bytes[r].real() / most) * room;
      canvas.fill_rect(ImVec2(x, top), ImVec2(x + room, bottom), t.panel_raised, scaled(2));
      canvas.fill_rect(ImVec2(x, top), ImVec2(x + std::max(scaled(2), bar), bottom), columns[c].colour,
                       scaled(2));
    }
  }
}

}  // namespace attnscope
