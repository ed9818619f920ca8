// Direct and total paths against three plain passes in double: a run, a run in which every branch is held but
// the sender's write is gone, its projection's bias staying (or one without the sender), and one in which the
// receiver reads that. And an edit that reads back.
#include "core/lens/paths.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/model/gradients.h"
#include "core/trace/path.h"
#include "tests/golden/helpers.h"
#include "tests/golden/naive_paths.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using Matrix = NaiveStack::Matrix;

const std::vector<int> kSixIds{5, 9, 3, 7, 2, 11};
const LogitMeasure kAsked{LogitMeasure::Kind::logit_diff, 7, 11, -1, {}};

Selector selected(const std::string& text) { return *Selector::parse(text); }

Matrix keep_columns(Matrix rows, std::size_t begin, std::size_t end) {
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i < begin || i >= end) row[i] = 0;
  return rows;
}

class PlainPaths {
 public:
  explicit PlainPaths(const Model& model) : model_(model), clean_(model) { clean_.run(kSixIds); }

  // The measure without what `from` wrote in what `to` reads.
  double value(const Target& from, const Target& to, PathKind kind) {
    NaiveStack other(model_);
    kind == PathKind::direct ? hold(other, from) : remove(other, from);
    const Matrix logits = other.run(kSixIds);
    if (to.site.slot == Slot::logits) return measure(logits);
    NaiveStack last(model_);
    const std::string name = to_text(to.site);
    for (const std::string& step :
         to.site.slot == Slot::mlp_out ? mlp_inputs(to.site) : std::vector{heads_name(to.site)}) {
      const Matrix read = other.steps.at(step);
      const bool one = step.find(".attn.") != std::string::npos;
      const std::size_t d = static_cast<std::size_t>(model_.config().attention_at(to.site).d_head);
      const std::size_t begin = one ? static_cast<std::size_t>(to.at.front().begin) * d : 0,
                        end = one ? begin + d : read[0].size();
      last.changes[step] = [=](Matrix now) {
        for (std::size_t r = 0; r < now.size(); ++r)
          for (std::size_t i = begin; i < end; ++i) now[r][i] = read[r][i];
        return now;
      };
    }
    return measure(last.run(kSixIds));
  }
  double measure(const Matrix& logits) const {
    const auto row = static_cast<std::size_t>(row_of_prediction());
    return logits[row][7] - logits[row][11];
  }

 private:
  std::size_t row_of_prediction() const { return kSixIds.size() - 1; }
  static std::string heads_name(const Site& site) {
    std::string out = to_text(site);
    if (const auto at = out.find("split_"); at != std::string::npos) out.erase(at, 6);
    return out;
  }
  std::vector<std::string> mlp_inputs(const Site& site) const {
    const std::string base = "blocks." + std::to_string(site.layer) + ".mlp.";
    const bool gated = model_.config().block_at(site).mlp.kind == MlpSpec::Kind::gated;
    return gated ? std::vector{base + "gate", base + "up"} : std::vector{base + "pre"};
  }
  static std::string out_of(const Site& site) {
    const bool attention = site.slot == Slot::z || site.slot == Slot::attn_out;
    return "blocks." + std::to_string(site.layer) + (attention ? ".attn." : ".mlp.");
  }

