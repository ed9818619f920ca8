#include "core/model/cone.h"

#include <algorithm>
#include <cstring>

#include "core/model/masks.h"
#include "core/model/stack_changes.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostCheckedMask = 256;  // rules are compared cell by cell up to here

std::int64_t main_rows(const ModelConfig& config, const Input& input) {
  return config.patch.size > 0 ? config.patch.count() : input.length();
}

StackCone whole_stack(const ModelConfig* config, std::int64_t rows) {
  if (!config) return {};
  const std::size_t blocks = config->blocks.size();
  return {rows, 0, std::vector<std::int64_t>(blocks, 0), std::vector<bool>(blocks, true), 0, 0, true};
}

template <class List>
std::int64_t first_difference(const List& a, const List& b) {
  const auto count = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at < count && a[at] == b[at]) ++at;
  return static_cast<std::int64_t>(at);
}

// First row that differs; as many as the shorter has where none does.
std::int64_t first_row_difference(const Tensor& a, const Tensor& b) {
  const std::int64_t count = a.empty() || b.empty() ? 0 : std::min(a.size(0), b.size(0));
  if (count == 0 || a.size(1) != b.size(1)) return 0;
  const Tensor x = a.packed(), y = b.packed();
  const auto bytes = static_cast<std::size_t>(a.size(1)) * sizeof(float);
  std::int64_t row = 0;
  while (row < count && std::memcmp(x.data() + row * a.size(1), y.data() + row * a.size(1), bytes) == 0)
    ++row;
  return row;
}

// First row at which two attention masks differ: rows without an entry count as 1.
std::int64_t padding_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                                std::int64_t rows) {
  const auto at = [](const std::vector<std::uint8_t>& attention_mask, std::int64_t row) {
    return row >= static_cast<std::int64_t>(attention_mask.size()) ||
           attention_mask[static_cast<std::size_t>(row)] != 0;
  };
  std::int64_t row = 0;
  while (row < rows && at(a, row) == at(b, row)) ++row;
  return row;
}

bool same_spans(const std::vector<Span>& a, const std::vector<Span>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Span& x, const Span& y) {
    return x.name == y.name && x.begin == y.begin && x.end == y.end;
  });
}

// The first row that sees a key from `from` on; `rows` where none does.
std::int64_t first_to_see(const Mask& mask, std::int64_t from, std::int64_t rows) {
  if (rows > kMostCheckedMask) return 0;
  for (std::int64_t query = 0; query < rows; ++query)
    for (std::int64_t key = from; key < rows; ++key)
      if (mask.allowed(query, key)) return query;
  return rows;
}

// No row sees a later one.
bool is_causal(const Mask& mask, std::int64_t rows) {
  if (mask.rule || !mask.causal) {
    if (rows > kMostCheckedMask) return false;
    for (std::int64_t query = 0; query < rows; ++query)
      for (std::int64_t key = query + 1; key < rows; ++key)
        if (mask.allowed(query, key)) return false;
    return true;
  }
  return std::none_of(mask.cells.begin(), mask.cells.end(),
                      [](const Mask::Cell& cell) { return cell.allowed && cell.key > cell.query; });
}

ChangedPart changed_part(Slot slot) {
  if (kind_of(slot) >= StepKind::values) return ChangedPart::behind;
  const bool keys = kind_of(slot) < StepKind::scores && step_of(slot).hue != Hue::query;
  return keys ? ChangedPart::keys : ChangedPart::attention;
}

// The edits that stand in one list only, or in another order.
Edits differing(const Edits& a, const Edits& b) {
  const auto same = [](const auto& x, const auto& y) { return x == y || same_edit(*x, *y); };
  std::size_t front = 0, back = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (front < shorter && same(a[front], b[front])) ++front;
  while (back < shorter - front && same(a[a.size() - 1 - back], b[b.size() - 1 - back])) ++back;
  Edits out;
  for (const Edits* list : {&a, &b})
    for (std::size_t i = front; i + back < list->size(); ++i) out.push_back((*list)[i]);
  return out;
}

