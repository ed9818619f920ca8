#include "core/session/made_try.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/session/session.h"
#include "core/session/training_arm.h"
#include "core/step/catalog.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

struct TryRow {
  std::string_view name;  ///< in the keys of its sentences
  std::string_view view;  ///< that it is done in
};
constexpr std::array kTryKinds{TryKind::hide, TryKind::attn, TryKind::mlp, TryKind::value,
                               TryKind::head, TryKind::heat, TryKind::swap};
constexpr std::array<TryRow, kTryKinds.size()> kTryRows{{{"hide", "attention"},
                                                         {"attn", "residual"},
                                                         {"mlp", "mlp"},
                                                         {"value", "kv"},
                                                         {"head", "ask"},
                                                         {"heat", "output"},
                                                         {"swap", "position"}}};
const TryRow& try_row(TryKind kind) { return kTryRows[static_cast<std::size_t>(kind)]; }
constexpr double kHot = 2;  // the temperature to try

// What one head looks at most from the row: a word other than the row's own, of two or more that it may see.
struct Gaze {
  Site pattern;
  std::int64_t head = 0, key = 0;
  float weight = 0;
};
struct TryMaker {
  const Document& document;
  const Trace& run;
  std::int64_t row;

  // A word that stands there several times has its position behind it.
  std::string word(Stack stack, std::int64_t at) const {
    const std::string name = row_label(*document.opened, run, stack, at);
    for (std::int64_t other = 0; other < run.rows(stack); ++other)
      if (other != at && row_label(*document.opened, run, stack, other) == name)
        return name + " " + std::to_string(at);
    return name;
  }
  bool special(Stack stack, std::int64_t at) const {
    const std::vector<int>& ids = run.ids_of(stack);
    const bool token = at < std::ssize(ids);
    return !run.is_real(stack, at) ||
           (token && is_special_token(*document.opened, ids[static_cast<std::size_t>(at)]));
  }
  std::optional<Gaze> gaze(const Site& pattern, std::int64_t head) const {
    const Stack keys = rows_stack(pattern, Axis::key);
    const std::int64_t count = run.find(pattern)->shape.back();
    const Range rows{row, row + 1}, all{0, count};
    const Tensor weights = run.slice(pattern, head, rows, all),
                 scores = run.slice(pattern.with(slot_of(StepKind::mask)), head, rows, all);
    if (weights.empty() || scores.empty()) return std::nullopt;
    Gaze out{pattern, head, -1, 0};
    int seen = 0;
    for (std::int64_t key = 0; key < count; ++key) {
      seen += std::isinf(scores.at(0, key)) ? 0 : 1;
      const bool itself = keys == pattern.stack && key == row;
      if (!itself && !special(keys, key) && weights.at(0, key) > out.weight)
        out.key = key, out.weight = weights.at(0, key);
    }
    return out.key >= 0 && seen > 1 ? std::optional(out) : std::nullopt;
  }
  // Of all heads that read for this stack, the strongest first; of cross-attention where there is one.
  std::vector<Gaze> gazes() const {
    std::vector<Gaze> out;
    const ModelConfig& config = run.config();
    for (int layer = 0; layer < config.n_layers(); ++layer) {
      const Site own = run.main(StepRole::pattern, layer),
                 cross = cross_site(StepRole::pattern, layer, config.stack);
      const Site& pattern = run.find(cross) ? cross : own;
      const Record* record = run.find(pattern);
      for (std::int64_t head = 0; record && head < record->shape.front(); ++head)
        if (const auto one = gaze(pattern, head)) out.push_back(*one);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Gaze& a, const Gaze& b) { return a.weight > b.weight; });
    return out;
  }
};

// A change, and what its sentence calls it.
struct Candidate {
  TryThis thing;
  std::vector<Text> words;
};
std::string try_cell(const Site& site, std::vector<AxisRange> at) { return to_text(site) + to_text(at); }

