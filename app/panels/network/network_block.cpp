// Layout of the unfolded block: pre-norm, post-norm or parallel, self-attention and cross-attention, MLP; and
// of a bare attention module.
#include <algorithm>

#include "app/panels/network/network_builder.h"

namespace attnscope::network {
namespace {

constexpr float kHeadsFrom = 100.f;  // heads are shown in boxes of at least this width

class BlockBuilder {
 public:
  BlockBuilder(Pen& pen, int layer, float left, float width, float handed)
      : pen_(pen),
        block_(pen.trace().config().block_at(site_of(StepRole::stream, layer, pen.stack))),
        layer_(layer),
        x_(left + 6),
        inner_(width - 12),
        handed_(handed) {}

  void build() {
    switch (block_.order) {
      case NormOrder::pre: return norms_before();
      case NormOrder::post: return norms_after();
      case NormOrder::parallel: return side_by_side();
    }
  }

 private:
  std::vector<Site> sites(Kinds kinds, Part part = Part::attn) const {
    return pen_.present(kinds, layer_, part);
  }
  void norm(StepKind kind) {
    if (pen_.part("map.norm", Hue::norm, sites({kind}), x_, inner_)) pen_.y += kGap - 2;
  }
  // Post-norm, across the residual stream: its output is the new stream.
  void stream_norm(StepKind kind) {
    const float left = kStream - 9;
    if (pen_.part("map.norm", Hue::norm, sites({kind}), left, x_ + inner_ - left)) pen_.y += kGap - 2;
  }
  // Q, K and V side by side; K and V of cross-attention are fed by lanes from the encoder.
  void projections(Part part, float x, float w) {
    const float top = pen_.y, third = (w - 12) / 3;
    float bottom = top;
    for (int i = 0; i < 3; ++i) {
      pen_.y = top;
      const float left = x + static_cast<float>(i) * (third + 6);
      pen_.projection(i, layer_, part, left, third);
      bottom = std::max(bottom, pen_.y);
      if (part != Part::cross || i == 0 || handed_ <= 0) continue;
      const float lane = handed_ + (i == 1 ? 0.f : 5.f), in = top - (i == 1 ? 3.f : 6.f);
      pen_.lane({{lane, in}, {left + third / 2, in}, {left + third / 2, top}}, projection_hue(i));
    }
    pen_.y = bottom + kGap - 2;
  }
  NetworkBox* attention(Part part, float x, float w) {
    NetworkBox* box =
        pen_.part(part == Part::cross ? "map.cross" : "map.attention", Hue::attention,
                  sites({StepKind::softmax, StepKind::scores, StepKind::scale, StepKind::cap, StepKind::bias,
                         StepKind::mask, StepKind::values, StepKind::concat, StepKind::output},
                        part),
                  x, w);
    if (box) box->heads = w > kHeadsFrom;
    return box;
  }
  NetworkBox* mlp(float x, float w) {
    return pen_.part("map.mlp", Hue::mlp, sites({StepKind::mlp_up, StepKind::mlp_act, StepKind::mlp_down}), x,
                     w);
  }
  void sum(std::vector<Site> of, Hue hue, bool skip) {
    pen_.sum(std::move(of), x_, pen_.y - kPart / 2, hue, !skip);
    pen_.y += kGap - 2;
  }
  std::vector<Site> after_attention() const {
    return pen_.has(StepKind::mlp_down, layer_) ? sites({StepKind::residual_mid})
                                                : sites({StepKind::residual_mid, StepKind::residual_post});
  }
  // The norm of a branch's output before it is added.
  void branch_norm(StepKind kind) {
    const std::vector<Site> found = sites({kind});
    if (found.empty()) return;
    pen_.y += kGap - 4;
    pen_.part("map.norm", Hue::norm, found, x_, inner_);
  }

