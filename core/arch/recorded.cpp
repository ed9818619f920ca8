#include "core/arch/recorded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/arch/recorded_config.h"
#include "core/arch/recorded_sizes.h"
#include "core/base/file_formats.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/json_file.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostTokens = 1 << 24;
constexpr int kMostLayers = 4096;  // no model has as many: a layer beyond is no name of a step

// "seq2.blocks.0.attn.q" -> 2 and the rest.
std::pair<int, std::string> sequence_of(const std::string& name) {
  if (!starts_with(name, "seq")) return {0, name};
  const std::size_t dot = name.find('.');
  const std::string number = name.substr(3, dot == std::string::npos ? 0 : dot - 3);
  if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
    return {0, name};
  return {std::stoi(number), name.substr(dot + 1)};
}

constexpr const char* kEdits = "edits";  // the bytes of their texts

// What a run says of itself beside its steps, as bytes (npz has no metadata).
bool is_said_of_run(const std::string& name) { return name == kEdits || name == "unknown" || name == "run"; }

// Whole numbers, one per token, that are no steps: by which name, and where they go.
std::vector<int>* ids_named(const std::string& name, Input& input) {
  if (name == "tokens" || name == "input_ids" || name == "ids") return &input.ids;
  return name == "enc.tokens" ? &input.source : nullptr;
}
std::vector<std::uint8_t>* mask_named(const std::string& name, Input& input) {
  if (name == "attention_mask") return &input.attention_mask;
  return name == "enc.attention_mask" ? &input.source_attention_mask : nullptr;
}

bool heads_behind(Slot slot) {
  const StepRole role = role_of(slot);
  return role == StepRole::split || role == StepRole::rotated || role == StepRole::head_out;
}

// Steps in the order of execution: vision, encoder, main; embedding, blocks, head; cross-attention after the
// sum of self-attention.
std::array<int, 4> order_of(const Site& site) {
  constexpr int kStacks[] = {2, 1, 2, 0};  // single, enc, dec, vision
  const int slot = static_cast<int>(site.slot), middle = static_cast<int>(slot_of(StepKind::residual_mid));
  const bool behind = site.layer < 0 && kind_of(site.slot) >= StepKind::norm_final;
  const int layer = behind ? 1 << 24 : site.layer;
  const bool across = site.part == Part::cross;
  return {kStacks[static_cast<int>(site.stack)], layer, across ? middle : slot, across ? 1 + slot : 0};
}

// Scores and patterns from queries and keys, for each attention of which any step was recorded.
Attentions attentions_of(const Arrays& arrays, const Input& input, bool causal) {
  Attentions out;
  for (const auto& [site, value] : arrays) {
    if (site.part != Part::attn && site.part != Part::cross) continue;
    const Site place = site.near(StepRole::pattern);
    if (out.contains(place)) continue;
    const bool encoder = site.stack == Stack::enc || site.part == Part::cross;
    auto found = recorded_attention(arrays, place, causal,
                                    encoder ? input.source_attention_mask : input.attention_mask);
    if (found) out.emplace(place, *std::move(found));
  }
  return out;
}

// Stages that the file leaves out but that follow from its queries and keys.
void add_derived(const Arrays& arrays, const Attentions& attentions, std::vector<Record>& records) {
  for (const auto& [place, attention] : attentions) {
    const AttentionInputs& in = attention.state.in;
    const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1);
    for (const Step& step : catalog()) {
      const Site site = place.with(step.slot);
      const bool follows = is_score_plane(step.slot) && step.rule != Rule::cap && step.rule != Rule::sum;
      if (!follows || arrays.contains(site)) continue;
      Record record;
      record.site = site;
      record.derived = true;
      record.shape =
          step.role == StepRole::mask ? std::vector{queries, keys} : std::vector{heads, queries, keys};
      record.axes = recorded_axes(step.slot);
      records.push_back(std::move(record));
    }
  }
}

// The trace of one sequence: its records in the order of execution. Tokens belong to the stack that writes,
// of which nothing may have been recorded.
std::shared_ptr<const Trace> trace_of(ModelConfig config, const Arrays& arrays, const Attentions& attentions,
                                      Input input) {
  std::vector<Record> records;
  for (const auto& [site, value] : arrays) {
    Record record;
    record.site = site;
    record.rows = value;
    record.shape = value.sizes();
    for (int d = 0; d < value.rank(); ++d) record.axes.push_back(value.axis(d));
    records.push_back(std::move(record));
  }
  add_derived(arrays, attentions, records);
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return order_of(a.site) < order_of(b.site); });
  std::int64_t length = 0, answers = 0;
  for (const Record& record : records) {
    if (record.site.stack != config.stack) continue;
    const int rows = rows_axis(record.site, record.axes);
    if (rows >= 0) length = record.shape[static_cast<std::size_t>(rows)];
    if (step_of(record.site.slot).hue == Hue::logits) answers = record.shape[0];
  }
  config.head.first_row_only = answers == 1 && length > 1;
  if (config.stack == Stack::enc || config.stack == Stack::vision)
    input.ids.clear(), input.attention_mask.clear();
  auto trace = std::make_shared<Trace>(std::make_shared<const ModelConfig>(std::move(config)),
                                       std::make_shared<const Weights>());
  for (const auto& [place, attention] : attentions) trace->set_attention(place, attention.state);
  for (Record& record : records) trace->put(std::move(record));
  trace->length = std::max(length, answers);
  if (trace->length == 0) trace->length = input.length();
  trace->ids = input.ids;
  trace->input = std::move(input);
  return trace;
}

