#include "app/panels/network/network_layout.h"

#include <algorithm>

#include "app/panels/network/network_builder.h"

namespace attnscope {
namespace {

using network::kBlockLeft, network::kGap, network::kPart, network::kStream, network::Pen, network::Roles;

constexpr float kLeast = 160.f;
constexpr float kRibbonRoom = 34.f;  // between boxes joined by a ribbon
constexpr float kModuleGaps = 6.f, kMostSpread = 28.f, kMostSqueeze = 12.f;
constexpr float kLaneRoom = 16.f;  // at the right, for lanes between stacks
constexpr int kManyBlocks = 8;     // more blocks are drawn smaller
constexpr int kMostApart = 2;      // longer runs of blocks are one box
constexpr float kSmallBlock = 22.f;

class ModelBuilder {
 public:
  ModelBuilder(const RunResult& run, int sequence, OpenBlock open, float width)
      : pen_(run, sequence, layout_), config_(run.trace(sequence).config()), open_(open) {
    several_ = !config_.encoders.empty();
    right_ = width - 4 - (several_ ? kLaneRoom : 0);
    lane_ = right_ + 8;
  }

  NetworkLayout build() {
    for (const Stack stack : {Stack::enc, Stack::vision, config_.stack})
      if (config_.of(stack).stack == stack && pen_.trace().rows(stack) > 0) lay_stack(stack);
    layout_.height = pen_.y + 4;
    return std::move(layout_);
  }

 private:
  float width() const { return right_ - kBlockLeft; }
  template <class Which>
  NetworkBox* row(const char* key, Hue hue, std::initializer_list<Which> which) {
    NetworkBox* box = pen_.part(key, hue, pen_.present(which, -1), kBlockLeft, width());
    if (box) pen_.y += kGap;
    return box;
  }

  void title(Stack stack) {
    NetworkBox box;
    box.kind = NetworkBox::Kind::title, box.key = "map.stack", box.stack = stack, box.hue = Hue::residual;
    const auto& records = pen_.trace().records();
    const auto first = std::find_if(records.begin(), records.end(),
                                    [&](const Record& record) { return record.site.stack == stack; });
    if (first != records.end()) box.target = first->site;
    box.centred = false;
    box.x = 2, box.y = pen_.y, box.w = right_ - 2, box.h = 22;
    pen_.box(std::move(box));
    pen_.y += 24;
  }

  void lay_stack(Stack stack) {
    pen_.stack = stack;
    if (several_) title(stack);
    NetworkStream stream{kStream, pen_.y + 4, 0};
    embedding(stack);
    const int layers = config_.of(stack).n_layers();
    const float small = layers > kManyBlocks ? kSmallBlock : kPart;
    for (int layer = 0; layer < layers; ++layer) {
      if (stack == open_.stack && layer == open_.layer) {
        lay_block(pen_, layer, kBlockLeft, width(), crossed_ ? lane_ : 0, layout_);
        pen_.y += kGap + 4;
        continue;
      }
      const int end = stack == open_.stack && layer < open_.layer ? open_.layer : layers;
      const bool many = end - layer > kMostApart && layers > kManyBlocks;
      const int count = many ? end - layer : 1;
      fold(layer, count, small);
      layer += count - 1;
    }
    pen_.y += kGap / 2;
    row("map.final_norm", Hue::norm, {StepKind::norm_final});
    stream.y1 = pen_.y - kGap;
    outputs(stack);
    layout_.streams.push_back(stream);
    if (several_ && stack != config_.stack) hand_over(stack);
    if (crossed_ && stack == config_.stack) end_lanes();
    pen_.y += several_ ? kGap : 0;
  }

  void embedding(Stack stack) {
    const Trace& trace = pen_.trace();
    const auto has = [&](StepRole role) { return trace.find(site_of(role, -1, stack)) != nullptr; };
    row("map.patches", Hue::embed, {StepRole::patches, StepRole::pixels});
    if (has(StepRole::merged)) {
      row("map.words", Hue::embed, {StepRole::words});
      const NetworkBox* merged = row("map.merged", Hue::embed, {StepRole::merged});
      if (merged && seen_ > 0)
        pen_.lane({{lane_, seen_}, {lane_, merged->y + kPart / 2}, {right_, merged->y + kPart / 2}},
                  Hue::embed);
    }
    const bool table = has(StepRole::words) || has(StepRole::patches), added = has(StepRole::position);
    row(table ? (added ? "map.embedding_position" : "map.embedding") : "map.input", Hue::embed,
        has(StepRole::merged)
            ? Roles{StepRole::embedding, StepRole::position, StepRole::segment}
            : Roles{StepRole::embedding, StepRole::words, StepRole::position, StepRole::segment});
    row("map.norm", Hue::norm, {StepKind::norm_embed});
  }

