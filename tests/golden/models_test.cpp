// Every tensor that the reference implementation exposes, against ours, for each family; greedy
// continuations; and the KV cache against running everything at once.
#include <algorithm>
#include <optional>
#include <set>

#include "core/sample/sampler.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr double kTolerance = 1e-4;

// One of our tensors, which holds columns [begin, begin + width) of the reference's (all when width is 0).
struct Match {
  std::string site;
  std::int64_t begin = 0, width = 0;
};

std::string block(const std::string& layer, const std::string& step) {
  return "blocks." + layer + "." + step;
}

// Names inside a block, after "h.N." or "layers.N.".
std::vector<Match> inside_block(const ModelConfig& config, const std::string& layer, const std::string& name,
                                bool input) {
  const std::int64_t d = config.d_model;
  if (input) return {{block(layer, "attn.concat")}};
  if (name == "attn.c_attn")
    return {
        {block(layer, "attn.q"), 0, d}, {block(layer, "attn.k"), d, d}, {block(layer, "attn.v"), 2 * d, d}};
  static const std::map<std::string, std::string> kNames{{"ln_1", "ln1.out"},
                                                         {"ln_2", "ln2.out"},
                                                         {"attn.c_proj", "attn.out"},
                                                         {"mlp.c_fc", "mlp.pre"},
                                                         {"mlp.act", "mlp.post"},
                                                         {"mlp.c_proj", "mlp.out"},
                                                         {"input_layernorm", "ln1.out"},
                                                         {"post_attention_layernorm", "ln2.out"},
                                                         {"self_attn.q_proj", "attn.q"},
                                                         {"self_attn.k_proj", "attn.k"},
                                                         {"self_attn.v_proj", "attn.v"},
                                                         {"self_attn.o_proj", "attn.out"},
                                                         {"mlp.gate_proj", "mlp.gate"},
                                                         {"mlp.up_proj", "mlp.up"},
                                                         {"mlp.act_fn", "mlp.act"},
                                                         {"mlp.down_proj", "mlp.out"}};
  const auto at = kNames.find(name);
  return at == kNames.end() ? std::vector<Match>{} : std::vector<Match>{{block(layer, at->second)}};
}

std::vector<Match> matches_of(const ModelConfig& config, const std::string& name) {
  if (name == "logits" || name == "out:lm_head") return {{"logits"}};
  if (name == "out:transformer.wte" || name == "out:model.embed_tokens") return {{"tok_embed"}};
  if (name == "out:transformer.wpe") return {{"pos_embed"}};
  if (name == "out:transformer.drop") return {{"embed"}};
  if (name == "out:transformer.ln_f" || name == "out:model.norm") return {{"ln_final.out"}};
  if (starts_with(name, "attentions.")) return {{block(name.substr(11), "attn.pattern")}};
  if (starts_with(name, "hidden_states.")) {
    const int layer = std::stoi(name.substr(14));
    return {{layer < config.n_layers() ? block(std::to_string(layer), "resid_pre") : "ln_final.out"}};
  }
  for (const std::string prefix :
       {"out:transformer.h.", "in:transformer.h.", "out:model.layers.", "in:model.layers."}) {
    if (!starts_with(name, prefix)) continue;
    const std::size_t dot = name.find('.', prefix.size());
    return inside_block(config, name.substr(prefix.size(), dot - prefix.size()), name.substr(dot + 1),
                        prefix[0] == 'i');
  }
  return {};
}

// Inputs, the answer of generation, and dropouts, which repeat what stands before them (no dropout when
// evaluated).
bool skipped(const std::string& name) {
  static const std::set<std::string> kNames{"input_ids", "attention_mask", "greedy"};
  return kNames.contains(name) || ends_with(name, "resid_dropout") || ends_with(name, "mlp.dropout");
}

// Largest difference over the real rows of one sequence; expected is [batch, (head,) row, col].
double worst_gap(const Tensor& expected, std::int64_t sequence, const Tensor& found, const Match& match,
                 std::int64_t real) {
  const Tensor mine = expected.select(0, expected.size(0) == 1 ? 0 : sequence);
  const bool heads = mine.rank() == 3;
  double worst = 0;
  for (std::int64_t head = 0; head < (heads ? mine.size(0) : 1); ++head) {
    const Tensor a = heads ? mine.select(0, head) : mine, b = heads ? found.select(0, head) : found;
    if (b.size(1) != (match.width ? match.width : a.size(1)) || b.size(0) != a.size(0)) return INFINITY;
    for (std::int64_t row = 0; row < real; ++row)
      for (std::int64_t col = 0; col < b.size(1); ++col)
        worst = std::max(worst, gap(a.at(row, match.begin + col), b.at(row, col)));
  }
  return worst;
}

