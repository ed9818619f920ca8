// Edits as text: "blocks.2.attn.z[head=1]*=0.5". Files with numbers are read here.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/float32.h"
#include "core/base/number.h"
#include "core/base/shortest.h"
#include "core/base/text.h"
#include "core/io/gguf.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/step/catalog.h"
#include "core/system/named_files.h"
#include "core/trace/config.h"
#include "core/trace/edit.h"
#include "core/trace/exchange_text.h"
#include "core/trace/path.h"
#include "core/trace/place_cells.h"
#include "core/trace/stage_edits.h"
#include "core/trace/trace.h"

namespace attnscope {
namespace {

constexpr std::size_t kFewNames = 6;

// ---- values ---------------------------------------------------------------------------------------

Result<std::shared_ptr<TensorSource>> read_arrays(const std::string& path) {
  if (ends_with(path, ".npz")) return read_npz(path);
  if (ends_with(path, ".npy")) return read_npy(path);
  if (ends_with(path, ".safetensors")) return open_safetensors(path);
  if (ends_with(path, ".gguf")) {
    TRY(const Gguf file, open_gguf(path));
    return file.tensors;
  }
  return fail(Code::unsupported, "error.trace.edit.file", {in_quotes(path)});
}

// The one array of numbers, beside what a file of ours says of its run; null: there are several.
const TensorInfo* only_array(const TensorSource& source) {
  const TensorInfo* out = nullptr;
  for (const TensorInfo& info : source.infos()) {
    if (info.name == "run") continue;
    if (out) return nullptr;
    out = &info;
  }
  return out;
}

Result<EditValue> frozen_from_file(std::string_view text, const Target& where) {
  std::string path(text), name;
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos && path.find('/', colon) == std::string::npos && colon > 1) {
    name = path.substr(colon + 1);
    path.resize(colon);
  }
  TRY(const std::string found, named_file(path));
  TRY(const std::shared_ptr<TensorSource> source, read_arrays(found));
  if (name.empty() && where.kind == Target::Kind::step) name = to_text(where.site);
  // A control vector (core/io/control_vector.h) says which block it is added behind.
  if (ends_with(path, ".gguf") && where.site.is(StepKind::residual_post) && !source->find(name))
    name = "direction." + std::to_string(where.site.layer);
  if (name.empty() && where.kind == Target::Kind::weight) name = where.weight;
  if (!source->find(name) && colon == std::string::npos)
    if (const TensorInfo* only = only_array(*source)) name = only->name;
  if (!source->find(name)) {
    std::vector<std::string> known;
    for (const TensorInfo& info : source->infos())
      if (known.size() < kFewNames) known.push_back(in_quotes(info.name));
    return fail(Code::not_found, "error.trace.edit.array",
                {in_quotes(path), in_quotes(name), join(known, ", ")});
  }
  if (value_count(source->find(name)->shape) > kMostValues)
    return fail(Code::unsupported, "error.trace.edit.large", {in_quotes(path), in_quotes(name), kMostValues});
  TRY(Tensor values, source->load(name));
  return EditValue(Frozen{values.packed(), std::string(text)});
}

Result<EditValue> parse_operand(std::string_view text, const Target& where, std::string_view whole,
                                const EditNumbers& numbers) {
  if (text == "mean" || text == "resample") {  // of a data set, where there is one
    if (numbers) {
      const std::string name(text);
      auto values = numbers(name, where);
      if (values) return EditValue(Frozen{*std::move(values), name});
      if (text != "mean" || values.error().code() != Code::not_found) return values.error();
    }
    if (text == "mean") return EditValue(MeanOver{});
    return bad_edit(whole, Text::of("error.trace.edit.no_data"));
  }
  if (starts_with(text, "@pos:")) {
    const auto pos = parse_index(text.substr(5));
    if (!pos) return bad_edit(whole, Text::of("error.trace.edit.position"));
    return EditValue(FromPos{*pos});
  }
  if (starts_with(text, "@run:") || starts_with(text, "@dir:")) {
    if (!numbers) return bad_edit(whole, Text::of("error.trace.edit.no_runs"));
    const std::string name(text.substr(1));
    TRY(Tensor values, numbers(name, where));
    return EditValue(Frozen{std::move(values), name});
  }
  if (starts_with(text, "@")) return frozen_from_file(text.substr(1), where);
  std::optional<float> value = parse_float32(text);
  if (!value) {  // "1k", "2^20"
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto other = parse_real(text, -kMost, kMost);
    if (other)
      value = static_cast<float>(*other);
    else if (other.error().code() == Code::out_of_range &&
             lower(std::string(text)).find("nan") == std::string::npos)
      value = std::numeric_limits<float>::infinity();
  }
  if (value && std::isinf(*value))
    return bad_edit(whole, Text::of("error.trace.edit.too_large", {in_quotes(text, 40)}));
  if (!value) return bad_edit(whole, Text::of("error.trace.edit.number", {in_quotes(text, 40)}));
  return EditValue(*value);
}

std::string operand_text(const EditValue& value) {
  if (const auto* number = std::get_if<float>(&value)) return shortest_text(*number);
  if (const auto* from = std::get_if<FromPos>(&value)) return "@pos:" + std::to_string(from->pos);
  if (const auto* frozen = std::get_if<Frozen>(&value)) return "@" + frozen->origin;
  return "mean";
}

std::string mask_text(const MaskEdit& mask) {
  std::string out = "mask " + std::string(mask_prefix(mask.of)) + (mask.spec ? mask.spec->text() : "");
  for (const Mask::Cell& cell : mask.cells)
    out += format(" [query=%lld,key=%lld]=%d", static_cast<long long>(cell.query),
                  static_cast<long long>(cell.key), cell.allowed ? 1 : 0);
  return out;
}

}  // namespace