class Changes {
 public:
  Changes(const Trace& base, const ModelConfig& config, const Input& input, const Edits& edits,
          std::int64_t asked)
      : base_(base),
        config_(config),
        input_(input),
        edits_(edits),
        asked_(config.head.first_row_only ? 0 : asked),
        main_(&config, main_rows(config, input)),
        encoder_(config.encoder(), static_cast<std::int64_t>(input.source.size())),
        vision_(config.vision(), config.vision() ? config.vision()->patch.count() : 0) {}

  Cone find() {
    for (const auto& edit : differing(base_.edits, edits_)) take(*edit);
    for (const auto& edit : base_.edits) attend_again(*edit);
    compare_inputs();
    spread(vision_);
    if (vision_.any()) main_.at_embedding(0);
    spread(encoder_);
    if (encoder_.any()) cross_changed();
    spread(main_);
    main_.ask_from(asked_, [&](int layer) { return read_from(main_, layer); });
    return {main_.cone(), encoder_.cone(), vision_.cone()};
  }

 private:
  StackChanges& of(Stack stack) {
    if (stack == Stack::enc && config_.encoder()) return encoder_;
    return stack == Stack::vision && config_.vision() ? vision_ : main_;
  }

  void cross_changed() {
    main_.across();
    main_.at_every_block(0);
  }

  void take(const Edit& edit) {
    if (const MaskEdit* mask = edit.mask()) return take_mask(*mask);
    if (const NumberEdit* number = edit.number())
      if (number->where.kind != Target::Kind::input)  // inputs are compared by their numbers
        number->where.kind == Target::Kind::weight ? take_weight(number->where) : take_step(number->where);
  }

  // The weighted values of a run are kept behind its edits of them: they are no beginning for others.
  void attend_again(const Edit& edit) {
    const NumberEdit* number = edit.number();
    if (!number || number->where.kind != Target::Kind::step) return;
    const Site& site = number->where.site;
    StackChanges& stack = of(site.stack);
    if (site.is(StepRole::head_out) && site.part == Part::attn)
      stack.at_block(site.layer, stack.cone().rows, ChangedPart::attention);
  }

  void take_mask(const MaskEdit& mask) {
    std::int64_t row = mask.spec ? 0 : config_.patch.size > 0 ? config_.patch.count() : input_.length();
    for (const Mask::Cell& cell : mask.cells) row = std::min(row, cell.query);
    StackChanges& stack = mask.of == AttentionKind::encoder  ? encoder_
                          : mask.of == AttentionKind::vision ? vision_
                                                             : main_;
    for (int layer = 0; stack.config() && layer < stack.config()->n_layers(); ++layer)
      stack.at_block(layer, row, ChangedPart::attention);
  }

  void take_step(const Target& where) {
    const Site& site = where.site;
    StackChanges& stack = of(site.stack);
    const Stack counted = rows_stack(site, Axis::pos);
    const AxisRange* range = range_on(where, Axis::pos);
    const std::int64_t row = range ? range->begin : 0;
    if (site.part == Part::cross && counted == Stack::enc) {
      main_.across();
      return stack.at_block(site.layer, 0, ChangedPart::behind);
    }
    if (site.layer >= 0)
      return stack.at_block(site.layer, row,
                            site.part == Part::cross ? ChangedPart::behind : changed_part(site.slot));
    if (kind_of(site.slot) < StepKind::residual_in) return stack.at_embedding(row);
    if (!is_over_vocabulary(site.slot)) stack.at_end(row);
    if (site.is(StepRole::projector)) main_.at_embedding(0);
  }

