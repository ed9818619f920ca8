#include "core/arch/recorded.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/io/json_file.h"

namespace attnscope {
namespace {

// "seq2.blocks.0.attn.q" -> 2 and the rest.
std::pair<int, std::string> sequence_of(const std::string& name) {
  if (!starts_with(name, "seq")) return {0, name};
  const std::size_t dot = name.find('.');
  const std::string number = name.substr(3, dot == std::string::npos ? 0 : dot - 3);
  if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
    return {0, name};
  return {std::stoi(number), name.substr(dot + 1)};
}

bool is_ids(const std::string& name) {
  return name == "tokens" || name == "input_ids" || name == "enc.tokens" || name == "ids";
}

std::vector<Axis> axes_of(Slot slot) {
  std::vector<Axis> axes;
  for (const std::string& word : split(step_of(slot).axes, ' ')) {
    Axis axis = word == "1" ? Axis::unit : Axis::none;
    for (int i = 0; i <= static_cast<int>(Axis::batch) && axis == Axis::none; ++i)
      if (axis_name(static_cast<Axis>(i)) == word) axis = static_cast<Axis>(i);
    axes.push_back(axis);
  }
  return axes;
}

bool heads_behind(Slot slot) {
  return slot == Slot::split_q || slot == Slot::split_k || slot == Slot::split_v || slot == Slot::rot_q ||
         slot == Slot::rot_k || slot == Slot::z;
}

// Steps in the order of execution: vision, encoder, main; embedding, blocks, head; cross-attention after the
// sum of self-attention.
std::array<int, 4> order_of(const Site& site) {
  constexpr int kStacks[] = {2, 1, 2, 0};  // single, enc, dec, vision
  const int slot = static_cast<int>(site.slot), middle = static_cast<int>(Slot::resid_mid);
  const bool behind = site.layer < 0 && site.slot >= Slot::ln_final_scale;
  const int layer = behind ? 1 << 24 : site.layer;
  const bool across = site.part == Part::cross;
  return {kStacks[static_cast<int>(site.stack)], layer, across ? middle : slot, across ? 1 + slot : 0};
}

using Arrays = std::map<Site, Tensor>;

// One sequence on its way to a trace: knows what every array says about the sizes.
class Sizes {
 public:
  explicit Sizes(std::string what) : what_(std::move(what)) {}

  Status take(const Site& site, const Tensor& value) {
    const Hue hue = step_of(site.slot).hue;
    const bool keys = hue == Hue::key || hue == Hue::value;
    // Patches stand before a class token, a classifier has one row, a projector leaves for another stack.
    const bool own_rows = site.slot == Slot::patches || site.slot == Slot::patch_embed ||
                          site.slot == Slot::projected || step_of(site.slot).hue == Hue::logits;
    for (int d = 0; d < value.rank(); ++d) {
      if (own_rows && (value.axis(d) == Axis::pos || site.slot == Slot::projected)) continue;
      std::string about;
      switch (value.axis(d)) {
        case Axis::pos: about = rows_of(site.part == Part::cross && keys ? Stack::enc : site.stack); break;
        case Axis::query: about = rows_of(site.stack); break;
        case Axis::key: about = rows_of(site.part == Part::cross ? Stack::enc : site.stack); break;
        case Axis::d_model:
          about = to_text(Site{site.stack, -1, Part::model, Slot::embed}) + ": d_model";
          break;
        case Axis::vocab: about = "vocabulary"; break;
        case Axis::d_mlp: about = to_text(Site{site.stack, site.layer, Part::block, Slot::mlp_post}); break;
        case Axis::unit:
          if (value.size(d) != 1) return differ(site, "1", value.size(d), 1, "a scale");
          continue;
        case Axis::head:
          if (keys && site.slot != Slot::z) continue;  // grouped queries share keys and values
          about = to_text(Site{site.stack, site.layer, site.part, Slot::pattern}) + ": heads";
          break;
        default: continue;
      }
      const auto [known, fresh] = sizes_.try_emplace(about, std::pair(value.size(d), to_text(site)));
      if (!fresh && known->second.first != value.size(d))
        return differ(site, std::string(axis_name(value.axis(d))), value.size(d), known->second.first,
                      known->second.second);
    }
    return Done{};
  }

