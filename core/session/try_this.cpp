#include "core/session/try_this.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/io/named.h"
#include "core/model/measure.h"
#include "core/session/request.h"
#include "core/session/session.h"
#include "core/step/place.h"
#include "core/trace/place_cells.h"
#include "core/train/arm_text.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostAnswers = 5;
constexpr double kMovedShare = 1e-3;  // one digit of the percents that are shown
constexpr double kSaidShare = 6e-4;   // how far a share may be from the one that the table says
constexpr Named<TryMove> kMoves[] = {{"turns", TryMove::turns},
                                     {"falls", TryMove::falls},
                                     {"rises", TryMove::rises},
                                     {"stays", TryMove::stays}};

Error broken_try(const std::string& name, const std::string& id, const std::string& field) {
  return fail(Code::bad_format, "error.session.try.field", {name, in_quotes(id), in_quotes(field)});
}

// "model:sorter" -> "sorter"; empty for what is not shipped.
std::string shipped_id(const std::string& path) {
  for (const std::string_view kind : {"model:", "scene:"})
    if (starts_with(path, kind)) return path.substr(kind.size());
  return {};
}

// "1.3": block 1, head 3. Everything else is a word as it is.
Text said_word(const std::string& word, const std::string& kind) {
  const std::size_t dot = word.find('.');
  const auto number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const bool of_head = kind == "head" || kind == "heads" || kind == "hide" || kind == "cell";
  if (!of_head || dot == std::string::npos) return word;
  const std::string block = word.substr(0, dot), head = word.substr(dot + 1);
  return number(block) && number(head) ? Text::of("try.at_head", {block, head}) : Text(word);
}

// A share as it is shown: in percent, a weight of attention with two digits.
Text said_share(double share, bool weight) {  // in the language of the moment when it is read
  return weight ? Text(format("%.2f", share)) : Text::of("number.percent", {format("%.1f", 100 * share)});
}

// An answer as it is said: a movement of the Pilot by what its token stands for; "token 3", where a row that
// is looked at has its number alone.
Text said_answer(const TryThis& thing, const std::string& word, bool gaze) {
  if (gaze && !word.empty() && word.find_first_not_of("0123456789") == std::string::npos)
    return Text::of("figure.token", {word});
  const std::optional<int> bin = action_bin(word);
  return bin ? arm_text(thing.action, *bin) : Text(word);
}

// One line: a sentence of its own where this thing has one, else that of its kind. After the answers and
// their shares come the words of the table.
Text sentence_of(const std::string& name, const std::string& kind, const std::vector<Text>& say,
                 const TryThis& thing) {
  const bool gaze = kind == "gaze";
  std::vector<Text> arguments{said_answer(thing, thing.before, gaze),
                              said_answer(thing, thing.after.front(), gaze),
                              join({thing.after.begin() + 1, thing.after.end()}, ", "),
                              said_share(thing.share_before, gaze), said_share(thing.share_after, gaze)};
  arguments.insert(arguments.end(), say.begin(), say.end());
  const std::string own = "try." + name + "." + thing.id;
  if (has_string(own)) return Text::of(own, arguments);
  return Text::of("try." + kind + "." + std::string(name_of_value(thing.move, kMoves)), arguments);
}

Result<TryThis> read_try(const Json& from, const std::string& name) {
  TryThis out;
  std::string field = "id";
  try {
    out.id = from.at("id").get<std::string>();
    const auto read = [&](const char* key) -> const Json& { return from.at(field = key); };
    for (const Json& token : from.value("tokens", Json::array()))
      out.tokens.push_back({token.at(field = "pos").get<std::size_t>(),
                            token.at(field = "from").get<std::string>(),
                            token.at(field = "word").get<std::string>(), token.value("enc", false)});
    field = "edits";
    out.edits = from.value("edits", out.edits);
    field = "masks";
    out.masks = from.value("masks", out.masks);
    out.view = read("view").get<std::string>();
    out.at = read("at").get<std::string>();
    field = "temperature";
    out.temperature = from.value("temperature", out.temperature);
    field = "row";
    out.row = from.value("row", out.row);
    out.action = from.value("action", out.action);
    out.before = read("before").get<std::string>();
    out.after = read("after").get<std::vector<std::string>>();
    const auto shares = read("shares").get<std::array<double, 2>>();
    out.share_before = shares[0], out.share_after = shares[1];
    const auto move = named_value(read("move"), kMoves);
    if (!move) return broken_try(name, out.id, field);
    out.move = *move;
    if (out.after.empty()) return broken_try(name, out.id, "after");
    if (out.tokens.empty() && out.edits.empty() && out.masks.empty() && !(out.temperature > 0))
      return broken_try(name, out.id, "edits");
    const auto kind = read("kind").get<std::string>();
    std::vector<Text> say;
    for (const Json& word : read("say")) say.push_back(said_word(word.get<std::string>(), kind));
    out.sentence = sentence_of(name, kind, say, out);
  } catch (const Json::exception&) {
    return broken_try(name, out.id, field);
  }
  TRY_OK(parse_cell(out.at));
  return out;
}