  void hold(NaiveStack& run, const Target& from) const {
    const auto held = [](Matrix value) { return [value](const Matrix&) { return value; }; };
    for (const auto& [name, value] : clean_.steps)
      if (name.ends_with("attn.out") || name.ends_with("mlp.out")) run.changes[name] = held(value);
    const std::string base = out_of(from.site);
    if (from.site.slot == Slot::embed) {
      run.changes["embed"] = [](Matrix x) { return NaiveStack::sum(x, x, -1); };
    } else if (from.site.slot == Slot::z) {
      const auto d = static_cast<std::size_t>(model_.config().attention_at(from.site).d_head);
      const std::size_t begin = static_cast<std::size_t>(from.at.front().begin) * d;
      const Matrix wrote =
          run.times(keep_columns(clean_.steps.at(base + "concat"), begin, begin + d), base + "out");
      run.changes[base + "out"] = held(NaiveStack::sum(clean_.steps.at(base + "out"), wrote, -1));
    } else if (from.site.slot == Slot::mlp_post) {
      const Matrix wrote = run.times(clean_.steps.at(base + "post"), base + "out");
      run.changes[base + "out"] = held(NaiveStack::sum(clean_.steps.at(base + "out"), wrote, -1));
    } else {
      run.changes[base + "out"] = bias_alone(base + "out");
    }
  }
  // What is left of an output without its write.
  std::function<Matrix(Matrix)> bias_alone(const std::string& name) const {
    const Tensor bias = model_.weights().get(name + ".bias");
    return [bias](Matrix x) {
      for (auto& row : x)
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] = bias.empty() ? 0.0 : static_cast<double>(bias.at(static_cast<std::int64_t>(i)));
      return x;
    };
  }
  void remove(NaiveStack& run, const Target& from) const {
    const auto none = [](Matrix x) { return NaiveStack::sum(x, x, -1); };
    const std::string base = out_of(from.site);
    if (from.site.slot == Slot::embed) {
      run.changes["embed"] = none;
    } else if (from.site.slot == Slot::z) {
      const auto d = static_cast<std::size_t>(model_.config().attention_at(from.site).d_head);
      const std::size_t begin = static_cast<std::size_t>(from.at.front().begin) * d;
      run.changes[base + "concat"] = [=](Matrix x) {
        return NaiveStack::sum(x, keep_columns(x, begin, begin + d), -1);
      };
    } else if (from.site.slot == Slot::mlp_post) {
      run.changes[base + "post"] = none;
    } else {
      run.changes[base + "out"] = bias_alone(base + "out");
    }
  }

  const Model& model_;
  NaiveStack clean_;
};

class Paths : public ::testing::TestWithParam<const char*> {};

TEST_P(Paths, AreThreePlainPasses) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const auto run = must_run(*opened.model, {kSixIds, {}});
  PlainPaths plain(*opened.model);
  NaiveStack naive(*opened.model);
  ASSERT_NEAR(plain.measure(naive.run(kSixIds)), *measured(kAsked, *run), 2e-4);
  for (const PathKind kind : {PathKind::direct, PathKind::total}) {
    auto grid = PathGrid::make(
        opened.model, run, kAsked,
        selected("embed,blocks.*.attn.z,blocks.*.attn.out,blocks.*.mlp.post,blocks.*.mlp.out"),
        selected("blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.mlp.out,logits"), kind, {});
    ASSERT_TRUE(grid) << grid.error().text();
    ASSERT_TRUE(grid->fill());
    double most = 0, moved = 0;
    for (const PathCell& cell : grid->cells()) most = std::max(most, std::fabs(cell.value));
    for (std::size_t i = 0; i < grid->cells().size(); ++i) {
      const PathCell& cell = grid->cells()[i];
      if (i % 3 != 0 && cell.to.site.slot != Slot::logits) continue;  // a third of them: plain runs are slow
      EXPECT_NEAR(cell.value, plain.value(cell.from, cell.to, kind), 1e-4 * most)
          << to_text(cell.from) << " -> " << receiver_text(cell.to);
      moved = std::max(moved, std::fabs(cell.value - grid->base()));
    }
    EXPECT_GT(moved, 0.01);
  }
}

// The numbers that a step holds, as doubles.
std::vector<double> numbers_of(const Trace& run, const Site& site) {
  const std::vector<float> values = run.find(site)->value().values();
  return {values.begin(), values.end()};
}

// The gradient of a run with half of the sender times what a run with the edit has at the receiver.
double half_way(const Model& model, const Trace& run, const PathCell& cell, const Edits& edits) {
  RunOptions less, edited;
  less.edits = {make_edit(NumberEdit{cell.from, EditOp::scale, 0.5f})}, edited.edits = edits;
  const auto gradients = *backward(must_run(model, run.input, less), {{}, 0, 0, kAsked});
  const TracePointer now = must_run(model, run.input, edited);
  double sum = 0;
  const std::vector<Target> steps = *path_receivers(run.config(), cell.to);
  for (const Target& step : steps) {
    const std::vector<double> before = numbers_of(run, step.site), after = numbers_of(*now, step.site);
    const std::vector<float> slopes = gradients->find(step.site)->value().values();
    for (std::size_t i = 0; i < before.size(); ++i)
      sum += static_cast<double>(slopes[i]) * (after[i] - before[i]);
  }
  return sum;
}

