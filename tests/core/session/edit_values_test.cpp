// Numbers that an edit names: of another run, and directions.
#include "core/session/edit_values.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

class EditValues : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/tiny_gpt.json");
    ASSERT_TRUE(made) << made.error().text();
    opened = *std::move(made);
    input = opened.scene->inputs.front();
    here = run(input);
    Input swapped = input;
    std::swap(swapped.ids[0], swapped.ids[1]);
    other = run(swapped);
    numbers = named_numbers(opened, [this](const std::string& name) -> Result<std::shared_ptr<const Trace>> {
      if (name.empty()) return here;
      if (name == "A") return other;
      return fail(Code::not_found, "error.session.edit.no_run", {name});
    });
  }
  std::shared_ptr<const Trace> run(const Input& of, Edits edits = {}) {
    RunOptions options;
    options.edits = std::move(edits);
    const auto trace = opened.model->run(of, options);
    EXPECT_TRUE(trace) << trace.error().text();
    return trace ? *trace : nullptr;
  }
  std::shared_ptr<const Trace> under(const std::string& text) {
    const auto edit = parse_edit(text, numbers);
    EXPECT_TRUE(edit) << edit.error().text();
    return edit ? run(input, {*edit}) : nullptr;
  }
  Tensor of(const Trace& trace, const std::string& place) { return *trace.tensor(*parse_site(place)); }

  OpenedModel opened;
  Input input;
  std::shared_ptr<const Trace> here, other;
  EditNumbers numbers;
};

TEST_F(EditValues, APlaceTakesWhatItHoldsInAnotherRun) {
  const auto edited = under("blocks.0.resid_pre[pos=0-1]=@run:A");
  for (const std::int64_t pos : {0, 1, 2})
    for (std::int64_t d = 0; d < of(*here, "blocks.0.resid_pre").size(1); ++d)
      EXPECT_EQ(of(*edited, "blocks.0.resid_pre").at(pos, d),
                of(pos < 2 ? *other : *here, "blocks.0.resid_pre").at(pos, d));
  EXPECT_EQ(of(*under("blocks.0.attn.z[head=1]=@run:A"), "blocks.0.attn.z").select(0, 1).values(),
            of(*other, "blocks.0.attn.z").select(0, 1).values());
  const auto whole = under("blocks.0.resid_pre=@run:A");
  EXPECT_EQ(of(*whole, "logits").values(), of(*other, "logits").values());
  const auto text = parse_edit("blocks.0.resid_pre[pos=1]=@run:A", numbers);
  ASSERT_TRUE(text);
  EXPECT_EQ(to_text(**text), "blocks.0.resid_pre[pos=1]=@run:A");
}

// With a token more in front, what belongs to a row stands one further.
TEST_F(EditValues, ARowIsTakenFromThatOfItsToken) {
  Input longer = input;
  longer.ids.insert(longer.ids.begin(), longer.ids.back());
  other = run(longer);
  const auto edited = under("blocks.0.attn.z[query=1]=@run:A");
  const Tensor z = of(*edited, "blocks.0.attn.z"), theirs = of(*other, "blocks.0.attn.z"),
               own = of(*here, "blocks.0.attn.z");
  for (std::int64_t d = 0; d < z.size(2); ++d) {
    EXPECT_EQ(z.at(0, 1, d), theirs.at(0, 2, d));
    EXPECT_EQ(z.at(0, 0, d), own.at(0, 0, d));
  }
}

TEST_F(EditValues, ADirectionIsAddedToEveryRow) {
  const Tensor weight = *opened.model->weights().find("logits.weight"),
               before = of(*here, "blocks.1.resid_pre");
  const auto edited = under("blocks.1.resid_pre+=@dir:#3-#1*2");
  const Tensor after = of(*edited, "blocks.1.resid_pre");
  for (std::int64_t pos = 0; pos < before.size(0); ++pos)
    for (std::int64_t d = 0; d < before.size(1); ++d)
      EXPECT_FLOAT_EQ(after.at(pos, d), before.at(pos, d) + 2 * (weight.at(d, 3) - weight.at(d, 1)));
  const Tensor moved = of(*under("blocks.1.resid_pre[pos=2]+=@dir:pos:1-0"), "blocks.1.resid_pre");
  for (std::int64_t d = 0; d < before.size(1); ++d) {
    EXPECT_NEAR(moved.at(2, d), before.at(2, d) + (before.at(1, d) - before.at(0, d)), 1e-6);
    EXPECT_EQ(moved.at(1, d), before.at(1, d));
  }
  const Tensor z = of(*here, "blocks.0.attn.z"),
               steered = of(*under("blocks.0.attn.z[head=1]+=@dir:pos:1-0"), "blocks.0.attn.z");
  for (std::int64_t d = 0; d < z.size(2); ++d)
    EXPECT_NEAR(steered.at(1, 2, d), z.at(1, 2, d) + (z.at(1, 1, d) - z.at(1, 0, d)), 1e-6);
}

// A chosen file is a file, whatever it is called: never a token that the vocabulary lacks.
TEST_F(EditValues, AFileIsTakenForOneByItsAt) {
  const auto edit = parse_edit("blocks.0.resid_pre+=@dir:@/no/such/direction", numbers);
  ASSERT_FALSE(edit);
  EXPECT_NE(edit.error().text().find("/no/such/direction"), std::string::npos) << edit.error().text();
  EXPECT_EQ(edit.error().text().find("vocabulary"), std::string::npos) << edit.error().text();
  EXPECT_FALSE(edit.error().hint().empty());
}

TEST_F(EditValues, WhatIsNotThereIsRefused) {
  for (const char* text : {"blocks.0.resid_pre=@run:B", "blocks.0.resid_pre=@run:",
                           "blocks.9.resid_pre=@run:A", "blocks.0.resid_pre[pos=99]=@run:A",
                           "blocks.0.resid_pre+=@dir:", "blocks.0.resid_pre+=@dir:no such word",
                           "blocks.0.resid_pre+=@dir:#3-#1*x", "blocks.0.resid_pre+=@dir:pos:1",
                           "blocks.0.resid_pre+=@dir:pos:99-0", "logits.weight+=@dir:pos:1-0"}) {
    const auto edit = parse_edit(text, numbers);
    ASSERT_FALSE(edit) << text;
    EXPECT_FALSE(edit.error().hint().empty()) << edit.error().text();
  }
  EXPECT_FALSE(parse_edit("blocks.0.resid_pre=@run:A")) << "nobody knows of runs";
}

}  // namespace
}  // namespace attnscope