// The id of a token as it is shown.
Result<int> try_token(const OpenedModel& opened, const std::string& word, Stack of) {
  const ModelConfig& main = opened.model->config();
  const int count = of == Stack::enc ? main.encoder()->vocab_size : main.vocab_size;
  for (int id = 0; id < count; ++id)
    if (token_label(opened, id) == word) return id;
  return fail(Code::not_found, "error.session.measure.no_token", {in_quotes(word)});
}

Status change_token(Document& document, const TryThis::NewToken& token) {
  const Stack of = token.enc ? Stack::enc : Stack::single;
  const Input& input = document.sequences.front().input;
  const std::vector<int>& ids = token.enc ? input.source : input.ids;
  if (token.pos >= ids.size() || token_label(*document.opened, ids[token.pos]) != token.from)
    return fail(Code::not_found, "error.session.try.token", {token.pos, in_quotes(token.from)});
  TRY(const int id, try_token(*document.opened, token.word, of));
  return replace_token(document, 0, token.pos, id, of);
}

// The number that a cell holds before it is set; nothing where the edit covers several, or none that is
// finite.
std::optional<float> only_cell(const NumberEdit& edit, const Document& before, const Trace& run) {
  Result<Tensor> cell = fail(Code::not_found, "error.session.try.unreached", {to_text(edit.where)});
  if (edit.where.kind == Target::Kind::step) cell = run.tensor({edit.where.site, edit.where.at});
  if (edit.where.kind == Target::Kind::input && !before.sequences.empty()) {
    const AxisRange *pos = range_on(edit.where.at, "pos"), *dim = range_on(edit.where.at, "d_model");
    const Tensor& vectors = before.sequences.front().input.vectors;
    if (pos && dim && !vectors.empty() && pos->end <= vectors.size(0) && dim->end <= vectors.size(1))
      cell = vectors.slice(0, pos->begin, pos->end).slice(1, dim->begin, dim->end);
  }
  if (!cell || cell->count() != 1) return std::nullopt;
  const float value = cell->values().front();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// `share` of the way to an edit; as it is where there is no number between.
NumberEdit try_part(NumberEdit edit, float share, const Document& before, const Trace& run) {
  auto* value = std::get_if<float>(&edit.value);
  if (!value || !std::isfinite(*value)) return edit;
  if (edit.op == EditOp::add) {
    *value *= share;
  } else if (edit.op == EditOp::scale) {
    *value = 1 + (*value - 1) * share;
  } else if (*value == 0) {
    edit.op = EditOp::scale, *value = 1 - share;
  } else if (const auto from = only_cell(edit, before, run)) {
    *value = *from + (*value - *from) * share;
  }
  return edit;
}

using TryRun = std::shared_ptr<const Trace>;

Result<TryRun> run_try(const Document& document, TryRun base = {},
                       const std::atomic<bool>* cancel = nullptr) {
  RunOptions options;
  options.edits = edits_for(document.edits, 0);
  options.base = std::move(base), options.cancel = cancel;
  TRY(TryRun run, document.model->run(inputs_of(document).front(), options));
  if (run->unreached.empty()) return run;
  return fail(Code::not_found, "error.session.try.unreached", {to_text(*run->unreached.front())});
}

// The likeliest outputs of a row, or where nothing is said, its keys by their attention.
Result<std::vector<TryAnswer>> answers_of(const OpenedModel& opened, const Trace& run, const TryThis& thing,
                                          const Sampling& drawn) {
  std::vector<TryAnswer> out;
  const std::int64_t row = thing.row < 0 ? prediction_row(run) : thing.row;
  if (const Tensor logits = run.logits_row(row); !logits.empty()) {
    Sampling at;
    at.temperature = drawn.temperature;
    for (const NextToken& token : next_tokens(logits, thing.temperature > 0 ? at : Sampling{}))
      out.push_back({output_name(opened, token.id), static_cast<double>(token.prob)});
  } else {
    TRY(const Cell cell, parse_cell(thing.at));
    TRY(const Tensor weights, run.tensor(cell));
    for (std::int64_t key = 0; key < weights.size(0); ++key)
      out.push_back({row_label(opened, run, cell.site.stack, key), static_cast<double>(weights.at(key))});
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  }
  out.resize(std::min(out.size(), kMostAnswers));
  if (out.empty()) return fail(Code::not_found, "error.session.try.no_row", {row});
  return out;
}

// A share that moves by less than the digits that are shown does not move.
TryMove move_between(const TryAnswer& before, const TryAnswer& after) {
  const double by = after.share - before.share;
  if (before.word != after.word) return TryMove::turns;
  return by < -kMovedShare ? TryMove::falls : by > kMovedShare ? TryMove::rises : TryMove::stays;
}
bool moved_as(const TryThis& thing, const TryAnswer& before, const TryAnswer& after) {
  if (std::abs(before.share - thing.share_before) > kSaidShare) return false;
  if (std::abs(after.share - thing.share_after) > kSaidShare) return false;
  return thing.move == move_between(before, after);
}

}  // namespace