Error no_steps(const TensorSource& source, const std::string& what) {
  std::vector<std::string> some;
  for (const TensorInfo& info : source.infos())
    if (some.size() < 3) some.push_back(in_quotes(info.name, 60));
  const Text held = some.empty() ? Text::of("error.arch.nothing") : Text(join(some, ", "));
  return fail(Code::not_found, "error.arch.recorded.no_steps", {what, held});
}

// Whether an array can be the step, by its header alone.
Status check_step_shape(const TensorInfo& info, const Site& site) {
  const std::size_t rank = recorded_axes(site.slot).size();
  // More than one tensor may hold: it is not read, for a small file may expand to it.
  if (value_count(info.shape) > kMostValues)
    return fail(Code::no_memory, "error.arch.recorded.large",
                {in_quotes(info.name), format_count(value_count(info.shape)), format_count(kMostValues)});
  const bool fits = info.shape.size() == rank || info.shape.size() == rank + 1;
  if (fits && value_count(info.shape) > 0) return Done{};
  return fail(
      Code::bad_shape, "error.arch.recorded.shape",
      {in_quotes(info.name), shape_text(info.shape), join(split(step_of(site.slot).axes, ' '), ", ")});
}

// The array as the step lies: batch taken away, heads in front, axes named.
std::vector<Tensor> as_step(const Tensor& value, const Site& site, bool foreign) {
  const std::vector<Axis> axes = recorded_axes(site.slot);
  const int rank = static_cast<int>(axes.size());
  std::vector<Tensor> batch;
  if (value.rank() == rank) batch = {value};
  for (std::int64_t i = 0; value.rank() == rank + 1 && i < value.size(0); ++i)
    batch.push_back(value.select(0, i));
  for (Tensor& one : batch) {
    if (foreign && heads_behind(site.slot)) one = one.permute({1, 0, 2});
    one = rank == 2 ? one.rename({axes[0], axes[1]}) : one.rename({axes[0], axes[1], axes[2]});
  }
  return batch;
}

Status take_words(const TensorSource& source, const std::vector<int>& ids, Recorded& out) {
  const auto at = source.metadata().find("words");
  if (at == source.metadata().end()) return Done{};
  TRY(const nlohmann::json words, parse_json(at->second, Text::of("note.recorded.words").str()));
  for (std::size_t i = 0; words.is_array() && i < std::min(words.size(), ids.size()); ++i)
    if (words[i].is_string()) out.words[ids[i]] = words[i].get<std::string>();
  return Done{};
}

// What the run was made under, as trace --out writes it.
void take_edits(const TensorSource& source, Recorded& out) {
  std::string text;
  if (const auto at = source.metadata().find("edits"); at != source.metadata().end()) text = at->second;
  const auto bytes = text.empty() && source.find(kEdits) ? source.load_ints(kEdits)
                                                         : Result<std::vector<std::int64_t>>(Error{});
  for (std::size_t i = 0; bytes && i < bytes->size(); ++i) text += static_cast<char>((*bytes)[i]);
  if (!text.empty())
    out.notes.push_back(Text::of("note.recorded.edits", {printable(join(split(text, '\n'), "; "), 400)}));
}

bool says_record(const TensorSource& source) {
  const auto format = source.metadata().find("format");
  return format != source.metadata().end() && format->second == kRecordFormat.name;
}

// Records of earlier programs say none; what other programs mean by "version" is theirs.
bool version_is_known(const TensorSource& source) {
  const auto version = source.metadata().find("version");
  return !says_record(source) || version == source.metadata().end() ||
         parse_whole(version->second, 1, kRecordFormat.version);
}

}  // namespace

bool is_recording(const TensorSource& source) {
  if (says_record(source)) return true;
  std::size_t steps = 0, others = 0;
  Input any;
  for (const TensorInfo& info : source.infos()) {
    const std::string name = sequence_of(info.name).second;
    if (!ids_named(name, any) && !mask_named(name, any)) ++(parse_site(name) ? steps : others);
  }
  return steps > 0 && steps >= others;
}

