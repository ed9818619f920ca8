// What a freshly opened model reads: one sentence for all that read words and come without inputs of their
// own.
#include <gtest/gtest.h>

#include "core/arch/shipped.h"
#include "core/model/measure.h"
#include "core/sample/sampler.h"
#include "core/session/document.h"
#include "core/session/session.h"

namespace attnscope {
namespace {

TEST(FirstDocument, TheStorytellersReadTheFirstTextAndSayCat) {
  for (const char* name : {"model:storyteller", "model:storyteller-deep", "model:storyteller-llama"}) {
    const auto opened = std::make_shared<const OpenedModel>(*open_shipped(name));
    const Document document = new_document(opened);
    EXPECT_EQ(document.sequences.front().text, kFirstText) << name;
    Document typed = document;
    ASSERT_TRUE(set_text(typed, 0, kFirstText));
    EXPECT_EQ(document.sequences.front().input.ids, typed.sequences.front().input.ids) << name;
    const auto runs = run_all(document, {}, {});
    ASSERT_TRUE(runs) << name;
    const Trace& run = *runs->front();
    const auto next = next_tokens(run.logits_row(prediction_row(run)), Sampling{});
    EXPECT_EQ(output_name(*opened, next.front().id), "cat") << name;
  }
}

// A tokenizer without inputs beside it reads the same text, where the table of positions has room for it.
TEST(FirstDocument, OfATokenizerIsTheFirstTextWhereItFits) {
  OpenedModel opened = *open_shipped("model:storyteller");
  opened.card.reset();
  const auto text_with = [&](std::int64_t positions) {
    ModelConfig config = opened.model->config();
    config.position.max_positions = positions;
    OpenedModel other = opened;
    other.model = std::make_shared<const Model>(std::make_shared<const ModelConfig>(config),
                                                std::make_shared<const Weights>(opened.model->weights()));
    return new_document(std::make_shared<const OpenedModel>(std::move(other))).sequences.front();
  };
  EXPECT_EQ(text_with(14).text, kFirstText);
  const Sequence ids = text_with(13);
  EXPECT_LE(ids.input.ids.size(), 13U) << "no sentence that the model cannot read";
  EXPECT_FALSE(ids.input.ids.empty());
}

}  // namespace
}  // namespace attnscope
