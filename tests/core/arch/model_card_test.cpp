// Cards beside models, models that lie in memory, and that every task's model can be written as it asks.
#include "core/arch/model_card.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/arch/open.h"
#include "core/arch/save_model.h"
#include "core/base/text.h"
#include "core/train/trainer.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

json some_card() {
  return json::parse(R"({"title": "Sorter", "sentence": "Sorts letters.",
    "measures": [{"name": "accuracy", "value": 1.0}, {"name": "copying_head.weight", "value": 0.6, "layer": 1, "head": 3}],
    "inputs": [{"ids": [4, 5, 6], "spans": [["text", 0, 3]]}]})");
}

TEST(ModelCard, says_what_to_begin_with) {
  const auto card = model_card_from_json(some_card(), "card.json");
  ASSERT_TRUE(card) << card.error().text();
  EXPECT_EQ(card->title, "Sorter");
  EXPECT_EQ(card->sentence, "Sorts letters.");
  EXPECT_EQ(card->layer, 1);
  EXPECT_EQ(card->head, 3);
  ASSERT_EQ(card->inputs.size(), 1u);
  EXPECT_EQ(card->inputs[0].ids, (std::vector<int>{4, 5, 6}));
  ASSERT_EQ(card->inputs[0].spans.size(), 1u);
  EXPECT_EQ(card->inputs[0].spans[0].name, "text");
}

TEST(ModelCard, the_last_head_that_does_its_work_is_shown) {
  json card = some_card();
  card["measures"].push_back({{"name", "reason_head.weight"}, {"value", 0.9}, {"layer", 2}, {"head", 0}});
  EXPECT_EQ(model_card_from_json(card, "card.json")->layer, 2);
  EXPECT_EQ(model_card_from_json(card, "card.json")->head, 0);
  card["measures"].back()["value"] = 0.1;  // it looks elsewhere
  EXPECT_EQ(model_card_from_json(card, "card.json")->layer, 1);
}

TEST(ModelCard, everything_may_be_absent_or_odd) {
  const auto empty = model_card_from_json(json::object(), "card.json");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->head, -1);
  EXPECT_TRUE(empty->inputs.empty());
  EXPECT_TRUE(
      model_card_from_json({{"title", 5}, {"measures", {1, {{"head", -3}}, {{"head", 1e9}}}}}, "card.json"));
  EXPECT_FALSE(model_card_from_json(json::array(), "card.json"));
  const auto bad = model_card_from_json({{"inputs", {{{"ids", {"a"}}}}}}, "card.json");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().sentence().find("card.json"), std::string::npos);
}

// Files of a folder in memory, as they lie inside the program.
struct InMemory {
  std::map<std::string, std::string> bytes;
  explicit InMemory(const std::string& folder) {
    for (const auto& entry : fs::directory_iterator(folder))
      bytes[entry.path().filename().string()] = text_of(entry.path().string());
  }
  ModelFiles files() const {
    ModelFiles out;
    for (const auto& [name, text] : bytes) out.emplace(name, text);
    return out;
  }
};

TEST(ModelFiles, open_as_their_folder_does) {
  const testing::TempFolder folder;
  const auto task = find_task("sorter");
  ASSERT_TRUE(task) << task.error().text();
  const auto trainer = Trainer::make(*task, {}, (*task)->recipe(), 3);
  ASSERT_TRUE(trainer) << trainer.error().text();
  const Status saved =
      save_model(folder.path(), (*task)->layout(), *trainer->state().model, (*task)->tokenizer());
  ASSERT_TRUE(saved) << saved.error().text();
  std::ofstream(folder / "card.json") << some_card();
  const auto there = open_model(folder.path());
  const InMemory memory(folder.path());
  const auto here = open_model_files(memory.files(), "model:sorter");
  ASSERT_TRUE(there) << there.error().text();
  ASSERT_TRUE(here) << here.error().text();
  EXPECT_EQ(here->path, "model:sorter");
  EXPECT_EQ(here->title, "Sorter");  // as its card says
  EXPECT_EQ(in_words(here->notes), in_words(there->notes));
  EXPECT_EQ(here->dtype, "F32");
  ASSERT_TRUE(here->card && there->card);
  EXPECT_EQ(here->card->inputs[0].ids, there->card->inputs[0].ids);
  EXPECT_EQ(token_label(*here, 3), token_label(*there, 3));
  for (const auto& [name, tensor] : there->model->weights().all())
    EXPECT_EQ(here->model->weights().get(name).values(), tensor.values()) << name;
}

// The window, a lab and a lesson may each open the same shipped model: it is packed once.
TEST(ModelFiles, opened_twice_share_packed_copies) {
  const InMemory memory(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  const auto one = open_model_files(memory.files(), "model:x"),
             other = open_model_files(memory.files(), "model:x");
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(other) << other.error().text();
  ASSERT_NE(one->model, other->model);
  int shared = 0;
  for (const auto& [name, tensor] : one->model->weights().all())
    if (tensor.rank() == 2) {
      ASSERT_NE(tensor.panels(), nullptr) << name;
      EXPECT_EQ(other->model->weights().get(name).panels(), tensor.panels()) << name;
      ++shared;
    }
  EXPECT_GT(shared, 4);
}

TEST(ModelFiles, what_is_missing_or_broken_is_said) {
  const std::string gpt2 = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  const auto refused = [&](const char* file, const std::string& content) {
    InMemory memory(gpt2);
    memory.bytes[file] = content;
    const auto opened = open_model_files(memory.files(), "model:x");
    ASSERT_FALSE(opened) << file;
    EXPECT_NE(opened.error().sentence().find(file), std::string::npos) << opened.error().sentence();
  };
  refused("config.json", "");
  refused("config.json", "{\"model_type\": \"frob\"}");
  refused("model.safetensors", "");
  refused("model.safetensors", "12345678{}");
  refused("tokenizer.json", "[]");
  InMemory memory(gpt2);
  memory.bytes["card.json"] = "[";
  const auto opened = open_model_files(memory.files(), "model:x");
  ASSERT_TRUE(opened) << opened.error().text();
  ASSERT_EQ(opened->notes.size(), 1u);  // the model is worth seeing without it
  EXPECT_NE(opened->notes[0].str().find("card.json"), std::string::npos);
  EXPECT_FALSE(open_model_files({}, "model:x"));
}

TEST(Tasks, models_of_every_task_can_be_written_as_it_asks) {
  for (const auto& task : tasks()) {
    SCOPED_TRACE(task->name());
    const auto trainer = Trainer::make(task, {}, task->recipe(), 1);
    ASSERT_TRUE(trainer) << trainer.error().text();
    const Status status = can_save(task->layout(), *trainer->state().model);
    EXPECT_TRUE(status) << status.error().text();
    const testing::TempFolder folder;
    ASSERT_TRUE(save_model(folder / "model", task->layout(), *trainer->state().model, task->tokenizer()));
    const auto opened = open_model(folder / "model");
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ(in_words(opened->notes), std::vector<std::string>{});  // its tokenizer among them
    const auto trace = opened->model->run(task->shown().input);
    EXPECT_TRUE(trace) << trace.error().text();
  }
}

}  // namespace
}  // namespace attnscope
