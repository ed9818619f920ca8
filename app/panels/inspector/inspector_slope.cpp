// The slope of the number that is explained, in the backward mode, and the button that checks it against a
// finite difference. Measuring runs in the background; both numbers come from core.
#include <cmath>

#include "app/panels/inspector/inspector_parts.h"
#include "app/views/steps_back_figure.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

/// Six significant digits, so that two numbers can be compared.
std::string exact(double value) { return significant(value, 6); }

void draw_numbers(const SlopeCheck& check) {
  if (!check.done) return dim_text(tr("inspector.slope.working"));
  if (check.error) {
    wrapped_text(check.error->sentence(), theme().warning);
    return wrapped_text(check.error->hint(), theme().text_dim);
  }
  const FiniteDifference& numbers = check.numbers;
  fact_row(tr("inspector.slope.analytic"), exact(numbers.analytic), tr("inspector.slope.analytic.help"));
  fact_row(tr("inspector.slope.measured"), exact(numbers.measured), tr("inspector.slope.measured.help"));
  fact_row(tr("inspector.slope.uncertainty"),
           tr("inspector.slope.plus_minus", {short_number(numbers.uncertainty)}),
           tr("inspector.slope.uncertainty.help"));
  fact_row(tr("inspector.slope.step"), short_number(numbers.step), tr("inspector.slope.step.help"));
  const bool agrees = check.agrees();
  wrapped_text(tr(agrees ? "inspector.slope.agrees" : "inspector.slope.differs"),
               agrees ? theme().ok : theme().warning);
}

// What each later step (or use of the weight) adds to the slope, where there are several.
void draw_slope_shares(const PanelContext& context, const std::shared_ptr<const Slopes>& slopes,
                       const Place& place, const std::string& name, const std::vector<std::int64_t>& index) {
  const std::string key = std::to_string(slopes->version) + name + shape_text(index);
  const auto* found = inspector_cache(context.workspace)
                          .slope.get(context, key, true, "inspector.slope", [slopes, place, index] {
                            auto why = place.is_weight()
                                           ? explain_weight_slope(*slopes->gradients, place.weight, index)
                                           : slopes->why(place.cell.site, index);
                            return why ? std::optional(*std::move(why)) : std::nullopt;
                          });
  if (!found || !*found || (*found)->shares.size() < 2) return;
  std::vector<Site> from;
  for (const SlopeShare& share : (*found)->shares) from.push_back(share.from);
  for (const SlopeShare& share : (*found)->shares)
    fact_row(tr("inspector.slope.from", {reader_name(from, share.from)}), exact(share.value),
             tr("inspector.slope.from.help", {gradient_name(share.from)}));
}

}  // namespace

void draw_slope(const PanelContext& context, const Place& place) {
  if (!context.workspace.backward) return;
  const auto slopes = context.workspace.backpass.newest();
  if (!slopes || !slopes->gradients) return;
  const Gradients& gradients = *slopes->gradients;
  const auto index = place.is_weight() ? place.index : cell_index(gradients.trace(), place.cell);
  if (index.empty()) return;
  const std::string name = place.is_weight() ? place.weight + ".grad" : gradient_name(place.cell.site);
  const double value = place.is_weight() ? weight_slope_cell(gradients, place.weight, index)
                                         : static_cast<double>(gradients.cell(place.cell.site, index));
  section_title(tr("inspector.slope"));
  if (std::isnan(value)) return wrapped_text(tr("inspector.slope.none"), theme().text_dim);
  fact_row(tr("inspector.slope.value"), exact(value), name);
  draw_slope_shares(context, slopes, place, name, index);
  wrapped_text(tr(value > 0   ? "inspector.slope.up"
                  : value < 0 ? "inspector.slope.down"
                              : "inspector.slope.flat"),
               theme().text_dim);
  const bool pressed = raised_button(std::string(tr("inspector.slope.check")) + "###check_slope");
  compat::item_tooltip(tr("inspector.slope.check.help"));
  if (pressed)
    context.commands.act([pass = context.workspace.backpass, slopes, place, index](Session& session) mutable {
      pass.check(session.jobs(), slopes, place.cell.site, place.weight, index);
    });
  const auto check = context.workspace.backpass.checked();
  if (check && check->name == name && check->index == index && check->slopes == slopes->version)
    draw_numbers(*check);
}

}  // namespace attnscope
