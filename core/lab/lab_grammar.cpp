// Does a head know grammar? Words that belong together in a trained model's own held-out texts: how often
// each head's largest weight finds the other word, and how often the best single distance does.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/lab/relation_run.h"

namespace attnscope {
namespace {

// With one digit everywhere: of 200 texts one is half a percent.
Text grammar_share(double share) { return Text::of("number.percent", {format("%.1f", 100 * share)}); }

constexpr int kGrammarTexts = 200, kFewestGrammarTexts = 20, kMostGrammarTexts = 400;

/// A model and the stack whose heads are looked at.
struct GrammarModel {
  const char *key, *name;
  Stack stack;
};
constexpr GrammarModel kGrammarModels[] = {
    {"lab.grammar.model.storyteller", "storyteller", Stack::single},
    {"lab.grammar.model.storyteller-deep", "storyteller-deep", Stack::single},
    {"lab.grammar.model.storyteller-llama", "storyteller-llama", Stack::single},
    {"lab.grammar.model.gap-filler", "gap-filler", Stack::single},
    {"lab.grammar.model.translator-reads", "translator", Stack::enc},
    {"lab.grammar.model.translator-writes", "translator", Stack::dec}};
constexpr const char* kGrammarRelations[] = {"subject", "verb",      "object", "predicate",
                                             "pronoun", "adjective", "again"};

std::string grammar_relation_key(const std::string& relation) { return "lab.grammar.relation." + relation; }
Text grammar_relation(const std::string& relation) { return Text::of(grammar_relation_key(relation)); }
Text grammar_head(const RelationHead& head) {
  return Text::of("lab.grammar.head", {head.pattern.layer, head.head});
}
// "one back", "3 on".
Text grammar_distance(std::int64_t offset) {
  return Text::of(offset < 0 ? "lab.grammar.back" : "lab.grammar.ahead", {std::abs(offset)});
}

LabBars grammar_bars(const RelationScore& score) {
  LabBars out;
  out.title = Text::of("lab.grammar.found", {grammar_relation(score.relation), score.count});
  out.most = 1;
  out.bars.push_back({Text::of("lab.grammar.always", {grammar_distance(score.offset)}), score.fixed,
                      grammar_share(score.fixed), LabInk::dim});
  for (const RelationHead& head : score.heads)
    out.bars.push_back({grammar_head(head), head.accuracy, grammar_share(head.accuracy),
                        &head == score.best() ? LabInk::amber : LabInk::blue});
  return out;
}

// The relations that the texts of a model do have: the best distance and the best head of each.
LabBars grammar_others(const RelationRun& of, Stack stack) {
  LabBars out;
  out.title = Text::of("lab.grammar.others");
  out.most = 1;
  for (const RelationScore& score : of.scores) {
    const RelationHead* head = score.best();
    if (score.stack != stack || !head) continue;
    const Text distance = Text::of("lab.grammar.always", {grammar_distance(score.offset)});
    const auto add = [&](const Text& by, double share, LabInk ink) {
      out.bars.push_back({Text::of("lab.grammar.by", {grammar_relation(score.relation), by}), share,
                          grammar_share(share), ink});
    };
    add(distance, score.fixed, LabInk::dim);
    add(grammar_head(*head), head->accuracy, LabInk::blue);
  }
  return out;
}

// Where every head looks from one word of a text -> [head, key]. `marked`: the key that is right.
LabMatrix grammar_looks(const RelationRun& of, const RelationScore& score, const RelatedWords& words,
                        const WordRelation& relation, const Trace& trace) {
  const std::int64_t keys = trace.rows(relation.stack), heads = std::ssize(score.heads);
  Buffer rows({{Axis::head, heads}, {Axis::key, keys}});
  LabMatrix out;
  for (std::int64_t at = 0; at < heads; ++at) {
    const RelationHead& head = score.heads[static_cast<std::size_t>(at)];
    const Range query{relation.from, relation.from + 1};
    const Tensor row = trace.slice(head.pattern, head.head, query, {0, keys});  // [1, key]
    Site mask = head.pattern;
    mask = mask.near(StepRole::mask);
    const Tensor open = trace.slice(mask, 0, query, {0, keys});
    for (std::int64_t key = 0; key < keys; ++key)
      rows.data()[at * keys + key] = open.empty() || open.at(0, key) > 0 ? row.at(0, key) : -INFINITY;
    out.row_labels.push_back(grammar_head(head));
  }
  out.values = std::move(rows).freeze();
  out.col_labels = words_of(*of.opened, relation.stack == Stack::enc ? words.input.source : words.input.ids);
  const auto label = [&](std::int64_t row) { return out.col_labels[static_cast<std::size_t>(row)]; };
  out.title = Text::of("lab.grammar.looks", {label(relation.from), label(relation.to)});
  out.scale = LabMatrix::Scale::share;
  return out;
}

LabTable grammar_table(const RelationRun& of, Stack stack, const RelationScore* lit) {
  LabTable out;
  out.header = {Text(),
                Text::of("lab.grammar.count"),
                Text::of("lab.grammar.distance"),
                Text::of("lab.grammar.fixed"),
                Text::of("lab.grammar.best"),
                Text::of("lab.grammar.accuracy")};
  for (const RelationScore& score : of.scores) {
    const RelationHead* head = score.best();
    if (score.stack != stack || !head) continue;
    if (&score == lit) out.lit = static_cast<int>(out.rows.size());
    out.rows.push_back(fact(grammar_relation(score.relation),
                            {score.count, grammar_distance(score.offset), grammar_share(score.fixed),
                             grammar_head(*head), grammar_share(head->accuracy)}));
  }
  return out;
}

Text grammar_notice(const RelationScore& score) {
  const RelationHead& head = *score.best();
  const char* key = !score.can_tell() ? "lab.grammar.notice.fixed"
                    : score.found()   ? "lab.grammar.notice.found"
                                      : "lab.grammar.notice.none";
  return Text::of(key, {grammar_head(head), grammar_share(head.accuracy), grammar_distance(score.offset),
                        grammar_share(score.fixed), grammar_relation(score.relation)});
}

// The first text from number `from` on that has the relation; nothing within one round.
std::optional<std::pair<RelatedWords, WordRelation>> grammar_text(const RelationRun& of, std::int64_t from,
                                                                  const RelationScore& score) {
  for (std::int64_t number = from; number < from + kMostGrammarTexts; ++number) {
    RelatedWords words = *of.task->related(0, number);
    for (const WordRelation& relation : words.relations)
      if (relation.name == score.relation && relation.stack == score.stack)
        return std::pair{std::move(words), relation};
  }
  return std::nullopt;
}

Result<LabPicture> compute_grammar(const LabValues& values, const std::atomic<bool>& cancel) {
  const GrammarQuestion asked = grammar_question(values);
  TRY(const std::shared_ptr<const RelationRun> run, relation_run(asked.model, asked.texts, cancel));
  const RelationScore* score = run->find(asked.relation, asked.stack);
  LabPicture out;
  if (!score) {
    out.pieces = {{grammar_others(*run, asked.stack), 1, true, 1.3f},
                  in_full({grammar_table(*run, asked.stack, nullptr), 1.3f})};
    out.formula = Text::of("lab.grammar.formula.none");
    out.notice = Text::of("lab.grammar.notice.absent", {grammar_relation(asked.relation)});
    return out;
  }
  const RelationHead& best = *score->best();
  out.pieces = {{grammar_bars(*score), 1, true, 1.3f},
                in_full({grammar_table(*run, asked.stack, score), 1.3f})};
  if (const auto text = grammar_text(*run, values.whole("text"), *score)) {
    const auto& [words, one] = *text;
    TRY(const auto trace, run->opened->model->run(words.input));
    out.pieces.push_back(in_full({grammar_looks(*run, *score, words, one, *trace), 1, true, 1.1f}));
  }
  const auto count = static_cast<double>(score->count);
  out.formula = Text::of("lab.grammar.formula",
                         {std::llround(best.accuracy * count), score->count, grammar_share(best.accuracy),
                          std::llround(score->fixed * count), grammar_share(score->fixed)});
  out.notice = grammar_notice(*score);
  return out;
}

}  // namespace

GrammarQuestion grammar_question(const LabValues& values) {
  const GrammarModel& model = kGrammarModels[values.choice("model")];
  return {model.name, model.stack, kGrammarRelations[values.choice("relation")],
          static_cast<int>(values.whole("texts"))};
}

Lab lab_grammar();
Lab lab_grammar() {
  std::vector<std::string> models, relations;
  for (const GrammarModel& model : kGrammarModels) models.emplace_back(model.key);
  for (const char* relation : kGrammarRelations) relations.push_back(grammar_relation_key(relation));
  return {"lab.grammar",
          23,
          {choice_control("lab.grammar.model", models), choice_control("lab.grammar.relation", relations, 5),
           whole_control("lab.grammar.text", 0, kMostGrammarTexts - 1, 0),
           whole_control("lab.grammar.texts", kFewestGrammarTexts, kMostGrammarTexts, kGrammarTexts)},
          compute_grammar,
          {},
          {"relation", 0}};
}

}  // namespace attnscope