std::string to_text(const Target& target) {
  const std::string out = target.kind == Target::Kind::step     ? to_text(target.site)
                          : target.kind == Target::Kind::weight ? target.weight
                                                                : std::string(kInputName);
  return out + to_text(target.at);
}

Result<Target> target_named(PlaceText place) {
  Target out;
  out.at = std::move(place.at);
  if (place.name == kInputName) {
    out.kind = Target::Kind::input;
  } else if (is_weight_name(place.name)) {
    out.kind = Target::Kind::weight;
    out.weight = std::move(place.name);
  } else {
    TRY(out.site, parse_site(place.name));
  }
  return out;
}

Result<Target> parse_target(std::string_view text) {
  TRY(PlaceText place, parse_place(text));
  if (const auto blocks = named_blocks(place.name); blocks && !blocks->which.one())
    return bad_edit(text, Text::of("error.trace.edit.one_block", {join(names_of_parts(), ", ")}));
  if (!all_absolute(place.at)) return fail(Code::bad_format, "error.step.needs_run", {in_quotes(text)});
  return target_named(std::move(place));
}

namespace {

// "blocks.0.attn.z[head=1]", "+=", "0".
struct Parts {
  std::string_view place, sign, value;
};
Result<Parts> parts_of(std::string_view text) {
  const std::size_t equals = text.find('=', place_end(text, "="));
  if (equals == 0 || equals == std::string_view::npos)
    return bad_edit(text, Text::of("error.trace.edit.no_equals"));
  const std::size_t end = equals - (text[equals - 1] == '+' || text[equals - 1] == '*' ? 1 : 0);
  return Parts{text.substr(0, end), text.substr(end, equals + 1 - end), text.substr(equals + 1)};
}

// Blocks of the stack that a name begins with; 0 where the model has no such stack.
std::int64_t blocks_of(const ModelConfig& config, std::string_view name) {
  const Stack stack = stack_of_name(name).value_or(config.stack);
  if (stack == config.stack) return config.n_layers();
  const ModelConfig* other = stack == Stack::enc      ? config.encoder()
                             : stack == Stack::vision ? config.vision()
                                                      : nullptr;
  return other ? other->n_layers() : 0;
}

// "blocks.0.attn.z[head=2]->" of a path; nothing where there is none.
Result<std::optional<Target>> take_sender(std::string_view& text) {
  const std::string_view arrow = "->";
  std::size_t end = place_end(text, ">=");
  if (end > 0 && end < text.size() && text[end] == '>' && text[end - 1] == '-') --end;
  if (text.substr(std::min(end, text.size()), arrow.size()) != arrow) return std::optional<Target>();
  TRY(Target from, parse_target(text.substr(0, end)));
  TRY_OK(check_sender(from));
  text.remove_prefix(end + arrow.size());
  return std::optional(std::move(from));
}

// The target in every sequence's run, with indices from 0; none where the run does not hold it.
Result<std::vector<std::optional<Target>>> in_each_run(const Target& where, std::string_view text,
                                                       const EditRuns& runs) {
  if (!runs) return fail(Code::bad_format, "error.step.needs_run", {in_quotes(text)});
  TRY(const auto traces, runs());
  std::vector<std::optional<Target>> out;
  std::optional<Error> missing;
  for (const std::shared_ptr<const Trace>& trace : traces) {
    const auto at = absolute(*trace, where);
    out.push_back(at ? std::optional(Target{where.kind, where.site, where.weight, *at}) : std::nullopt);
    if (!at && !missing) missing = at.error();
  }
  const bool any = std::any_of(out.begin(), out.end(), [](const auto& one) { return one.has_value(); });
  if (!any && missing) return *missing;
  return out;
}

// "-inf" before the softmax: the key gets no weight at all, as behind a mask.
bool hides_key(const Target& where, std::string_view value) {
  if (value != "-inf" || where.kind != Target::Kind::step) return false;
  const auto stage = score_stage(where.site.slot);
  return stage && *stage != ScoreStage::pattern;
}

// One edit; where the place depends on the run one of each sequence, unless it is the same in all.
Status put_number_edits(Edits& out, Target where, const Parts& parts, std::string_view text,
                        const EditNumbers& numbers, const EditRuns& runs) {
  const EditOp op = parts.sign == "+=" ? EditOp::add : parts.sign == "*=" ? EditOp::scale : EditOp::set;
  std::vector<std::optional<Target>> all{where};
  if (!all_absolute(where.at)) {
    TRY(all, in_each_run(where, text, runs));
  }
  const bool same = std::all_of(all.begin(), all.end(), [&](const auto& one) { return one == all.front(); });
  for (std::size_t i = 0; i < (same ? 1 : all.size()); ++i) {
    if (!all[i]) continue;
    EditValue operand = -std::numeric_limits<float>::infinity();
    if (op != EditOp::set || !hides_key(*all[i], parts.value)) {
      TRY(operand, parse_operand(parts.value, *all[i], text, numbers));
    }
    out.push_back(make_edit(NumberEdit{*all[i], op, std::move(operand)}, same ? -1 : static_cast<int>(i)));
  }
  return Done{};
}

// A path into one place: it can only be cut.
Status put_path_edits(Edits& out, const Target& from, const Target& to, const Parts& parts,
                      std::string_view text, const EditRuns& runs) {
  Edits made;
  TRY_OK(put_number_edits(made, to, parts, text, {}, runs));
  for (const auto& edit : made) {
    NumberEdit number = *edit->number();
    const auto* value = std::get_if<float>(&number.value);
    if (number.op != EditOp::set || !value || *value != 0.f)
      return bad_edit(text, Text::of("error.trace.edit.path_value"));
    number.value = WithoutPath{from};
    out.push_back(make_edit(std::move(number), edit->sequence));
  }
  return Done{};
}

Result<std::shared_ptr<const Edit>> exchange_edit(const Exchange& part, const Parts& parts,
                                                  std::string_view text) {
  TRY(Exchange exchange, part_with_value(part, parts.value, text));
  return make_edit(std::move(exchange));
}

}  // namespace