TEST_P(Paths, EstimatesAreGradientHalfWayTimesChange) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const auto run = must_run(*opened.model, {kSixIds, {}});
  for (const PathKind kind : {PathKind::direct, PathKind::total}) {
    auto grid = PathGrid::make(opened.model, run, kAsked, selected("blocks.0.attn.z[head=1],embed"),
                               selected("blocks.1.attn.q,blocks.1.attn.v,blocks.1.mlp.out,logits"), kind, {});
    ASSERT_TRUE(grid) << grid.error().text();
    ASSERT_TRUE(grid->estimate());
    double most = 0;
    for (std::size_t i = 0; i < grid->cells().size(); ++i) {
      const PathCell& cell = grid->cells()[i];
      const double sum = half_way(*opened.model, *run, cell, *grid->edits(i));
      EXPECT_NEAR(cell.estimate - grid->base(), sum, 1e-4 + 1e-3 * std::fabs(sum))
          << to_text(cell.from) << " -> " << receiver_text(cell.to);
      most = std::max(most, std::fabs(sum));
    }
    EXPECT_GT(most, 0.01);
  }
}

// Where a small part of the write is taken out, what is estimated is what is measured: on every cell.
TEST(PathEstimates, AreTheFirstOrderOfASmallRemoval) {
  const OpenedModel opened = must_open(source_path("assets/models/storyteller"));
  const std::vector<int> ids{0, 4, 13, 63, 64, 5, 26, 8, 25, 9, 75, 3, 12, 5};
  const auto run = must_run(*opened.model, {ids, {}});
  const LogitMeasure asked{LogitMeasure::Kind::logit_diff, 13, 26, -1, {}};
  auto grid =
      PathGrid::make(opened.model, run, asked, selected("embed,blocks.*.attn.z,blocks.*.mlp.out"),
                     selected("blocks.*.attn.q,blocks.*.attn.k,blocks.*.attn.v,blocks.*.mlp.out,logits"),
                     PathKind::direct, {});
  ASSERT_TRUE(grid) << grid.error().text();
  for (const char* name :
       {"embed", "blocks.0.attn.z", "blocks.1.attn.z", "blocks.0.mlp.out", "blocks.1.mlp.out"}) {
    const Tensor was = run->find(*parse_site(name))->value();
    std::vector<float> less = was.values();
    for (float& value : less) value *= 0.99f;
    Shape shape;
    for (int d = 0; d < was.rank(); ++d) shape.emplace_back(was.axis(d), was.size(d));
    const auto instead = std::make_shared<const Tensor>(Tensor::from(std::move(less), shape));
    for (const PathCell& cell : std::vector<PathCell>(grid->cells()))
      if (to_text(cell.from.site) == name) grid->write_instead(cell.from, instead);
  }
  ASSERT_TRUE(grid->estimate());
  ASSERT_TRUE(grid->fill());
  double most = 0, off = 0;
  for (const PathCell& cell : grid->cells()) {
    most = std::max(most, std::fabs(cell.value - grid->base()));
    off = std::max(off, std::fabs(cell.value - cell.estimate));
  }
  EXPECT_GT(most, 0.02);
  EXPECT_LT(off, 0.03 * most);
}

TEST_P(Paths, AnEditReadsBack) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const auto run = must_run(*opened.model, {kSixIds, {}});
  auto grid =
      PathGrid::make(opened.model, run, kAsked, selected("blocks.0.attn.z[head=1]"),
                     selected("blocks.1.attn.k[head=0],blocks.1.mlp.out,logits"), PathKind::direct, {});
  ASSERT_TRUE(grid) << grid.error().text();
  ASSERT_EQ(grid->cells().size(), 3u);
  ASSERT_TRUE(grid->fill());
  for (const PathCell& cell : grid->cells()) {
    const auto read = parse_edits(to_text(cell.from) + "->" + receiver_text(cell.to) + "=0", run->config());
    ASSERT_TRUE(read) << read.error().text();
    RunOptions options;
    options.edits = *read;
    EXPECT_EQ(*measured(kAsked, *must_run(*opened.model, {kSixIds, {}}, options)), cell.value);
    options.base = run;  // from another run: the same bits
    EXPECT_EQ(*measured(kAsked, *must_run(*opened.model, {kSixIds, {}}, options)), cell.value);
    for (const auto& one : *read) {
      const auto again = parse_edit(to_text(*one));
      ASSERT_TRUE(again) << to_text(*one) << again.error().text();
      EXPECT_TRUE(same_edit(**again, *one)) << to_text(*one);
    }
    EXPECT_FALSE(backward(must_run(*opened.model, {kSixIds, {}}, options), {{}, 0, 0, kAsked}));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Paths,
                         ::testing::Values("gpt2", "llama", "mistral", "gemma2", "qwen3", "gpt_neox",
                                           "gpt_neox_serial", "bloom", "bert"),
                         [](const auto& one) { return std::string(one.param); });