  void take_weight(const Target& where) {
    std::string_view name = where.weight;
    Stack stack = config_.stack;
    for (const Stack one : {Stack::enc, Stack::dec, Stack::vision})
      if (name.starts_with(stack_prefix(one))) {
        stack = one;
        name.remove_prefix(stack_prefix(one).size());
        break;
      }
    StackChanges& changed = of(stack);
    if (name.starts_with("blocks.")) {
      const int layer = std::atoi(std::string(name.substr(7)).c_str());
      if (name.find(".cross.") != std::string_view::npos) main_.across();
      return changed.at_block(layer, 0, ChangedPart::keys);
    }
    if (name.starts_with("rel_bias")) return changed.at_every_block(0);
    if (name.starts_with("ln_final") || name.starts_with("head") || name.starts_with("ln_head"))
      return changed.at_end(0);
    if (name.starts_with("projected")) {
      changed.at_end(0);
      return main_.at_embedding(0);
    }
    if (name.starts_with("logits") && !config_.head.tied) return;
    changed.at_embedding(0);
    if (config_.of(Stack::enc).shares_embedding) {
      encoder_.at_embedding(0);
      main_.at_embedding(0);
    }
  }

  void compare_inputs() {
    const Input& old = base_.input;
    const std::int64_t rows = main_rows(config_, input_);
    std::int64_t row = rows;
    const auto changed = [&](std::int64_t at) { row = std::min(row, at); };
    if (config_.patch.size == 0) changed(std::min(rows, base_.length));
    if (!input_.vectors.empty() || !old.vectors.empty())
      changed(first_row_difference(old.vectors, input_.vectors));
    if (!input_.ids.empty() || !old.ids.empty()) changed(first_difference(old.ids, input_.ids));
    if (old.types != input_.types) changed(first_difference(old.types, input_.types));
    changed(padding_difference(old.attention_mask, input_.attention_mask, rows));
    const bool pixels = !(old.pixels.empty() && input_.pixels.empty()) &&
                        !old.pixels.same_place(input_.pixels) &&
                        max_abs_difference(old.pixels, input_.pixels) != 0;
    if (pixels && config_.vision()) vision_.at_embedding(0);
    if (pixels && config_.patch.size > 0) changed(0);
    if (row < rows) main_.at_embedding(row);
    if (rows != base_.length) other_frequencies();
    if (!same_spans(old.spans, input_.spans) || rows != base_.length) unequal_masks(rows);
    compare_sources(old);
  }

  // A dynamic RoPE rotates every row otherwise in a run of another length.
  void other_frequencies() {
    for (int layer = 0; layer < config_.n_layers(); ++layer) {
      const AttentionPosition& position = config_.blocks[static_cast<std::size_t>(layer)].attention.position;
      if (position.rotates() && position.rope.kind == RopeSpec::Kind::dynamic)
        main_.at_block(layer, 0, ChangedPart::keys);
    }
  }

  // The names of parts, or the length, decide what a rule or a matrix lets rows see; where rows see later
  // ones, a longer sequence changes earlier rows.
  void unequal_masks(std::int64_t rows) {
    for (int layer = 0; layer < config_.n_layers(); ++layer) {
      const Mask mask = mask_at(main_, layer);
      if (mask.rule || !is_causal(mask, rows))
        main_.at_block(layer, first_mask_difference(layer, mask, rows), ChangedPart::attention);
    }
  }

  // The first row whose keys are others than in the base.
  std::int64_t first_mask_difference(int layer, const Mask& mask, std::int64_t rows) const {
    const std::int64_t before = base_.length;
    if (std::max(rows, before) > kMostCheckedMask) return 0;
    const auto old = self_mask(config_.blocks[static_cast<std::size_t>(layer)].attention,
                               asked_mask(base_.edits, AttentionKind::main).spec.value_or(MaskSpec()),
                               base_.input.spans, base_.input.attention_mask, before);
    if (!old) return 0;
    for (std::int64_t query = 0; query < std::min(rows, before); ++query)
      for (std::int64_t key = 0; key < std::max(rows, before); ++key)
        if ((key < rows && mask.allowed(query, key)) != (key < before && old->allowed(query, key)))
          return query;
    return std::min(rows, before);
  }

