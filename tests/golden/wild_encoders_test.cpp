// BERT and RoBERTa as they are found: with and without prefixes and heads, older names of norms, leftovers;
// and broken ones, each with its sentence.
#include "tests/golden/wild.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class WildEncoders : public Wild {};

TEST_F(WildEncoders, bert_without_prefix) {
  CheckpointFolder checkpoint("bert");
  checkpoint.rename("bert.", "");
  expect_same(checkpoint, "bert");
}

TEST_F(WildEncoders, gamma_and_beta) {
  for (const char* model : {"bert", "roberta"}) {
    CheckpointFolder checkpoint(model);
    for (const char* norm : {"LayerNorm", "layer_norm"}) {
      checkpoint.respell(std::string(norm) + ".weight", std::string(norm) + ".gamma");
      checkpoint.respell(std::string(norm) + ".bias", std::string(norm) + ".beta");
    }
    expect_same(checkpoint, model);
  }
}

TEST_F(WildEncoders, leftovers_are_left_alone) {
  CheckpointFolder checkpoint("bert");
  std::vector<std::int64_t> places(64);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  checkpoint.tensors.push_back({"bert.embeddings.position_ids", "I64", {1, 64}, bytes_of(places)});
  checkpoint.add("bert.pooler.dense.weight", {48, 48}, 1.f);
  checkpoint.add("bert.pooler.dense.bias", {48}, 1.f);
  checkpoint.add("cls.seq_relationship.weight", {2, 48}, 1.f);
  checkpoint.add("cls.seq_relationship.bias", {2}, 1.f);
  expect_same(checkpoint, "bert");
}

TEST_F(WildEncoders, the_decoder_written_although_it_is_the_table) {
  CheckpointFolder bert("bert"), roberta("roberta");
  RawTensor table = bert.at("bert.embeddings.word_embeddings.weight");
  table.name = "cls.predictions.decoder.weight";
  RawTensor bias = bert.at("cls.predictions.bias");
  bias.name = "cls.predictions.decoder.bias";
  bert.tensors.insert(bert.tensors.end(), {table, bias});
  expect_same(bert, "bert");
  bert.config["tie_word_embeddings"] = false;
  expect_same(bert, "bert");
  bert.erase("cls.predictions.bias");
  expect_same(bert, "bert");
  RawTensor words = roberta.at("roberta.embeddings.word_embeddings.weight");
  words.name = "lm_head.decoder.weight";
  roberta.tensors.push_back(words);
  roberta.respell("lm_head.bias", "lm_head.decoder.bias");
  expect_same(roberta, "roberta");
}

TEST_F(WildEncoders, a_head_of_its_own) {
  CheckpointFolder checkpoint("bert");
  checkpoint.config["tie_word_embeddings"] = false;
  checkpoint.add("cls.predictions.decoder.weight", {199, 48}, 0.f);
  checkpoint.write(folder_ / "m");
  const Tensor logits = logits_at(folder_ / "m");  // nothing but the bias
  EXPECT_EQ(max_abs_difference(logits.slice(0, 0, 1), logits.slice(0, 1, 2)), 0);
}

TEST_F(WildEncoders, without_a_head) {
  for (const auto& [model, head] :
       std::vector<std::pair<const char*, const char*>>{{"bert", "cls."}, {"roberta", "lm_head."}}) {
    CheckpointFolder checkpoint(model);
    checkpoint.erase(head);
    checkpoint.rename(std::string(model) + ".", "");
    checkpoint.add("classifier.weight", {2, 48}, 1.f);
    const OpenedModel opened_model = opened(checkpoint);
    EXPECT_FALSE(opened_model.model->config().head.present) << model;
    const TracePointer trace = must_run(*opened_model.model, {kIds, {}});
    EXPECT_EQ(trace->find(must_site("logits")), nullptr) << model;
    const TracePointer whole = must_run(*must_open(model_path(model)).model, {kIds, {}});
    EXPECT_EQ(
        max_abs_difference(must_tensor(*trace, "blocks.1.ln2.out"), must_tensor(*whole, "blocks.1.ln2.out")),
        0);
  }
}

TEST_F(WildEncoders, relatives_of_roberta) {
  for (const char* type : {"xlm-roberta", "camembert"}) {
    CheckpointFolder checkpoint("roberta");
    checkpoint.config["model_type"] = type;
    expect_same(checkpoint, "roberta");
  }
  CheckpointFolder named("roberta");
  named.config.erase("model_type");
  for (const char* architecture : {"RobertaForMaskedLM", "XLMRobertaForMaskedLM", "CamembertForMaskedLM"}) {
    named.config["architectures"] = {architecture};
    expect_same(named, "roberta");
  }
}

