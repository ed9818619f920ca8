// Attention without the whole row in memory: the running maximum, the running sum and the running result,
// tile by tile, against the core's own attention.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kLabStreamingKeys = 32;

/// After a tile: maximum, sum of exponentials, sum of exponentials times values; and what the sums before
/// were multiplied by.
struct Running {
  double tile_most = -INFINITY, most = -INFINITY, factor = 0, sum = 0, weighted = 0;
};

std::vector<Running> walk(const std::vector<double>& scores, const std::vector<double>& values,
                          std::int64_t tile) {
  std::vector<Running> out;
  Running now;
  for (std::size_t begin = 0; begin < scores.size(); begin += static_cast<std::size_t>(tile)) {
    const std::size_t end = std::min(scores.size(), begin + static_cast<std::size_t>(tile));
    now.tile_most = *std::max_element(&scores[begin], &scores[end - 1] + 1);
    const double most = std::max(now.most, now.tile_most);
    now.factor = std::isinf(now.most) ? 0 : std::exp(now.most - most);
    now.sum *= now.factor, now.weighted *= now.factor;
    now.most = most;
    for (std::size_t key = begin; key < end; ++key) {
      const double e = std::exp(scores[key] - most);
      now.sum += e, now.weighted += e * values[key];
    }
    out.push_back(now);
  }
  return out;
}

/// The same row through the core: z and the log of the sum.
struct Whole {
  double z = 0, lse = 0;
};
Whole by_core(const std::vector<double>& scores, const std::vector<double>& values) {
  const auto rows = [](const std::vector<double>& from) {
    return Tensor::from({from.begin(), from.end()},
                        {{Axis::head, 1}, {Axis::pos, kLabStreamingKeys}, {Axis::d_head, 1}});
  };
  AttentionInputs in;
  in.q = Tensor::from({1.f}, {{Axis::head, 1}, {Axis::pos, 1}, {Axis::d_head, 1}});
  in.k = rows(scores);
  in.v = rows(values);
  in.mask.causal = false;
  const AttentionResult result = attend(in);
  return {static_cast<double>(result.z.at(0, 0, 0)), static_cast<double>(result.lse.at(0, 0))};
}

LabTable walk_table(const std::vector<Running>& tiles, std::int64_t tile, std::size_t at) {
  LabTable out;
  out.title = Text::of("lab.streaming.walk");
  out.header = {Text::of("lab.streaming.keys"),
                Text::of("lab.streaming.tile_most"),
                "m",
                Text::of("lab.streaming.factor"),
                "l",
                "o",
                "o / l"};
  const std::size_t first = at >= 8 ? at - 7 : 0;
  for (std::size_t i = first; i <= at; ++i) {
    const Running& now = tiles[i];
    const std::int64_t begin = static_cast<std::int64_t>(i) * tile,
                       end = std::min(kLabStreamingKeys, begin + tile) - 1;
    out.rows.push_back({format("%lld … %lld", static_cast<long long>(begin), static_cast<long long>(end)),
                        shown(now.tile_most, 3), shown(now.most, 3),
                        i == 0 ? Text("–") : Text(shown(now.factor, 3)), shown(now.sum), shown(now.weighted),
                        shown(now.weighted / now.sum, 5)});
  }
  out.lit = static_cast<int>(at - first);
  return out;
}

LabBars memory_bars(std::int64_t n, std::int64_t tile) {
  LabBars out;
  const double rows = static_cast<double>(n);
  out.title = Text::of("lab.streaming.memory", {n});
  out.log = true;
  const double whole = rows * rows * 4, part = rows * (static_cast<double>(tile) + 3) * 4;
  out.bars = {
      {Text::of("lab.streaming.plane"), whole, format_bytes(static_cast<std::uint64_t>(whole)), LabInk::red},
      {Text::of("lab.streaming.tiles"), part, format_bytes(static_cast<std::uint64_t>(part)), LabInk::amber}};
  return out;
}

Result<LabPicture> compute_streaming(const LabValues& values, const std::atomic<bool>&) {
  const std::int64_t tile = values.whole("tile"), n = values.whole("n");
  const Tensor drawn = normal_rows(41, 2, kLabStreamingKeys);
  std::vector<double> scores, numbers;
  for (std::int64_t key = 0; key < kLabStreamingKeys; ++key) {
    scores.push_back(static_cast<double>(static_cast<float>(values.number("spread")) * drawn.at(0, key)));
    numbers.push_back(static_cast<double>(drawn.at(1, key)));
  }
  const std::vector<Running> tiles = walk(scores, numbers, tile);
  const auto at =
      static_cast<std::size_t>(std::min(values.whole("step"), static_cast<std::int64_t>(tiles.size()) - 1));
  const Whole whole = by_core(scores, numbers);
  LabPlot row;
  row.title = Text::of("lab.streaming.scores");
  row.x_title = Text::of("lab.streaming.key");
  const std::int64_t seen = std::min(kLabStreamingKeys, (static_cast<std::int64_t>(at) + 1) * tile);
  LabSeries read{Text::of("lab.streaming.read"), {}, LabInk::blue, false, true},
      ahead{Text::of("lab.streaming.ahead"), {}, LabInk::dim, true},
      most{Text::of("lab.streaming.most"), {}, LabInk::red};
  for (std::int64_t key = 0; key < kLabStreamingKeys; ++key) {
    const double score = scores[static_cast<std::size_t>(key)];
    if (key < seen) read.points.emplace_back(key, score);
    if (key >= seen - 1) ahead.points.emplace_back(key, score);
    if (key < seen) most.points.emplace_back(key, tiles[static_cast<std::size_t>(key / tile)].most);
  }
  row.series = {read, ahead, most};
  row.x_marks = {static_cast<double>(seen) - 0.5};
  LabPicture out;
  out.pieces = {
      {row, 1, true, 1}, {walk_table(tiles, tile, at), 1.9f, true, 1}, in_full({memory_bars(n, tile), 1})};
  const Running& now = tiles[at];
  out.formula = Text::of("lab.streaming.formula", {shown(now.most, 3), shown(now.factor, 3), shown(now.sum)});
  const double answer = now.weighted / now.sum;
  const bool end = at + 1 == tiles.size();
  out.notice = Text::of(end              ? "lab.streaming.notice.end"
                        : at == 0        ? "lab.streaming.notice.first"
                        : now.factor < 1 ? "lab.streaming.notice.rescaled"
                                         : "lab.streaming.notice.on",
                        {shown(answer, 6), shown(whole.z, 6), shown(now.factor, 3), seen, kLabStreamingKeys,
                         shown(now.most + std::log(now.sum), 6), shown(whole.lse, 6)});
  return out;
}

}  // namespace

Lab lab_streaming();
Lab lab_streaming() {
  return {"lab.streaming",
          10,
          {whole_control("lab.streaming.tile", 1, 16, 8), whole_control("lab.streaming.step", 0, 31, 1),
           real_control("lab.streaming.spread", 0, 20, 3),
           whole_control("lab.streaming.n", 256, 131072, 4096, true)},
          compute_streaming,
          {"step", 31},
          {"step", 31, "tile"}};
}

}  // namespace attnscope
