#include "core/model/model.h"

#include <algorithm>
#include <new>

#include "core/base/text.h"
#include "core/model/derive.h"
#include "core/model/forward.h"
#include "core/model/masks.h"
#include "core/trace/editable.h"
#include "core/trace/longest_input.h"

namespace attnscope {

Model::Model(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights)
    : config_(std::move(config)), weights_(std::move(weights)) {}

Result<std::shared_ptr<const Model>> Model::make(ModelConfig config, Weights weights) {
  TRY_OK(check_weights(config, weights));
  return std::make_shared<const Model>(std::make_shared<const ModelConfig>(std::move(config)),
                                       std::make_shared<const Weights>(std::move(weights)));
}

std::shared_ptr<const Model> Model::with_files(std::vector<ReadFile> files) const {
  auto known = std::make_shared<Weights>(*weights_);
  known->set_files(std::move(files));
  return std::make_shared<const Model>(config_, std::move(known));
}

std::shared_ptr<const Model> Model::with_texts(std::shared_ptr<const TokenTexts> texts) const {
  auto known = std::make_shared<ModelConfig>(*config_);
  known->texts = std::move(texts);
  return std::make_shared<const Model>(std::move(known), weights_);
}

Input Model::completed(Input input) const {
  const ModelConfig* encoder = config_->vision();
  if (!encoder || !input.spans.empty()) return input;
  const auto first =
      std::find_if(input.ids.begin(), input.ids.end(), [&](int id) { return id != config_->image_token; });
  const auto image = static_cast<std::int64_t>(first - input.ids.begin());
  if (image > 0) input.spans = {{"image", 0, image}, {"prompt", image, input.length()}};
  return input;
}

namespace {

Status check_ids(const std::vector<int>& ids, int vocabulary, bool of_encoder) {
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    if (ids[pos] >= 0 && ids[pos] < vocabulary) continue;
    return fail(Code::out_of_range, of_encoder ? "error.model.encoder_id" : "error.model.id",
                {ids[pos], pos, vocabulary, vocabulary - 1});
  }
  return Done{};
}

Status check_room(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t limit = longest_input(config);
  if (limit <= 0 || tokens <= limit) return Done{};
  return fail(Code::out_of_range, "error.model.too_long", {tokens, limit});
}

Status check_padding(const std::vector<std::uint8_t>& attention_mask, std::int64_t tokens) {
  if (attention_mask.empty()) return Done{};
  if (static_cast<std::int64_t>(attention_mask.size()) != tokens) {
    return fail(Code::bad_shape, "error.model.padding", {attention_mask.size(), tokens});
  }
  if (std::find(attention_mask.begin(), attention_mask.end(), 1) != attention_mask.end()) return Done{};
  return fail(Code::out_of_range, "error.model.all_padding");
}

}  // namespace

Status Model::check_source(const Input& input) const {
  const ModelConfig* encoder = config_->encoder();
  if (!encoder) {
    if (input.source.empty()) return Done{};
    return fail(Code::bad_shape, "error.model.no_encoder");
  }
  if (input.source.empty()) {
    return fail(Code::out_of_range, "error.model.empty_source");
  }
  TRY_OK(check_ids(input.source, encoder->vocab_size, true));
  TRY_OK(check_padding(input.source_attention_mask, static_cast<std::int64_t>(input.source.size())));
  return check_room(*encoder, static_cast<std::int64_t>(input.source.size()));
}

Status Model::check_image(const Input& input) const {
  if (!config_->sees()) {
    if (input.pixels.empty()) return Done{};
    return fail(Code::bad_shape, "error.model.no_vision");
  }
  const PatchSpec& patch = config_->patch.size > 0 ? config_->patch : config_->vision()->patch;
  if (input.pixels.empty()) {
    return fail(Code::out_of_range, "error.model.no_image");
  }
  const std::vector<std::int64_t> wanted{patch.channels, std::int64_t{patch.rows} * patch.size,
                                         std::int64_t{patch.cols} * patch.size};
  if (input.pixels.sizes() != wanted) {
    return fail(Code::bad_shape, "error.model.image_shape", {shape_text(input.pixels), shape_text(wanted)});
  }
  if (const Stats s = stats(input.pixels); s.nans > 0 || s.infs > 0) {
    return fail(Code::out_of_range, "error.model.image_numbers", {s.nans, s.infs});
  }
  if (!config_->vision()) return Done{};
  const auto places = std::count(input.ids.begin(), input.ids.end(), config_->image_token);
  if (places == patch.count()) return Done{};
  return fail(Code::bad_shape, "error.model.image_places", {places, config_->image_token, patch.count()});
}