Result<std::shared_ptr<const Edit>> parse_edit(std::string_view text, const EditNumbers& numbers) {
  std::string_view rest = text;
  TRY(const std::optional<Target> from, take_sender(rest));
  TRY(const Parts parts, parts_of(rest));
  if (from) {
    Edits cut;
    TRY(const Target to, parse_target(parts.place));
    TRY(const Target where, path_step(to));
    TRY_OK(put_path_edits(cut, *from, where, parts, text, {}));
    return cut.front();
  }
  if (const auto part = parse_part(parts.place); part && parts.sign == "=")
    return exchange_edit(*part, parts, text);
  TRY(Target where, parse_target(parts.place));
  Edits out;
  TRY_OK(put_number_edits(out, std::move(where), parts, text, numbers, {}));
  return out.front();
}

Result<Edits> parse_edits(std::string_view text, const ModelConfig& config, const EditNumbers& numbers,
                          const EditRuns& runs) {
  Edits out;
  std::string_view rest = text;
  TRY(const std::optional<Target> from, take_sender(rest));
  TRY(const Parts parts, parts_of(rest));
  TRY(const PlaceText place, parse_place(parts.place));
  const std::int64_t all = blocks_of(config, place.name);
  const auto whole = parse_part(place.name);
  const auto each = whole ? std::vector{place} : one_per_block(place, all);
  if (!each) return bad_edit(text, Text::of("error.trace.edit.blocks", {all}));
  for (const PlaceText& one : *each) {
    if (const auto part = parse_part(to_text(one)); part && parts.sign == "=") {
      TRY(out.emplace_back(), exchange_edit(*part, parts, text));
      continue;
    }
    TRY(Target where, target_named(one));
    if (from) {
      TRY(const std::vector<Target> receivers, path_receivers(config, where));
      for (const Target& to : receivers) TRY_OK(put_path_edits(out, *from, to, parts, text, runs));
    } else {
      TRY_OK(put_number_edits(out, std::move(where), parts, text, numbers, runs));
    }
  }
  return out;
}

std::string to_text(const Edit& edit) {
  if (const MaskEdit* mask = edit.mask()) return mask_text(*mask);
  if (const Exchange* exchange = edit.exchange()) return exchange_text(*exchange);
  const NumberEdit& number = *edit.number();
  if (const Target* from = path_from(number))
    return to_text(*from) + "->" + receiver_text(number.where) + "=0";
  const char* sign = number.op == EditOp::add ? "+=" : number.op == EditOp::scale ? "*=" : "=";
  return to_text(number.where) + sign + operand_text(number.value);
}

}  // namespace attnscope