 private:
  static std::string rows_of(Stack stack) { return std::string(stack_prefix(stack)) + "rows"; }
  Error differ(const Site& site, const std::string& axis, std::int64_t found, std::int64_t other,
               const std::string& where) const {
    return fail(
        Code::bad_shape,
        format("%s: %s has %lld along %s, but %s has %lld.", what_.c_str(), to_text(site).c_str(),
               static_cast<long long>(found), axis.c_str(), where.c_str(), static_cast<long long>(other)),
        "All arrays of a file must belong to the same run.");
  }
  std::string what_;
  std::map<std::string, std::pair<std::int64_t, std::string>> sizes_;
};

std::int64_t size_at(const Arrays& arrays, const Site& site, Axis axis) {
  const auto at = arrays.find(site);
  if (at == arrays.end()) return 0;
  const int d = at->second.find(axis);
  return d < 0 ? 0 : at->second.size(d);
}

std::int64_t first_size(const Arrays& arrays, Site site, std::initializer_list<Slot> slots, Axis axis) {
  for (const Slot slot : slots) {
    site.slot = slot;
    if (const std::int64_t size = size_at(arrays, site, axis); size > 0) return size;
  }
  return 0;
}

AttentionSpec attention_spec(const Arrays& arrays, const Site& site, bool causal) {
  using S = Slot;
  AttentionSpec spec;
  const auto heads = first_size(
      arrays, site, {S::pattern, S::masked, S::scaled, S::scores, S::split_q, S::rot_q, S::z}, Axis::head);
  const auto shared = first_size(arrays, site, {S::rot_k, S::split_k, S::split_v}, Axis::head);
  const auto width =
      first_size(arrays, site, {S::rot_q, S::split_q, S::rot_k, S::split_k, S::z}, Axis::d_head);
  spec.n_heads = static_cast<int>(std::max<std::int64_t>(1, heads));
  spec.n_kv_heads = shared > 0 && heads % shared == 0 ? static_cast<int>(shared) : spec.n_heads;
  spec.d_head = static_cast<int>(std::max<std::int64_t>(1, width));
  spec.scale = 1.f / std::sqrt(static_cast<float>(spec.d_head));
  spec.causal = causal && site.part != Part::cross && site.stack != Stack::enc;
  return spec;
}

ModelConfig stack_config(const Arrays& arrays, Stack stack, bool causal) {
  ModelConfig config;
  config.stack = stack;
  config.family = "recording";
  config.final_norm.kind = NormSpec::Kind::none;
  config.head.present = false;
  int layers = 1;
  for (const auto& [site, value] : arrays) {
    if (site.stack != stack) continue;
    layers = std::max(layers, site.layer + 1);
    if (const int d = value.find(Axis::d_model); d >= 0)
      config.d_model = config.d_in = static_cast<int>(value.size(d));
    if (site.slot == Slot::logits || site.slot == Slot::probs) {
      config.vocab_size = static_cast<int>(value.size(1));
      config.head.present = true;
    }
  }
  for (int layer = 0; layer < layers; ++layer) {
    BlockSpec block;
    block.norm.kind = NormSpec::Kind::none;
    block.mlp.kind = MlpSpec::Kind::none;
    block.attention = attention_spec(arrays, {stack, layer, Part::attn, Slot::pattern}, causal);
    const Site across{stack, layer, Part::cross, Slot::pattern};
    const bool crosses = std::any_of(arrays.begin(), arrays.end(), [&](const auto& entry) {
      return entry.first.stack == stack && entry.first.layer == layer && entry.first.part == Part::cross;
    });
    if (crosses) block.cross = attention_spec(arrays, across, false);
    config.blocks.push_back(block);
  }
  return config;
}

std::shared_ptr<const ModelConfig> config_of(const Arrays& arrays, bool causal) {
  const auto has = [&](Stack stack) {
    return std::any_of(arrays.begin(), arrays.end(),
                       [&](const auto& entry) { return entry.first.stack == stack; });
  };
  const Stack main = has(Stack::dec)                             ? Stack::dec
                     : !has(Stack::single) && has(Stack::enc)    ? Stack::enc
                     : !has(Stack::single) && has(Stack::vision) ? Stack::vision
                                                                 : Stack::single;
  auto config = std::make_shared<ModelConfig>(stack_config(arrays, main, causal));
  for (const Stack stack : {Stack::enc, Stack::vision})
    if (stack != main && has(stack)) config->towers.push_back(stack_config(arrays, stack, causal));
  return config;
}

// Patterns that the file leaves out but that follow from its queries and keys.
void derive_patterns(const Arrays& arrays, bool causal, Trace& trace) {
  std::set<Site> places;
  for (const auto& [site, value] : arrays)
    if (site.part == Part::attn || site.part == Part::cross)
      places.insert({site.stack, site.layer, site.part, Slot::pattern});
  for (const Site& place : places) {
    const auto get = [&](std::initializer_list<Slot> slots) {
      for (const Slot slot : slots) {
        Site site = place;
        site.slot = slot;
        if (const auto at = arrays.find(site); at != arrays.end()) return at->second;
      }
      return Tensor();
    };
    AttentionState state;
    state.in.q = get({Slot::rot_q, Slot::q_norm, Slot::split_q});
    state.in.k = get({Slot::rot_k, Slot::k_norm, Slot::split_k});
    state.in.v = get({Slot::split_v});
    const bool given =
        arrays.contains(place) || arrays.contains({place.stack, place.layer, place.part, Slot::masked});
    if (given || state.in.q.empty() || state.in.k.empty()) continue;
    if (state.in.q.size(0) % state.in.k.size(0) != 0 || state.in.q.size(2) != state.in.k.size(2)) continue;
    if (state.in.v.empty() || state.in.v.size(1) != state.in.k.size(1) ||
        state.in.v.size(0) != state.in.k.size(0))
      state.in.v = state.in.k;  // only the pattern is asked for
    const AttentionSpec spec = attention_spec(arrays, place, causal);
    state.in.scale = spec.scale;
    state.in.mask.causal = spec.causal;
    state.lse = attend(state.in).lse;
    const std::int64_t heads = state.in.q.size(0), queries = state.in.q.size(1), keys = state.in.k.size(1);
    trace.set_attention(place, std::move(state));
    for (const Slot slot : {Slot::scores, Slot::scaled, Slot::mask, Slot::masked, Slot::pattern}) {
      Site site = place;
      site.slot = slot;
      Record record;
      record.site = site;
      record.derived = true;
      record.shape = slot == Slot::mask ? std::vector{queries, keys} : std::vector{heads, queries, keys};
      record.axes = axes_of(slot);
      if (!arrays.contains(site)) trace.append(std::move(record));
    }
  }
}

// Records in the order of execution; derived ones were appended as they were found.
std::shared_ptr<const Trace> ordered(const Arrays& arrays, bool causal) {
  const auto config = config_of(arrays, causal);
  const auto weights = std::make_shared<const Weights>();
  Trace loose(config, weights);
  derive_patterns(arrays, causal, loose);
  std::vector<Record> records = loose.records();
  for (const auto& [site, value] : arrays) {
    Record record;
    record.site = site;
    record.value = value;
    record.shape = value.sizes();
    for (int d = 0; d < value.rank(); ++d) record.axes.push_back(value.axis(d));
    records.push_back(std::move(record));
  }
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return order_of(a.site) < order_of(b.site); });
  auto trace = std::make_shared<Trace>(config, weights);
  for (Record& record : records) {
    if (record.derived && record.site.slot == Slot::pattern)
      trace->set_attention(record.site, *loose.attention(record.site));
    const bool main = record.site.stack == config->stack && record.site.part != Part::cross;
    for (std::size_t d = 0; main && d < record.axes.size(); ++d)
      if (record.axes[d] == Axis::pos || record.axes[d] == Axis::query)
        trace->length = std::max(trace->length, record.shape[d]);
    trace->append(std::move(record));
  }
  return trace;
}