Status Model::check_masks(const ModelConfig& config, const Input& input, const Edits& edits) {
  const std::int64_t keys = config.patch.size > 0 ? config.patch.count() : input.length();
  const MaskEdit main = asked_mask(edits, AttentionKind::main);
  for (const BlockSpec& block : config.blocks)
    TRY_OK(
        self_mask(block.attention, main.spec.value_or(MaskSpec()), input.spans, input.attention_mask, keys));
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::vision, AttentionKind::cross}) {
    const MaskEdit asked = asked_mask(edits, kind);
    if (!has_attention(config, kind) && !asked.spec && asked.cells.empty()) continue;
    for (int layer = 0; layer < mask_layers(config, kind); ++layer)
      TRY_OK(other_mask(config, kind, layer, asked.spec.value_or(MaskSpec()), input, input.length()));
  }
  if (!input.types.empty() && static_cast<std::int64_t>(input.types.size()) != input.length())
    return fail(Code::bad_shape, "error.model.segments");
  if (!input.types.empty() && config.type_vocab == 0)
    return fail(Code::unsupported, "error.model.no_segments");
  for (const int type : input.types) {
    if (type >= 0 && type < config.type_vocab) continue;
    return fail(Code::out_of_range, "error.model.segment", {type, config.type_vocab});
  }
  return Done{};
}

Status Model::check_input(const Input& input) const {
  TRY_OK(check_source(input));
  TRY_OK(check_image(input));
  if (config_->patch.size > 0) return Done{};
  if (input.length() == 0) {
    return fail(Code::out_of_range, "error.model.empty");
  }
  if (!input.vectors.empty()) {
    if (config_->vocab_size > 0 || input.vectors.size(1) != config_->d_in) {
      return fail(Code::bad_shape, "error.model.row_width", {input.vectors.size(1), config_->d_in});
    }
  } else if (config_->vocab_size == 0) {
    return fail(Code::bad_shape, "error.model.takes_rows");
  }
  TRY_OK(check_ids(input.ids, config_->vocab_size, false));
  TRY_OK(check_padding(input.attention_mask, input.length()));
  std::int64_t longest = 0, end = input.length();
  for (auto begin = input.starts.rbegin(); begin != input.starts.rend(); ++begin) {
    longest = std::max(longest, end - *begin);
    end = *begin;
  }
  return check_room(*config_, std::max(longest, end));
}

namespace {

// Steps that cannot be edited themselves, and steps that the model does not have.
Status check_steps(const Trace& trace) {
  for (const auto& edit : trace.edits)
    if (edit->number() && edit->number()->where.kind == Target::Kind::step)
      TRY_OK(check_target(trace, edit->number()->where));
  return Done{};
}

// An input of rows under the edits that name it.
Result<Input> edited_input(Input input, const Edits& edits, Edits& reached) {
  for (const auto& edit : edits) {
    const NumberEdit* number = edit->number();
    if (!number || number->where.kind != Target::Kind::input) continue;
    TRY_OK(check_takes_rows(input));
    TRY(Applied applied, apply(*number, input.vectors, {0, &input.attention_mask}));
    input.vectors = applied.value;
    if (applied.reached) reached.push_back(edit);
  }
  return input;
}

bool contains(const Edits& edits, const Edit& edit) {
  return std::any_of(edits.begin(), edits.end(),
                     [&](const auto& one) { return one.get() == &edit || same_edit(*one, edit); });
}

Edits exchanges(const Edits& edits) {
  Edits out;
  for (const auto& edit : edits)
    if (edit->exchange()) out.push_back(edit);
  return out;
}

bool same_edits(const Edits& a, const Edits& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x == y || same_edit(*x, *y); });
}