std::vector<float> logits_under(const OpenedModel& opened, const std::vector<std::string>& edits) {
  RunOptions options;
  for (const std::string& text : edits) {
    const auto read = parse_edits(text, opened.model->config());
    EXPECT_TRUE(read) << text << read.error().text();
    options.edits.insert(options.edits.end(), read->begin(), read->end());
  }
  const auto run = must_run(*opened.model, {kSixIds, {}}, options);
  return run->slice(site_of(Slot::logits), 0, {0, 6}, {0, run->config().outputs()}).values();
}

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, static_cast<double>(std::fabs(a[i] - b[i])));
  return out;
}

// Several cuts into one place: what two of them take out goes once, whoever sends and whichever receivers
// overlap.
TEST_P(Paths, CutsThatOverlapTakeOutEachNumberOnce) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const std::string z = "blocks.0.attn.z", q = "->blocks.1.attn.q", first = q + "[head=0]=0";
  const auto same = [&](const std::vector<std::string>& cuts, const std::vector<std::string>& as) {
    const std::vector<float> now = logits_under(opened, cuts), wanted = logits_under(opened, as);
    EXPECT_LT(apart(now, wanted), 1e-5) << cuts.front() << " and " << cuts.back();
    EXPECT_EQ(now, logits_under(opened, {cuts.rbegin(), cuts.rend()})) << "in whatever order";
  };
  const std::string one = z + "[head=0]" + first, other = z + "[head=1]" + first;
  EXPECT_GT(apart(logits_under(opened, {one}), logits_under(opened, {one, other})), 1e-4);
  same({one, one}, {one});
  same({z + "[head=0-1]" + first, other}, {one, other});
  same({"blocks.0.attn.out" + first, one}, {"blocks.0.attn.out" + first});
  same({"blocks.0.mlp.post[d_mlp=0-2]" + first, "blocks.0.mlp.out" + first}, {"blocks.0.mlp.out" + first});
  same({"embed[pos=2]" + first, "tok_embed[pos=4]" + first},
       {"tok_embed[pos=4]" + first, "embed[pos=2]" + first});
  same({z + "[head=0]" + q + "=0", one}, {z + "[head=0]" + q + "=0"});
  const std::int64_t heads = opened.model->config().blocks[1].attention.n_heads;
  same({z + "[head=0]" + q + "=0", other},
       {z + "[head=0]" + q + "[head=1-" + std::to_string(heads - 1) + "]=0", one, other});
}

// An edit of what a receiver makes of what it reads, or of a step on the way, stays in force when a path is
// cut.
TEST_P(Paths, EditsOnTheWayStayInForce) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const std::string cut = "blocks.0.attn.z[head=1]->blocks.1.attn.q[head=0]=0";
  for (const char* edit : {"blocks.1.attn.q=0", "blocks.1.attn.split_q=0.3", "blocks.1.resid_pre=0.5"}) {
    EXPECT_LT(apart(logits_under(opened, {edit, cut}), logits_under(opened, {edit})), 1e-5) << edit;
    EXPECT_EQ(logits_under(opened, {cut, edit}), logits_under(opened, {edit, cut})) << edit;
  }
  const std::string half = "blocks.1.attn.split_q*=0.5";
  EXPECT_EQ(logits_under(opened, {cut, half}), logits_under(opened, {half, cut}));
}

TEST(PathErrors, SayWhatIsWrong) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  const auto run = must_run(*opened.model, {kSixIds, {}});
  const auto made = [&](const char* from, const char* to) {
    return PathGrid::make(opened.model, run, kAsked, selected(from), selected(to), PathKind::direct, {})
        .error()
        .text();
  };
  EXPECT_NE(made("blocks.1.attn.z", "blocks.0.attn.q").find("no path"), std::string::npos);
  EXPECT_NE(made("blocks.1.attn.z", "blocks.1.attn.q").find("no path"), std::string::npos);
  EXPECT_NE(made("blocks.0.attn.q", "blocks.1.attn.q").find("writes nothing"), std::string::npos);
  EXPECT_NE(made("blocks.0.attn.z", "blocks.1.attn.z").find("receiver"), std::string::npos);
  EXPECT_NE(made("blocks.9.attn.z", "blocks.1.attn.q").find("blocks.9.attn.z"), std::string::npos);
  RunOptions options;
  options.edits = {*parse_edit("blocks.1.attn.z->blocks.0.attn.q[head=0]=0")};
  EXPECT_FALSE(opened.model->run({kSixIds, {}}, options));
  EXPECT_FALSE(parse_edit("blocks.0.attn.z->blocks.1.attn.q[head=0]=1"));
  EXPECT_FALSE(parse_edit("blocks.0.attn.z->blocks.1.mlp.out=0"));  // two steps where it is gated
  EXPECT_FALSE(parse_edit("blocks.0.attn.q->blocks.1.attn.q=0"));
}

