// What a person chooses of a view beside its page: block, head, row, the temperature, the words of a map.
// They are data, as the controls of a lab are: a kind, limits, a default and a sentence; `attnscope-cli
// figure --list` lists them and `figure --set layer=1` sets them.
#pragma once

#include <string_view>
#include <vector>

#include "core/lab/lab.h"
#include "core/view/view.h"

namespace attnscope {

struct ViewControl {
  LabControl control;         ///< its key is that of its sentence
  Level level = Level::easy;  ///< full: the easy picture does not change with it
};

/// Those of one view in their order; limits and defaults are those of `state`, which has a run. A view of
/// labs has none: each lab has its own.
std::vector<ViewControl> view_controls(const ViewSpec& view, const ViewState& state);
/// "layer=1". Errors: none of the view's controls (lists them), a value outside of its limits, a text without
/// "=".
Status set_control(const ViewSpec& view, ViewState& state, std::string_view assignment);

}  // namespace attnscope