  void norms_before() {
    norm(StepKind::norm1);
    projections(Part::attn, x_, inner_);
    attention(Part::attn, x_, inner_);
    branch_norm(StepKind::norm1_post);
    sum(after_attention(), Hue::attention, block_.attention_skip);
    if (pen_.has(StepKind::residual_cross, layer_)) {
      norm(StepKind::norm_cross);
      pen_.y += handed_ > 0 ? 4 : 0;
      projections(Part::cross, x_, inner_);
      attention(Part::cross, x_, inner_);
      sum(sites({StepKind::residual_cross}), Hue::attention, block_.cross_skip);
    }
    norm(StepKind::norm2);
    if (!mlp(x_, inner_)) return;
    branch_norm(StepKind::norm2_post);
    sum(sites({StepKind::residual_post}), Hue::mlp, block_.mlp_skip);
  }

  void norms_after() {
    projections(Part::attn, x_, inner_);
    attention(Part::attn, x_, inner_);
    sum(after_attention(), Hue::attention, block_.attention_skip);
    stream_norm(StepKind::norm1);
    if (pen_.has(StepKind::residual_cross, layer_)) {
      pen_.y += handed_ > 0 ? 4 : 0;
      projections(Part::cross, x_, inner_);
      attention(Part::cross, x_, inner_);
      sum(sites({StepKind::residual_cross}), Hue::attention, block_.cross_skip);
      stream_norm(StepKind::norm_cross);
    }
    if (mlp(x_, inner_)) sum(sites({StepKind::residual_post}), Hue::mlp, block_.mlp_skip);
    stream_norm(StepKind::norm2);
  }

  // Parallel block: attention on the left, MLP on the right, one sum below both.
  void side_by_side() {
    const float half = (inner_ - 8) / 2, right = x_ + half + 8, top = pen_.y;
    const bool own = pen_.has(StepKind::norm2, layer_), beside = pen_.has(StepKind::mlp_down, layer_);
    const float left_width = beside ? half : inner_;
    if (pen_.part("map.norm", Hue::norm, sites({StepKind::norm1}), x_, own ? left_width : inner_))
      pen_.y += kGap - 2;
    const float branches = pen_.y;
    projections(Part::attn, x_, left_width);
    attention(Part::attn, x_, left_width);
    const float low = pen_.y;
    pen_.y = own ? top : branches;
    if (own) {
      pen_.part("map.norm", Hue::norm, sites({StepKind::norm2}), right, half);
      pen_.y += kGap - 2;
    }
    const float bottom = std::max(low, pen_.y + kPart);  // a recording may lack one of the branches
    if (NetworkBox* box = mlp(right, half)) box->h = bottom - box->y;
    pen_.y = bottom + 14;
    const float middle = pen_.y;
    pen_.lane({{x_ + left_width / 2, bottom}, {x_ + left_width / 2, middle}}, Hue::attention);
    if (beside) {
      pen_.lane({{right + half / 2, bottom}, {right + half / 2, middle}, {x_ + left_width / 2, middle}},
                Hue::mlp);
    }
    pen_.sum(sites({StepKind::residual_post}), x_ + left_width / 2, middle, Hue::attention,
             !block_.attention_skip || !block_.mlp_skip);
    pen_.y = middle + 10;
  }

  Pen& pen_;
  const BlockSpec& block_;
  int layer_;
  float x_, inner_, handed_;
};

// A bare attention module: from Q, K and V down to the output projection.
class ModuleBuilder {
 public:
  ModuleBuilder(Pen& pen, float width, float room) : pen_(pen), all_(width - 2), room_(room) {}

