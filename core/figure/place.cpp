#include "core/figure/place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr float kSlack = 0.01f;  // pixels: sums of floats
constexpr int kMostEithers = 3;

// By Give: what a step of this kind costs, for a part of priority 1; times the priority's square.
constexpr std::array<float, 9> kPrices{1, 1, 2, 6, 3, 3, 6, 10, 30};
constexpr std::array<Give, 9> kAllGives{Give::shorter_words, Give::short_numbers, Give::short_names,
                                        Give::digits,        Give::fewer_rows,    Give::shortest_words,
                                        Give::fewest_rows,   Give::names,         Give::left_out};

float price_of(const Part& part, Give give) {
  return kPrices[static_cast<std::size_t>(give)] * static_cast<float>(part.priority * part.priority);
}

struct PlacedLeaf {
  const Part* part = nullptr;
  Form form;
  PixelRect rect;
  bool shown() const { return !form.has(Give::left_out); }
};
struct PlacedBox {
  bool row = false;
  int leaf = -1;  ///< index; -1: a row or a column
  std::vector<PlacedBox> inside;
  std::array<SizeNeed, 2> need;  ///< by axis: width, height
  bool shown = true;
  PixelRect rect;
};
constexpr int kWidth = 0, kHeight = 1;  // axes

float& start(PixelRect& rect, int axis) { return axis == kWidth ? rect.x : rect.y; }
float& size(PixelRect& rect, int axis) { return axis == kWidth ? rect.w : rect.h; }

// Sizes that add up to `total` where the needs allow it: least, then towards natural, then towards most.
std::vector<float> shared(const std::vector<SizeNeed>& needs, float total) {
  std::vector<float> out;
  for (const SizeNeed& need : needs) out.push_back(need.least), total -= need.least;
  for (const bool to_natural : {true, false}) {
    float gaps = 0;
    const auto gap = [&](const SizeNeed& need) {
      return std::max(
          0.f, to_natural ? need.natural - need.least : need.most - std::max(need.natural, need.least));
    };
    for (const SizeNeed& need : needs) gaps += gap(need);
    if (gaps <= 0 || total <= 0) continue;
    const float share = std::min(1.f, total / gaps);
    for (std::size_t i = 0; i < needs.size(); ++i) out[i] += gap(needs[i]) * share;
    total -= gaps * share;
  }
  return out;
}

// Matrices of a group that show colours alone have cells of one size, so that their rows line up.
void align_cells(std::vector<PlacedPart>& parts) {
  struct Cell {
    float w = std::numeric_limits<float>::max(), h = w;
  };
  std::map<std::string, Cell> least;
  const auto each = [&](const auto& use) {
    for (PlacedPart& part : parts) {
      const auto* matrix = std::get_if<MatrixMark>(&part.part->mark);
      if (!matrix || part.part->group.empty() || part.digit > 0) continue;
      use(part, least[part.part->group], static_cast<float>(matrix->values.size(1)),
          static_cast<float>(matrix->values.size(0)));
    }
  };
  each([](const PlacedPart& part, Cell& cell, float cols, float rows) {
    cell.w = std::min(cell.w, part.cells.w / cols), cell.h = std::min(cell.h, part.cells.h / rows);
  });
  each([](PlacedPart& part, const Cell& cell, float cols, float rows) {
    part.cells.w = cell.w * cols, part.cells.h = cell.h * rows;
  });
}

class Solver {
 public:
  Solver(const Figure& figure, PixelRect room, const MarkContext& context, unsigned ways)
      : context_(context), room_(room), ways_(ways) {
    root_.inside.push_back(node_of(figure.body));
    room_.x = room_.y = context.look.pad;
    room_.w -= 2 * context.look.pad, room_.h -= 2 * context.look.pad;
  }

  void solve() {
    while (!pass() && take_cheapest()) {
    }
    if (fits_) take_back();
    pass();
  }
  bool fits() const { return fits_; }
  int eithers() const { return eithers_; }
  float loss() const {
    float out = 0;
    for (const PlacedLeaf& leaf : leaves_)
      for (const Give give : leaf.form.given) out += price_of(*leaf.part, give);
    return out;
  }
  Placed result() const {
    Placed out;
    out.room = {0, 0, room_.w + 2 * room_.x, room_.h + 2 * room_.y};
    for (const PlacedLeaf& leaf : leaves_) {
      for (const Give give : leaf.form.given)
        out.given_up.push_back(leaf.part->id + ": " + std::string(to_text(give)));
      if (leaf.shown()) out.parts.push_back({leaf.part, leaf.form, leaf.rect, {}, {}, 0, 0});
    }
    if (!fits_) {
      const auto& need = root_.inside.front().need;
      const float height =
          axis_ == kWidth ? room_.h : need[kHeight].least;  // not known where the width lacks
      out.overflows.push_back(format("%.0f x %.0f > %.0f x %.0f", static_cast<double>(need[kWidth].least),
                                     static_cast<double>(height), static_cast<double>(room_.w),
                                     static_cast<double>(room_.h)));
    }
    for (PlacedPart& part : out.parts) rules_of(part.part->mark).settle(part, context_);
    align_cells(out.parts);
    out.loss = loss();
    out.natural_height = root_.inside.front().need[kHeight].natural + 2 * room_.y;
    return out;
  }