namespace {

// The arrays of a file by the sequence that they belong to.
struct Sorted {
  Batch steps;
  std::map<int, Input> inputs;
  std::vector<std::string> unknown;
};

// Rows of whole numbers, one per sequence: [pos] or [batch, pos].
Status take_ints(const TensorSource& source, const TensorInfo& info, const std::string& name, int first,
                 Sorted& out) {
  if (value_count(info.shape) > kMostTokens)
    return fail(Code::unsupported, "error.arch.recorded.tokens", {in_quotes(info.name), kMostTokens});
  TRY(const std::vector<std::int64_t> all, source.load_ints(info.name));
  const auto width =
      std::max<std::size_t>(1, info.shape.empty() ? all.size() : static_cast<std::size_t>(info.shape.back()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    Input& input = out.inputs[first + static_cast<int>(i / width)];
    if (std::vector<int>* ids = ids_named(name, input))
      ids->push_back(static_cast<int>(std::clamp<std::int64_t>(all[i], -1, std::numeric_limits<int>::max())));
    else
      mask_named(name, input)->push_back(all[i] != 0);
  }
  return Done{};
}

Result<Sorted> sorted(const TensorSource& source) {
  Sorted out;
  Input any;
  for (const TensorInfo& info : source.infos()) {
    const auto [sequence, name] = sequence_of(info.name);
    if (ids_named(name, any) || mask_named(name, any)) {
      TRY_OK(take_ints(source, info, name, sequence, out));
      continue;
    }
    if (is_said_of_run(name)) continue;
    const auto site = parse_site(name);
    if (!site || site->layer >= kMostLayers) {
      out.unknown.push_back(info.name);
      continue;
    }
    TRY_OK(check_step_shape(info, *site));
    TRY(const Tensor value, source.load(info.name));
    const std::vector<Tensor> batch = as_step(value, *site, to_text(*site) != name);
    for (std::size_t i = 0; i < batch.size(); ++i)
      out.steps[sequence + static_cast<int>(i)][*site] = batch[i];
  }
  return out;
}

// A model is one stack, or a decoder and an encoder.
Status check_stacks(const Batch& batch, const std::string& what) {
  std::map<Stack, Site> first;
  for (const auto& [sequence, arrays] : batch)
    for (const auto& [site, value] : arrays) first.emplace(site.stack, site);
  const auto single = first.find(Stack::single), decoder = first.find(Stack::dec);
  if (single == first.end() || decoder == first.end()) return Done{};
  return fail(Code::bad_format, "error.arch.recorded.mixed",
              {what, to_text(single->second), to_text(decoder->second)});
}

// One number per row of a stack, or none at all.
Status check_rows(const std::string& what, const char* name, std::size_t count, std::int64_t rows) {
  if (count == 0 || rows == 0 || static_cast<std::int64_t>(count) == rows) return Done{};
  return fail(Code::bad_shape, "error.arch.recorded.rows", {what, name, count, rows});
}

Status check_input(const std::string& what, const Trace& trace) {
  const Input& input = trace.input;
  const std::int64_t source_rows = trace.rows(Stack::enc);
  TRY_OK(check_rows(what, "tokens", input.ids.size(), trace.length));
  TRY_OK(check_rows(what, "attention_mask", input.attention_mask.size(), trace.length));
  TRY_OK(check_rows(what, "enc.tokens", input.source.size(), source_rows));
  return check_rows(what, "enc.attention_mask", input.source_attention_mask.size(), source_rows);
}

// Notes for the person about unknown arrays and assumptions.
void add_notes(const Sorted& arrays, const std::vector<std::string>& assumed, Recorded& out) {
  if (!arrays.unknown.empty())
    out.notes.push_back(
        Text::of("note.recorded.unknown", {arrays.unknown.size(), in_quotes(arrays.unknown.front())}));
  if (!assumed.empty())
    out.notes.push_back(Text::of("note.recorded.assumed", {assumed.size(), assumed.front()}));
  if (out.traces.front()->config().head.first_row_only)
    out.notes.push_back(Text::of("note.recorded.one_row"));
}

}  // namespace

Result<Recorded> read_recording(const TensorSource& source, const std::string& what) {
  Recorded out;
  if (!version_is_known(source))
    return fail(Code::unsupported, "error.arch.recorded.newer", {what, kRecordFormat.version});
  TRY(Sorted arrays, sorted(source));
  if (arrays.steps.empty()) return no_steps(source, what);
  TRY_OK(check_stacks(arrays.steps, what));
  TRY_OK(check_recorded_sizes(what, arrays.steps));
  const auto causal = source.metadata().find("causal");
  const bool masks = causal == source.metadata().end() || causal->second != "false";
  std::map<int, Attentions> attentions;
  std::vector<std::string> assumed;
  for (const auto& [sequence, steps] : arrays.steps) {
    attentions[sequence] = attentions_of(steps, arrays.inputs[sequence], masks);
    for (const auto& [place, attention] : attentions[sequence])
      if (!attention.confirmed) assumed.push_back(to_text(place));
  }
  const ModelConfig config = recorded_config(arrays.steps, attentions, masks);
  for (const auto& [sequence, steps] : arrays.steps) {
    out.traces.push_back(trace_of(config, steps, attentions[sequence], arrays.inputs[sequence]));
    out.numbers.push_back(sequence);
    TRY_OK(check_input(what, *out.traces.back()));
  }
  TRY_OK(take_words(source, out.traces.front()->ids, out));
  take_edits(source, out);
  add_notes(arrays, assumed, out);
  return out;
}

}  // namespace attnscope
