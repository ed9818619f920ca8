#include "core/trace/common.h"

#include <gtest/gtest.h>

#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

ModelConfig with_heads(std::initializer_list<int> heads) {
  ModelConfig out;
  for (const int count : heads) {
    BlockSpec block;
    block.attention.n_heads = count;
    out.blocks.push_back(block);
  }
  return out;
}

TEST(Common, is_what_all_blocks_say) {
  EXPECT_EQ(common(with_heads({4, 4}), &BlockSpec::attention, &AttentionSpec::n_heads), 4);
  EXPECT_FALSE(common(with_heads({4, 8, 4}), &BlockSpec::attention, &AttentionSpec::n_heads));
  EXPECT_FALSE(common(ModelConfig{}, &BlockSpec::attention, &AttentionSpec::n_heads));
  EXPECT_EQ(extent(with_heads({4, 8, 2}), &BlockSpec::attention, &AttentionSpec::n_heads), std::pair(2, 8));
  EXPECT_EQ(range_text(with_heads({4, 8}), &BlockSpec::attention, &AttentionSpec::n_heads), "4\u20138");
  EXPECT_EQ(range_text(with_heads({8, 8}), &BlockSpec::attention, &AttentionSpec::n_heads), "8");
}

TEST(Common, one_block_that_sees_later_rows_ends_causality) {
  ModelConfig config = with_heads({1, 1});
  config.vocab_size = 5;
  EXPECT_TRUE(config.predicts_next());
  config.blocks[1].attention.causal = false;
  EXPECT_FALSE(config.causal());
  EXPECT_FALSE(config.predicts_next());
  EXPECT_FALSE(ModelConfig{}.causal());
}

TEST(Common, a_length_ends_with_a_table_or_where_nothing_tells_positions) {
  ModelConfig config = with_heads({1, 1});
  config.position.max_positions = 16;
  EXPECT_FALSE(config.has_positions());
  EXPECT_EQ(longest_input(config), 16);
  config.blocks[1].attention.position.kind = AttentionPosition::Kind::rope;
  EXPECT_TRUE(config.has_positions());
  EXPECT_EQ(longest_input(config), 0);
  config.position.kind = PositionSpec::Kind::learned;
  EXPECT_EQ(longest_input(config), 16);
}

TEST(Common, weights_name_their_block) {
  const ModelConfig config = with_heads({1, 2, 3});
  EXPECT_EQ(config.block_of("enc.blocks.2.attn.q.weight"), &config.blocks[2]);
  EXPECT_EQ(config.block_of("blocks.0.ln1.bias"), &config.blocks[0]);
  EXPECT_EQ(config.block_of("blocks.7.ln1.bias"), nullptr);
  EXPECT_EQ(config.block_of("ln_final.weight"), nullptr);
}

}  // namespace
}  // namespace attnscope