  void compare_sources(const Input& old) {
    if (!config_.encoder()) return;
    const bool same = old.source == input_.source &&
                      padding_difference(old.source_attention_mask, input_.source_attention_mask,
                                         encoder_.cone().rows) == encoder_.cone().rows;
    if (!same) encoder_.at_embedding(0);
  }

  Mask mask_at(StackChanges& stack, int layer) const {
    const AttentionSpec& spec = stack.config()->blocks[static_cast<std::size_t>(layer)].attention;
    const bool main = &stack == &main_, encoder = &stack == &encoder_;
    const MaskEdit asked = asked_mask(edits_, main      ? AttentionKind::main
                                              : encoder ? AttentionKind::encoder
                                                        : AttentionKind::vision);
    static const std::vector<Span> none;
    static const std::vector<std::uint8_t> all;
    auto mask = self_mask(spec, asked.spec.value_or(MaskSpec()), main ? input_.spans : none,
                          main      ? input_.attention_mask
                          : encoder ? input_.source_attention_mask
                                    : all,
                          stack.cone().rows);
    Mask out;
    out.causal = false;
    if (mask) out = *std::move(mask);
    out.cells = asked.cells;
    return out;
  }

  void spread(StackChanges& stack) {
    if (!stack.config()) return;
    const auto sees = [&](int layer, std::int64_t from) {
      const std::int64_t rows = stack.cone().rows;
      const Mask mask = mask_at(stack, layer);
      return is_causal(mask, rows) ? from : first_to_see(mask, from, rows);
    };
    const auto reads = [&](int layer) { return read_from(stack, layer); };
    stack.spread(sees, reads);
  }

  // The first row that an edit in this part reads: a mean reads all rows, a copy one of them.
  std::int64_t read_from(const StackChanges& stack, int layer) {
    std::int64_t row = stack.cone().rows;
    const int layers = stack.config()->n_layers();
    for (const auto& edit : edits_) {
      const NumberEdit* number = edit->number();
      if (!number || number->where.kind != Target::Kind::step) continue;
      const Site& site = number->where.site;
      const int at = site.layer >= 0 ? site.layer : kind_of(site.slot) < StepKind::residual_in ? -1 : layers;
      if (&of(site.stack) != &stack || at != layer) continue;
      if (std::holds_alternative<MeanOver>(number->value)) row = 0;
      if (const auto* from = std::get_if<FromPos>(&number->value)) row = std::min(row, from->pos);
    }
    return row;
  }

  const Trace& base_;
  const ModelConfig& config_;
  const Input& input_;
  const Edits& edits_;
  std::int64_t asked_;
  StackChanges main_, encoder_, vision_;
};

}  // namespace

std::int64_t Cone::block_rows() const {
  std::int64_t count = 0;
  for (const StackCone* stack : {&main, &encoder, &vision})
    for (const std::int64_t first : stack->blocks) count += stack->rows - first;
  return count;
}

int Cone::blocks() const {
  int count = 0;
  for (const StackCone* stack : {&main, &encoder, &vision})
    for (const std::int64_t first : stack->blocks) count += first < stack->rows ? 1 : 0;
  return count;
}

Cone whole_cone(const ModelConfig& config, const Input& input) {
  return {whole_stack(&config, main_rows(config, input)),
          whole_stack(config.encoder(), static_cast<std::int64_t>(input.source.size())),
          whole_stack(config.vision(), config.vision() ? config.vision()->patch.count() : 0)};
}

Cone cone_between(const Trace& base, const ModelConfig& config, const Input& input, const Edits& edits,
                  std::int64_t asked) {
  return Changes(base, config, input, edits, asked).find();
}

}  // namespace attnscope
