// Weight tying: the Storyteller's embedding of a word is scaled, with
// the unembedding tied to it or on its own; and what the second table would cost in models of all sizes.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/model/measure.h"

namespace attnscope {
namespace {

constexpr const char* kLabTyingStory = "The cat sat on the mat because it was tired. So the";
constexpr const char* kLabTyingWords[] = {"cat", "mat", "dog", "the"};

struct Size {
  const char* name;
  std::int64_t vocab, width, total;  ///< total: all parameters of the published model
  bool tied;
};
// Published configurations.
constexpr Size kSizes[] = {{"Transformer-base (2017)", 37000, 512, 63045632, true},
                           {"GPT-2 small", 50257, 768, 124439808, true},
                           {"Gemma 2B", 256000, 2048, 2506172416, true},
                           {"Llama-2-7B", 32000, 4096, 6738415616, false}};

// The same model with the row of `token` in its table times `factor`; untied: in the unembedding alone.
Result<std::shared_ptr<const Model>> changed(const Model& model, int token, float factor, bool tied) {
  ModelConfig config = model.config();
  Weights weights = model.weights();
  const Tensor table = weights.get("tok_embed.weight").packed();  // [vocab, d_model]
  std::vector<float> by(static_cast<std::size_t>(table.size(0)), 1.f);
  by[static_cast<std::size_t>(token)] = factor;
  const Tensor other = table.scale_rows(by);
  config.head.tied = tied;
  if (tied) weights.set("tok_embed.weight", other);
  weights.set("logits.weight", other.transpose().rename({Axis::in, Axis::vocab}));
  return Model::make(std::move(config), std::move(weights));
}

int id_of(const OpenedModel& opened, const char* word) {
  const auto encoding = opened.tokenizer->encode(word, false);
  return encoding && !encoding->tokens.empty() ? encoding->tokens.front().id : 0;
}

LabBars logit_bars(const OpenedModel& opened, const Tensor& logits, int word, const char* title) {
  std::vector<int> order;
  for (int id = 0; id < static_cast<int>(logits.count()); ++id) order.push_back(id);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logits.at(a) > logits.at(b); });
  order.resize(7);
  if (std::find(order.begin(), order.end(), word) == order.end()) order.back() = word;
  const std::vector<double> logs = log_probabilities(logits);
  LabBars out;
  out.title = Text::of(title);
  out.most = 1;
  for (const int id : order) {
    const double p = std::exp(logs[static_cast<std::size_t>(id)]);
    out.bars.push_back({token_label(opened, id), p, shown(p, 3), id == word ? LabInk::amber : LabInk::blue});
  }
  return out;
}

LabTable size_table() {
  LabTable out;
  out.title = Text::of("lab.tying.sizes");
  out.header = {Text(),
                Text::of("lab.tying.vocab"),
                Text::of("lab.tying.width"),
                Text::of("lab.tying.table"),
                Text::of("lab.tying.share"),
                Text::of("lab.tying.tied_column")};
  for (const Size& size : kSizes)
    out.rows.push_back(
        {size.name, format_count(size.vocab), format_count(size.width), format_count(size.vocab * size.width),
         shown_share(static_cast<double>(size.vocab * size.width) / static_cast<double>(size.total)),
         Text::of(size.tied ? "lab.tying.yes" : "lab.tying.no")});
  return out;
}

Result<LabPicture> compute_tying(const LabValues& values, const std::atomic<bool>&) {
  const bool tied = values.on("tied");
  const double factor = values.number("factor");
  TRY(const std::shared_ptr<const OpenedModel> story, shipped_model("storyteller"));
  const int word = id_of(*story, kLabTyingWords[values.choice("word")]);
  TRY(const Input input, text_input(*story, kLabTyingStory));
  TRY(const std::shared_ptr<const Trace> before, story->model->run(input));
  TRY(const std::shared_ptr<const Model> model,
      changed(*story->model, word, static_cast<float>(factor), tied));
  TRY(const std::shared_ptr<const Trace> after, model->run(input));
  const std::int64_t row = before->length - 1;
  const Tensor was = before->logits_row(row), now = after->logits_row(row);
  const double moved = max_abs_difference(before->find(before->main(StepRole::stream, 0))->value(),
                                          after->find(after->main(StepRole::stream, 0))->value());
  double others = 0;
  for (std::int64_t id = 0; id < was.count(); ++id)
    if (id != word)
      others = std::max(others, std::fabs(static_cast<double>(was.at(id)) - static_cast<double>(now.at(id))));
  LabTable facts;
  facts.title = Text::of("lab.tying.facts", {token_label(*story, word)});
  facts.header = {Text(), Text::of("lab.tying.before"), Text::of("lab.tying.after")};
  facts.rows = {fact(Text::of("lab.tying.logit"),
                     {shown(static_cast<double>(was.at(word))), shown(static_cast<double>(now.at(word)))}),
                fact(Text::of("lab.tying.input"), {"–", shown(moved, 3)}),
                fact(Text::of("lab.tying.others"), {"–", shown(others, 3)})};
  LabPicture out;
  out.pieces = {{logit_bars(*story, was, word, "lab.tying.said_before"), 1, true, 1.3f},
                {logit_bars(*story, now, word, "lab.tying.said_after"), 1},
                in_full({facts, 1.2f}),
                in_full({size_table(), 1, true, 1})};
  const Text name = token_label(*story, word);
  out.formula = Text::of(tied ? "lab.tying.formula.tied" : "lab.tying.formula.own",
                         {name, shown(static_cast<double>(was.at(word))), shown(factor, 3),
                          shown(static_cast<double>(now.at(word)))});
  out.notice = Text::of(factor == 1 ? "lab.tying.notice.none"
                        : tied      ? moved > 0 ? "lab.tying.notice.tied" : "lab.tying.notice.unread"
                                    : "lab.tying.notice.own",
                        {name, shown(factor, 3), shown(moved, 3), shown(others, 3)});
  return out;
}

}  // namespace

Lab lab_tying();
Lab lab_tying() {
  return {"lab.tying",
          11,
          {choice_control("lab.tying.word", {"lab.tying.word.cat", "lab.tying.word.mat", "lab.tying.word.dog",
                                             "lab.tying.word.the"}),
           real_control("lab.tying.factor", 0, 3, 0.6), switch_control("lab.tying.tied", true)},
          compute_tying,
          {"factor", 3},
          {"factor", 0, "tied"}};
}

}  // namespace attnscope
