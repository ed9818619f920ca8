// A checkpoint of every family is opened in the window, stepped through from the first step to the last, and
// seen in every view: cross-attention and image patches included.
#include <algorithm>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

struct Kind {
  std::string model;
  std::vector<std::string> arguments;
  std::string must_step;  ///< a step that makes the family what it is
};

std::string picture(const char* name) { return golden_model("").string() + "/../pictures/" + name; }

std::vector<Kind> kinds() {
  const std::vector<std::string> ids{"--ids", "3,17,5,40,22,9"};
  const std::vector<std::string> image{"--image", picture("rgb.png")};
  return {{"gpt2", ids, "embed"},
          {"llama", ids, "blocks.2.attn.rot_q"},
          {"mistral", ids, "blocks.1.attn.masked"},
          {"qwen3", ids, "blocks.0.attn.q_norm"},
          {"gemma2", ids, "blocks.1.attn.capped"},
          {"gpt_neox", ids, "blocks.1.mlp.out"},
          {"bloom", ids, "blocks.0.attn.biased"},
          {"bert", ids, "blocks.0.ln2.out"},
          {"roberta", ids, "ln_embed.out"},
          {"marian", ids, "dec.blocks.1.cross.pattern"},
          {"bart", ids, "dec.blocks.0.resid_cross"},
          {"t5", ids, "enc.blocks.0.attn.biased"},
          {"vit", image, "patches"},
          {"paligemma_prefix", image, "vision.projected"}};
}

class Families : public WindowTest, public ::testing::WithParamInterface<Kind> {};

TEST_P(Families, OpensIsSteppedThroughAndSeenInEveryView) {
  const Kind& kind = GetParam();
  std::vector<std::string> arguments{golden_model(kind.model).string(), "--no-animation"};
  arguments.insert(arguments.end(), kind.arguments.begin(), kind.arguments.end());
  Window& window = start(arguments);
  EXPECT_EQ(window.state().at("error"), "");
  const Json steps = window.state().at("steps");
  EXPECT_EQ(std::count(steps.begin(), steps.end(), Json(kind.must_step)), 1) << steps.dump();

  window.key("Home");
  const int last = static_cast<int>(steps.size()) - 1;
  for (int index = 0; index < last; index += 8) window.keys("Right", std::min(8, last - index));
  window.wait("the last step is reached", [&](const Json& now) {
    return now.at("cursor").at("index") == last && now.at("cursor").at("step") == steps.at(last);
  });
  for (const std::string& view : window.state().at("offered_views").get<std::vector<std::string>>()) {
    window.click_view(view);
    window.wait("the view " + view, [&](const Json& now) { return now.at("view") == view; });
    EXPECT_EQ(window.state().at("error"), "") << view;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Families, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param.model; });

}  // namespace
}  // namespace attnscope::testing
