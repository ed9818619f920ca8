// A LoRA adapter of the open model: added, scaled, switched off and taken away as changes of the document,
// kept by a session, refused where it does not fit.
#include <gtest/gtest.h>

#include "core/arch/shipped.h"
#include "core/session/series_curves.h"
#include "core/session/session.h"
#include "core/session/session_file.h"
#include "core/session/told_run.h"
#include "core/system/named_files.h"
#include "tests/adapter.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class SessionAdapter : public ::testing::Test {
 protected:
  void SetUp() override {
    write_adapter(adapter_, {{"model.layers.0.self_attn.q_proj", "w", 64, 64}}, {{"bias", "none"}});
    session_.open(model_);
    session_.wait();
    ASSERT_TRUE(session_.result()) << session_.error()->text();
    const auto& config = session_.document().model->config();
    const std::int64_t d = config.d_model, q = config.blocks[0].attention.n_heads *
                                               static_cast<std::int64_t>(config.blocks[0].attention.d_head);
    std::filesystem::remove_all(adapter_);
    write_adapter(adapter_, {{"model.layers.0.self_attn.q_proj", "w", d, q}}, {{"bias", "none"}});
  }
  std::vector<float> shown() {
    session_.wait();
    return session_.result()->trace(0).tensor(*parse_site("logits"))->values();
  }
  // Of the model as the command line opens it.
  std::vector<float> opened(const LoraChoice& lora) {
    const auto model = open_shipped_or_path(model_, {.lora = lora});
    EXPECT_TRUE(model) << model.error().text();
    return (*model->model->run(inputs_of(session_.document()).front()))
        ->tensor(*parse_site("logits"))
        ->values();
  }
  void adapt(const LoraChoice& lora, const std::string& gesture = {}) {
    session_.adapt(lora, Text("adapter"), gesture);
    session_.wait();
  }

  const TempFolder folder_;
  const std::string adapter_ = folder_ / "adapter",
                    model_ = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/llama";
  Session session_;
};

TEST_F(SessionAdapter, IsAChangeLikeAnyOther) {
  const std::vector<float> base = shown();
  adapt({adapter_, 1, true});
  EXPECT_FALSE(session_.error());
  EXPECT_EQ(shown(), opened({adapter_, 1, true}));
  EXPECT_NE(shown(), base);
  ASSERT_TRUE(session_.previous());
  EXPECT_EQ(session_.previous()->trace(0).tensor(*parse_site("logits"))->values(), base)
      << "what changed is compared with the run without it";
  adapt({adapter_, 0.5, true});
  EXPECT_EQ(shown(), opened({adapter_, 0.5, true}));
  adapt({adapter_, 0.5, false});
  EXPECT_EQ(shown(), base) << "switched off";
  EXPECT_EQ(session_.document().opened->lora.strength, 0.5) << "and kept";
  session_.undo();
  EXPECT_EQ(shown(), opened({adapter_, 0.5, true}));
  session_.undo();
  session_.undo();
  EXPECT_EQ(shown(), base);
  EXPECT_TRUE(session_.document().opened->lora.empty());
  session_.redo();
  EXPECT_EQ(shown(), opened({adapter_, 1, true}));
  session_.read_again();
  EXPECT_EQ(shown(), opened({adapter_, 1, true})) << "read again, it stays";
  adapt({});
  EXPECT_EQ(shown(), base);
}

TEST_F(SessionAdapter, CurvesOverCheckpointsAreOfTheAdaptedModels) {
  std::filesystem::create_directory(folder_ / "run");
  for (const char* step : {"step1", "step2"})
    std::filesystem::copy(model_, folder_ / (std::string("run/") + step),
                          std::filesystem::copy_options::recursive);
  const auto series = checkpoint_series(folder_ / "run");
  ASSERT_TRUE(series) << series.error().text();
  const auto last = [&] {
    const std::vector<float> logits = shown();
    return logits.at(logits.size() - static_cast<std::size_t>(session_.document().model->config().outputs()) +
                     3);
  };
  const auto logit = [&] {
    const SeriesQuestion question{
        std::make_shared<const CheckpointSeries>(*series), session_.document(), {"logit:#3"}, -1};
    const SeriesPoint point = series_point(question, 1);
    EXPECT_FALSE(point.error) << point.error->text();
    return std::pair(static_cast<float>(point.values.at(0).value), question.key());
  };
  const auto base = logit();
  EXPECT_EQ(base.first, last());
  adapt({adapter_, 1, true});
  const auto adapted = logit();
  EXPECT_EQ(adapted.first, last());
  EXPECT_NE(adapted.first, base.first);
  EXPECT_NE(adapted.second, base.second) << "another question";
}

TEST_F(SessionAdapter, IsKeptByASessionAndSaidByWhatWasRun) {
  adapt({adapter_, -1.25, true});
  const std::vector<float> adapted = shown();
  const std::string path = folder_ / "a.attnscope";
  ASSERT_TRUE(save_session(path, session_.document(), nlohmann::json::object()));
  EXPECT_EQ(told_document(session_.document())["model"]["lora"], adapter_ + ":-1.25");
  const auto file = read_session(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->lora, (LoraChoice{adapter_, -1.25, true}));
  ASSERT_TRUE(may_open_model(*file));
  auto opened = open_model_of(*file, {.lora = file->lora});
  ASSERT_TRUE(opened) << opened.error().text();
  const auto document = document_of(*file, *std::move(opened));
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->opened->warnings.empty());
  EXPECT_EQ((*document->model->run(inputs_of(*document).front()))->tensor(*parse_site("logits"))->values(),
            adapted);
}

TEST_F(SessionAdapter, OneThatDoesNotFitIsASentenceAndChangesNothing) {
  const auto before = session_.document().opened;
  const std::string other = folder_ / "other";
  write_adapter(other, {{"model.layers.0.self_attn.banana_proj", "w", 8, 8}}, nlohmann::json::object());
  adapt({other, 1, true});
  ASSERT_TRUE(session_.error());
  EXPECT_NE(session_.error()->text().find("banana_proj"), std::string::npos);
  EXPECT_EQ(session_.document().opened, before);
  EXPECT_FALSE(session_.can_undo());
}

TEST(Adapter, ATextReadsBackAndAFolderIsKnown) {
  for (const LoraChoice& one : {LoraChoice{"a/b", 0.5, true}, LoraChoice{"a", -2, true}})
    EXPECT_EQ(*parse_lora(to_text(one)), one);
  EXPECT_EQ(to_text(LoraChoice{"a", 2, false}), "a:0") << "off is nothing added";
  EXPECT_EQ(lora_name({"x/y/", 1, true}), "y");
  const TempFolder folder;
  EXPECT_EQ(lora_folder(folder.path()), "");
  write_adapter(folder / "a", {{"m", "w", 2, 2}}, nlohmann::json::object());
  EXPECT_EQ(lora_folder(folder / "a"), folder / "a");
  EXPECT_EQ(lora_folder(folder / "a/adapter_config.json"), folder / "a");
  EXPECT_EQ(lora_folder(folder / "a/adapter_model.safetensors"), folder / "a");
}

}  // namespace
}  // namespace attnscope
