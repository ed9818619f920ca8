// Every step that the catalog calls editable is edited on families of every kind: what reads it follows, a
// run that starts from the clean one has the bits of a full run, and the way back through an edited run is
// what finite differences measure.
#include <random>

#include "core/model/gradients.h"
#include "core/model/reach.h"
#include "core/trace/provenance.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const char* const kFamilies[] = {"gpt2",  "llama", "mistral", "gemma2", "qwen3", "gpt_neox",
                                 "bloom", "bert",  "marian",  "t5",     "vit",   "paligemma_prefix"};

class Edited : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    const Fixture given = fixture(GetParam());
    input_ = given.inputs.front();
    options_ = given.options;
    plain_ = run({});
  }
  TracePointer run(Edits edits, const TracePointer& base = nullptr) const {
    RunOptions options = options_;
    options.edits.insert(options.edits.end(), edits.begin(), edits.end());
    options.base = base;
    return must_run(*opened_.model, input_, options);
  }
  // A full run under these edits and one that starts from `base` are one.
  TracePointer both(const Edits& edits, const TracePointer& base, const std::string& what) const {
    const TracePointer full = run(edits), partial = run(edits, base);
    EXPECT_EQ(full->records().size(), partial->records().size()) << what;
    for (const Record& record : full->records())
      EXPECT_EQ(max_abs_difference(must_tensor(*full, record.site), must_tensor(*partial, record.site)), 0)
          << what << " at " << to_text(record.site);
    return full;
  }
  // The place of a cell in the middle of a step.
  std::string middle(const Record& record) const {
    Cell cell{record.site, {}};
    const bool first = plain_->config().head.first_row_only && record.site.stack == plain_->config().stack;
    for (std::size_t d = 0; d < record.axes.size(); ++d) {
      const bool row =
          record.axes[d] == Axis::query || record.axes[d] == Axis::pos || record.axes[d] == Axis::key;
      const std::int64_t rows = record.shape[row && record.axes[d] == Axis::key ? d - 1 : d];
      cell.at.push_back({std::string(axis_name(record.axes[d])),
                         row && first ? 0 : std::min(rows / 2, record.shape[d] - 1)});
    }
    return to_text(cell);
  }

  OpenedModel opened_;
  Input input_;
  RunOptions options_;
  TracePointer plain_;
};

TEST_P(Edited, every_editable_step_is_followed) {
  const Site last = plain_->records().back().site;
  for (const Record& record : plain_->records()) {
    if (!step_of(record.site.slot).editable) continue;
    const std::string place = middle(record);
    const TracePointer now = both({edit((place + "+=3").c_str())}, plain_, place);
    ASSERT_TRUE(now->unreached.empty()) << place;
    const Cell cell = *parse_cell(place);
    std::vector<std::int64_t> index;
    for (const AxisRange& at : cell.at) index.push_back(at.begin);
    const float before = plain_->cell(record.site, index);
    if (std::isfinite(before)) {
      EXPECT_NEAR(now->cell(record.site, index), before + 3.f, 1e-5 + 1e-6 * std::fabs(before)) << place;
    }
    if (record.site.slot == Slot::masked || record.site == last || record.site.slot == Slot::logits) continue;
    EXPECT_GT(max_abs_difference(must_tensor(*plain_, last), must_tensor(*now, last)), 0) << place;
  }
}

// The rows of a step that differ, of one head where it has some.
Range changed_rows(const Trace& a, const Trace& b, const Record& record, std::int64_t head) {
  const auto last = record.shape.size() - 1;
  const Range rows{0, record.shape[last - 1]}, cols{0, record.shape[last]};
  const Tensor x = a.slice(record.site, head, rows, cols), y = b.slice(record.site, head, rows, cols);
  Range out;
  for (std::int64_t row = 0; row < rows.end; ++row)
    if (max_abs_difference(x.slice(0, row, row + 1).packed(), y.slice(0, row, row + 1).packed()) != 0)
      out = {out.size() > 0 ? out.begin : row, row + 1};
  return out;
}