Error no_steps(const TensorSource& source, const std::string& what) {
  std::vector<std::string> some;
  for (const TensorInfo& info : source.infos())
    if (some.size() < 3) some.push_back(info.name);
  return fail(
      Code::not_found,
      format("No array of %s has the name of a step; it holds %s.", what.c_str(),
             some.empty() ? "nothing" : join(some, ", ").c_str()),
      "Name arrays like blocks.0.attn.pattern or blocks.0.attn.hook_pattern; attnscope-cli steps lists "
      "all names.");
}

// The array as the step lies: batch taken away, heads in front, axes named.
Result<std::vector<Tensor>> as_step(const Tensor& value, const Site& site, bool foreign,
                                    const std::string& name) {
  const std::vector<Axis> axes = axes_of(site.slot);
  const int rank = static_cast<int>(axes.size());
  std::vector<Tensor> batch;
  if (value.rank() == rank) batch = {value};
  for (std::int64_t i = 0; value.rank() == rank + 1 && i < value.size(0); ++i)
    batch.push_back(value.select(0, i));
  if (batch.empty() || value.count() == 0) {
    return fail(Code::bad_shape,
                format("%s has the shape %s; the step has the axes [%s].", name.c_str(),
                       shape_text(value).c_str(), join(split(step_of(site.slot).axes, ' '), ", ").c_str()),
                "Save it with these axes, with or without a batch in front.");
  }
  for (Tensor& one : batch) {
    if (foreign && heads_behind(site.slot)) one = one.permute({1, 0, 2});
    one = rank == 2 ? one.rename({axes[0], axes[1]}) : one.rename({axes[0], axes[1], axes[2]});
  }
  return batch;
}

