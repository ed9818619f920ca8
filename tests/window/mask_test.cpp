// Cells of every mask of an encoder-decoder are switched by clicking in the Mask view: the encoder's, that of
// cross-attention, and the decoder's own. The numbers change, undo brings every bit back.
#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

class MaskCells : public WindowTest {
 protected:
  Window& start_translation() {
    return start({golden_model("marian").string(), "--ids", "3,17,5,40,22,9", "--decoder-text", "4 8 11",
                  "--view", "mask", "--no-animation"});
  }
};

// Clicks a cell of the mask of one attention, sees another result, and takes it back.
void switch_a_cell(Window& window, const std::string& chip, int query, int key) {
  window.click(chip);
  window.settled();
  const Json before = window.state();
  window.click_cell("matrix.mask.board", query, key);
  window.wait("another result with " + chip, [&](const Json& now) {
    return now.at("digest") != before.at("digest") && now.at("mask_cells") == 1;
  });
  const Json switched = window.state();
  EXPECT_EQ(switched.at("error"), "");
  EXPECT_NE(switched.at("undo"), "") << "the change has a sentence";
  EXPECT_EQ(switched.at("cursor").at("query"), query);
  EXPECT_EQ(switched.at("cursor").at("key"), key);
  window.key("ctrl+z");
  window.wait("the old numbers", [&](const Json& now) {
    return now.at("digest") == before.at("digest") && now.at("mask_cells") == 0;
  });
  EXPECT_NE(window.state().at("redo"), "");
  window.key("ctrl+y");
  window.wait("the new ones again",
              [&](const Json& now) { return now.at("digest") == switched.at("digest"); });
  window.click_cell("matrix.mask.board", query, key);
  window.wait("a second click takes it back", [&](const Json& now) {
    return now.at("digest") == before.at("digest") && now.at("mask_cells") == 0;
  });
}

TEST_F(MaskCells, OfTheEncoderOfTheDecoderAndAcross) {
  Window& window = start_translation();
  switch_a_cell(window, "place_1", 3, 1);        // encoder
  switch_a_cell(window, "place_2_cross", 2, 4);  // 4 queries of the decoder, 6 keys of the encoder
  switch_a_cell(window, "place_2", 2, 0);        // decoder
}

TEST_F(MaskCells, OfAVisionTower) {
  const std::string picture = golden_model("").string() + "/../pictures/rgb.png";
  Window& window = start({golden_model("paligemma_prefix").string(), "--ids", "3,17,5", "--image", picture,
                          "--view", "mask", "--no-animation"});
  switch_a_cell(window, "place_3", 2, 1);
}

}  // namespace
}  // namespace attnscope::testing
