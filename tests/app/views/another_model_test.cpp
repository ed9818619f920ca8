// A view that has shown another model draws the new one exactly as a view does that has never seen another:
// no number, colour or name of the old model stays.
#include <vector>

#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_attention_view();
std::unique_ptr<View> make_embedding_view();
std::unique_ptr<View> make_kv_view();
std::unique_ptr<View> make_mask_view();
std::unique_ptr<View> make_mlp_view();
std::unique_ptr<View> make_output_view();
std::unique_ptr<View> make_position_view();
std::unique_ptr<View> make_residual_view();
std::unique_ptr<View> make_steps_view();
std::unique_ptr<View> make_tokenizer_view();
namespace {

class AnotherModelTest : public testing::LensViewFixture {
 protected:
  /// In the same session, as somebody does who opens one model after the other.
  void open_next(const std::string& model) {
    workspace_ = {};
    workspace_.animate = false;
    session_->open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model);
    session_->wait();
    ASSERT_TRUE(session_->result()) << model;
    workspace_.cursor.stack = run().trace(0).config().stack;
    workspace_.cursor.step = run().steps.front().main;
  }
  /// Corners and colours of all that the last frame drew.
  static std::vector<float> drawing() {
    std::vector<float> out;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int list = 0; list < data->CmdListsCount; ++list)
      for (const ImDrawVert& vertex : data->CmdLists[list]->VtxBuffer) {
        out.push_back(vertex.pos.x);
        out.push_back(vertex.pos.y);
        for (int shift = 0; shift < 32; shift += 8)
          out.push_back(static_cast<float>((vertex.col >> shift) & 255u));
      }
    return out;
  }
  void expect_nothing_left(std::unique_ptr<View> (*make)(), const std::string& old_model,
                           const std::string& new_model) {
    open(old_model);
    workspace_.animate = false;
    const auto view = make();
    if (!view->unavailable(run()).empty()) return;
    settle(*view);
    open_next(new_model);
    if (!view->unavailable(run()).empty()) return;
    settle(*view);
    const std::vector<float> kept = drawing();
    open_next(new_model);
    const auto fresh = make();
    settle(*fresh);
    EXPECT_TRUE(kept == drawing()) << view->id() << ": " << new_model << " after " << old_model;
  }
};

TEST_F(AnotherModelTest, NothingOfTheFormerModelStays) {
  const auto views = {make_steps_view,    make_attention_view, make_mask_view,      make_position_view,
                      make_residual_view, make_output_view,    make_tokenizer_view, make_kv_view,
                      make_mlp_view,      make_embedding_view};
  for (const auto& [old_model, new_model] : {std::pair{"gpt2", "marian"},
                                             {"marian", "gpt2"},
                                             {"gpt2", "llama"},
                                             {"bert", "roberta"},
                                             {"t5", "bart"}})
    for (const auto& make : views) expect_nothing_left(make, old_model, new_model);
}

}  // namespace
}  // namespace attnscope
