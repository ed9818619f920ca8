// One wide head against several narrow ones: the same queries and keys of the Storyteller read as heads or as
// one head, and the cost of both, counted and measured with the running core.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr const char* kLabHeadsStory = "The cat sat on the mat because it was tired";
constexpr std::int64_t kLabHeadsWidth = 512;
constexpr int kLabHeadsRounds = 5;

// The projections of one block with all heads beside each other -> [1, pos, heads * d_head].
Tensor as_one_head(const Trace& trace, Hue hue, int layer) {
  const Slot slot = slot_of(StepRole::projection, hue);
  const Tensor rows = trace.find(trace.main(slot, layer))->value();  // [pos, concat]
  return Tensor::from(rows.values(),
                      {{Axis::head, 1}, {Axis::pos, rows.size(0)}, {Axis::d_head, rows.size(1)}});
}

// The pattern of one head as wide as the model -> [query, key].
Tensor wide_pattern(const Trace& trace, int layer) {
  AttentionInputs in;
  in.q = as_one_head(trace, Hue::query, layer);
  in.k = as_one_head(trace, Hue::key, layer);
  in.v = as_one_head(trace, Hue::value, layer);
  in.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(in.q.size(2))));
  const AttentionResult result = attend(in);
  const std::int64_t n = in.q.size(1);
  return attention_rectangle(in, result.lse, ScoreStage::pattern, 0, 0, n, 0, n);
}

// Attention of `heads` heads over n random rows, all together kWidth wide.
Timing lab_heads_measured(std::int64_t n, std::int64_t heads) {
  const Tensor rows = normal_rows(3, n, kLabHeadsWidth);  // [pos, width]
  const Tensor split = rows.split(1, Axis::head, heads, Axis::d_head).permute({1, 0, 2});
  AttentionInputs in;
  in.q = in.k = in.v = split;
  in.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(kLabHeadsWidth / heads)));
  return timed(kLabHeadsRounds, [&] { (void)attend(in); });
}

struct Looks {
  Tensor rows;  ///< [heads + 1, key]: where each looks from the query
  std::vector<Text> names;
  double wide_entropy = 0, sharp_entropy = 0,
         most_lost = -1;  ///< lost: weight that the wide head does not give
  std::string wide_top, sharp_top, sharp_name;
};

Looks looks_of(const Trace& trace, const std::vector<Text>& words, int layer, std::int64_t query) {
  const int heads = trace.config().blocks[0].attention.n_heads;
  const Tensor wide = wide_pattern(trace, layer);
  Looks out;
  Buffer rows({{Axis::head, heads + 1}, {Axis::key, trace.length}});
  for (int head = 0; head <= heads; ++head) {
    const Tensor row = head == heads ? wide.slice(0, query, query + 1)
                                     : trace.slice(trace.main(StepRole::pattern, layer), head,
                                                   {query, query + 1}, {0, trace.length});
    std::vector<double> shares;
    for (std::int64_t key = 0; key < trace.length; ++key) {
      const float weight = row.at(0, key);
      rows.data()[head * trace.length + key] = key <= query ? weight : -INFINITY;
      shares.push_back(static_cast<double>(weight));
    }
    const double entropy = entropy_of(shares);
    const auto top =
        static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    if (head == heads) out.wide_entropy = entropy, out.wide_top = words[top].str();
    const double lost = shares[top] - static_cast<double>(wide.at(query, static_cast<std::int64_t>(top)));
    if (head < heads && lost > out.most_lost) {
      out.most_lost = lost;
      out.sharp_entropy = entropy;
      out.sharp_top = words[top].str();
      out.sharp_name = std::to_string(head);
    }
    out.names.push_back(head == heads ? Text::of("lab.heads.wide") : Text::of("lab.heads.head", {head}));
  }
  out.rows = std::move(rows).freeze();
  return out;
}

