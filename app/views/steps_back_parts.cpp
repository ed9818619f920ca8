#include "app/views/steps_back_parts.h"

#include <algorithm>

#include "app/look/theme.h"
#include "app/widgets/navigation.h"
#include "core/base/words.h"

namespace attnscope {

GradientParts::GradientParts(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked)
    : FigureParts(grads->gradients->trace(), asked.site, asked.head), grads_(grads), asked_(asked) {}

bool GradientParts::begin() {
  out_.name = asked_.weight.empty() ? gradient_name(site_) : asked_.weight + ".grad";
  if (!grads_->gradients->find(site_)) return false;
  figure_.site = site_;
  figure_.rule = Rule::sum;
  figure_.layout = Figure::Layout::row;
  const bool words = site_.is(StepRole::logits) || reads_words(site_);
  if (!words || !asked_.top.empty() || asked_.whole_vocabulary) return true;
  figure_.pending = true;
  figure_.layout = Figure::Layout::none;
  return false;
}

GradientFigure GradientParts::finish() {
  out_.figure = std::move(figure_);
  return std::move(out_);
}

std::string GradientParts::short_name(const Site& site) {
  std::string name = to_text(site);
  const std::size_t blocks = name.find("blocks.");
  if (blocks != std::string::npos) name = name.substr(name.find('.', blocks + 7) + 1);
  return name;
}

bool GradientParts::reads_words(const Site& site) const {
  const auto& readers = grads_->readers_of(site);
  return std::any_of(readers.begin(), readers.end(),
                     [](const Site& reader) { return reader.is(StepRole::logits); });
}

Operand GradientParts::transposed(Operand operand) {
  operand.transposed = !operand.transposed;
  std::swap(operand.row, operand.col);
  operand.title += "ᵀ";
  if (operand.part)
    operand.part = [part = operand.part](Range rows, Range cols) {
      const Tensor upright = part(cols, rows);
      return upright.empty() ? upright : upright.transpose();
    };
  return operand;
}

PlaneSource GradientParts::part_of(const Operand& operand) const {
  if (operand.part) return operand.part;
  return [trace = &trace_, operand](Range rows, Range cols) {
    return operand_values(*trace, operand, rows, cols);
  };
}

Operand GradientParts::gradient(const Site& site, const char* id, std::int64_t head) const {
  Operand out = step(site, id, head);
  out.title = short_name(site) + ".grad";
  out.map = Colormap::diverging;
  out.gradient = true;
  out.version = grads_->version;
  if (site.is(StepRole::logits)) pick_words(out.col, out.picked_cols);
  out.part = with_picks([gradients = grads_->gradients, site, at = std::max<std::int64_t>(out.head, 0)](
                            Range rows, Range cols) { return gradients->slice(site, at, rows, cols); },
                        out.picked_rows, out.picked_cols);
  return out;
}

void GradientParts::pick_words(FigureAxis& axis, std::vector<std::int64_t>& picks) const {
  axis.names = FigureAxis::Names::output;
  if (asked_.whole_vocabulary) return;
  picks = asked_.top;
  axis.size = static_cast<std::int64_t>(picks.size());
}

void GradientParts::product_logits(Operand& logits) const {
  const HeadSpec& head = trace_.config().head;
  if (head.cap <= 0.f && head.scale == 1.f) return;
  logits.title = tr("steps.back.product_logits", {logits.title});
  logits.part =
      with_picks([gradients = grads_->gradients](
                     Range rows, Range cols) { return product_logit_gradients(*gradients, rows, cols); },
                 logits.picked_rows, logits.picked_cols);
}

Operand GradientParts::norm_plane(const char* id, std::string title, const Operand& like, Tensor plane) {
  Operand out = like;
  out.id = id;
  out.title = std::move(title);
  out.colour = theme().norm;
  out.part = plane_of(std::move(plane));
  out.gradient = false;
  return out;
}

void GradientParts::product(std::vector<GradientPiece> pieces, Operand result) {
  figure_.layout = Figure::Layout::product;
  Operand left = pieces.front().left, top = pieces.front().top;
  left.id = "left", top.id = "top";
  if (pieces.size() > 1) {
    std::vector<PlaneSource> lefts, tops;
    std::vector<std::int64_t> sizes;
    std::int64_t inner = 0;
    left.title.clear(), top.title.clear();
    for (const GradientPiece& piece : pieces) {
      lefts.push_back(part_of(piece.left));
      tops.push_back(part_of(piece.top));
      sizes.push_back(piece.left.col.size);
      inner += sizes.back();
      const bool first = left.title.empty();
      left.title += (first ? "" : " | ") + piece.left.title;
      top.title += (first ? "" : " / ") + piece.top.title;
      left.id += "/" + piece.left.title, top.id += "/" + piece.top.title;
    }
    left.part = joined_planes(lefts, sizes, false);
    top.part = joined_planes(tops, sizes, true);
    left.col = top.row = FigureAxis{"inner", inner, FigureAxis::Names::none, {}, 0, site_.stack, 0};
    const bool even = std::all_of(sizes.begin(), sizes.end(), [&](auto size) { return size == sizes[0]; });
    if (even) left.group = sizes.front();
    left.version = top.version = grads_->version;
    left.id = "left", top.id = "top";
  }
  left.row.key = result.row.key = "rows";
  left.col.key = top.row.key = "inner";
  top.col.key = result.col.key = "cols";
  out_.pieces = std::move(pieces);
  add(std::move(left));
  add(std::move(top));
  add(std::move(result));
}

Operand GradientParts::share(Operand like, const std::vector<Site>& from, std::size_t at) {
  const bool rest = is_rest(at, from.size());
  like.id = "share" + std::to_string(at);
  like.is_result = false;
  like.colour = rest ? 0 : hue_colour(step_of(from[at].slot).hue);
  like.title =
      rest ? tr("steps.back.from_more", {std::to_string(from.size() - at)})
           : tr(from.size() > 3 ? "steps.back.share" : "steps.back.from", {reader_name(from, from[at])});
  std::vector<int> stands_for;
  for (std::size_t i = at; i < (rest ? from.size() : at + 1); ++i) stands_for.push_back(static_cast<int>(i));
  out_.shares.push_back(std::move(stands_for));
  return like;
}

void GradientParts::added(std::vector<Operand> parts, Operand result) {
  figure_.shared_range = true;
  for (std::size_t i = 0; i < parts.size(); ++i) block(i ? "+" : "", {add(std::move(parts[i]))});
  block("=", {add(std::move(result))});
}

}  // namespace attnscope
