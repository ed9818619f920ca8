// One sentence through an encoder, a decoder and an encoder-decoder: three trained models read one text.
// Shown are their attention weights, how many pairs their masks leave open, and their outputs.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/sample/sampler.h"

namespace attnscope {
namespace {

// Its words and its shape stand in what all three models were trained for: all that is shown of it is right.
constexpr const char* kLabSentence = "The girl helped the horse";
constexpr int kMostAnswer = 24;
enum class Look : std::uint8_t { telling, mean };
enum class SeenWord : std::uint8_t { cross, encoder, decoder };

/// A model that has read the sentence, and where its attention is looked at.
struct Reader {
  std::shared_ptr<const OpenedModel> opened;
  std::shared_ptr<const Trace> trace;
  Site pattern;
  int head = 0;
  std::vector<Text> rows, cols;
  std::string question, answer;  ///< the masked word; the model's output
  double share = 0;              ///< the answer's probability
  int words = 0, found = 0;      ///< words that were masked in turn; how many of them it predicts
  std::string unknown;           ///< words that its vocabulary lacks
};

/// The most likely token of a row.
void take_answer(Reader& reader, std::int64_t row) {
  const Tensor logits = reader.trace->logits_row(row);
  if (logits.empty()) return;
  const NextToken best = next_tokens(logits, {}).front();
  reader.answer = token_label(*reader.opened, best.id);
  reader.share = static_cast<double>(best.prob);
}

// The words of the sentence that the vocabulary lacks.
std::string unknown_words(const OpenedModel& opened, const std::string& sentence) {
  std::vector<std::string> out;
  for (const std::string& word : split(sentence, ' ')) {
    if (word.empty()) continue;
    const auto encoding = opened.tokenizer->encode(word, false);
    const auto lacks = [&](const Token& token) {
      const std::string spelling = opened.tokenizer->token_text(token.id);
      return spelling == "<unk>" || spelling == "[UNK]";
    };
    if (encoding && std::any_of(encoding->tokens.begin(), encoding->tokens.end(), lacks)) out.push_back(word);
  }
  return join(out, " ");
}

Result<Reader> reader_of(const std::string& name, const std::string& sentence) {
  Reader out;
  TRY(out.opened, shipped_model(name));
  out.unknown = unknown_words(*out.opened, sentence);
  const auto& card = out.opened->card;
  out.head = card ? std::max(0, card->head) : 0;
  const int last = out.opened->model->config().n_layers() - 1;
  out.pattern = site_of(StepRole::pattern, card && card->layer >= 0 ? card->layer : last,
                        out.opened->model->config().stack);
  return out;
}

// Each word covered in turn; the run that is shown is the one that is surest of what stood there.
Result<Reader> fills_gaps(const std::string& sentence, const std::atomic<bool>& cancel) {
  TRY(Reader out, reader_of("gap-filler", sentence));
  TRY(const Input whole, text_input(*out.opened, sentence));
  const auto mask = out.opened->tokenizer->find("[MASK]");
  Input shown = whole;
  TRY(out.trace, out.opened->model->run(whole));
  double surest = -1;
  for (std::size_t at = 0; at < whole.ids.size() && mask; ++at) {
    const std::string word = token_label(*out.opened, whole.ids[at]);
    if (word.empty() || !std::isalpha(static_cast<unsigned char>(word.front()))) continue;
    TRY_OK(go_on(cancel));
    Input covered = whole;
    covered.ids[at] = *mask;
    TRY(const auto trace, out.opened->model->run(covered));
    const auto row = static_cast<std::int64_t>(at);
    const Tensor chances =
        trace->slice(trace->main(StepRole::probs), 0, {row, row + 1}, {0, trace->config().outputs()});
    const auto values = chances.values();
    const auto best = std::max_element(values.begin(), values.end()) - values.begin();
    ++out.words;
    out.found += best == whole.ids[at];
    const double found = best == whole.ids[at] ? 1 : 0;  // before all that are not
    const auto own = static_cast<double>(values.at(static_cast<std::size_t>(whole.ids[at]))) + found;
    if (own <= surest) continue;
    surest = own, shown = covered, out.trace = trace, out.question = word;
    take_answer(out, row);
  }
  out.rows = out.cols = words_of(*out.opened, shown.ids);
  return out;
}

Result<Reader> goes_on(const std::string& sentence) {
  TRY(Reader out, reader_of("storyteller", sentence));
  TRY(const Input input, text_input(*out.opened, sentence));
  TRY(out.trace, out.opened->model->run(input));
  out.rows = out.cols = words_of(*out.opened, input.ids);
  take_answer(out, out.trace->length - 1);
  return out;
}

Result<Reader> translates(const std::string& sentence, SeenWord seen, const std::atomic<bool>& cancel) {
  TRY(Reader out, reader_of("translator", sentence));
  const Model& model = *out.opened->model;
  TRY(const Input read, text_input(*out.opened, sentence));
  Input input;
  input.source = read.ids;
  input = model.completed(input);
  RunOptions options;
  options.cancel = &cancel;
  Sampling greedy;
  greedy.temperature = 0;
  TRY(Generated made, generate(model, input, kMostAnswer, greedy, options));
  if (made.reached_end) made.ids.pop_back();
  out.answer = out.opened->tokenizer->decode(made.ids);
  input.ids.insert(input.ids.end(), made.ids.begin(), made.ids.end());
  TRY(out.trace, model.run(input));
  const int layer = out.pattern.layer;
  if (seen == SeenWord::cross) out.pattern = cross_site(StepRole::pattern, layer, model.config().stack);
  if (seen == SeenWord::encoder) out.pattern = site_of(StepRole::pattern, layer, Stack::enc);
  const std::vector<Text> source = words_of(*out.opened, input.source),
                          target = words_of(*out.opened, out.trace->ids);
  out.rows = seen == SeenWord::encoder ? source : target;
  out.cols = seen == SeenWord::decoder ? target : source;
  return out;
}

/// 1 where the query may look at the key -> [query, key].
Tensor open_pairs(const Reader& reader, const Site& pattern, std::int64_t queries, std::int64_t keys) {
  Site mask = pattern;
  mask = mask.near(StepRole::mask);
  return reader.trace->slice(mask, 0, {0, queries}, {0, keys});
}

std::int64_t count_open(const Reader& reader, const Site& pattern, std::int64_t queries, std::int64_t keys) {
  const Tensor open = open_pairs(reader, pattern, queries, keys);
  std::int64_t count = 0;
  for (const float one : open.values()) count += one != 0.f;
  return open.empty() ? queries * keys : count;
}

LabMatrix lab_sentence_weights_of(const Reader& reader, Look look, const char* title,
                                  const std::string& name) {
  const auto queries = static_cast<std::int64_t>(reader.rows.size()),
             keys = static_cast<std::int64_t>(reader.cols.size());
  const int heads = reader.trace->config().attention_at(reader.pattern).n_heads;
  const int first = look == Look::mean ? 0 : reader.head, end = look == Look::mean ? heads : reader.head + 1;
  const Tensor open = open_pairs(reader, reader.pattern, queries, keys);
  Buffer sum({{Axis::query, queries}, {Axis::key, keys}});
  std::fill_n(sum.data(), queries * keys, 0.f);
  for (int head = first; head < end; ++head) {
    const Tensor plane = reader.trace->slice(reader.pattern, head, {0, queries}, {0, keys});
    for (std::int64_t at = 0; at < queries * keys; ++at)
      sum.data()[at] += plane.at(at / keys, at % keys) / static_cast<float>(end - first);
  }
  for (std::int64_t at = 0; at < queries * keys && !open.empty(); ++at)
    if (open.at(at / keys, at % keys) == 0.f) sum.data()[at] = -INFINITY;
  LabMatrix out;
  out.title = Text::of(title, {Text::of("shipped." + name)});
  out.rows = Text::of("lab.sentence.query");
  out.cols = Text::of("lab.sentence.key");
  out.values = std::move(sum).freeze();
  out.row_labels = reader.rows;
  out.col_labels = reader.cols;
  out.scale = LabMatrix::Scale::share;
  return out;
}

Text said(const Reader& reader) {
  if (reader.answer.empty()) return "–";
  return Text::of("lab.sentence.said", {reader.answer, shown_share(reader.share)});
}

std::vector<Text> row_of(const char* name, const Reader& reader, Text tokens, std::int64_t pairs, Text asked,
                         Text answer) {
  return fact(Text::of(name), {std::move(tokens), pairs, std::move(asked), std::move(answer),
                               reader.unknown.empty() ? Text("–") : Text(reader.unknown)});
}

Result<LabPicture> compute_sentence(const LabValues& values, const std::atomic<bool>& cancel) {
  const std::string& sentence = values.words("text");
  const auto look = static_cast<Look>(values.choice("look"));
  const auto seen = static_cast<SeenWord>(values.choice("part"));
  TRY(const Reader gap, fills_gaps(sentence, cancel));
  TRY_OK(go_on(cancel));
  TRY(const Reader next, goes_on(sentence));
  TRY_OK(go_on(cancel));
  TRY(const Reader other, translates(sentence, seen, cancel));
  const auto n = static_cast<std::int64_t>(gap.rows.size()), m = next.trace->length;
  const auto source = static_cast<std::int64_t>(other.trace->input.source.size()),
             target = other.trace->length;
  const Stack main = other.opened->model->config().stack;
  const int layer = other.pattern.layer;
  const std::int64_t pairs[] = {
      count_open(gap, gap.pattern, n, n), count_open(next, next.pattern, m, m),
      count_open(other, site_of(StepRole::pattern, layer, Stack::enc), source, source) +
          count_open(other, site_of(StepRole::pattern, layer, main), target, target) +
          count_open(other, cross_site(StepRole::pattern, layer, main), target, source)};
  constexpr const char* kParts[] = {"lab.sentence.both.cross", "lab.sentence.both.encoder",
                                    "lab.sentence.both.decoder"};
  LabTable table;
  table.header = {Text(),
                  Text::of("lab.sentence.tokens"),
                  Text::of("lab.sentence.pairs"),
                  Text::of("lab.sentence.asked"),
                  Text::of("lab.sentence.answer"),
                  Text::of("lab.sentence.unknown")};
  table.rows = {row_of("lab.families.family.encoder", gap, n, pairs[0],
                       Text::of("lab.sentence.asked.gap", {gap.question}), said(gap)),
                row_of("lab.families.family.decoder", next, m, pairs[1], Text::of("lab.sentence.asked.next"),
                       said(next)),
                row_of("lab.families.family.both", other, Text::of("lab.sentence.two", {source, target}),
                       pairs[2], Text::of("lab.sentence.asked.other"), other.answer)};
  LabPicture out;
  out.pieces = {
      {lab_sentence_weights_of(gap, look, "lab.sentence.encoder", "gap-filler"), 1, true, 2.f},
      {lab_sentence_weights_of(next, look, "lab.sentence.decoder", "storyteller"), 1},
      {lab_sentence_weights_of(other, look, kParts[static_cast<std::size_t>(seen)], "translator"), 1},
      {table, 1, true, 1}};
  out.formula = Text::of("lab.sentence.formula", {n, pairs[0], m, pairs[1], source * source,
                                                  target * (target + 1) / 2, source * target, pairs[2]});
  out.notice =
      Text::of(gap.words == 0   ? "lab.sentence.notice.none"
               : gap.found == 0 ? "lab.sentence.notice.missed"
                                : "lab.sentence.notice",
               {gap.found, gap.words, gap.question, next.answer, other.answer, shown_share(gap.share)});
  return out;
}

}  // namespace

Lab lab_sentence();
Lab lab_sentence() {
  return {"lab.sentence",
          20,
          {words_control("lab.sentence.text", kLabSentence),
           choice_control("lab.sentence.look", {"lab.sentence.look.head", "lab.sentence.look.mean"}),
           choice_control("lab.sentence.part", {"lab.sentence.part.cross", "lab.sentence.part.encoder",
                                                "lab.sentence.part.decoder"})},
          compute_sentence,
          {},
          {"look", 1, "text"}};
}

}  // namespace attnscope