 private:
  PlacedBox node_of(const PartBox& box) {
    PlacedBox out;
    if (box.part) {
      out.leaf = static_cast<int>(leaves_.size());
      leaves_.push_back({&*box.part, {}, {}});
      return out;
    }
    out.row = box.way == PartBox::Way::row;
    if (box.way == PartBox::Way::either) out.row = (ways_ >> eithers_++ & 1u) == 0;
    for (const PartBox& inside : box.inside) out.inside.push_back(node_of(inside));
    return out;
  }
  const PlacedLeaf& leaf(const PlacedBox& node) const { return leaves_[static_cast<std::size_t>(node.leaf)]; }

  SizeNeed need_of(const PlacedLeaf& leaf, const Form& form, int axis) const {
    const MarkRules& rules = rules_of(leaf.part->mark);
    return axis == kWidth ? rules.width(*leaf.part, form, context_)
                          : rules.height(*leaf.part, form, leaf.rect.w, context_);
  }
  // Needs, bottom up.
  void up(PlacedBox& node, int axis) {
    SizeNeed& need = node.need[static_cast<std::size_t>(axis)];
    need = {};
    if (node.leaf >= 0) {
      node.shown = leaf(node).shown();
      if (node.shown) need = need_of(leaf(node), leaf(node).form, axis);
      return;
    }
    const bool along = node.row == (axis == kWidth);
    float gaps = -context_.look.gap;
    for (PlacedBox& inside : node.inside) {
      up(inside, axis);
      if (!inside.shown) continue;
      const SizeNeed& own = inside.need[static_cast<std::size_t>(axis)];
      gaps += context_.look.gap;
      need = along ? SizeNeed{need.least + own.least, need.natural + own.natural, need.most + own.most}
                   : SizeNeed{std::max(need.least, own.least), std::max(need.natural, own.natural),
                              std::max(need.most, own.most)};
    }
    node.shown = gaps >= 0;
    if (along && node.shown) need.least += gaps, need.natural += gaps, need.most += gaps;
  }
  // Places, top down.
  void down(PlacedBox& node, int axis, float from, float room) {
    start(node.rect, axis) = from, size(node.rect, axis) = room;
    if (node.leaf >= 0) {
      leaves_[static_cast<std::size_t>(node.leaf)].rect = node.rect;
      return;
    }
    const bool along = node.row == (axis == kWidth);
    std::vector<SizeNeed> needs;
    for (const PlacedBox& inside : node.inside)
      if (inside.shown) needs.push_back(inside.need[static_cast<std::size_t>(axis)]);
    const float gaps = context_.look.gap * static_cast<float>(std::max<std::size_t>(1, needs.size()) - 1);
    const std::vector<float> sizes = along ? shared(needs, room - gaps) : std::vector<float>();
    std::size_t at = 0;
    for (PlacedBox& inside : node.inside) {
      if (!inside.shown) continue;
      down(inside, axis, from, along ? sizes[at] : room);
      if (along) from += sizes[at++] + context_.look.gap;
    }
  }
  // Widths, then heights for these widths. True where the least sizes fit.
  bool pass() {
    PlacedBox& top = root_.inside.front();
    for (const int axis : {kWidth, kHeight}) {
      up(top, axis);
      down(top, axis, axis == kWidth ? room_.x : room_.y, size(room_, axis));
      axis_ = axis;
      fits_ = top.need[static_cast<std::size_t>(axis)].least <= size(room_, axis) + kSlack;
      if (!fits_) break;
    }
    return fits_;
  }
  // Leaves that make a box larger than its room.
  void blame(const PlacedBox& node, float room, std::vector<int>& out) const {
    if (node.leaf >= 0) {
      if (node.shown) out.push_back(node.leaf);
      return;
    }
    const bool along = node.row == (axis_ == kWidth);
    for (const PlacedBox& inside : node.inside) {
      const float least = inside.need[static_cast<std::size_t>(axis_)].least;
      if (inside.shown && (along || least > room + kSlack)) blame(inside, along ? -1.f : room, out);
    }
  }
  bool can(const PlacedLeaf& leaf, Give give) const {
    const auto gives = rules_of(leaf.part->mark).gives;
    if (std::find(gives.begin(), gives.end(), give) == gives.end() || leaf.form.has(give)) return false;
    if (plane_less_first(*leaf.part, give)) return false;
    return give != Give::left_out || leaf.part->priority <= 1;
  }
  // Planes with signs: one of the group less, where one may be left out, before colours alone.
  bool plane_less_first(const Part& part, Give give) const {
    const auto* matrix = std::get_if<MatrixMark>(&part.mark);
    if (!matrix || !matrix->signs || (give != Give::digits && give != Give::names)) return false;
    return std::any_of(leaves_.begin(), leaves_.end(), [&](const PlacedLeaf& other) {
      return other.shown() && other.part->group == part.group && other.part->priority <= 1;
    });
  }
  bool helps(const PlacedLeaf& leaf, Give give) const {
    Form with = leaf.form;
    with.given.insert(give);
    if (give == Give::left_out) return true;
    return need_of(leaf, with, axis_).least < need_of(leaf, leaf.form, axis_).least - 0.5f;
  }
  // The part, its group, and for digits every matrix of lower priority: the result never before its inputs.
  void take(const Part& part, Give give) {
    for (PlacedLeaf& leaf : leaves_) {
      const bool with = leaf.part == &part || (!part.group.empty() && leaf.part->group == part.group) ||
                        (give == Give::digits && leaf.part->priority < part.priority);
      if (with && can(leaf, give)) leaf.form.given.insert(give);
    }
  }
  bool take_cheapest() {
    std::vector<int> to_blame;
    blame(root_.inside.front(), size(room_, axis_), to_blame);
    const Part* part = nullptr;
    Give best = Give::left_out;
    for (const int index : to_blame) {
      const PlacedLeaf& leaf = leaves_[static_cast<std::size_t>(index)];
      for (const Give give : kAllGives) {
        if (!can(leaf, give) || (part && price_of(*leaf.part, give) >= price_of(*part, best))) continue;
        if (helps(leaf, give)) part = leaf.part, best = give;
      }
    }
    if (part) take(*part, best);
    return part != nullptr;
  }
  // A matrix may have its digits back only where those of higher priority have theirs.
  bool may_have_back(const PlacedLeaf& leaf, Give give) const {
    if (give != Give::digits) return true;
    return std::none_of(leaves_.begin(), leaves_.end(), [&](const PlacedLeaf& other) {
      return other.part->priority > leaf.part->priority && other.form.has(give);
    });
  }
  void take_back() {
    std::vector<std::pair<std::size_t, Give>> taken;
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      for (const Give give : leaves_[i].form.given) taken.emplace_back(i, give);
    std::stable_sort(taken.begin(), taken.end(), [this](const auto& a, const auto& b) {
      return price_of(*leaves_[a.first].part, a.second) > price_of(*leaves_[b.first].part, b.second);
    });
    for (const auto& [index, give] : taken) {
      if (!leaves_[index].form.has(give) || !may_have_back(leaves_[index], give)) continue;
      const std::vector<PlacedLeaf> before = leaves_;
      const std::string& group = leaves_[index].part->group;
      for (PlacedLeaf& leaf : leaves_)
        if (&leaf == &leaves_[index] || (!group.empty() && leaf.part->group == group))
          leaf.form.given.erase(give);
      if (!pass()) leaves_ = before;
    }
    fits_ = true;
  }

