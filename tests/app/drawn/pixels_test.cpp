// Every view of every kind of model: random pixels of the matrices on the stage, read back from the picture
// that was drawn offscreen and inverted through their colour map, are the numbers of the Trace. Skips where
// no context without a display can be made.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/widgets/navigation.h"
#include "core/step/catalog.h"
#include "tests/app/drawn/drawn_test.h"

namespace attnscope {
namespace {

constexpr int kPixelsWidth = 1280, kPixelsHeight = 720, kPerMatrix = 24;

/// What was compared on one stage.
struct Compared {
  int pixels = 0, with_the_trace = 0;
};

class LongPixels : public DrawnTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { start(kPixelsWidth, kPixelsHeight); }
  const RunResult& run() { return *session_->result(); }

  // The list of what the stage draws, and the picture of the same frame.
  Image take() {
    list_.clear();
    frame_->state().recording = &list_;
    draw_frames(1, *host_, *frame_);
    frame_->state().recording = nullptr;
    return context_->read_pixels();
  }

  std::string site_of_item(const DrawItem& item) const {
    for (std::int32_t at = item.group; at >= 0; at = list_.groups()[static_cast<std::size_t>(at)].parent)
      if (const std::string& site = list_.groups()[static_cast<std::size_t>(at)].site; !site.empty())
        return site;
    return {};
  }

  // The plane of the Trace that a matrix says that it shows; empty where it shows other numbers (a
  // difference).
  Tensor plane_of(const DrawItem& item) {
    const auto cell = parse_cell(site_of_item(item));
    const Trace& trace = run().trace(frame_->state().workspace.cursor.sequence);
    const Record* record = cell ? trace.find(cell->site) : nullptr;
    if (!record) return {};
    std::int64_t head = 0, rows = 0, cols = 0;
    for (const AxisRange& c : cell->at) head = c.axis == "head" ? c.begin : head;
    for (std::size_t d = 0; d < record->axes.size(); ++d)
      if (record->axes[d] != Axis::head) (rows ? cols : rows) = record->shape[d];
    if (cols == 0) return {};
    Tensor plane = trace.slice(cell->site, head, {0, rows}, {0, cols});
    const DrawCells& shown = list_.cells(item);
    const auto has_shape = [&](const Tensor& one) {
      return shown.rows() == one.size(0) && shown.cols() == one.size(1);
    };
    const Tensor transposed = plane.transpose();  // as Kᵀ stands
    if (!has_shape(plane)) return has_shape(transposed) ? transposed : Tensor();
    const bool stands_transposed = has_shape(transposed) && shown.values.at(0, 1) == transposed.at(0, 1) &&
                                   shown.values.at(0, 1) != plane.at(0, 1);
    return stands_transposed ? transposed : plane;
  }

  static bool near(const std::uint8_t* p, ImU32 colour, int slack) {
    const int r = static_cast<int>((colour >> IM_COL32_R_SHIFT) & 255u),
              g = static_cast<int>((colour >> IM_COL32_G_SHIFT) & 255u),
              b = static_cast<int>((colour >> IM_COL32_B_SHIFT) & 255u);
    return std::abs(p[0] - r) <= slack && std::abs(p[1] - g) <= slack && std::abs(p[2] - b) <= slack;
  }

