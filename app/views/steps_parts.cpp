#include "app/views/steps_parts.h"

#include "app/look/theme.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {

FigureAxis FigureParts::axis(const Site& site, Axis name, std::int64_t size, const char* key) const {
  FigureAxis out{key,
                 size,
                 FigureAxis::Names::index,
                 {},
                 0,
                 rows_stack(site, name),
                 stack_row(trace_.config(), site, 0)};
  const auto token_title = [&](const char* title, ImU32 colour) {
    out.names = FigureAxis::Names::token;
    out.title = tr(title);
    out.colour = colour;
  };
  if (name == Axis::query)
    token_title("steps.axis.query", theme().q);
  else if (name == Axis::key)
    token_title("steps.axis.key", theme().k);
  else if (name == Axis::pos)
    token_title("steps.axis.pos", 0);
  else if (name == Axis::vocab)
    out.names = FigureAxis::Names::output, out.title = tr("steps.axis.vocab");
  else if (name == Axis::unit)
    out.names = FigureAxis::Names::none;
  else
    out.title = axis_name(name);
  return out;
}

// The end of a block adds the MLP; in parallel blocks attention, too; without an MLP
// nothing.
std::string FigureParts::member_of(const Site& site) const {
  std::string_view member = step_of(site.slot).text;
  if (site.is(StepKind::residual_post)) {
    const BlockSpec& block = trace_.config().block_at(site);
    const bool parallel = block.order == NormOrder::parallel, mlp = block.mlp.kind != MlpSpec::Kind::none;
    if (parallel) member = mlp ? "resid_both" : "resid_mid";
    if (!parallel && !mlp) member = "resid_pre";
  }
  return tr("steps.member." + std::string(member));
}

std::string FigureParts::title_of(const Site& site, bool transposed) const {
  const std::string name = member_of(site) + (transposed ? "ᵀ" : "");
  const bool across = site_.part == Part::cross || site.stack != site_.stack;
  const Axis rows = trace_.find(site)->axes[0];
  return across ? tr("steps.of_stack", {name, stack_name(trace_.config(), rows_stack(site, rows))}) : name;
}

Operand FigureParts::step(const Site& site, const char* id, std::int64_t head) const {
  Operand out;
  const Record& record = *trace_.find(site);
  out.id = id;
  out.site = site;
  out.title = title_of(site);
  out.colour = hue_colour(step_of(site.slot).hue);
  std::vector<std::size_t> plane;
  for (std::size_t d = 0; d < record.axes.size(); ++d) {
    if (record.axes[d] == Axis::head)
      out.head = head >= 0 ? head : trace_.own_head(site, head_);
    else
      plane.push_back(d);
  }
  out.row = axis(site, record.axes[plane[0]], record.shape[plane[0]], "rows");
  out.col = axis(site, record.axes[plane[1]], record.shape[plane[1]], "cols");
  if (site.is(StepRole::pattern) || site.is(StepRole::probs)) out.map = Colormap::sequential;
  if (site.is(StepRole::mask)) out.map = Colormap::mask;
  return out;
}

Operand FigureParts::result() const {
  Operand out = step(site_, "result");
  out.is_result = true;
  return out;
}

Operand FigureParts::weight(const std::string& name, const char* id) const {
  Operand out;
  const Tensor tensor = trace_.weights().get(name);
  out.id = id;
  out.weight = name;
  out.title = name;
  out.colour = hue_colour(step_.hue);
  const bool vector = tensor.rank() == 1;
  out.row = vector ? one() : axis(site_, tensor.axis(0), tensor.size(0), "rows");
  out.col = axis(site_, tensor.axis(vector ? 0 : 1), tensor.size(vector ? 0 : 1), "cols");
  return out;
}

Operand FigureParts::column(const char* id, const char* title, const FigureAxis& rows, std::int64_t reads,
                            std::function<Tensor(Range, Range)> part) const {
  Operand out;
  out.id = id;
  out.title = tr(title);
  out.row = rows;
  out.col = one();
  out.reads = reads;
  out.part = std::move(part);
  return out;
}

int FigureParts::add(Operand operand) {
  figure_.operands.push_back(std::move(operand));
  return static_cast<int>(figure_.operands.size()) - 1;
}

void FigureParts::block(const char* sign, std::vector<int> operands, bool vertical) {
  figure_.blocks.push_back({sign, vertical, std::move(operands)});
}

}  // namespace attnscope