TEST_P(Edited, what_an_edit_does_not_reach_stays_to_the_bit) {
  for (const Record& record : plain_->records()) {
    if (!step_of(record.site.slot).editable) continue;
    const std::string place = middle(record);
    const auto change = edit((place + "+=3").c_str());
    const TracePointer now = run({change});
    const Reach reach(plain_, *change->number());
    EXPECT_GT(reach.rows(record.site).size(), 0) << place << " reaches itself";
    for (const Record& other : plain_->records()) {
      const bool heads = std::find(other.axes.begin(), other.axes.end(), Axis::head) != other.axes.end();
      if (other.shape.size() < 2 || (!heads && other.shape.size() > 2)) continue;
      const auto axis = std::find(other.axes.begin(), other.axes.end(), Axis::head) - other.axes.begin();
      for (std::int64_t head = 0; head < (heads ? other.shape[static_cast<std::size_t>(axis)] : 1); ++head) {
        const Range moved = changed_rows(*plain_, *now, other, head),
                    told = reach.rows(other.site, heads ? head : -1);
        EXPECT_TRUE(moved.size() == 0 || (told.begin <= moved.begin && moved.end <= told.end))
            << place << " moves rows " << moved.begin << "-" << moved.end << " of " << to_text(other.site)
            << ", told " << told.begin << "-" << told.end;
      }
    }
  }
}

TEST_P(Edited, edits_of_every_kind_start_from_one_another) {
  const Stack main = plain_->config().stack;
  const std::string block = std::string(stack_prefix(main)) + "blocks.";
  const Edits first{edit((block + "0.attn.z[head=1]*=0.5").c_str())};
  const Edits weight{edit((block + "1.attn.q.weight[in=1,out=2]=0.7").c_str())};
  const Edits mean{edit((block + "0.attn.z[head=0]=mean").c_str()),
                   edit((block + "1.attn.out[pos=1]=@pos:2").c_str())};
  const Edits cells_off{cells({{2, 0, false}})};
  const Edits pattern{edit((block + "1.attn.pattern[head=0,query=2,key=1]=0.5").c_str()),
                      edit((block + "1.attn.scores[head=1]=mean").c_str())};
  Edits all;
  TracePointer base = plain_;
  for (const Edits& more : {first, weight, mean, cells_off, pattern}) {
    all.insert(all.end(), more.begin(), more.end());
    base = both(all, base, to_text(*more.front()));
  }
  std::swap(all.front(), all.back());
  base = both(all, base, "another order");
  both({}, base, "all taken back");
}

TEST_P(Edited, exchanged_parts_run_and_differ) {
  const std::string block = std::string(stack_prefix(plain_->config().stack)) + "blocks.*.";
  const ModelConfig& config = plain_->config();
  std::vector<std::string> parts{"attn.skip=off"};
  if (config.blocks[0].attention.scale != 1.f) parts.push_back("attn.scaling=off");
  if (config.blocks[0].mlp.kind != MlpSpec::Kind::none) {
    parts.push_back("mlp.skip=off");
    parts.push_back(config.blocks[0].mlp.activation == Activation::relu ? "mlp.activation=silu"
                                                                        : "mlp.activation=relu");
  }
  if (config.blocks[0].order != NormOrder::post && !config.blocks[0].shared_norm)
    parts.push_back("order=post");
  if (config.blocks[0].attention.n_kv_heads > 1) parts.push_back("attn.kv_heads=1");
  const Site last = plain_->records().back().site;
  for (const std::string& part : parts) {
    const TracePointer now = run({edit((block + part).c_str())});
    ASSERT_TRUE(now) << part;
    EXPECT_GT(max_abs_difference(must_tensor(*plain_, last), must_tensor(*now, last)), 0) << part;
    for (const Record& record : now->records()) {  // and every number is explained by the new parts
      std::vector<std::int64_t> index(record.shape.size(), 0);
      const auto why = explain(*now, record.site, index);
      ASSERT_TRUE(why) << to_text(record.site);
      EXPECT_LE(std::fabs(why->result - why->recorded), 1e-4 * std::max(1.0, std::fabs(why->recorded)))
          << part << " at " << to_text(record.site);
    }
  }
}

