#include "core/view/checked_rows.h"

#include <algorithm>

#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/session/look_read.h"

namespace attnscope {
const StepDifference* CheckRows::first_wrong() const {
  const auto found = std::find_if(all().begin(), all().end(), [&](const auto& one) { return wrong(one); });
  return found == all().end() ? nullptr : &*found;
}

bool CheckRows::any() const {
  return torch || std::any_of(all().begin(), all().end(), [](const auto& one) { return one.compared(); });
}

Text CheckRows::verdict() const {
  const auto compared =
      std::count_if(all().begin(), all().end(), [&](const auto& one) { return torch || one.compared(); });
  const auto good = std::count_if(all().begin(), all().end(),
                                  [&](const auto& one) { return one.compared() && !wrong(one); });
  const StepDifference* first = first_wrong();
  const std::string within = format("%.0e", border);
  if (compared == 0) return Text::of("check.none");
  if (other_input) return Text::of("check.torch.other_all", {good, compared, within});
  if (!first) return Text::of(torch ? "check.torch.all" : "check.all", {compared, within});
  if (!first->compared())
    return Text::of("check.torch.lacks", {good, compared, within, first->name(), first->why});
  if (!torch)
    return Text::of("check.first", {good, compared, within, first->name(), significant(first->error(), 3),
                                    to_text(first->at)});
  return Text::of("check.torch.first", {good, compared, within, first->name(), first->place(),
                                        significant(first->first, 5), significant(first->second, 5)});
}

CheckChosen check_chosen(const nlohmann::json& from) {
  CheckChosen out;
  session_look_read(from, "file", out.file);
  session_look_read(from, "against_pinned", out.against_pinned);
  session_look_read(from, "against_torch", out.against_torch);
  session_look_read(from, "tolerance", out.tolerance);
  session_look_read(from, "torch_tolerance", out.torch_tolerance);
  return out;
}

std::string check_page(const CheckChosen& chosen, const ViewState& state) {
  const bool file = !chosen.file.empty(), other = state.before && state.before != state.run;
  if (has_reference(*state.opened) && (chosen.against_torch || (!file && !other))) return "torch";
  if (other && (!file || chosen.against_pinned)) return "run";
  return file ? "file" : "";
}

Result<OpenedModel> open_recording(const std::string& path) {
  TRY(OpenedModel opened, open_model(path));
  if (opened.recorded.empty()) return fail(Code::bad_format, "check.no_recording", {quoted_path(path)});
  return opened;
}

}  // namespace attnscope
