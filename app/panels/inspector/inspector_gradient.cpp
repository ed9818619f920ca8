// Backward mode: the gradient of the explained number, and a button that checks it against a finite
// difference. Measured by a background job; both values are computed in core.
#include <cmath>

#include "app/panels/inspector/inspector_parts.h"
#include "app/views/steps_back_figure.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

/// Six significant digits, to compare two values.
std::string exact(double value) { return significant(value, 6); }

void draw_numbers(const GradientCheck& check) {
  if (!check.done) return dim_text(tr("inspector.gradient.working"));
  if (check.error) {
    wrapped_text(check.error->sentence(), theme().warning);
    return wrapped_text(check.error->hint(), theme().text_dim);
  }
  const FiniteDifference& numbers = check.numbers;
  fact_row(tr("inspector.gradient.analytic"), exact(numbers.analytic),
           tr("inspector.gradient.analytic.help"));
  fact_row(tr("inspector.gradient.measured"), exact(numbers.measured),
           tr("inspector.gradient.measured.help"));
  fact_row(tr("inspector.gradient.uncertainty"),
           tr("inspector.gradient.plus_minus", {short_number(numbers.uncertainty)}),
           tr("inspector.gradient.uncertainty.help"));
  fact_row(tr("inspector.gradient.step"), short_number(numbers.step), tr("inspector.gradient.step.help"));
  const bool agrees = check.agrees();
  wrapped_text(tr(agrees ? "inspector.gradient.agrees" : "inspector.gradient.differs"),
               agrees ? theme().ok : theme().warning);
}

// The contribution of each later step (or use of the weight) to the gradient, where there are several.
void draw_gradient_shares(const PanelContext& context, const std::shared_ptr<const BackwardResult>& grads,
                          const Place& place, const std::string& name,
                          const std::vector<std::int64_t>& index) {
  const std::string key = std::to_string(grads->version) + name + shape_text(index);
  const auto found = inspector_cache(context.workspace)
                         .gradient.get(key_of(key), true, context.workers(), [grads, place, index] {
                           auto why = place.is_weight()
                                          ? explain_weight_gradient(*grads->gradients, place.weight, index)
                                          : grads->why(place.cell.site, index);
                           return why ? std::optional(*std::move(why)) : std::nullopt;
                         });
  if (!found || !*found || (*found)->shares.size() < 2) return;
  std::vector<Site> from;
  for (const GradientShare& share : (*found)->shares) from.push_back(share.from);
  for (const GradientShare& share : (*found)->shares)
    fact_row(tr("inspector.gradient.from", {reader_name(from, share.from)}), exact(share.value),
             tr("inspector.gradient.from.help", {gradient_name(share.from)}));
}

}  // namespace

void draw_gradient(const PanelContext& context, const Place& place) {
  if (!context.workspace.backward) return;
  const auto grads = context.workspace.backward_run.newest();
  if (!grads || !grads->gradients) return;
  const Gradients& gradients = *grads->gradients;
  const auto index = place.is_weight() ? place.index : cell_index(gradients.trace(), place.cell);
  if (index.empty()) return;
  const std::string name = place.is_weight() ? place.weight + ".grad" : gradient_name(place.cell.site);
  const double value = place.is_weight() ? weight_gradient_cell(gradients, place.weight, index)
                                         : static_cast<double>(gradients.cell(place.cell.site, index));
  section_title(tr("inspector.gradient"));
  if (std::isnan(value)) return wrapped_text(tr("inspector.gradient.none"), theme().text_dim);
  fact_row(tr("inspector.gradient.value"), exact(value), name);
  draw_gradient_shares(context, grads, place, name, index);
  wrapped_text(tr(value > 0   ? "inspector.gradient.up"
                  : value < 0 ? "inspector.gradient.down"
                              : "inspector.gradient.flat"),
               theme().text_dim);
  const bool pressed = raised_button(Label(tr("inspector.gradient.check"), "###check_gradient"));
  compat::item_tooltip(tr("inspector.gradient.check.help"));
  if (pressed)
    context.workspace.backward_run.check(context.workers(), grads, place.cell.site, place.weight, index);
  const auto check = context.workspace.backward_run.checked();
  if (check && check->name == name && check->index == index && check->grads == grads->version)
    draw_numbers(*check);
}

}  // namespace attnscope