TEST_P(Edited, the_way_back_is_what_is_measured) {
  const ModelConfig& config = plain_->config();
  if (!config.head.present) GTEST_SKIP() << "nothing to go back from";
  const std::string block = std::string(stack_prefix(config.stack)) + "blocks.";
  const std::string out = config.blocks[0].order == NormOrder::parallel ? "resid_post" : "resid_mid";
  LogitMeasure asked{LogitMeasure::Kind::logit_diff, 1, 2, -1, {}};
  const std::vector<std::vector<std::string>> cases{
      {"0.attn.z[head=1]*=0.5", "0.attn.out[pos=1]+=0.3"},
      {"1.attn.pattern[head=0,query=1,key=0]=0.5", "0.attn.scores[head=1]*=1.5"},
      {"1.attn.z[head=0]=mean", "1." + out + "[pos=0]=@pos:1"},
      {"*.attn.skip=off"},
      {"0.mlp.skip=off", "1.attn.scaling=off"},
      {"0.attn.pattern[head=1]=mean", "1.attn.scores[head=0,query=0]=@pos:1"},
      {"1.attn.scaled[query=1]=mean", "0.attn.pattern[head=0,query=0]+=@pos:1"},
      {"../logits[pos=0]=mean", "../logits[pos=0]+=@pos:0"},
      {"1.attn.z[head=0]*=mean", "1." + out + "[pos=0]*=@pos:1", "0.attn.out*=@pos:0", "0.attn.out+=mean"},
      {"../logits*=mean", "../logits[pos=0,vocab=1]+=0.5", "../logits[pos=0,vocab=1-9]*=@pos:0"},
      {"0.ln1.scale[pos=0]=@pos:1", "1.ln1.scale[pos=1]*=mean"}};
  std::mt19937 random(7);
  for (const auto& texts : cases) {
    Edits edits;
    for (const std::string& text : texts) {
      const bool outside = text.starts_with("../");  // of no block
      edits.push_back(
          edit((outside ? std::string(stack_prefix(config.stack)) + text.substr(3) : block + text).c_str()));
    }
    const TracePointer trace = run(edits);
    ASSERT_TRUE(trace) << texts.front();
    const auto gradients = backward(trace, {{}, 0, 0, asked});
    ASSERT_TRUE(gradients) << texts.front() << ": " << gradients.error().text();
    EXPECT_NEAR((*gradients)->value(), *measured(asked, *trace), 1e-6);
    int tried = 0;
    for (const Record& record : (*gradients)->records()) {
      if (record.site.slot == Slot::logits || record.site.slot == Slot::patches || random() % 3 != 0)
        continue;
      std::vector<std::int64_t> index;
      for (const std::int64_t size : record.shape)
        index.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(size)));
      if (record.site.slot == Slot::masked && std::isinf(trace->cell(record.site, index))) continue;
      const auto check = check_cell(**gradients, record.site, index);
      ASSERT_TRUE(check) << to_text(record.site) << ": " << check.error().text();
      EXPECT_NEAR(check->analytic, check->measured,
                  3 * check->uncertainty + 5e-3 * std::fabs(check->analytic) + 1e-6)
          << texts.front() << " at " << to_text(record.site);
      ++tried;
    }
    EXPECT_GT(tried, 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Edited, ::testing::ValuesIn(kFamilies),
                         [](const auto& model) { return std::string(model.param); });

TEST(EditedInputs, a_changed_token_or_row_is_computed_and_nothing_else) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  const TracePointer base = must_run(*opened.model, {.ids = {5, 3, 8, 1, 9, 2}});
  RunOptions options;
  options.base = base;
  for (const auto& [ids, rows] : {std::pair(std::vector<int>{5, 3, 8, 1, 9, 7}, 1),
                                  {{5, 3, 8, 1, 9, 2, 4, 4}, 2},
                                  {{5, 3, 6, 1, 9, 2}, 4},
                                  {{5, 3, 8}, 0}}) {
    const Cone cone = *opened.model->cone({.ids = ids}, options);
    EXPECT_EQ(cone.block_rows(), rows * opened.model->config().n_layers());
    const TracePointer full = must_run(*opened.model, {.ids = ids}),
                       partial = must_run(*opened.model, {.ids = ids}, options);
    for (const Record& record : full->records())
      EXPECT_EQ(max_abs_difference(must_tensor(*full, record.site), must_tensor(*partial, record.site)), 0)
          << to_text(record.site);
  }
  const OpenedModel other = must_open(model_path("llama"));
  EXPECT_EQ(other.model->cone({.ids = {5, 3, 8, 1, 9, 2}}, options)->block_rows(),
            6 * other.model->config().n_layers())
      << "another model's run is no base";
}

TEST(EditedInputs, an_edit_in_the_last_block_computes_its_cone) {
  const OpenedModel opened = must_open(model_path("llama"));
  const Input input{.ids = {5, 3, 8, 1, 9, 2}};
  RunOptions options;
  options.base = must_run(*opened.model, input);
  const auto rows = [&](const char* text) {
    options.edits = {edit(text)};
    return opened.model->cone(input, options)->block_rows();
  };
  const int layers = opened.model->config().n_layers();
  EXPECT_EQ(rows("blocks.0.attn.z[head=1]=0"), 6 * layers);
  EXPECT_EQ(rows("blocks.1.attn.z[head=1,pos=4]=0"), 2 * (layers - 1));
  EXPECT_EQ(rows("ln_final.out[pos=2]=0"), 0);
  EXPECT_EQ(rows("logits[pos=5]=0"), 0);
  EXPECT_EQ(rows("blocks.1.mlp.out[pos=3]=mean"), 6 * (layers - 1)) << "the mean reads every row";
}

}  // namespace
}  // namespace attnscope
