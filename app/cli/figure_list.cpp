#include "app/cli/figure_list.h"

#include "app/cli/answer_run.h"
#include "app/cli/control_text.h"
#include "app/cli/figure_source.h"
#include "core/base/text.h"
#include "core/view/controls.h"

namespace attnscope::cli {
namespace {

using json = nlohmann::json;

constexpr const char* kListedModel = "model:storyteller";  // which the window opens

json listed(const ViewControl& one, const std::string& page = {}) {
  json out = control_json(one.control);
  out["level"] = name_of_value(one.level, kLevels), out["sentence"] = tr(one.control.key);
  if (!page.empty()) out["page"] = page;
  return out;
}

void print_control(const LabControl& control, const std::string& page = {}) {
  std::printf("    %-28s %-24s %s\n", (page + control.id()).c_str(), range_text(control).c_str(),
              tr(control.key));
}

// The view of labs: a page is a lab, and each has controls of its own.
json list_labs_of(const ViewSpec& view, bool as_json) {
  json pages = json::array(), controls = json::array();
  std::vector<std::string> ids;
  for (const Lab& lab : labs()) ids.push_back(lab.id());
  if (!as_json) std::printf("%-12s %s\n", view.id.c_str(), join(ids, ", ").c_str());
  for (const Lab& lab : labs())
    for (const LabControl& control : lab.controls) {
      controls.push_back(listed({control}, lab.id()));
      if (!as_json) print_control(control, lab.id() + " ");
    }
  return {{"view", view.id}, {"model", false}, {"pages", ids}, {"controls", controls}};
}

json list_view(const ViewSpec& view, const ViewState& state, bool as_json) {
  std::vector<std::string> pages = pages_of(view, state);
  if (!view.aside.empty()) pages.emplace_back(view.aside);
  if (!as_json) std::printf("%-12s %s\n", view.id.c_str(), join(pages, ", ").c_str());
  json controls = json::array();
  for (const ViewControl& one : view_controls(view, state)) {
    controls.push_back(listed(one));
    if (!as_json) print_control(one.control);
  }
  return {{"view", view.id}, {"model", true}, {"pages", pages}, {"controls", controls}};
}

}  // namespace

Status list_views(FigureOptions options) {
  if (options.models.empty()) options.models = {kListedModel};
  TRY(const FigureSource source, figure_source(options));
  json rows = json::array();
  for (const ViewSpec* view : view_specs()) {
    if (!view->model) {
      rows.push_back(list_labs_of(*view, options.json));
      continue;
    }
    options.view = view->id;
    TRY(const ViewState state, figure_state(source, options));
    rows.push_back(list_view(*view, state, options.json));
  }
  if (options.json) print_json({{"rows", rows}, {"run", run_json(*source.opened, options.models.front())}});
  return Done{};
}

}  // namespace attnscope::cli