  void build() {
    const float third = (all_ - 16) / 3, middle = 1 + all_ / 2;
    const NetworkBox* above =
        pen_.part("map.input", Hue::embed, pen_.present({StepRole::embedding, StepRole::words}, -1), 14,
                  all_ - 28, true);
    const float input_bottom = above ? pen_.y : -1;
    pen_.y += above ? room_ - 6 : 0;
    const float top = pen_.y;
    for (int i = 0; i < 3; ++i) {
      pen_.y = top;
      centre_[i] = 1 + static_cast<float>(i) * (third + 8) + third / 2;
      if (pen_.projection(i, 0, Part::attn, centre_[i] - third / 2, third, true)) bottom_[i] = pen_.y;
      if (input_bottom >= 0 && bottom_[i] >= 0)
        pen_.ribbon(middle, input_bottom - kShape, centre_[i], top, projection_hue(i));
    }
    pen_.y = *std::max_element(bottom_, bottom_ + 3) + room_;
    attention_chain(middle);
  }

 private:
  void attention_chain(float middle) {
    const float w = std::min(all_ - 28, 132.f), left = middle - 12 - w / 2;
    float top = pen_.y;
    const std::vector<Site> compared =
        pen_.present({StepKind::scores, StepKind::scale, StepKind::cap, StepKind::bias}, 0);
    if (pen_.part("map.scores", Hue::attention, compared, left, w, true)) {
      for (int i = 0; i < 2; ++i)
        if (bottom_[i] >= 0)
          pen_.ribbon(centre_[i], bottom_[i] - kShape, left + w * (i == 0 ? 0.36f : 0.55f), top,
                      projection_hue(i));
    }
    float from = pen_.y - kShape;
    pen_.y += room_ - 14, top = pen_.y;
    if (pen_.part("map.softmax", Hue::attention, pen_.present({StepKind::softmax, StepKind::mask}, 0), left,
                  w, true)) {
      pen_.ribbon(left + w / 2, from, left + w / 2, top, Hue::attention);
      from = pen_.y - kShape;
      pen_.y += room_ - 10, top = pen_.y;
    }
    const float wide = std::min(all_ - 28, 142.f);
    if (pen_.part("map.values", Hue::value, pen_.present({StepKind::values}, 0), middle - wide / 2, wide,
                  true)) {
      pen_.ribbon(left + w / 2, from, middle - 12, top, Hue::attention);
      if (bottom_[2] >= 0)
        pen_.ribbon(centre_[2], bottom_[2] - kShape, middle + wide * 0.36f, top, Hue::value);
    }
    follow("map.concat", Hue::norm, StepKind::concat, middle);
    follow("map.output", Hue::output, StepKind::output, middle);
  }

  void follow(const char* key, Hue hue, StepKind kind, float middle) {
    const float from = pen_.y - kShape;
    pen_.y += room_ - 10;
    const float top = pen_.y;
    if (pen_.part(key, hue, pen_.present({kind}, 0), 15, all_ - 28, true))
      pen_.ribbon(middle, from, middle, top, hue);
  }

  Pen& pen_;
  float all_, room_;
  float bottom_[3] = {-1, -1, -1}, centre_[3] = {};
};

}  // namespace

void lay_module(Pen& pen, float width, float room) { ModuleBuilder(pen, width, room).build(); }

void lay_block(Pen& pen, int layer, float left, float width, float handed, NetworkLayout& layout) {
  const BlockSpec& block = pen.trace().config().block_at(site_of(StepRole::stream, layer, pen.stack));
  layout.frame_x0 = block.order == NormOrder::post ? 0.f : left - 4;
  layout.frame_x1 = left + width + 4, layout.frame_y0 = pen.y - 2;
  NetworkBox header;
  header.kind = NetworkBox::Kind::header, header.key = "map.block", header.hue = Hue::residual;
  header.stack = pen.stack, header.layer = layer, header.centred = false;
  header.sites = pen.present({StepKind::residual_in}, layer);
  header.target = pen.first_of(layer);
  header.x = left + 4, header.y = pen.y + 2, header.w = width - 8, header.h = 22;
  pen.box(std::move(header));
  pen.y += 28;
  BlockBuilder(pen, layer, left, width, handed).build();
  layout.frame_y1 = pen.y + 2;
}

}  // namespace attnscope::network
