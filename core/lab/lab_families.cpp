// The three families of Transformers: the attention mask of each, their objectives, which models are of them,
// and the papers that introduced them.
#include <algorithm>

#include "core/lab/pieces.h"

namespace attnscope {
namespace {

enum LabFamily { encoder_only, decoder_only, both };

// 1 where the query (row) may look at the key.
LabMatrix mask(const char* title, std::int64_t queries, std::int64_t keys, bool causal, const char* rows,
               const char* cols) {
  Buffer values({{Axis::query, queries}, {Axis::key, keys}});
  for (std::int64_t query = 0; query < queries; ++query)
    for (std::int64_t key = 0; key < keys; ++key)
      values.data()[query * keys + key] = causal && key > query ? 0.f : 1.f;
  LabMatrix out;
  out.title = Text::of(title);
  out.rows = Text::of(rows);
  out.cols = Text::of(cols);
  out.values = std::move(values).freeze();
  out.scale = LabMatrix::Scale::share;
  out.digits = 0;
  return out;
}

LabTable families(int chosen) {
  LabTable out;
  out.title = Text::of("lab.families.table");
  out.header = {Text(), Text::of("lab.families.sees"), Text::of("lab.families.learns"),
                Text::of("lab.families.known"), Text::of("lab.families.here")};
  const auto row = [&](const char* name, const char* sees, const char* learns, const char* known,
                       const char* here) {
    out.rows.push_back(fact(Text::of(name), {Text::of(sees), Text::of(learns), known, here}));
  };
  row("lab.families.family.encoder", "lab.families.sees.all", "lab.families.learns.gap", "BERT, RoBERTa, ViT",
      "gap-filler");
  row("lab.families.family.decoder", "lab.families.sees.before", "lab.families.learns.next",
      "GPT, Llama, Gemma", "storyteller, induction, sorter, pilot");
  row("lab.families.family.both", "lab.families.sees.both", "lab.families.learns.other", "T5, BART, Marian",
      "translator");
  out.lit = chosen;
  return out;
}

LabTable papers() {
  LabTable out;
  out.title = Text::of("lab.families.papers");
  out.header = {Text(), Text::of("lab.families.paper"), Text::of("lab.families.year")};
  out.rows = {{"Transformer", "Vaswani et al., Attention Is All You Need", "2017"},
              {"BERT", "Devlin et al., Pre-training of Deep Bidirectional Transformers", "2018"},
              {"GPT-2", "Radford et al., Unsupervised Multitask Learners", "2019"},
              {"T5", "Raffel et al., Exploring the Limits of Transfer Learning", "2019"},
              {"GPT-3", "Brown et al., Language Models are Few-Shot Learners", "2020"},
              {"RoFormer", "Su et al., Enhanced Transformer with Rotary Position Embedding", "2021"},
              {"Chinchilla", "Hoffmann et al., Training Compute-Optimal Models", "2022"},
              {"Llama", "Touvron et al., Open and Efficient Foundation Language Models", "2023"}};
  return out;
}

Result<LabPicture> compute_families(const LabValues& values, const std::atomic<bool>&) {
  const int family = values.choice("family");
  const std::int64_t n = values.whole("n"), source = values.whole("source");
  const std::int64_t causal = n * (n + 1) / 2;
  LabPicture out;
  const auto show = [&](LabMatrix matrix, bool begins) -> LabPiece& {
    return out.pieces.emplace_back(LabPiece{std::move(matrix), 1, begins, 1.1f});
  };
  const char *query = "lab.families.query", *key = "lab.families.key";
  if (family != both) {  // the other one beside it: what the mask takes away, or leaves
    const bool causal_first = family == decoder_only;
    for (const bool hides : {causal_first, !causal_first}) {
      const bool chosen = hides == causal_first;
      const char* const title =
          hides    ? chosen ? "lab.families.mask.decoder.chosen" : "lab.families.mask.decoder.beside"
          : chosen ? "lab.families.mask.encoder_only.chosen"
                   : "lab.families.mask.encoder_only.beside";
      show(mask(title, n, n, hides, query, key), chosen).in_easy = !chosen;  // in full the papers stand there
    }
  }
  if (family == both) {
    show(mask("lab.families.mask.encoder", source, source, false, query, key), true);
    show(mask("lab.families.mask.causal", n, n, true, query, key), false);
    show(mask("lab.families.mask.cross", n, source, false, query, key), false);
  }
  if (family != both)
    out.pieces.push_back(in_full({papers(), 1.6f, false}));  // beside one mask there is room
  out.pieces.push_back({families(family), 1, true, 0.8f});
  if (family == both) out.pieces.push_back(in_full({papers(), 1, true, 1.3f}));
  const std::int64_t pairs = family == encoder_only   ? n * n
                             : family == decoder_only ? causal
                                                      : source * source + causal + n * source;
  constexpr const char* kFormulas[] = {"lab.families.formula.encoder", "lab.families.formula.decoder",
                                       "lab.families.formula.both"};
  constexpr const char* kNotices[] = {"lab.families.notice.encoder", "lab.families.notice.decoder",
                                      "lab.families.notice.both"};
  out.formula = Text::of(kFormulas[family], {n, source, pairs});
  out.notice = Text::of(kNotices[family], {n, source, pairs});
  return out;
}

}  // namespace

Lab lab_families();
Lab lab_families() {
  LabControl source = whole_control("lab.families.source", 3, 8, 6);
  source.with = "family", source.of = both;
  return {"lab.families",
          18,
          {choice_control(
               "lab.families.family",
               {"lab.families.family.encoder", "lab.families.family.decoder", "lab.families.family.both"},
               decoder_only),
           whole_control("lab.families.n", 3, 8, 5), source},
          compute_families,
          {"n", 8},
          {"family", both, "n"}};
}

}  // namespace attnscope
