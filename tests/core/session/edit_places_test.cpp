// Places that a cell belongs to, and which of them hold or meet each other.
#include "core/session/edit_places.h"

#include <gtest/gtest.h>

#include "core/arch/open.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

class EditPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
    ASSERT_TRUE(opened) << opened.error().text();
    document_ = new_document(std::make_shared<const OpenedModel>(*opened));
    const auto run = document_.model->run(inputs_of(document_).front());
    ASSERT_TRUE(run) << run.error().text();
    trace_ = *run;
  }
  std::vector<std::string> places(const std::string& cell) {
    std::vector<std::string> out;
    for (const Target& target : places_of(*trace_, *parse_cell(cell))) out.push_back(to_text(target));
    return out;
  }
  static Target at(const std::string& text) { return *parse_target(text); }
  void put(const std::string& text) { document_.edits.push_back(*parse_edit(text)); }

  Document document_;
  std::shared_ptr<const Trace> trace_;
};

TEST_F(EditPlacesTest, ACellBelongsToItsLinesItsHeadAndTheStep) {
  EXPECT_EQ(places("blocks.0.mlp.post[pos=1,d_mlp=3]"),
            (std::vector<std::string>{"blocks.0.mlp.post[pos=1,d_mlp=3]", "blocks.0.mlp.post[pos=1]",
                                      "blocks.0.mlp.post[d_mlp=3]", "blocks.0.mlp.post"}));
  EXPECT_EQ(places("blocks.0.attn.pattern[head=1]"),
            (std::vector<std::string>{"blocks.0.attn.pattern[head=1]", "blocks.0.attn.pattern",
                                      "blocks.0.attn.z[head=1]"}));
  EXPECT_EQ(places("blocks.1.resid_pre"),
            (std::vector<std::string>{"blocks.1.attn.out", "blocks.1.mlp.out", "blocks.1.resid_pre"}));
}

TEST_F(EditPlacesTest, ATiedWeightIsNamedAsItIsKept) {
  const auto found = places_of(*trace_, "logits.weight", {2, 5});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found.back().weight, "tok_embed.weight");
  for (const Target& target : found) EXPECT_TRUE(check_edit(*trace_, NumberEdit{target})) << to_text(target);
}

TEST_F(EditPlacesTest, WithoutTheEditsOfACellTheOthersStand) {
  put("blocks.0.attn.z[head=1]=0");
  put("blocks.0.attn.z[head=0,pos=1]*=2");
  put("tok_embed.weight[vocab=5]=0");
  const auto texts = [](const std::optional<Document>& document) {
    std::vector<std::string> out;
    if (document)
      for (const auto& edit : document->edits) out.push_back(to_text(*edit));
    return out;
  };
  const auto without = [&](const char* cell) {
    return texts(without_edits_at(document_, *trace_, 0, *parse_cell(cell)));
  };
  const std::string one = to_text(*document_.edits[0]), two = to_text(*document_.edits[1]),
                    three = to_text(*document_.edits[2]);
  EXPECT_EQ(without("blocks.0.attn.z[head=1,pos=1,d_head=0]"), (std::vector<std::string>{two, three}));
  EXPECT_EQ(without("blocks.0.attn.z[head=0,pos=1,d_head=0]"), (std::vector<std::string>{one, three}));
  EXPECT_FALSE(
      without_edits_at(document_, *trace_, 0, *parse_cell("blocks.0.attn.z[head=0,pos=0,d_head=0]")));
  EXPECT_EQ(texts(without_edits_at(document_, *trace_, 0, "logits.weight", {2, 5})),
            (std::vector<std::string>{one, two}))
      << "a tied weight";
  set_mask_cell(document_, 2, 0, false);
  const auto open =
      without_edits_at(document_, *trace_, 0, *parse_cell("blocks.0.attn.pattern[head=0,query=2,key=0]"));
  ASSERT_TRUE(open);
  EXPECT_TRUE(switched_cells(*open, AttentionKind::main).empty());
  EXPECT_EQ(texts(open), (std::vector<std::string>{one, two, three}));
}

TEST_F(EditPlacesTest, APlaceHoldsAndMeetsAnother) {
  const Target row = at("blocks.0.attn.z[head=1,pos=2]"), head = at("blocks.0.attn.z[head=1]");
  EXPECT_TRUE(within(row, head));
  EXPECT_FALSE(within(head, row));
  EXPECT_TRUE(meet(head, at("blocks.0.attn.z[pos=0-3]")));
  EXPECT_FALSE(meet(row, at("blocks.0.attn.z[pos=3]")));
  EXPECT_FALSE(meet(head, at("blocks.1.attn.z[head=1]")));
  EXPECT_TRUE(within(at("blocks.0.attn.z[query=2]"), at("blocks.0.attn.z[pos=2]"))) << "the same rows";
}

TEST_F(EditPlacesTest, OnlyTheEditsInsideOfAPlaceAreTakenBack) {
  put("blocks.0.attn.z[head=1,pos=2]=0");
  put("blocks.0.attn.z*=0.5");
  put("blocks.*.mlp.skip=off");
  EXPECT_EQ(edits_of(document_.edits, 0, at("blocks.0.attn.z[head=1]")).size(), 2u);
  EXPECT_TRUE(take_back_edits(document_, 0, at("blocks.0.attn.z[head=1]")));
  EXPECT_EQ(document_.edits.size(), 2u);
  EXPECT_FALSE(take_back_edits(document_, 0, at("blocks.0.attn.z[head=1]")));
}

TEST_F(EditPlacesTest, TimesOneAndPlusNothingAreNoEdits) {
  put_or_take_back(document_, *parse_edit("blocks.0.attn.z*=0.5"));
  put_or_take_back(document_, *parse_edit("blocks.0.attn.z+=1"));
  EXPECT_EQ(document_.edits.size(), 2u);
  put_or_take_back(document_, *parse_edit("blocks.0.attn.z*=1"));
  ASSERT_EQ(document_.edits.size(), 1u);
  EXPECT_EQ(to_text(*document_.edits.front()), "blocks.0.attn.z+=1");
}

// What is refused before a run is refused by the run, in the same words.
TEST_F(EditPlacesTest, TheRunAndTheQuestionBeforeItAgree) {
  std::vector<std::shared_ptr<const Edit>> edits{
      make_edit(NumberEdit{at("blocks.0.attn.z"), EditOp::set,
                           Frozen{Tensor::from({1, 2, 3}, {{Axis::d_head, 3}}), "another model"}}),
      make_edit(NumberEdit{at("blocks.0.attn.pattern[head=1]"), EditOp::add,
                           Frozen{Tensor::from({1, 2}, {{Axis::d_model, 2}}), "a direction"}})};
  for (const char* text :
       {"probs=0", "blocks.0.attn.mask=0", "blocks.9.attn.z=0", "blocks.0.attn.z[d_mlp=1]=0",
        "blocks.0.attn.z=@pos:500", "blocks.0.attn.q.weight=@pos:0", "input=1", "no.weight=1"})
    edits.push_back(*parse_edit(text));
  for (const auto& edit : edits) {
    const std::string text = to_text(*edit);
    const Status before = check_edit(*trace_, *edit->number());
    RunOptions options;
    options.edits = {edit};
    const auto run = document_.model->run(inputs_of(document_).front(), options);
    ASSERT_FALSE(before) << text;
    ASSERT_FALSE(run) << text;
    EXPECT_EQ(before.error().text(), run.error().text()) << text;
  }
}

}  // namespace
}  // namespace attnscope