// A run that left only what predictions need can be continued, not changed.
bool only_appends(const Cone& cone, const Trace& base) {
  const StackCone& main = cone.main;
  const auto behind = [&](std::int64_t row) { return row >= std::min(base.length, main.rows); };
  return behind(main.embed) && behind(main.final) &&
         std::all_of(main.blocks.begin(), main.blocks.end(), behind) && !main.cross &&
         cone.encoder.final >= cone.encoder.rows && cone.vision.final >= cone.vision.rows;
}

}  // namespace

// All that a run stands on.
struct Model::Prepared {
  DerivedModel model;
  Input input;
  Edits edits, reached;
  std::shared_ptr<const Trace> base;  // null: nothing to share
  Cone cone;
};

Result<Model::Prepared> Model::prepared(const Input& given, const RunOptions& options) const {
  TRY_OK(check_runs(*weights_));
  Prepared out;
  out.edits = options.edits;
  std::erase_if(out.edits, [](const auto& edit) { return !edit->enabled; });
  CHECK(given.starts.empty() || (out.edits.empty() && !options.base));
  out.model = {config_, weights_, {}};
  if (changes_model(out.edits)) {
    TRY(out.model, derived(config_, weights_, out.edits));
    TRY_OK(check_weights(*out.model.config, *out.model.weights));
  }
  out.reached = out.model.reached;
  TRY(out.input, edited_input(completed(given), out.edits, out.reached));
  TRY_OK(check_input(out.input));
  TRY_OK(check_masks(*out.model.config, out.input, out.edits));
  out.cone = whole_cone(*out.model.config, out.input);
  const bool kin = options.base && options.base->origin == weights_ &&
                   same_edits(exchanges(options.base->edits), exchanges(out.edits));
  if (!kin) return out;
  const std::int64_t asked = options.keep == Keep::predictions ? options.asked : 0;
  Cone cone = cone_between(*options.base, *out.model.config, out.input, out.edits, asked);
  if (!options.base->complete && !only_appends(cone, *options.base)) return out;
  out.cone = std::move(cone);
  out.base = options.base;
  return out;
}

Status Model::accepts(const Input& given, const RunOptions& options) const {
  const Result<Prepared> run = prepared(given, options);
  return run ? Status(Done{}) : Status(run.error());
}

Result<Cone> Model::cone(const Input& given, const RunOptions& options) const {
  TRY(Prepared run, prepared(given, options));
  return std::move(run.cone);
}

Result<std::shared_ptr<const Trace>> Model::run(const Input& given, const RunOptions& options) const {
  TRY(const Prepared what, prepared(given, options));
  RunOptions own = options;
  own.edits = what.edits;
  own.base = what.base;
  auto trace = std::make_shared<Trace>(what.model.config, what.model.weights);
  trace->input = what.input;
  trace->ids = what.input.ids;
  trace->edits = what.edits;
  trace->origin = weights_;
  trace->complete = options.keep == Keep::all && (!what.base || what.base->complete);
  trace->length = what.cone.main.rows;
  if (what.base) trace->share(*what.base);
  const Hook at(*trace, own);
  try {
    forward(*what.model.config, *what.model.weights, what.input, at, what.cone);
  } catch (const RunCancelled&) {
    return fail(Code::cancelled, "error.model.stopped");
  } catch (const EditRefused& refused) {
    return refused.error;
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory, "error.model.no_memory", {what.input.length()});
  }
  TRY_OK(weights_->intact());
  TRY_OK(check_steps(*trace));
  for (const auto& edit : what.edits) {
    const bool shared =
        what.base && contains(what.base->edits, *edit) && !contains(what.base->unreached, *edit);
    if (edit->number() && !shared && !contains(at.reached(), *edit) && !contains(what.reached, *edit))
      trace->unreached.push_back(edit);
  }
  if (options.keep == Keep::predictions) trace->keep_predictions(what.cone.main.asked);
  return std::shared_ptr<const Trace>(std::move(trace));
}

}  // namespace attnscope