  // Inverts a pixel: some value of the map's range within a step of `value` has its colour. Digits, marks and
  // rims may lie on one of the places of a cell, so that one of several has to agree.
  static bool agrees(const Image& image, ImVec2 p0, ImVec2 size, float value, const HeatStyle& style) {
    const float reach = (style.hi - style.lo) / 96;
    const ImVec2 places[] = {ImVec2(0.5f, 0.5f),  ImVec2(0.5f, 0.22f), ImVec2(0.5f, 0.8f),
                             ImVec2(0.13f, 0.5f), ImVec2(0.87f, 0.5f), ImVec2(0.15f, 0.2f),
                             ImVec2(0.85f, 0.8f)};
    for (const ImVec2 place : places) {
      const int x = static_cast<int>(p0.x + size.x * place.x), y = static_cast<int>(p0.y + size.y * place.y);
      if (x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
      for (int step = -2; step <= 2; ++step)
        if (near(image.at(x, y), heat_colour(value + reach * static_cast<float>(step) / 2, style), 3))
          return true;
    }
    return false;
  }

  Compared compare(const std::string& what) {
    Compared out;
    const Image image = take();
    std::mt19937 random(11);
    for (const DrawItem& item : list_.items()) {
      if (item.kind != DrawItem::Kind::cells) continue;
      const DrawCells& cells = list_.cells(item);
      const DrawClip& clip = list_.clip(item);
      if (cells.style.alpha < 1 || cells.together > cells.values.count()) continue;
      const Tensor plane = plane_of(item);
      const float across = (cells.uv1.x - cells.uv0.x) * static_cast<float>(cells.cols()),
                  down = (cells.uv1.y - cells.uv0.y) * static_cast<float>(cells.rows());
      const ImVec2 size((item.p1.x - item.p0.x) / across, (item.p1.y - item.p0.y) / down);
      if (size.x < 3 || size.y < 3) continue;  // several cells share a pixel
      for (int i = 0; i < kPerMatrix; ++i) {
        const auto row = static_cast<std::int64_t>(random() % static_cast<unsigned>(cells.rows())),
                   col = static_cast<std::int64_t>(random() % static_cast<unsigned>(cells.cols()));
        const ImVec2 p0(
            item.p0.x + (static_cast<float>(col) - cells.uv0.x * static_cast<float>(cells.cols())) * size.x,
            item.p0.y + (static_cast<float>(row) - cells.uv0.y * static_cast<float>(cells.rows())) * size.y);
        const bool inside = p0.x >= clip.p0.x && p0.y >= clip.p0.y && p0.x + size.x <= clip.p1.x &&
                            p0.y + size.y <= clip.p1.y;
        const float value = plane.empty() ? cells.values.at(row, col) : plane.at(row, col);
        if (!inside || !std::isfinite(value) || is_masked(value)) continue;
        if (is_masked(cells.values.at(row, col))) continue;  // hatched: a pattern's zeros
        ++out.pixels;
        out.with_the_trace += !plane.empty();
        EXPECT_TRUE(agrees(image, p0, size, value, cells.style))
            << what << " " << site_of_item(item) << " [" << row << ", " << col << "] = " << value << " at "
            << p0.x << "," << p0.y << " cells of " << size.x << " x " << size.y;
      }
    }
    return out;
  }

  DisplayList list_;
};

TEST_P(LongPixels, AreTheNumbersOfTheTrace) {
  FrameState& state = frame_->state();
  const std::string view = GetParam();
  Compared all;
  for (const char* model : {"gpt2", "bart", "llama"}) {
    state.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model);
    settle(*session_, *host_, *frame_, 2);
    ASSERT_TRUE(session_->result()) << model;
    state.workspace.view = view;
    if (!state.view(view)->unavailable(run()).empty()) continue;
    for (const Slot slot : {Slot::q, Slot::scores, Slot::pattern, Slot::z, Slot::resid_post, Slot::mlp_pre}) {
      const auto step = std::find_if(run().steps.begin(), run().steps.end(), [&](const TimelineStep& one) {
        return std::any_of(one.sites.begin(), one.sites.end(),
                           [&](const Site& site) { return site.slot == slot; });
      });
      if (step == run().steps.end() || (view != "steps" && slot != Slot::pattern)) continue;
      Site site = step->main;
      for (const Site& one : step->sites)
        if (one.slot == slot) site = one;
      go_to_site(state.workspace, run(), site);
      settle(*session_, *host_, *frame_, 2);
      const Compared here = compare(std::string(model) + " " + view + " " + to_text(site));
      all.pixels += here.pixels, all.with_the_trace += here.with_the_trace;
    }
  }
  if (view == "steps" || view == "attention" || view == "mask") {
    EXPECT_GT(all.with_the_trace, view == "steps" ? 100 : 30) << view << " shows planes of the Trace";
  }
  if (view == "residual") {
    EXPECT_GT(all.pixels, 20) << view;
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> out;
  for (const ViewRow& row : view_table()) out.emplace_back(row.id);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Views, LongPixels, ::testing::ValuesIn(ids()),
                         [](const auto& view) { return view.param; });

}  // namespace
}  // namespace attnscope
