// The loss over a plane of weights (Li et al. 2018): around a tiny trained model, two random directions whose
// every matrix has the norm of the model's own; with norms before the parts, behind their sums, or without.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/lab/tiny_training.h"
#include "core/tensor/shape_of.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

constexpr int kSurfaceSide = 9, kExamples = 8;  // points along a side of the plane
constexpr TinyPart kSurfaceParts[] = {TinyPart::usual, TinyPart::post, TinyPart::no_norms};

using SurfaceDirection = std::map<std::string, Tensor>;

Tensor tensor_like(const Tensor& like, std::vector<float> values) {
  return Tensor::from(std::move(values), shape_of(like));
}

// N(0, 1) for every weight, each tensor as long (L2) as the model's; norms and biases stay.
SurfaceDirection direction_of(const Model& model, std::uint64_t seed) {
  SurfaceDirection out;
  for (const auto& [name, weight] : model.weights().all()) {
    if (weight.rank() < 2) continue;
    SplitMix64 random = random_of(seed, fingerprint(name), 0);
    std::vector<float> numbers(static_cast<std::size_t>(weight.count()));
    double squares = 0;
    for (float& number : numbers) {
      number = static_cast<float>(random.normal());
      squares += static_cast<double>(number) * static_cast<double>(number);
    }
    const double factor = std::sqrt(sum_of_squares(weight) / squares);
    for (float& number : numbers) number = static_cast<float>(static_cast<double>(number) * factor);
    out[name] = tensor_like(weight, numbers);
  }
  return out;
}

// The model with a times one direction and b times the other added to its weights.
Result<std::shared_ptr<const Model>> moved(const Model& model, const SurfaceDirection& first,
                                           const SurfaceDirection& second, double a, double b) {
  Weights weights = model.weights();
  for (const auto& [name, one] : first) {
    std::vector<float> numbers = weights.get(name).values();
    const std::vector<float> x = one.values(), y = second.at(name).values();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] += static_cast<float>(a * static_cast<double>(x[i]) + b * static_cast<double>(y[i]));
    weights.set(name, tensor_like(weights.get(name), numbers));
  }
  return Model::make(model.config(), std::move(weights));
}

double at_point(int index, double reach) { return reach * (2.0 * index / (kSurfaceSide - 1) - 1); }

/// The loss on the plane, [b, a].
struct Surface {
  Tensor values;
  std::vector<double> middle;  ///< of the row through the model: b = 0
  double least = 0, most = 0, here = 0;
  double rise = 0;  ///< along that row
};

Result<Surface> surface_of(const Model& model, std::uint64_t seed, double reach,
                           const std::atomic<bool>& cancel) {
  const SurfaceDirection first = direction_of(model, 2 * seed), second = direction_of(model, 2 * seed + 1);
  Buffer values({{Axis::pos, kSurfaceSide}, {Axis::dim, kSurfaceSide}});
  Surface out;
  out.least = INFINITY, out.most = -INFINITY;
  for (int row = 0; row < kSurfaceSide; ++row)
    for (int col = 0; col < kSurfaceSide; ++col) {
      TRY_OK(go_on(cancel));
      TRY(const auto there, moved(model, first, second, at_point(col, reach), at_point(row, reach)));
      const double loss = tiny_loss(*there, TinyData::copying, kExamples);
      values.data()[row * kSurfaceSide + col] = static_cast<float>(loss);
      out.least = std::min(out.least, loss), out.most = std::max(out.most, loss);
      if (row == kSurfaceSide / 2) out.middle.push_back(loss);
    }
  out.here = out.middle[kSurfaceSide / 2];
  out.rise = *std::max_element(out.middle.begin(), out.middle.end()) - out.here;
  out.values = std::move(values).freeze();
  return out;
}

Text lab_surface_part_name(int part) {
  constexpr const char* kNames[] = {"lab.surface.norms.pre", "lab.surface.norms.post",
                                    "lab.surface.norms.none"};
  return Text::of(kNames[part]);
}

