// What of the edits holds for a text that was typed anew.
#include "core/session/typed_edits.h"

#include <gtest/gtest.h>

#include "core/arch/shipped.h"

namespace attnscope {
namespace {

Document typed_on(const std::string& model, const std::vector<std::string>& edits) {
  auto opened = open_shipped("model:" + model);
  EXPECT_TRUE(opened);
  Document out = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
  for (const std::string& text : edits) {
    const auto edit = parse_edit(text);
    EXPECT_TRUE(edit) << text;
    if (edit) put_edit(out, *edit);
  }
  return out;
}

TEST(TypedEdits, StayWhereTheirWordsStay) {
  Document document = typed_on("storyteller", {"blocks.1.attn.masked[head=3,query=13,key=2]=-inf",
                                               "blocks.1.attn.z[head=1]=0", "blocks.1.mlp.out[pos=4]=0"});
  std::vector<int> ids = document.sequences.front().input.ids;
  EXPECT_EQ(edits_of_same_words(document, 0, Stack::single, ids).size(), 3u);
  std::swap(ids[10], ids[11]);
  EXPECT_EQ(edits_of_same_words(document, 0, Stack::single, ids).size(), 3u) << "other words";
  ids[2] = ids[6];
  const Edits left = edits_of_same_words(document, 0, Stack::single, ids);
  ASSERT_EQ(left.size(), 2u) << "the key is another word";
  EXPECT_EQ(left[0], document.edits[1]) << "a whole head has no word";
  EXPECT_EQ(left[1], document.edits[2]);
  EXPECT_EQ(edits_gone(document.edits, left), 1u);
  EXPECT_EQ(edits_gone(document.edits, document.edits), 0u);
  EXPECT_EQ(edits_of_same_words(document, 0, Stack::single, {0}).size(), 1u) << "the text is gone";
}

TEST(TypedEdits, OfAMaskTheRuleStaysAndCellsOfOtherWordsGo) {
  Document document = typed_on("storyteller", {});
  ASSERT_TRUE(set_mask_text(document, "causal & window(4)"));
  set_mask_cell(document, 5, 2, false);
  set_mask_cell(document, 9, 1, true);
  std::vector<int> ids = document.sequences.front().input.ids;
  ids[9] = ids[2];
  const Edits before = document.edits;
  document.edits = edits_of_same_words(document, 0, Stack::single, ids);
  EXPECT_EQ(edits_gone(before, document.edits), 1u) << "a mask with fewer cells";
  const std::vector<Mask::Cell> cells = switched_cells(document, AttentionKind::main);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].query, 5);
  EXPECT_FALSE(asked_mask(document, AttentionKind::main).is_model());
}

TEST(TypedEdits, KeysOfCrossAttentionAreWordsOfTheEncoder) {
  Document document =
      typed_on("translator", {"dec.blocks.1.cross.masked[head=3,query=2,key=2]=-inf",
                              "enc.blocks.0.mlp.out[pos=5]=0", "dec.blocks.0.mlp.out[pos=2]=0"});
  std::vector<int> source = document.sequences.front().input.source;
  source[2] = source[5];
  const Edits left = edits_of_same_words(document, 0, Stack::enc, source);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0], document.edits[1]);
  EXPECT_EQ(left[1], document.edits[2]);
}

}  // namespace
}  // namespace attnscope