TEST_F(WildEncoders, positions_of_roberta_begin_behind_the_padding) {
  CheckpointFolder checkpoint("roberta");
  const ModelConfig config = opened(checkpoint).model->config();
  EXPECT_EQ(config.position.offset, 2);
  EXPECT_EQ(config.position.max_positions, 64);
  const auto long_input = must_open(model_path("roberta")).model->run({std::vector<int>(65, 5), {}});
  ASSERT_FALSE(long_input);
  expect_says(long_input.error(), {"65", "64"});
  checkpoint.config["pad_token_id"] = 0;
  EXPECT_EQ(opened(checkpoint).model->config().position.offset, 1);
  checkpoint.config["pad_token_id"] = nullptr;
  expect_same(checkpoint, "roberta");
}

TEST_F(WildEncoders, missing_optional_fields) {
  CheckpointFolder checkpoint("bert");
  for (const char* field :
       {"hidden_act", "layer_norm_eps", "type_vocab_size", "tie_word_embeddings", "pad_token_id",
        "is_decoder", "add_cross_attention", "use_cache", "dtype", "architectures"})
    checkpoint.config.erase(field);
  expect_same(checkpoint, "bert");
  checkpoint.config.erase("model_type");
  checkpoint.config["architectures"] = {"BertForMaskedLM"};
  expect_same(checkpoint, "bert");
}

TEST_F(WildEncoders, half_precision_and_shards) {
  for (const char* model : {"bert", "roberta"}) {
    CheckpointFolder half(model), bfloat(model);
    half.to_half();
    expect_same(half, model, 0.05);
    bfloat.to_bfloat();
    expect_same(bfloat, model, 0.5);
    EXPECT_EQ(opened(bfloat).dtype, "BF16");
    CheckpointFolder(model).write_sharded(folder_ / model);
    EXPECT_EQ(max_abs_difference(logits_at(folder_ / model), logits_at(model_path(model))), 0);
  }
}

TEST_F(WildEncoders, segments_are_added) {
  const OpenedModel bert = must_open(model_path("bert"));
  Input input{kIds, {}};
  const TracePointer first = must_run(*bert.model, input);
  input.types = {0, 0, 0, 1, 1, 1, 1};
  const TracePointer second = must_run(*bert.model, input);
  const Tensor difference_of = add(must_tensor(*second, "embed"), scale(must_tensor(*first, "embed"), -1.f));
  const Tensor table = bert.model->weights().get("type_embed.weight");
  EXPECT_EQ(difference_of.at(0, 7), 0.f);
  EXPECT_NEAR(difference_of.at(3, 7), table.at(1, 7) - table.at(0, 7), 1e-6);
  input.types = {0, 0, 0, 1, 1, 1, 2};
  const auto refused = bert.model->run(input);
  ASSERT_FALSE(refused);
  expect_says(refused.error(), {"Segment 2", "2 segments"});
}

TEST_F(WildEncoders, a_decoder_made_of_bert_looks_back_only) {
  CheckpointFolder checkpoint("bert");
  checkpoint.config["is_decoder"] = true;
  const TracePointer trace = must_run(*opened(checkpoint).model, {kIds, {}});
  EXPECT_EQ(must_tensor(*trace, "blocks.0.attn.pattern").at(0, 0, 1), 0.f);
}

TEST_F(WildEncoders, what_cannot_be_read_is_said) {
  CheckpointFolder relative("bert"), cross("bert"), heads("bert"), rows("bert"), segments("bert"),
      head("bert"), short_table("roberta"), missing("bert");
  relative.config["position_embedding_type"] = "relative_key";
  expect_says(refusal(relative), {"relative_key"});
  cross.config["add_cross_attention"] = true;
  expect_says(refusal(cross), {"cross-attention"});
  heads.config["num_attention_heads"] = 5;
  expect_says(refusal(heads), {"num_attention_heads"});
  rows.config["max_position_embeddings"] = 512;
  expect_says(refusal(rows), {"bert.embeddings.position_embeddings.weight", "(64, 48)", "(512, 48)"});
  segments.config["type_vocab_size"] = 1;
  expect_says(refusal(segments), {"bert.embeddings.token_type_embeddings.weight", "(2, 48)", "(1, 48)"});
  head.at("cls.predictions.bias").shape = {1, 199};
  expect_says(refusal(head), {"cls.predictions.bias", "(1, 199)", "(199)"});
  short_table.config["max_position_embeddings"] = 2;
  expect_says(refusal(short_table), {"positions"});
  missing.erase("layer.1.output.LayerNorm.weight");
  expect_says(refusal(missing), {"bert.encoder.layer.1.output.LayerNorm.weight", "(48)"});
}

}  // namespace
}  // namespace attnscope
