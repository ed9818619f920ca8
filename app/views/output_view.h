// The output view's state: the row shown, the outputs of its prediction, the chosen page.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/output_draws.h"
#include "app/views/output_settings.h"
#include "app/views/output_ways.h"
#include "app/views/view.h"
#include "app/widgets/line_plot.h"
#include "core/base/computed.h"

namespace attnscope {

class OutputView : public View {
 public:
  OutputView() : View({"output", ViewGroup::words, 2}) {}
  std::string unavailable(const RunResult& run) const override;
  void keep(Choices& choices) override {
    choices.of("at", at_, kOutputRows);
    choices.of(setting_);
  }
  void draw(const ViewContext& context) override;
  void leave() override {
    chances_.cancel();
    text_.cancel();
    ways_.leave();
  }

 private:
  /// The row shown: the least certain one, the last one, or the cursor's.
  enum class At : std::uint8_t { telling, last, cursor };
  static constexpr Named<At> kOutputRows[] = {
      {"telling", At::telling}, {"last", At::last}, {"cursor", At::cursor}};
  /// Kind of outputs.
  enum class Says : std::uint8_t { next, masked, classes };
  static Says says(const RunResult& run);
  void follow(const ViewContext& context);
  void draw_head(const ViewContext& context, float width);
  void draw_text_so_far(const ViewContext& context, float width);
  void draw_list(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_running_sum(const ViewContext& context, ImVec2 room);
  void draw_pages(const ViewContext& context, float width);
  void draw_next(const ViewContext& context, ImVec2 origin, ImVec2 room, float begin);
  void draw_page(const ViewContext& context, ImVec2 at, ImVec2 room);
  void find_telling(const ViewContext& context, const std::shared_ptr<const Trace>& trace);
  void replace_rest(const ViewContext& context, const std::vector<int>& ids);
  OutputPage page(const ViewContext& context) const;
  void append(const ViewContext& context, int id);
  void choose(const ViewContext& context, std::int64_t pos);
  void put_in_place(const ViewContext& context, int id, std::int64_t pos);
  bool draws() const { return says_ == Says::next && !recorded_; }
  void generate(const ViewContext& context, int count, const Text& sentence);

  Says says_ = Says::next;
  bool recorded_ = false;
  At at_ = At::last;
  bool chosen_ = false;        // chosen by a click, not by the cursor's step
  std::uint64_t at_of_ = 0;    // opened_version for which `at_` was chosen
  std::int64_t telling_ = -1;  // least certain row; -1: not computed yet, or it is the last
  float telling_prob_ = 0;     // probability of its most likely token
  bool answered_ = false;      // all seven actions are there: the last row's prediction was never trained
  std::int64_t pos_ = 0;
  std::int64_t lit_from_ = 0;  // first token that was appended in this view
  Text lit_sentence_;          // undo label of that edit
  OneOf<OutputSetting> setting_{"setting", kOutputSettings, OutputSetting::temperature, "output.",
                                "###output_set_"};
  Computed<NextSummary> next_;
  Made<NextSummary> summary_;
  Kept<LinePlot> running_;
  Computed<std::vector<RowChance>> chances_, text_;
  std::vector<RowChance> asked_;  // rows of chances_ that are candidates for the least certain one
  OutputWays ways_;
  OutputDraws draws_;
};

}  // namespace attnscope