Candidate of_gaze(const TryMaker& maker, const Gaze& one, TryKind kind) {
  const Site& pattern = one.pattern;
  const Stack keys = rows_stack(pattern, Axis::key);
  const std::string layer = std::to_string(pattern.layer);
  Candidate out;
  out.thing.at = try_cell(pattern, {{"head", one.head}, {"query", maker.row}});
  const Text head = Text::of("try.at_head", {layer, std::to_string(one.head)});
  if (kind == TryKind::hide) {
    out.thing.edits = {try_cell(pattern.with(slot_of(StepKind::mask)),
                                {{"head", one.head}, {"query", maker.row}, {"key", one.key}}) +
                       "=-inf"};
    out.words = {maker.word(pattern.stack, maker.row), maker.word(keys, one.key), head};
  } else if (kind == TryKind::value) {
    out.thing.edits = {try_cell(pattern.near(StepRole::projection, Hue::value), {{"pos", one.key}}) + "=0"};
    out.words = {layer, maker.word(keys, one.key)};
  } else {
    out.thing.edits = {try_cell(pattern.near(StepRole::head_out), {{"head", one.head}}) + "=0"};
    out.words = {head};
  }
  return out;
}
// What attention or the MLP of one block adds to the row.
std::optional<Candidate> of_branch(const TryMaker& maker, int layer, TryKind kind) {
  const Hue hue = kind == TryKind::mlp ? Hue::mlp : Hue::output;
  const Site branch = maker.run.main(slot_of(StepRole::branch, hue), layer),
             pattern = maker.run.main(StepRole::pattern, layer);
  if (!maker.run.find(branch)) return std::nullopt;
  Candidate out;
  out.thing.edits = {try_cell(branch, {{"pos", maker.row}}) + "=0"};
  out.thing.at = try_cell(pattern, {{"head", 0}, {"query", maker.row}});
  out.words = {std::to_string(layer), maker.word(maker.run.config().stack, maker.row)};
  return out;
}
// A sign such as "." is no word.
bool with_letter(const std::string& label) {
  return std::any_of(label.begin(), label.end(),
                     [](unsigned char c) { return c >= 0x80 || std::isalnum(c) != 0; });
}
// Neighbours that change places: words of the text that the model reads, those nearest to the end first. The
// row itself, and what a row that predicts cannot see, stay.
std::vector<Candidate> of_swaps(const TryMaker& maker) {
  std::vector<Candidate> out;
  const ModelConfig& config = maker.run.config();
  const Stack stack = config.encoder() ? Stack::enc : config.stack;
  const std::vector<int>& ids = maker.run.ids_of(stack);
  const bool own = stack == config.stack;
  const auto is_word = [&](std::int64_t at) {
    return !maker.special(stack, at) && !(own && at == maker.row) &&
           with_letter(row_label(*maker.document.opened, maker.run, stack, at));
  };
  const std::int64_t last = own && config.predicts_next() ? maker.row : std::ssize(ids);
  for (std::int64_t at = last - 2; at >= 0; --at) {
    const auto here = static_cast<std::size_t>(at);
    if (!is_word(at) || !is_word(at + 1) || ids[here] == ids[here + 1]) continue;
    const std::string a = token_label(*maker.document.opened, ids[here]),
                      b = token_label(*maker.document.opened, ids[here + 1]);
    Candidate next;
    next.thing.tokens = {{here, a, b, !own}, {here + 1, b, a, !own}};
    next.thing.at = try_cell(maker.run.main(StepRole::pattern, 0), {{"head", 0}, {"query", maker.row}});
    next.words = {maker.word(stack, at), maker.word(stack, at + 1)};
    out.push_back(std::move(next));
  }
  return out;
}
std::vector<Candidate> candidates(const TryMaker& maker, TryKind kind) {
  std::vector<Candidate> out;
  if (kind == TryKind::heat) {
    if (maker.document.sampling.temperature == static_cast<float>(kHot)) return out;
    Candidate hot;
    hot.thing.temperature = kHot;
    hot.thing.at = try_cell(maker.run.main(StepRole::pattern, 0), {{"head", 0}, {"query", maker.row}});
    hot.words = {std::to_string(static_cast<int>(kHot))};
    return {hot};
  }
  const int layers = maker.run.config().n_layers();
  if (kind == TryKind::swap) {
    out = of_swaps(maker);
  } else if (kind == TryKind::attn || kind == TryKind::mlp) {
    for (int layer = layers - 1; layer >= 0; --layer)
      if (auto one = of_branch(maker, layer, kind)) out.push_back(*std::move(one));
  } else {
    for (const Gaze& one : maker.gazes()) {
      Candidate next = of_gaze(maker, one, kind);
      const auto same = [&](const Candidate& other) { return other.thing.edits == next.thing.edits; };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(next));
    }
  }
  if (out.size() > kMostTries) out.resize(kMostTries);
  return out;
}

// Values are kept for words to come: a view of its own where a model says one after the other.
std::string view_on(const ModelConfig& config, TryKind kind) {
  const bool keeps = config.predicts_next() && !config.encoder();
  return std::string(view_of_try(kind == TryKind::value && !keeps ? TryKind::hide : kind));
}

}  // namespace

std::span<const TryKind> try_kinds() { return kTryKinds; }
std::string_view view_of_try(TryKind kind) { return try_row(kind).view; }
std::optional<TryKind> try_kind_in(std::string_view view) {
  for (const TryKind kind : kTryKinds)
    if (try_row(kind).view == view) return kind;
  return std::nullopt;
}

Result<std::optional<TryThis>> made_try(const Document& document, const std::shared_ptr<const Trace>& run,
                                        std::int64_t row, TryKind kind, const std::atomic<bool>* cancel) {
  std::optional<TryThis> out;
  if (!document.opened->recorded.empty() || row < 0 || run->logits_row(row).empty()) return out;
  const TryMaker maker{document, *run, row};
  const std::string name(try_row(kind).name);
  const std::vector<int>& ids = run->ids;
  double most = -1;
  for (Candidate& one : candidates(maker, kind)) {
    one.thing.id = name, one.thing.row = row, one.thing.view = view_on(run->config(), kind);
    one.thing.action = arm_actions_said(*document.opened, ids, row);
    const auto claimed = claim_try(document, run, one.thing, name, one.words, cancel);
    if (!claimed && claimed.error().code() == Code::cancelled) return claimed.error();
    if (!claimed) continue;  // a place that no run reaches
    const double moved = claimed->second;
    if (moved > most) most = moved, out = claimed->first;
  }
  return out;
}

}  // namespace attnscope