  void outputs(Stack stack) {
    row("map.projector", Hue::embed, {StepKind::projector});
    row("map.head", Hue::logits, {StepKind::head});
    const bool classes = config_.of(stack).head.first_row_only;
    row(classes ? "map.classify" : "map.unembed", Hue::logits, {StepKind::logits});
    row("map.probs", Hue::logits, {StepKind::probs});
  }

  // A folded decoder block with cross-attention has ends of the encoder's lanes.
  void fold(int layer, int count, float height) {
    const float middle = pen_.y + height / 2;
    pen_.folded(layer, count, kBlockLeft, width(), height);
    pen_.y += height < kPart ? kGap - 3 : kGap;
    if (!crossed_ || !pen_.has(StepKind::residual_cross, layer)) return;
    pen_.lane({{lane_, middle - 3}, {right_, middle - 3}}, Hue::key);
    pen_.lane({{lane_ + 5, middle + 3}, {right_, middle + 3}}, Hue::value);
    last_cross_ = middle + 3;
  }

  // Lanes at the right: encoder output to every cross-attention, vision tower output to the token embeddings.
  void hand_over(Stack stack) {
    const NetworkBox& last = layout_.boxes.back();
    const float from = last.y + last.h / 2;
    if (stack == Stack::vision) {
      seen_ = from;
      pen_.lane({{right_, from}, {lane_, from}}, Hue::embed);
      return;
    }
    crossed_ = true;
    handed_from_ = from;
  }

  void end_lanes() {
    for (const NetworkLane& lane : layout_.lanes)
      if (lane.hue == Hue::value) last_cross_ = std::max(last_cross_, lane.points.front().y);
    if (last_cross_ <= handed_from_) return;
    pen_.lane({{right_, handed_from_ - 3}, {lane_, handed_from_ - 3}, {lane_, last_cross_ - 3}}, Hue::key);
    pen_.lane({{right_, handed_from_ + 3}, {lane_ + 5, handed_from_ + 3}, {lane_ + 5, last_cross_}},
              Hue::value);
  }

  NetworkLayout layout_;
  Pen pen_;
  const ModelConfig& config_;
  OpenBlock open_;
  bool several_ = false, crossed_ = false;
  float right_ = 0, lane_ = 0;
  float seen_ = 0, handed_from_ = 0, last_cross_ = 0;
};

NetworkLayout module_layout(const RunResult& run, int sequence, float width, float room) {
  NetworkLayout layout;
  Pen pen(run, sequence, layout);
  pen.stack = run.trace(sequence).config().stack;
  lay_module(pen, width, room);
  layout.height = pen.y + 4;
  return layout;
}

}  // namespace

bool NetworkBox::holds(const Site& site) const {
  return std::find(sites.begin(), sites.end(), site) != sites.end();
}

int NetworkLayout::box_of(const Site& site) const {
  const auto at =
      std::find_if(boxes.begin(), boxes.end(), [&](const NetworkBox& box) { return box.holds(site); });
  return at == boxes.end() ? -1 : static_cast<int>(at - boxes.begin());
}

NetworkLayout network_layout(const RunResult& run, int sequence, OpenBlock open, float width, float height) {
  if (run.traces.empty()) return {};
  width = std::max(width, kLeast);
  const ModelConfig& config = run.trace(sequence).config();
  const bool bare = config.bare() && config.encoders.empty();
  if (!bare) return ModelBuilder(run, sequence, open, width).build();
  const NetworkLayout layout = module_layout(run, sequence, width, kRibbonRoom);
  if (height <= 0) return layout;
  const float spare = (height - layout.height) / kModuleGaps;
  return module_layout(run, sequence, width, kRibbonRoom + std::clamp(spare, -kMostSqueeze, kMostSpread));
}

}  // namespace attnscope
