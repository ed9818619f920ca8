#include "app/network_layout.h"

#include <algorithm>
#include <initializer_list>

namespace attnscope {
namespace {

using Kind = NetworkBox::Kind;
using Slots = std::initializer_list<Slot>;

constexpr float kLeast = 160.f;
constexpr float kPart = 28.f, kGap = 8.f, kShape = 17.f;  // heights of a box, of a gap, of a line under a box
constexpr float kStream = 12.f, kBlockLeft = 28.f;        // middle of the stream, left edge of blocks
constexpr float kRibbonRoom = 34.f;                       // between boxes that a ribbon joins
constexpr float kModuleGaps = 6.f, kMostSpread = 28.f, kMostSqueeze = 12.f;

class Builder {
 public:
  Builder(const RunResult& run, int sequence, float width, float room)
      : run_(run), trace_(run.trace(sequence)), width_(std::max(width, kLeast)), room_(room) {}

  NetworkLayout module() {
    const float all = width_ - 2, third = (all - 16) / 3, middle = 1 + all / 2;
    const NetworkBox* above =
        part("map.input", Hue::embed, -1, {Slot::embed, Slot::tok_embed}, 14, all - 28, true);
    const float input_bottom = above ? y_ : -1;
    y_ += above ? room_ - 6 : 0;
    const float qkv_top = y_;
    float qkv_bottom[3] = {-1, -1, -1}, centre[3] = {};
    for (int i = 0; i < 3; ++i) {
      y_ = qkv_top;
      centre[i] = 1 + static_cast<float>(i) * (third + 8) + third / 2;
      if (projection(i, 0, centre[i] - third / 2, third, true)) qkv_bottom[i] = y_;
      if (input_bottom >= 0 && qkv_bottom[i] >= 0)
        ribbon(middle, input_bottom - kShape, centre[i], qkv_top, projection_hue(i));
    }
    y_ = *std::max_element(qkv_bottom, qkv_bottom + 3) + room_;
    attention_chain(middle, all, qkv_bottom, centre);
    layout_.height = y_ + 4;
    return std::move(layout_);
  }

  NetworkLayout model(int open_layer) {
    layout_.stream_x = kStream;
    layout_.stream_y0 = 8;
    const float w = width_ - kBlockLeft - 4;
    const bool added = trace_.find(site_of(Slot::pos_embed)) != nullptr;
    const char* name = trace_.find(site_of(Slot::tok_embed))
                           ? (added ? "map.embedding_position" : "map.embedding")
                           : "map.input";
    part(name, Hue::embed, -1, {Slot::embed, Slot::tok_embed, Slot::pos_embed, Slot::type_embed}, kBlockLeft,
         w, false);
    y_ += kGap;
    for (int layer = 0; layer < trace_.config().n_layers(); ++layer) {
      if (layer == open_layer)
        open_block(layer, w);
      else
        folded_block(layer, w);
    }
    y_ += kGap / 2;
    if (part("map.final_norm", Hue::norm, -1, {Slot::ln_final_out, Slot::ln_final_scale}, kBlockLeft, w,
             false))
      y_ += kGap;
    layout_.stream_y1 = y_ - kGap;
    if (part("map.unembed", Hue::logits, -1, {Slot::logits}, kBlockLeft, w, false)) y_ += kGap;
    if (part("map.probs", Hue::logits, -1, {Slot::probs}, kBlockLeft, w, false)) y_ += kGap;
    layout_.height = y_ + 4;
    return std::move(layout_);
  }

 private:
  static Hue projection_hue(int i) { return i == 0 ? Hue::query : i == 1 ? Hue::key : Hue::value; }

  std::vector<Slot> present(Slots slots, int layer) const {
    std::vector<Slot> found;
    for (const Slot slot : slots)
      if (trace_.find(site_of(slot, layer))) found.push_back(slot);
    return found;
  }