  MarkContext context_;
  PixelRect room_;
  unsigned ways_;
  int eithers_ = 0;
  std::vector<PlacedLeaf> leaves_;
  PlacedBox root_;
  bool fits_ = false;
  int axis_ = kWidth;
};

}  // namespace

const LetterSizes kWindowLetters{};
const LetterSizes kPresenterLetters{.title = 30,
                                    .body = 22,
                                    .small = 18,
                                    .digit = 16,
                                    .digit_natural = 20,
                                    .looked = 20,
                                    .looked_natural = 32,
                                    .lead = 26,
                                    .gap = 18,
                                    .pad = 22,
                                    .plane = 90};
const LetterSizes kColumnLetters{.title = 11,
                                 .body = 9,
                                 .small = 8,
                                 .digit = 7,
                                 .digit_natural = 9,
                                 .looked = 8,
                                 .looked_natural = 10,
                                 .lead = 9,
                                 .gap = 6,
                                 .pad = 4,
                                 .plane = 40};

Placed place(const Figure& figure, float width, float height, const LetterSizes& look,
             const Measure& measure) {
  std::map<std::pair<const void*, int>, float> kept;
  const MarkContext context{look, measure, kept};
  std::optional<Placed> best;
  for (unsigned ways = 0;; ++ways) {
    Solver solver(figure, {0, 0, width, height}, context, ways);
    solver.solve();
    Placed placed = solver.result();
    const bool better = !best || placed.overflows.size() < best->overflows.size() ||
                        (placed.overflows.size() == best->overflows.size() && placed.loss < best->loss);
    if (better) best = std::move(placed);
    if (ways + 1 >= 1u << std::min(solver.eithers(), kMostEithers)) break;
  }
  return std::move(*best);
}

}  // namespace attnscope::figure
