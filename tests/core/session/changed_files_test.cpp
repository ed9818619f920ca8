// Models that other programs save again while they are open: the session says so, computes nothing from old
// and new weights together, keeps the document, and reads it again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/arch/memory_limit.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/session/session.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

fs::path golden(const std::string& name) { return fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden" / name; }

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Into the file as it lies: no other inode, no moment without a file.
void overwrite(const fs::path& path, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file << bytes;
}

struct Changed : ::testing::Test {
  testing::TempFolder folder;
  Session session;
  std::string path = folder / "model", weights = folder / "model/model.safetensors";

  void SetUp() override {
    fs::create_directory(path);
    for (const char* name : {"config.json", "model.safetensors"})
      fs::copy_file(golden("models/gpt2") / name, fs::path(path) / name);
  }
  void TearDown() override { set_memory_limit(-1); }
  // `mapped`: no file is copied, as with models of some hundred megabytes.
  void open(bool mapped, const std::string& what) {
    set_memory_limit(mapped ? 0 : -1);
    session.open(what);
    session.wait();
    ASSERT_TRUE(session.result()) << (session.error() ? session.error()->text() : "no result");
  }
  void open(bool mapped) { open(mapped, path); }
  // Another model of the same sizes: every weight has the other sign.
  std::string negated() const {
    std::string bytes = read_text(golden("models/gpt2/model.safetensors"));
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t at = 8 + header + 3; at < bytes.size(); at += 4)
      bytes[at] = static_cast<char>(bytes[at] ^ 0x80);
    return bytes;
  }
  Status type(std::vector<int> ids) {
    const Status done = session.edit("Type", {}, [&](Document& d) { return set_ids(d, 0, ids, {}); });
    session.wait();
    return done;
  }
  Status set_weight(float value) {
    const Status done = session.edit("Set", {}, [&](Document& d) {
      return set_weight_cell(d, "blocks.0.attn.q.weight", {1, 2}, value);
    });
    session.wait();
    return done;
  }
  float logit() const { return session.result()->trace(0).logits_row(0).at(3); }
  template <class Condition>
  bool follow(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      session.poll();
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  void read_again() {
    session.read_again();
    session.wait();
    ASSERT_TRUE(session.result()) << (session.error() ? session.error()->text() : "no result");
  }
};

TEST_F(Changed, ACopiedModelStaysAndTheNewerOneIsOffered) {
  open(false);
  ASSERT_TRUE(type({5, 6, 7}));
  ASSERT_TRUE(set_weight(2.f));
  const float before = logit();
  EXPECT_EQ(session.newer_file(), "");
  overwrite(weights, negated());
  ASSERT_TRUE(follow([&] { return !session.newer_file().empty(); }));
  EXPECT_EQ(session.newer_file(), weights);
  EXPECT_FALSE(session.mixed());
  ASSERT_TRUE(type({5, 6, 7, 8}));
  EXPECT_EQ(logit(), before) << "causal: the first row is the same, of the old weights";
  read_again();
  EXPECT_EQ(session.newer_file(), "");
  EXPECT_EQ(session.document().sequences[0].input.ids, (std::vector<int>{5, 6, 7, 8}));
  EXPECT_EQ(session.result()->trace(0).weights().get("blocks.0.attn.q.weight").at(1, 2), 2.f);
  EXPECT_NE(logit(), before);
  ASSERT_TRUE(session.previous());
  EXPECT_EQ(session.previous()->document.model, session.result()->document.model) << "not the older file's";
  EXPECT_EQ(session.previous()->trace(0).length, 3);
}

TEST_F(Changed, ANewerFileCanBeDismissedUntilTheNextOne) {
  open(false);
  overwrite(weights, negated());
  ASSERT_TRUE(follow([&] { return !session.newer_file().empty(); }));
  session.dismiss_newer_file();
  EXPECT_EQ(session.newer_file(), "");
  fs::rename(weights, folder / "away");
  fs::copy_file(folder / "away", weights);
  EXPECT_TRUE(follow([&] { return !session.newer_file().empty(); }));
}

TEST_F(Changed, AMappedModelIsNotBelievedAfterASaveInPlace) {
  open(true);
  ASSERT_TRUE(type({5, 6, 7}));
  ASSERT_TRUE(set_weight(2.f));
  overwrite(weights, negated());
  EXPECT_FALSE(session.document().model->run(session.document().sequences[0].input));
  session.poll();
  ASSERT_TRUE(session.mixed());
  EXPECT_NE(session.mixed()->sentence().find("was changed while it was open"), std::string::npos);
  EXPECT_FALSE(session.result());
  ASSERT_TRUE(type({5, 6, 7, 8})) << "the document can still be changed";
  EXPECT_FALSE(session.result());
  EXPECT_FALSE(session.error()) << "one sentence is enough";
  read_again();
  EXPECT_FALSE(session.mixed());
  EXPECT_EQ(session.document().sequences[0].input.ids, (std::vector<int>{5, 6, 7, 8}));
  const Tensor q = session.result()->trace(0).weights().get("blocks.0.attn.q.weight");
  EXPECT_EQ(q.at(1, 2), 2.f);
  const Model& fresh = *session.document().opened->model;
  EXPECT_NE(fresh.weights().get("blocks.0.attn.q.weight").at(1, 2), 2.f);
  ASSERT_TRUE(session.history().now().opened);
  const auto old = open_model(golden("models/gpt2").string());
  ASSERT_TRUE(old);
  EXPECT_EQ(q.at(0, 0), -old->model->weights().get("blocks.0.attn.q.weight").at(0, 0));
}

TEST_F(Changed, WhatWasDoneCanStillBeTakenBackAfterReadingAgain) {
  for (const bool mapped : {true, false}) {
    open(mapped);
    ASSERT_TRUE(type({5, 6, 7}));
    ASSERT_TRUE(session.edit("Note", {}, [](Document& d) -> Status {
      d.notes["blocks.0.attn.q"] = "here";
      d.padding = {true, PadSide::left, 4};
      return Done{};
    }));
    ASSERT_TRUE(set_weight(2.f));
    ASSERT_TRUE(type({5, 6, 7, 8}));
    session.undo();
    session.wait();
    const std::string whole = read_text(weights);
    overwrite(weights, negated());
    session.poll();
    read_again();
    const auto fresh = session.document().opened;
    const auto turned_q = [&](std::int64_t col) {
      return session.result()->trace(0).weights().get("blocks.0.attn.q.weight").at(1, col);
    };
    EXPECT_EQ(turned_q(2), 2.f);
    EXPECT_EQ(session.document().notes.size(), 1u);
    EXPECT_TRUE(session.document().padding.on);
    ASSERT_TRUE(session.history().can_redo());
    session.redo();
    session.wait();
    EXPECT_EQ(session.document().sequences[0].input.ids, (std::vector<int>{5, 6, 7, 8}));
    session.undo();
    session.undo();
    session.wait();
    ASSERT_TRUE(session.result()) << mapped;
    EXPECT_EQ(turned_q(2), fresh->model->weights().get("blocks.0.attn.q.weight").at(1, 2));
    EXPECT_EQ(session.document().opened, fresh) << "the new file under every point";
    session.undo();
    session.undo();
    session.wait();
    EXPECT_TRUE(session.document().edits.empty());
    EXPECT_FALSE(session.history().can_undo());
    std::ofstream(weights, std::ios::binary) << whole;
  }
}

// Read again while it is half written: the sentence of that, and the document stays.
TEST_F(Changed, APinnedRunOfAMappedModelIsNotBelievedEither) {
  open(true);
  session.pin();
  open(false, golden("models/llama"));
  session.poll();
  ASSERT_TRUE(session.pinned());
  overwrite(weights, negated());
  ASSERT_TRUE(follow([&] { return !session.pinned(); }));
  ASSERT_TRUE(session.error());
  EXPECT_NE(session.error()->text().find("model.safetensors"), std::string::npos) << session.error()->text();
  EXPECT_FALSE(session.mixed());
}

TEST_F(Changed, AFileCutShortIsASentence) {
  for (const bool mapped : {true, false}) {
    open(mapped);
    const std::string whole = read_text(weights);
    ASSERT_TRUE(type({5, 6}));
    fs::resize_file(weights, 4096);
    const auto run = session.document().model->run(session.document().sequences[0].input);
    EXPECT_EQ(!run, mapped) << "would end the program otherwise";
    session.read_again();
    session.wait();
    ASSERT_TRUE(session.error());
    EXPECT_NE(session.error()->sentence().find("model.safetensors"), std::string::npos);
    EXPECT_EQ(session.document().sequences[0].input.ids, (std::vector<int>{5, 6}));
    std::ofstream(weights, std::ios::binary) << whole;
    read_again();
    EXPECT_EQ(session.document().sequences[0].input.ids, (std::vector<int>{5, 6}));
  }
}

TEST_F(Changed, GgufShardsAndRecordingsToo) {
  fs::copy_file(golden("gguf/llama-q4_0.gguf"), folder / "a.gguf");
  fs::create_directory(folder / "shards");
  const std::string shard = folder / "shards/model-00001-of-00001.safetensors";
  fs::copy_file(golden("models/llama/model.safetensors"), shard);
  fs::copy_file(golden("models/llama/config.json"), folder / "shards/config.json");
  const auto source = open_safetensors(shard);
  ASSERT_TRUE(source);
  nlohmann::json index;
  for (const TensorInfo& info : (*source)->infos())
    index["weight_map"][info.name] = fs::path(shard).filename();
  std::ofstream(folder / "shards/model.safetensors.index.json") << index;
  const Tensor rows = Tensor::from(std::vector<float>(600 * 64), {{Axis::pos, 600}, {Axis::d_model, 64}});
  ASSERT_TRUE(write_safetensors(folder / "run.safetensors", {{"blocks.0.resid_pre", rows}}));
  const std::pair<std::string, std::string> all[] = {
      {folder / "a.gguf", folder / "a.gguf"},
      {folder / "shards", shard},
      {folder / "run.safetensors", folder / "run.safetensors"}};
  for (const auto& [what, file] : all) {
    open(true, what);
    ASSERT_TRUE(session.watches_files()) << what;
    const std::string whole = read_text(file);
    overwrite(file, whole);  // the same bytes: nobody can know
    session.poll();
    EXPECT_TRUE(session.mixed()) << what;
    read_again();
    fs::resize_file(file, 8192);
    session.poll();
    EXPECT_TRUE(session.mixed()) << what;
    std::ofstream(file, std::ios::binary) << whole;
    read_again();
    EXPECT_FALSE(session.mixed()) << what;
  }
}

TEST_F(Changed, WhatNoLongerFitsIsLeftOutWithASentence) {
  open(false);
  ASSERT_TRUE(type({5, 198}));
  ASSERT_TRUE(set_weight(2.f));
  const auto silence = [&](const char* where) {
    return session.edit("Silence", {}, [&](Document& d) -> Status {
      TRY(auto edit, parse_edit(std::string(where) + "=0"));
      put_edit(d, std::move(edit));
      return Done{};
    });
  };
  ASSERT_TRUE(silence("blocks.1.attn.z[head=1]"));
  ASSERT_TRUE(silence("blocks.2.attn.z[head=1]"));
  ASSERT_TRUE(session.edit("Mask", {}, [](Document& d) { return set_mask_text(d, "window(1)"); }));
  session.wait();
  // The same checkpoint with one layer less: its last block is gone.
  nlohmann::json config = nlohmann::json::parse(read_text(fs::path(path) / "config.json"));
  config["n_layer"] = 2;
  std::ofstream(fs::path(path) / "config.json") << config;
  read_again();
  const Document& document = session.document();
  EXPECT_EQ(document.model->config().n_layers(), 2);
  EXPECT_EQ(document.sequences[0].input.ids, (std::vector<int>{5, 198}));
  EXPECT_EQ(asked_mask(document, AttentionKind::main).text(), "window(1)");
  ASSERT_EQ(document.edits.size(), 3u);
  EXPECT_EQ(document.edits[0]->number()->where.kind, Target::Kind::weight);
  EXPECT_EQ(to_text(*document.edits[1]), "blocks.1.attn.z[head=1]=0");
  const std::vector<std::string> notes = in_words(document.opened->notes);
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("blocks.2.attn.z") != std::string::npos;
  }));
}

TEST_F(Changed, ASceneThatTheProgramSavedItselfIsNoNews) {
  const std::string scene = folder / "scene.json";
  fs::copy_file(fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/scenes/nine_steps.json", scene);
  open(false, scene);
  ASSERT_TRUE(session.edit("Set", {}, [](Document& d) { return set_input_cell(d, 0, 1, 2, 5.f); }));
  session.wait();
  ASSERT_TRUE(save_scene(*scene_of(session.document()), scene));
  session.saved_to(scene);
  std::this_thread::sleep_for(std::chrono::milliseconds(450));
  session.poll();
  EXPECT_EQ(session.newer_file(), "");
  Scene other = *scene_of(session.document());
  other.title.en = "Another";
  ASSERT_TRUE(save_scene(other, scene));
  ASSERT_TRUE(follow([&] { return !session.newer_file().empty(); }));
  read_again();
  EXPECT_EQ(session.document().opened->title, "Another");
  EXPECT_EQ(session.result()->trace(0).input.vectors.at(1, 2), 5.f);
}

}  // namespace
}  // namespace attnscope