LabTable cost_table(std::int64_t n, std::int64_t heads, const Timing& one, const Timing& many) {
  LabTable out;
  out.title = Text::of("lab.heads.cost", {kLabHeadsWidth, n});
  out.header = {Text(), Text::of("lab.heads.one"), Text::of("lab.heads.many", {heads})};
  const auto both = [&](const char* key, std::string a, std::string b) {
    out.rows.push_back(fact(Text::of(key), {std::move(a), std::move(b)}));
  };
  const double cells = static_cast<double>(n) * static_cast<double>(n);
  both("lab.heads.d_k", std::to_string(kLabHeadsWidth), std::to_string(kLabHeadsWidth / heads));
  both("lab.heads.products", shown(cells * kLabHeadsWidth),
       shown(cells * static_cast<double>(heads) * static_cast<double>(kLabHeadsWidth / heads)));
  both("lab.heads.weights", format_count(4 * kLabHeadsWidth * kLabHeadsWidth),
       format_count(4 * kLabHeadsWidth * kLabHeadsWidth));
  both("lab.heads.patterns", shown(cells), shown(cells * static_cast<double>(heads)));
  both("lab.heads.time", shown_timing(one), shown_timing(many));
  return out;
}

Result<LabPicture> compute_heads(const LabValues& values, const std::atomic<bool>& cancel) {
  const int layer = static_cast<int>(values.whole("block"));
  const std::int64_t n = values.whole("n"), heads = std::int64_t{1} << values.choice("heads");
  TRY(const std::shared_ptr<const OpenedModel> story, shipped_model("storyteller"));
  TRY(const Input input, text_input(*story, kLabHeadsStory));
  TRY(const std::shared_ptr<const Trace> trace, story->model->run(input));
  const std::int64_t query = std::min(values.whole("query"), trace->length - 1);
  const std::vector<Text> words = words_of(*story, input.ids);
  const Looks looks = looks_of(*trace, words, layer, query);
  LabBars times;
  times.title = Text::of("lab.heads.times", {n, kLabHeadsRounds});
  Timing one, many;
  for (std::int64_t h = 1; h <= 32; h *= 2) {
    TRY_OK(go_on(cancel));
    const Timing time = lab_heads_measured(n, h);
    if (h == 1) one = time;
    if (h == heads) many = time;
    times.bars.push_back({Text::of("lab.heads.by", {h, kLabHeadsWidth / h}), time.median, shown_timing(time),
                          h == heads ? LabInk::amber : LabInk::blue});
  }
  LabMatrix rows;
  rows.title = Text::of("lab.heads.looks", {words[static_cast<std::size_t>(query)]});
  rows.values = looks.rows;
  rows.row_labels = looks.names;
  rows.col_labels = words;
  rows.scale = LabMatrix::Scale::share;
  LabPicture out;
  out.pieces = {{rows, 1, true, 1.2f}, {times, 1, true, 1}, in_full({cost_table(n, heads, one, many), 1.2f})};
  out.formula = Text::of("lab.heads.formula", {heads, n, kLabHeadsWidth / heads, kLabHeadsWidth});
  out.notice = Text::of(looks.wide_top == looks.sharp_top ? "lab.heads.notice.same" : "lab.heads.notice.lost",
                        {words[static_cast<std::size_t>(query)], looks.sharp_name, looks.sharp_top,
                         looks.wide_top, shown(looks.sharp_entropy, 2), shown(looks.wide_entropy, 2)});
  return out;
}

}  // namespace

Lab lab_heads();
Lab lab_heads() {
  return {"lab.heads",
          6,
          {whole_control("lab.heads.block", 0, 1, 1), whole_control("lab.heads.query", 1, 10, 10),
           choice_control("lab.heads.heads",
                          {"lab.heads.heads.1", "lab.heads.heads.2", "lab.heads.heads.4", "lab.heads.heads.8",
                           "lab.heads.heads.16", "lab.heads.heads.32"},
                          3),
           whole_control("lab.heads.n", 16, 1024, 256, true)},
          compute_heads,
          {"query", 1},
          {"query", 5}};
}

}  // namespace attnscope