LabMatrix heat(const Surface& surface, int part, double reach) {
  LabMatrix out;
  out.title = Text::of("lab.surface.plane", {lab_surface_part_name(part)});
  out.rows = Text::of("lab.surface.second");
  out.cols = Text::of("lab.surface.first");
  out.values = surface.values;
  for (int i = 0; i < kSurfaceSide; ++i) {
    out.row_labels.emplace_back(shown(at_point(i, reach), 2));
    out.col_labels.emplace_back(shown(at_point(i, reach), 2));
  }
  out.digits = 1;
  return out;
}

// Which of the three is the flattest along the curves that are drawn; one that has learned less than the
// others has less to lose.
Text lab_surface_notice(const std::vector<Surface>& all, int part, double reach) {
  const auto flattest = std::min_element(all.begin(), all.end(),
                                         [](const Surface& a, const Surface& b) { return a.rise < b.rise; });
  const bool learned_least = std::all_of(all.begin(), all.end(), [&](const Surface& other) {
    return &other == &*flattest || flattest->here > 1.1 * other.here;
  });
  const Surface& chosen = all[static_cast<std::size_t>(part)];
  return Text::of(learned_least ? "lab.surface.notice.little" : "lab.surface.notice",
                  {shown(reach, 2), shown(all[0].rise, 3), shown(all[1].rise, 3), shown(all[2].rise, 3),
                   lab_surface_part_name(static_cast<int>(flattest - all.begin())), shown(all[0].here, 3),
                   shown(all[1].here, 3), shown(all[2].here, 3), lab_surface_part_name(part),
                   shown(chosen.least, 3), shown(chosen.most, 3)});
}

Result<LabPicture> compute_surface(const LabValues& values, const std::atomic<bool>& cancel) {
  const int part = values.choice("norms"), steps = static_cast<int>(values.whole("steps"));
  const double reach = values.number("reach");
  const auto seed = static_cast<std::uint64_t>(values.whole("direction"));
  LabPlot cut;
  cut.title = Text::of("lab.surface.cut");
  cut.x_title = Text::of("lab.surface.first");
  constexpr LabInk kInks[] = {LabInk::blue, LabInk::green, LabInk::red};
  std::vector<Surface> surfaces;
  for (int i = 0; i < 3; ++i) {
    TRY(const auto run, tiny_run({TinyData::copying, kSurfaceParts[i], steps, 3e-3}, cancel));
    TRY(Surface surface, surface_of(*run->model, seed, reach, cancel));
    LabSeries series{lab_surface_part_name(i), {}, kInks[i], i != part, true};
    for (int col = 0; col < kSurfaceSide; ++col)
      series.points.emplace_back(at_point(col, reach), surface.middle[static_cast<std::size_t>(col)]);
    cut.series.push_back(std::move(series));
    surfaces.push_back(std::move(surface));
  }
  const Surface& chosen = surfaces[static_cast<std::size_t>(part)];
  LabPicture out;
  out.pieces = {{heat(chosen, part, reach), 1.1f, true, 1.6f}, {cut, 1}};
  out.formula = Text::of("lab.surface.formula", {shown(reach, 2), shown(chosen.here, 3)});
  out.notice = lab_surface_notice(surfaces, part, reach);
  return out;
}

}  // namespace

Lab lab_surface();
Lab lab_surface() {
  return {"lab.surface",
          17,
          {choice_control("lab.surface.norms",
                          {"lab.surface.norms.pre", "lab.surface.norms.post", "lab.surface.norms.none"}),
           real_control("lab.surface.reach", 0.1, 2, 1), whole_control("lab.surface.steps", 0, 150, 100),
           whole_control("lab.surface.direction", 1, 9, 1)},
          compute_surface,
          {"reach", 2},
          {"norms", 2, "reach"}};
}

}  // namespace attnscope