Status take_words(const TensorSource& source, const std::vector<int>& ids, Recorded& out) {
  const auto at = source.metadata().find("words");
  if (at == source.metadata().end()) return Done{};
  TRY(const nlohmann::json words, parse_json(at->second, "the metadata entry \"words\""));
  for (std::size_t i = 0; words.is_array() && i < std::min(words.size(), ids.size()); ++i)
    if (words[i].is_string()) out.words[ids[i]] = words[i].get<std::string>();
  return Done{};
}

}  // namespace

bool is_recording(const TensorSource& source) {
  const auto format = source.metadata().find("format");
  if (format != source.metadata().end() && format->second == "attnscope-trace") return true;
  std::size_t steps = 0;
  for (const TensorInfo& info : source.infos()) steps += parse_site(sequence_of(info.name).second) ? 1 : 0;
  return steps > 0 && steps * 2 >= source.infos().size();
}

Result<Recorded> read_recording(const TensorSource& source, const std::string& what) {
  Recorded out;
  std::map<int, Arrays> sequences;
  std::map<int, std::vector<int>> ids, source_ids;
  std::vector<std::string> unknown;
  for (const TensorInfo& info : source.infos()) {
    const auto [sequence, name] = sequence_of(info.name);
    if (is_ids(name)) {
      TRY(const std::vector<std::int64_t> all, source.load_ints(info.name));
      const std::size_t width = info.shape.empty() ? all.size() : static_cast<std::size_t>(info.shape.back());
      for (std::size_t i = 0; i < all.size(); ++i)
        (name == "enc.tokens" ? source_ids
                              : ids)[sequence + static_cast<int>(i / std::max<std::size_t>(1, width))]
            .push_back(static_cast<int>(all[i]));
      continue;
    }
    const auto site = parse_site(name);
    if (!site) {
      unknown.push_back(info.name);
      continue;
    }
    TRY(const Tensor value, source.load(info.name));
    TRY(const std::vector<Tensor> batch, as_step(value, *site, to_text(*site) != name, info.name));
    for (std::size_t i = 0; i < batch.size(); ++i)
      sequences[sequence + static_cast<int>(i)][*site] = batch[i];
  }
  if (sequences.empty()) return no_steps(source, what);
  const auto causal = source.metadata().find("causal");
  const bool masks = causal == source.metadata().end() || causal->second != "false";
  for (const auto& [sequence, arrays] : sequences) {
    Sizes sizes(what);
    for (const auto& [site, value] : arrays) TRY_OK(sizes.take(site, value));
    auto trace = std::const_pointer_cast<Trace>(ordered(arrays, masks));
    trace->ids = ids[sequence];
    if (!trace->ids.empty() && static_cast<std::int64_t>(trace->ids.size()) != trace->length) {
      return fail(Code::bad_shape,
                  format("%s holds %zu tokens, but its steps have %lld rows.", what.c_str(),
                         trace->ids.size(), static_cast<long long>(trace->length)),
                  "Save the tokens of the same run.");
    }
    trace->input.ids = trace->ids;
    trace->input.source = source_ids[sequence];
    out.traces.push_back(std::move(trace));
  }
  TRY_OK(take_words(source, out.traces.front()->ids, out));
  if (!unknown.empty())
    out.notes.push_back(format("%zu arrays have names that are no step, %s among them: they are not shown.",
                               unknown.size(), unknown.front().c_str()));
  return out;
}

}  // namespace attnscope