// The query of a head of cross-attention against its norm and projection in double.
TEST(Paths, LeadIntoTheQueriesOfCrossAttention) {
  const OpenedModel opened = must_open(model_path("t5"));
  Input input{{5, 9, 3}, {}};
  input.source = {4, 8, 6, 3};
  const auto run = must_run(*opened.model, input);
  auto made = PathGrid::make(opened.model, run, kAsked, selected("dec.blocks.0.attn.z"),
                             selected("dec.blocks.1.cross.q"), PathKind::direct, {});
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->fill());
  const Weights& weights = run->weights();
  const Tensor z = run->find(site_of(Slot::z, 0, Stack::dec))->value(),
               stream = run->find(site_of(Slot::resid_mid, 1, Stack::dec))->value(),
               out = weights.get("dec.blocks.0.attn.out.weight"),
               gain = weights.get("dec.blocks.1.ln_cross.weight"),
               into = weights.get("dec.blocks.1.cross.q.weight");
  const std::int64_t d_head = z.size(2), width = stream.size(1), heads = z.size(0);
  ASSERT_EQ(made->cells().size(), static_cast<std::size_t>(heads * heads));
  for (const PathCell& cell : made->cells()) {
    const std::int64_t from = cell.from.at.front().begin, to = cell.to.at.front().begin;
    std::vector<float> queries(static_cast<std::size_t>(heads * stream.size(0) * d_head));
    for (std::int64_t row = 0; row < stream.size(0); ++row) {
      std::vector<double> x;
      double square = 0;
      for (std::int64_t i = 0; i < width; ++i) {
        double cell_left = static_cast<double>(stream.at(row, i));
        for (std::int64_t d = 0; d < d_head; ++d)
          cell_left -=
              static_cast<double>(z.at(from, row, d)) * static_cast<double>(out.at(from * d_head + d, i));
        x.push_back(cell_left), square += cell_left * cell_left / static_cast<double>(width);
      }
      const double scale = std::sqrt(square + static_cast<double>(run->config().blocks[1].norm.eps));
      for (std::int64_t d = 0; d < d_head; ++d) {
        double q = 0;
        for (std::int64_t i = 0; i < width; ++i)
          q += x[static_cast<std::size_t>(i)] / scale * static_cast<double>(gain.at(i)) *
               static_cast<double>(into.at(i, to * d_head + d));
        queries[static_cast<std::size_t>((to * stream.size(0) + row) * d_head + d)] = static_cast<float>(q);
      }
    }
    Target there{Target::Kind::step, cross_site(Slot::split_q, 1, Stack::dec), {}, {{"head", to}}};
    RunOptions options;
    const Tensor whole = Tensor::from(
        std::move(queries), {{Axis::head, heads}, {Axis::pos, stream.size(0)}, {Axis::d_head, d_head}});
    options.edits = {make_edit(NumberEdit{there, EditOp::set, Frozen{whole, "test"}})};
    const auto changed = opened.model->run(input, options);
    ASSERT_TRUE(changed) << changed.error().text();
    EXPECT_NEAR(cell.value, *measured(kAsked, **changed), 1e-4) << from << " " << to;
    EXPECT_NE(cell.value, made->base());
  }
}

TEST(PathErrors, StacksHaveNoPath) {
  const OpenedModel opened = must_open(model_path("t5"));
  Input input{{5, 9, 3}, {}};
  input.source = {4, 8, 6, 3};
  const auto run = must_run(*opened.model, input);
  const auto made = PathGrid::make(opened.model, run, kAsked, selected("enc.blocks.0.attn.z"),
                                   selected("dec.blocks.1.attn.q"), PathKind::direct, {});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("different stacks"), std::string::npos);
  const auto cross = PathGrid::make(opened.model, run, kAsked, selected("dec.blocks.0.attn.z"),
                                    selected("dec.blocks.1.cross.k"), PathKind::direct, {});
  ASSERT_FALSE(cross);
  EXPECT_NE(cross.error().text().find("cannot be the receiver"), std::string::npos);
  auto own = PathGrid::make(opened.model, run, kAsked, selected("dec.blocks.0.cross.z"),
                            selected("dec.blocks.1.attn.q"), PathKind::direct, {});
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_TRUE(own->fill());
}

}  // namespace
}  // namespace attnscope