  // A box with the first of `slots` as its target, or null where the run has none of them; y_ moves under it.
  NetworkBox* part(const char* key, Hue hue, int layer, Slots slots, float x, float w, bool shape) {
    NetworkBox box;
    box.slots = present(slots, layer);
    if (box.slots.empty()) return nullptr;
    box.key = key, box.hue = hue, box.layer = layer, box.centred = shape;
    box.target = site_of(box.slots.front(), layer);
    box.x = x, box.y = y_, box.w = w, box.h = kPart;
    y_ += kPart;
    if (shape) {
      box.shape = shape_text(trace_.find(box.target)->shape, static_cast<std::int64_t>(run_.traces.size()));
      y_ += kShape;
    }
    layout_.boxes.push_back(std::move(box));
    return &layout_.boxes.back();
  }

  NetworkBox* projection(int i, int layer, float x, float w, bool shape) {
    NetworkBox* box = nullptr;
    if (i == 0)
      box =
          part("map.q", Hue::query, layer, {Slot::q, Slot::view_q, Slot::split_q, Slot::rot_q}, x, w, shape);
    if (i == 1)
      box = part("map.k", Hue::key, layer, {Slot::k, Slot::view_k, Slot::split_k, Slot::rot_k}, x, w, shape);
    if (i == 2) box = part("map.v", Hue::value, layer, {Slot::v, Slot::view_v, Slot::split_v}, x, w, shape);
    if (box) box->centred = true;
    return box;
  }

  void ribbon(float x0, float y0, float x1, float y1, Hue hue) {
    layout_.ribbons.push_back({x0, y0, x1, y1, hue});
  }

  // From Q, K and V down to the output projection, for a bare attention module.
  void attention_chain(float middle, float all, const float* qkv_bottom, const float* centre) {
    const float w = std::min(all - 28, 132.f), left = middle - 12 - w / 2;
    float top = y_;
    if (part("map.scores", Hue::attention, 0, {Slot::scores, Slot::scaled}, left, w, true)) {
      for (int i = 0; i < 2; ++i)
        if (qkv_bottom[i] >= 0)
          ribbon(centre[i], qkv_bottom[i] - kShape, left + w * (i == 0 ? 0.36f : 0.55f), top,
                 projection_hue(i));
    }
    float from = y_ - kShape;
    y_ += room_ - 14, top = y_;
    if (part("map.softmax", Hue::attention, 0, {Slot::pattern, Slot::mask, Slot::masked}, left, w, true)) {
      ribbon(left + w / 2, from, left + w / 2, top, Hue::attention);
      from = y_ - kShape;
      y_ += room_ - 10, top = y_;
    }
    const float wide = std::min(all - 28, 142.f);
    if (part("map.values", Hue::value, 0, {Slot::z}, middle - wide / 2, wide, true)) {
      ribbon(left + w / 2, from, middle - 12, top, Hue::attention);
      if (qkv_bottom[2] >= 0)
        ribbon(centre[2], qkv_bottom[2] - kShape, middle + wide * 0.36f, top, Hue::value);
    }
    follow("map.concat", Hue::norm, Slot::concat, middle, all);
    follow("map.output", Hue::output, Slot::attn_out, middle, all);
  }

  void follow(const char* key, Hue hue, Slot slot, float middle, float all) {
    const float from = y_ - kShape;
    y_ += room_ - 10;
    const float top = y_;
    if (part(key, hue, 0, {slot}, 15, all - 28, true)) ribbon(middle, from, middle, top, hue);
  }

  void folded_block(int layer, float w) {
    NetworkBox box;
    box.kind = Kind::folded, box.key = "map.block", box.layer = layer, box.hue = Hue::residual,
    box.centred = false;
    for (const TimelineStep& step : run_.steps)
      if (step.layer == layer)
        for (const Site& site : step.sites) box.slots.push_back(site.slot);
    box.target = first_of(layer);
    box.x = kBlockLeft, box.y = y_, box.w = w, box.h = kPart;
    y_ += kPart + kGap;
    layout_.boxes.push_back(std::move(box));
  }

  Site first_of(int layer) const {
    for (const TimelineStep& step : run_.steps)
      if (step.layer == layer) return step.main;
    return {};
  }