Result<std::vector<TryThis>> read_tries(std::string_view text, const std::string& name) {
  TRY(const Json all, parse_json(text, name, TwiceKeys::refuse));
  const auto things = all.find("things");
  if (!all.is_object() || things == all.end() || !things->is_array()) return broken_try(name, "", "things");
  std::vector<TryThis> out;
  for (const Json& one : *things) {
    TRY(TryThis thing, read_try(one, name));
    out.push_back(std::move(thing));
  }
  return out;
}

Result<std::vector<TryThis>> things_to_try(const OpenedModel& opened) {
  const std::string name = shipped_id(opened.path);
  const std::string_view table = asset("assets/try/" + name + ".json");
  if (name.empty() || table.data() == nullptr) return std::vector<TryThis>();
  return read_tries(table, name);
}

Result<Document> try_changed(std::shared_ptr<const OpenedModel> opened, const TryThis& thing) {
  return try_changed(new_document(std::move(opened)), thing);
}

Result<Document> try_changed(Document before, const TryThis& thing) {
  Document out = std::move(before);
  for (const TryThis::NewToken& token : thing.tokens) TRY_OK(change_token(out, token));
  Request request;
  request.edits = thing.edits;
  request.masks = thing.masks;
  TRY_OK(apply_request(out, request));
  if (thing.temperature > 0) out.sampling.temperature = static_cast<float>(thing.temperature);
  return out;
}

bool same_try(const Document& a, const Document& b) {
  return same_computation(a, b) && a.sampling.temperature == b.sampling.temperature;
}

Document try_partly(const Document& before, const Document& changed, double share, const Trace& run) {
  Document out = changed;
  const float from = before.sampling.temperature;
  out.sampling.temperature = from + (changed.sampling.temperature - from) * static_cast<float>(share);
  for (auto& edit : out.edits) {
    const bool old = std::find(before.edits.begin(), before.edits.end(), edit) != before.edits.end();
    if (old || !edit->number()) continue;
    Edit part = *edit;
    part.what = try_part(*edit->number(), static_cast<float>(share), before, run);
    edit = std::make_shared<const Edit>(std::move(part));
  }
  return out;
}

Result<TryOutcome> play_try(std::shared_ptr<const OpenedModel> opened, const TryThis& thing) {
  return play_try(new_document(std::move(opened)), thing);
}

Result<TryOutcome> play_try(const Document& before, const TryThis& thing) {
  const OpenedModel& opened = *before.opened;
  TRY(const Document changed, try_changed(before, thing));
  TRY(const TryRun was, run_try(before));
  TRY(const TryRun is, run_try(changed));
  TryOutcome out;
  TRY(out.before, answers_of(opened, *was, thing, before.sampling));
  TRY(out.after, answers_of(opened, *is, thing, changed.sampling));
  const TryAnswer &first = out.before.front(), &then = out.after.front();
  out.true_claim = first.word == thing.before && moved_as(thing, first, then) &&
                   thing.after.size() <= out.after.size() &&
                   std::equal(thing.after.begin(), thing.after.end(), out.after.begin(),
                              [](const std::string& word, const TryAnswer& a) { return word == a.word; });
  // Weights of attention are written as the picture has them.
  const std::int64_t row = thing.row < 0 ? prediction_row(*was) : thing.row;
  const bool weights = was->logits_row(row).empty();
  out.sentence =
      Text::of("try.outcome", {said_answer(thing, first.word, weights), said_share(first.share, weights),
                               said_answer(thing, then.word, weights), said_share(then.share, weights)});
  return out;
}

Result<std::pair<TryThis, double>> claim_try(const Document& before, const std::shared_ptr<const Trace>& run,
                                             TryThis change, const std::string& kind,
                                             const std::vector<Text>& words,
                                             const std::atomic<bool>* cancel) {
  TRY(const Document changed, try_changed(before, change));
  TryRun then = run;
  if (!same_computation(before, changed)) {
    TRY(then, run_try(changed, run, cancel));
  }
  const OpenedModel& opened = *before.opened;
  TRY(const std::vector<TryAnswer> first, answers_of(opened, *run, change, before.sampling));
  TRY(const std::vector<TryAnswer> after, answers_of(opened, *then, change, changed.sampling));
  change.before = first.front().word, change.share_before = first.front().share;
  change.after = {after.front().word}, change.share_after = after.front().share;
  change.move = move_between(first.front(), after.front());
  change.sentence = sentence_of({}, kind, words, change);
  double left = 0;
  for (const TryAnswer& answer : after)
    if (answer.word == change.before) left = answer.share;
  return std::pair(std::move(change), std::abs(change.share_before - left));
}

}  // namespace attnscope
