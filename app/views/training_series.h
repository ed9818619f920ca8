// The checkpoints of a training that happened elsewhere, as the training view shows them: a slider over their
// steps, and what is open measured at each of them, as curves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/controls.h"
#include "app/widgets/line_plot.h"
#include "core/lens/head_roles.h"
#include "core/session/series_curves.h"

namespace attnscope {

inline constexpr Option<Role> kSeriesRoles[] = {
    {"previous", Role::previous},   {"first", Role::first},         {"self", Role::self},
    {"duplicate", Role::duplicate}, {"induction", Role::induction}, {"positional", Role::positional}};

class TrainingSeries {
 public:
  /// What is open is one of several checkpoints.
  static bool possible(const ViewContext& context);
  /// True where "train here" was clicked.
  bool draw(const ViewContext& context, float width, ImVec2 room);

  OneOf<Role> role{"role", kSeriesRoles, Role::induction, "attention.role.", "###train_role_"};

 private:
  void follow(const ViewContext& context);
  void want(const ViewContext& context, int member);
  void walk(const ViewContext& context);
  bool draw_head(const ViewContext& context, float width);
  void draw_slider(const ViewContext& context, float width);
  void draw_state(const ViewContext& context, float width);
  void draw_curves(const ViewContext& context, ImVec2 at, ImVec2 size);
  LinePlot plot_of(const char* id, std::string title) const;
  void draw_plot(const ViewContext& context, const LinePlot& plot, ImVec2 at, ImVec2 size);
  /// What the curves are to answer; its key is question_key_.
  const SeriesQuestion& question(const ViewContext& context);
  bool in_sight(const SeriesPoint& point) const { return !point.error && (!log_ || point.step > 0); }
  std::vector<LinePlot> measure_plots() const;
  /// What was measured of each place, by layer and head; heads below `least_head` are left out. `chance`: the
  /// level of chance.
  using PlaceLines = std::map<std::pair<int, int>, LineSeries>;
  PlaceLines lines_of(std::string_view measure, int least_head, LineSeries& chance) const;
  LinePlot head_plot(const ModelConfig& config, bool titled) const;
  LinePlot probe_plot() const;
  void draw_right(const ViewContext& context, std::uint64_t of, ImVec2 at, ImVec2 size);
  /// What probes read off the prompts of the data set; empty: there is none, or roles are shown.
  std::string probed(const ViewContext& context) const;

  Kept<std::pair<std::uint64_t, SeriesQuestion>> question_;
  std::uint64_t question_key_ = 0;
  Kept<std::vector<LinePlot>> measures_;
  Kept<LinePlot> heads_, probes_;
  bool probing_ = false;  ///< probes in the place of the heads' roles
  std::shared_ptr<const CheckpointSeries> series_;
  AskedSeries asked_;
  std::shared_ptr<const SeriesCurves> curves_;
  int shown_ = -1, wanted_ = -1, pinned_ = -1;  ///< members
  int dragged_ = -1;                            ///< the member under the handle while that is held
  std::string likely_;                          ///< the measure where none was typed
  std::vector<int> likely_ids_;                 ///< the input that it was taken from
  bool log_ = false;
  std::uint64_t tried_ = 0;  ///< the question that was begun by itself
};

}  // namespace attnscope