  void sum(int layer, Slots slots, float from_x, float at_y, Hue hue) {
    NetworkBox box;
    box.slots = present(slots, layer);
    if (box.slots.empty()) return;
    box.kind = Kind::sum, box.key = "map.add", box.layer = layer, box.hue = Hue::residual;
    box.target = site_of(box.slots.front(), layer);
    box.w = box.h = 16;
    box.x = kStream - 8, box.y = at_y - 8;
    layout_.boxes.push_back(std::move(box));
    ribbon(from_x, at_y, kStream, at_y, hue);
  }

  void open_block(int layer, float w) {
    layout_.frame_x0 = kBlockLeft - 4, layout_.frame_x1 = kBlockLeft + w + 4, layout_.frame_y0 = y_ - 2;
    NetworkBox header;
    header.kind = Kind::header, header.key = "map.block", header.layer = layer, header.hue = Hue::residual;
    header.centred = false, header.slots = present({Slot::resid_pre}, layer), header.target = first_of(layer);
    header.x = kBlockLeft + 4, header.y = y_ + 2, header.w = w - 8, header.h = 22;
    layout_.boxes.push_back(header);
    y_ += 28;
    const float x = kBlockLeft + 6, inner = w - 12;
    if (part("map.norm", Hue::norm, layer, {Slot::ln1_out, Slot::ln1_scale}, x, inner, false)) y_ += kGap - 2;
    const float top = y_, third = (inner - 12) / 3;
    for (int i = 0; i < 3; ++i) {
      y_ = top;
      projection(i, layer, x + static_cast<float>(i) * (third + 6), third, false);
    }
    y_ += kGap - 2;
    NetworkBox* attention = part("map.attention", Hue::attention, layer,
                                 {Slot::pattern, Slot::scores, Slot::scaled, Slot::mask, Slot::masked,
                                  Slot::z, Slot::concat, Slot::attn_out},
                                 x, inner, false);
    if (attention) {
      attention->heads = true;
      sum(layer, {Slot::resid_mid}, x, y_ - kPart / 2, Hue::attention);
      y_ += kGap - 2;
    }
    if (part("map.norm", Hue::norm, layer, {Slot::ln2_out, Slot::ln2_scale}, x, inner, false)) y_ += kGap - 2;
    if (part("map.mlp", Hue::mlp, layer,
             {Slot::mlp_pre, Slot::mlp_gate, Slot::mlp_up, Slot::mlp_act, Slot::mlp_post, Slot::mlp_out}, x,
             inner, false)) {
      sum(layer, {Slot::resid_post}, x, y_ - kPart / 2, Hue::mlp);
      y_ += kGap - 2;
    }
    layout_.frame_y1 = y_ + 2;
    y_ += kGap + 4;
  }

  const RunResult& run_;
  const Trace& trace_;
  float width_, room_, y_ = 4;
  NetworkLayout layout_;
};

}  // namespace

bool NetworkBox::holds(const Site& site) const {
  return site.layer == layer && std::find(slots.begin(), slots.end(), site.slot) != slots.end();
}

int NetworkLayout::box_of(const Site& site) const {
  const auto at =
      std::find_if(boxes.begin(), boxes.end(), [&](const NetworkBox& box) { return box.holds(site); });
  return at == boxes.end() ? -1 : static_cast<int>(at - boxes.begin());
}

NetworkLayout network_layout(const RunResult& run, int sequence, int open_layer, float width, float height) {
  if (run.traces.empty()) return {};
  const ModelConfig& config = run.trace(sequence).config();
  const bool bare = config.n_layers() == 1 && !config.blocks.front().residual;
  NetworkLayout layout = bare ? Builder(run, sequence, width, kRibbonRoom).module()
                              : Builder(run, sequence, width, kRibbonRoom).model(open_layer);
  const float spare = (height - layout.height) / kModuleGaps;
  if (!bare || height <= 0) return layout;
  return Builder(run, sequence, width, kRibbonRoom + std::clamp(spare, -kMostSqueeze, kMostSpread)).module();
}

}  // namespace attnscope