// out:model.rotary_emb holds cos(pos * frequency), both halves alike.
double rotary_gap(const ModelConfig& config, const Tensor& expected) {
  const auto frequencies = rope_frequencies(config.position.rope, config.blocks[0].attention.d_head);
  const std::int64_t half = static_cast<std::int64_t>(frequencies.size());
  double worst = expected.size(2) == 2 * half ? 0 : INFINITY;
  for (std::int64_t pos = 0; pos < expected.size(1); ++pos)
    for (std::int64_t i = 0; i < expected.size(2); ++i) {
      const double angle = static_cast<double>(pos) * frequencies[static_cast<std::size_t>(i % half)];
      worst = std::max(worst, gap(expected.at(0, pos, i), std::cos(angle)));
    }
  return worst;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, every_exposed_step_agrees) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  ASSERT_TRUE(opened.model);
  const Fixture reference = fixture(GetParam());
  std::vector<std::string> compared, forgotten;
  for (std::size_t sequence = 0; sequence < 2; ++sequence) {
    const TracePointer trace = must_run(*opened.model, {reference.ids[sequence], {}});
    ASSERT_TRUE(trace);
    for (const TensorInfo& info : reference.expected->infos()) {
      if (skipped(info.name)) continue;
      double worst = 0;
      const auto matches = matches_of(opened.model->config(), info.name);
      const bool rotary = info.name == "out:model.rotary_emb";
      if (rotary) worst = rotary_gap(opened.model->config(), reference.tensor(info.name));
      for (const Match& match : matches)
        worst = std::max(worst, worst_gap(reference.tensor(info.name), static_cast<std::int64_t>(sequence),
                                          must_tensor(*trace, match.site), match, reference.real[sequence]));
      EXPECT_LE(worst, kTolerance) << info.name << " of sequence " << sequence;
      (matches.empty() && !rotary ? forgotten : compared).push_back(info.name);
    }
  }
  EXPECT_TRUE(forgotten.empty()) << "neither compared nor skipped: " << join(forgotten, ", ");
  EXPECT_GE(compared.size(), 2u * 27);
  std::sort(compared.begin(), compared.end());
  compared.erase(std::unique(compared.begin(), compared.end()), compared.end());
  std::printf("%s: %zu tensors compared: %s\n", GetParam().c_str(), compared.size(),
              join(compared, " ").c_str());
}

TEST_P(Golden, greedy_continuation_agrees) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture reference = fixture(GetParam());
  const auto greedy = *reference.expected->load_ints("greedy");
  const std::size_t prompt = reference.ids[0].size();
  const std::vector<int> expected(greedy.begin() + static_cast<std::ptrdiff_t>(prompt), greedy.end());
  const auto made =
      generate(*opened.model, reference.ids[0], static_cast<int>(expected.size()), {0.f, 0, 1.f, 0});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->ids, expected);
}

// 1e-5 is meant absolutely for what people read off (norms, patterns, logits, probabilities). Raw scores and
// the residual stream of these models go up to 30, where float32 itself rounds by 2e-6: there it is meant for
// numbers of size one.
double scale_of(Slot slot, double largest) {
  const bool absolute = slot == Slot::logits || slot == Slot::probs || slot == Slot::pattern ||
                        slot == Slot::ln1_out || slot == Slot::ln2_out || slot == Slot::ln_final_out;
  return absolute ? 1.0 : std::max(1.0, largest);
}

// Row `row` of a step of the whole run against row `row - first` of a cached part of it, every step with
// rows.
void expect_rows_equal(const Trace& whole, const Trace& part) {
  for (const Record& record : part.records()) {
    const Record* full = whole.find(record.site);
    ASSERT_NE(full, nullptr);
    const bool heads = record.axes[0] == Axis::head;
    const int rows_axis = record.axes.size() == 3 && heads ? 1 : 0;
    const std::int64_t rows = record.shape[static_cast<std::size_t>(rows_axis)];
    ASSERT_EQ(rows, part.length) << to_text(record.site);
    const Tensor a = must_tensor(part, record.site);
    Tensor b = must_tensor(whole, record.site).slice(rows_axis, part.first_pos, part.first_pos + rows);
    const int last = a.rank() - 1;
    const std::int64_t columns = a.size(last);
    for (std::int64_t beyond = columns; beyond < b.size(last); ++beyond) {  // keys that did not exist yet
      if (record.site.slot != Slot::pattern) continue;
      for (std::int64_t head = 0; head < b.size(0); ++head)
        for (std::int64_t row = 0; row < rows; ++row) EXPECT_EQ(b.at(head, row, beyond), 0.f);
    }
    const double largest = std::max(std::fabs(stats(a).max), std::fabs(stats(a).min));
    EXPECT_LE(max_abs_difference(a, b.slice(last, 0, columns)), 1e-5 * scale_of(record.site.slot, largest))
        << to_text(record.site) << " at " << part.first_pos;
  }
}

TEST_P(Golden, cached_steps_equal_uncached_ones) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const std::vector<int> ids = fixture(GetParam()).ids[0];
  const TracePointer whole = must_run(*opened.model, {ids, {}});
  for (const std::size_t prefill : {std::size_t{1}, std::size_t{4}, ids.size()}) {
    KvCache cache(opened.model->config().n_layers());
    std::vector<int> part(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(prefill));
    for (std::size_t done = prefill;; ++done) {
      const TracePointer trace = must_run(*opened.model, {part, {}}, {}, &cache);
      ASSERT_TRUE(trace);
      expect_rows_equal(*whole, *trace);
      if (done >= ids.size()) break;
      part = {ids[done]};
    }
    EXPECT_EQ(cache.length(), static_cast<std::int64_t>(ids.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace attnscope
