// Sessions on disk: what was made comes back, the same to the bit; damage is told.
#include "core/session/session_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/session/session.h"
#include "core/system/named_files.h"
#include "tests/core/session/reopened.h"
#include "tests/edits.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using nlohmann::json;

namespace fs = std::filesystem;

std::string source(const std::string& name) { return std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name; }

Document session_file_opened(const std::string& path) {
  auto model = open_model(path);
  EXPECT_TRUE(model) << model.error().text();
  return new_document(std::make_shared<const OpenedModel>(*std::move(model)));
}

Site to_site(const char* name) { return *parse_site(name); }

std::vector<float> logits(const Document& document, std::size_t sequence) {
  RunOptions options;
  options.edits = edits_for(document.edits, static_cast<int>(sequence));
  const auto run = document.model->run(inputs_of(document)[sequence], options);
  EXPECT_TRUE(run) << run.error().text();
  return (*run)->tensor(to_site("logits")) ? (*run)->tensor(to_site("logits"))->values()
                                           : std::vector<float>();
}

class SessionFiles : public ::testing::Test {
 protected:
  std::string path() const { return folder_ / "a.attnscope"; }
  Result<Document> again() const { return reopened(path()); }
  static void open_both(Session& session, const Document& document,
                        const std::shared_ptr<const Document>& pinned) {
    session.open_document([&](const auto&) -> Result<Document> { return document; });
    session.wait();
    session.pin([&](const auto&) -> Result<std::shared_ptr<const Document>> { return pinned; });
    session.wait();
  }
  // Saves, opens, and finds the same document that computes the same numbers.
  void expect_same(const Document& document) const {
    const Status saved = save_session(path(), document, {{"view", "mask"}});
    ASSERT_TRUE(saved) << saved.error().text();
    const Result<Document> read = again();
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(in_words(read->opened->warnings) == in_words(document.opened->warnings));
    ASSERT_EQ(read->sequences.size(), document.sequences.size());
    ASSERT_EQ(read->edits.size(), document.edits.size());
    for (std::size_t i = 0; i < document.edits.size(); ++i) {
      EXPECT_TRUE(same_edit(*read->edits[i], *document.edits[i])) << to_text(*document.edits[i]);
      EXPECT_EQ(read->edits[i]->enabled, document.edits[i]->enabled);
      EXPECT_EQ(read->edits[i]->note, document.edits[i]->note);
    }
    EXPECT_EQ(read->padding, document.padding);
    EXPECT_EQ(read->notes, document.notes);
    for (std::size_t i = 0; i < document.sequences.size(); ++i) {
      const Sequence &was = document.sequences[i], &is = read->sequences[i];
      EXPECT_EQ(is.input.ids, was.input.ids);
      EXPECT_EQ(is.input.source, was.input.source);
      EXPECT_EQ(is.input.types, was.input.types);
      EXPECT_EQ(is.input.spans, was.input.spans);
      EXPECT_EQ(is.text, was.text);
      EXPECT_EQ(is.source_text, was.source_text);
      EXPECT_EQ(is.picture.empty(), was.picture.empty());
      EXPECT_EQ(logits(*read, i), logits(document, i)) << "the same numbers, to the bit";
    }
  }

  const TempFolder folder_;
};

TEST_F(SessionFiles, NotesTravelAlong) {
  Document document = session_file_opened(source("assets/models/storyteller"));
  document.notes = {{"blocks.1.attn.pattern", "it looks at \"cat\""},
                    {"blocks.0.attn.z[head=2, pos=3, d_head=0]", "여기"}};
  ASSERT_TRUE(parse_cell("blocks.0.attn.z[head=2, pos=3, d_head=0]"));
  expect_same(document);
  auto file = *read_json_file(path(), 1 << 20);
  file["notes"] = {{"no such place", "x"}};
  ASSERT_TRUE(write_file(path(), file.dump()));
  const auto read = again();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("notes"), std::string::npos);
}

// What a page of a lesson keeps in itself: more numbers than a session has in its file, a picture among them.
TEST_F(SessionFiles, InputsStandInOneFileWithAllTheirNumbers) {
  Document document = session_file_opened(source("assets/scenes/tiny_sight.json"));
  Picture picture;
  picture.width = picture.height = 16;
  picture.rgb = std::make_shared<const std::vector<std::uint8_t>>(16 * 16 * 3, std::uint8_t{90});
  picture.name = "grey";
  ASSERT_TRUE(set_picture(document, 0, picture));
  const auto inputs = inputs_to_json(document);
  ASSERT_TRUE(inputs) << inputs.error().text();
  Document read = session_file_opened(source("assets/scenes/tiny_sight.json"));
  const Status taken = inputs_from_json(json::parse(inputs->dump()), "lesson.json", read);
  ASSERT_TRUE(taken) << taken.error().text();
  EXPECT_EQ(*read.sequences[0].picture.rgb, *picture.rgb);
  EXPECT_EQ(logits(read, 0), logits(document, 0));
}

TEST_F(SessionFiles, APinnedRunOfAnotherModelBringsItsModel) {
  const Document document = session_file_opened(source("assets/models/sorter"));
  for (const char* other : {"assets/scenes/tiny_gpt.json", "assets/models/induction"}) {
    Document pinned = session_file_opened(source(other));
    pinned.edits.push_back(*parse_edit("blocks.0.attn.z[head=0]=0"));
    const Status saved = save_session(path(), document, {}, &pinned);
    ASSERT_TRUE(saved) << saved.error().text();
    const auto read = again();
    ASSERT_TRUE(read) << read.error().text();
    const auto back = pinned_of(*read_session(path()), *read);
    ASSERT_TRUE(back) << back.error().text();
    ASSERT_TRUE(*back);
    EXPECT_NE((*back)->opened, read->opened);
    EXPECT_EQ(logits(**back, 0), logits(pinned, 0));
    Session session;
    open_both(session, *read, *back);
    ASSERT_TRUE(session.pinned());
    EXPECT_NE(session.pinned()->opened_version, session.opened_version());
    EXPECT_EQ(session.pinned()->document.opened, (*back)->opened);
  }
  json file = *read_json_file(path());
  file["pinned"]["model"]["path"] = "/nowhere/at/all";
  file["pinned"]["model"].erase("beside");
  ASSERT_TRUE(write_file(path(), file.dump()));
  const auto read = again();
  ASSERT_TRUE(read);
  EXPECT_FALSE(pinned_of(*read_session(path()), *read));
}

TEST_F(SessionFiles, ThePinnedRunTravelsByWhatMadeIt) {
  const Document document = session_file_opened(source("assets/models/storyteller"));
  Document pinned = document;
  ASSERT_TRUE(set_ids(pinned, 0, {1, 5, 9}, {}));
  pinned.edits.push_back(*parse_edit("blocks.1.attn.z[head=3]=0"));
  ASSERT_TRUE(save_session(path(), document, {}, &pinned));
  const auto read = again();
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->edits.empty());
  const auto back = pinned_of(*read_session(path()), *read);
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_TRUE(*back);
  EXPECT_EQ((*back)->sequences[0].input.ids, pinned.sequences[0].input.ids);
  ASSERT_EQ((*back)->edits.size(), 1u);
  EXPECT_TRUE(same_edit(*(*back)->edits[0], *pinned.edits[0]));
  Session session;
  open_both(session, *read, *back);
  ASSERT_TRUE(session.pinned());
  EXPECT_EQ(session.against(), session.pinned());
  EXPECT_EQ(session.pinned()->trace(0).length, 3);

  ASSERT_TRUE(save_session(path(), document, {}));
  EXPECT_FALSE(*pinned_of(*read_session(path()), *read)) << "nothing was pinned";
}

TEST_F(SessionFiles, EveryShippedModelAndSceneComesBack) {
  for (const char* name : {"storyteller", "translator", "gap-filler", "pilot", "induction"}) {
    SCOPED_TRACE(name);
    expect_same(session_file_opened(source(std::string("assets/models/") + name)));
  }
  for (const char* name : {"nine_steps", "tiny_gpt", "tiny_translator", "tiny_sight"}) {
    SCOPED_TRACE(name);
    expect_same(session_file_opened(source(std::string("assets/scenes/") + name + ".json")));
  }
}

TEST_F(SessionFiles, WordsThatTheVocabularyDoesNotKnowComeBackAsTheyWereTyped) {
  Document document = session_file_opened(source("assets/models/storyteller"));
  ASSERT_TRUE(set_text(document, 0, "The dog saw the cat"));
  ASSERT_EQ(document.sequences[0].text, "The dog saw the cat");
  expect_same(document);
}

TEST_F(SessionFiles, EditsOfEveryKindComeBack) {
  Document document = session_file_opened(source("tests/golden/models/gpt2"));
  ASSERT_TRUE(set_ids(document, 0, {5, 17, 3, 99, 5}, {}));
  ASSERT_TRUE(add_sequence(document, 0));
  ASSERT_TRUE(set_ids(document, 1, {7, 8}, {}));
  ASSERT_TRUE(set_padding(document, {true, PadSide::left, 6}));
  document.sampling.temperature = 0.5f;
  for (const char* text :
       {"blocks.1.attn.z[head=1]=0", "blocks.0.attn.q.weight[in=1,out=2]*=3", "blocks.*.order=post",
        "blocks.0.mlp.out=mean", "blocks.2.attn.pattern[head=0,query=4,key=3]=0.5"})
    put_edit(document, edit(text));
  document.edits.push_back(mask("window(2)"));
  document.edits.push_back(cells({{5, 2, true}}));
  const auto plain = *document.model->run(inputs_of(document)[0]);
  const auto shape = plain->find(to_site("blocks.1.resid_pre"))->shape;
  const Tensor numbers = Tensor::filled({{Axis::none, shape[0]}, {Axis::none, shape[1]}}, 0.25f);
  const Edit frozen{NumberEdit{*parse_target("blocks.1.resid_pre"), EditOp::set, Frozen{numbers, "x"}}, 0,
                    true, "from elsewhere"};
  document.edits.push_back(std::make_shared<const Edit>(frozen));
  Edit off = *edit("blocks.0.attn.k*=2");
  off.enabled = false;
  document.edits.push_back(std::make_shared<const Edit>(off));
  expect_same(document);
  const Result<Document> read = again();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sampling.temperature, 0.5f);
  EXPECT_FALSE(fs::exists(path() + ".safetensors"));
}

TEST_F(SessionFiles, AnotherModelOfTheSameNameIsSaid) {
  const std::string model = folder_ / "model";
  fs::copy(source("tests/golden/models/gpt2"), model, fs::copy_options::recursive);
  ASSERT_TRUE(save_session(path(), session_file_opened(model), {}));
  EXPECT_TRUE(again()->opened->warnings.empty());
  json file = *read_json_file(path());
  file["model"].erase("prints");  // as sessions were before all values were hashed
  std::ofstream(path()) << file;
  EXPECT_TRUE(again()->opened->warnings.empty());
  file["model"]["fingerprint"] = "0123456789abcdef";
  std::ofstream(path()) << file;
  const Result<Document> read = again();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->opened->warnings.size(), 1u);
  EXPECT_EQ(read->opened->warnings[0].key(), "note.session.other_numbers");
}

// Turns the sign of a value that the sample of older sessions does not hold.
void change_one_value(const std::string& model) {
  const std::string path = model + "/model.safetensors";
  const auto weights = open_safetensors(path);
  ASSERT_TRUE(weights);
  const TensorInfo* info = (*weights)->find("transformer.h.0.mlp.c_fc.weight");
  ASSERT_TRUE(info);
  ASSERT_GT(value_count(info->shape), 64);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto at = static_cast<std::streamoff>(info->offset + 7 * 4 + 3);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 0x80));
}

TEST_F(SessionFiles, OneChangedValueOfOneWeightIsSaidByItsName) {
  const std::string model = folder_ / "model";
  fs::copy(source("tests/golden/models/gpt2"), model, fs::copy_options::recursive);
  const auto expect_named = [](const Document& read) {
    ASSERT_EQ(read.opened->warnings.size(), 1u);
    ASSERT_EQ(read.opened->warnings[0].key(), "note.session.other_weights");
    EXPECT_EQ(read.opened->warnings[0].arguments()[0].str(), "1");
    EXPECT_EQ(read.opened->warnings[0].arguments()[1].str(), "blocks.0.mlp.pre.weight");
  };
  ASSERT_TRUE(save_session(path(), session_file_opened(model), {}));
  change_one_value(model);
  const Result<Document> read = again();
  ASSERT_TRUE(read);
  expect_named(*read);
  // The same of a run that is pinned.
  const Document pinned = session_file_opened(model);
  ASSERT_TRUE(save_session(path(), session_file_opened(source("assets/models/sorter")), {}, &pinned));
  change_one_value(model);
  const auto back = pinned_of(*read_session(path()), *again());
  ASSERT_TRUE(back && *back);
  expect_named(**back);
}

TEST_F(SessionFiles, AChangedConfigOrTokenizerIsSaidByItsName) {
  const std::string model = folder_ / "model";
  fs::copy(source("assets/models/sorter"), model, fs::copy_options::recursive);
  ASSERT_TRUE(save_session(path(), session_file_opened(model), {}));
  EXPECT_TRUE(again()->opened->warnings.empty());
  for (const char* name : {"config.json", "tokenizer.json"})
    std::ofstream(model + "/" + name, std::ios::app) << "\n";
  const Result<Document> read = again();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->opened->warnings.size(), 1u);
  EXPECT_EQ(read->opened->warnings[0].key(), "note.session.other_files");
  EXPECT_EQ(read->opened->warnings[0].arguments()[0].str(), "2");
  EXPECT_EQ(read->opened->warnings[0].arguments()[1].str(), "config.json, tokenizer.json");
  json file = *read_json_file(path());
  file["model"].erase("files");  // as sessions were before
  std::ofstream(path()) << file;
  EXPECT_TRUE(again()->opened->warnings.empty());
}

TEST_F(SessionFiles, NumbersThatDoNotFitAreRefusedAndNotCutDown) {
  Document document = session_file_opened(source("assets/models/storyteller"));
  ASSERT_TRUE(save_session(path(), document, {}));
  const json saved = *read_json_file(path());
  const auto refused = [&](const char* pointer, const json& value) {
    json file = saved;
    file[json::json_pointer(pointer)] = value;
    std::ofstream(path()) << file;
    return again().ok() ? std::string() : again().error().what().str();
  };
  for (const json& version :
       {json(4294967297), json(kSessionVersion + 1), json(0), json(-1), json(18446744073709551615u)})
    EXPECT_NE(refused("/version", version).find(version.dump()), std::string::npos) << version;
  for (const char* field : {"/sampling/top_k", "/padding/to"})
    for (const json& value : {json(4294967297), json(-1), json(18446744073709551615u), json(1.5)})
      EXPECT_NE(refused(field, value), "") << field << value;
  EXPECT_NE(refused("/sampling/seed", -1), "");
  EXPECT_NE(refused("/sampling/temperature", 1e39), "");
  for (const json& side : {json("Left"), json("middle"), json(""), json(1)})
    EXPECT_NE(refused("/padding/side", side).find("padding"), std::string::npos) << side;
  EXPECT_EQ(refused("/padding/side", "left"), "");
}

TEST_F(SessionFiles, FilesElsewhereAreReadOnlyWhereTheUserKnowsThem) {
  const std::string given = folder_ / "given", mine = folder_ / "mine";
  fs::create_directory(given);
  for (const std::string& model : {given + "/model", mine})
    fs::copy(source("tests/golden/models/gpt2"), model, fs::copy_options::recursive);
  const std::string session = given + "/s.attnscope";
  ASSERT_TRUE(save_session(session, session_file_opened(given + "/model"), {}));
  const json saved = *read_json_file(session);
  const auto named = [&](const std::string& path) {
    json file = saved;
    file["model"]["path"] = path;
    file["model"].erase("beside");
    std::ofstream(session) << file;
    return *read_session(session);
  };
  EXPECT_TRUE(may_open_model(named("model"))) << "relative to the session, wherever one stands";
  EXPECT_TRUE(fs::equivalent(named("model").model, given + "/model"));
  EXPECT_TRUE(may_open_model(named("model:storyteller")));
  for (const std::string& path : {std::string("../mine"), mine}) {
    const Status may = may_open_model(named(path));
    ASSERT_FALSE(may) << path;
    EXPECT_EQ(may.error().what().key(), "error.system.outside");
  }
  // An edit of the file that takes numbers from elsewhere.
  const std::string numbers = folder_ / "numbers.npz";
  ASSERT_TRUE(write_npz(numbers, {{"a", Tensor::filled({{Axis::none, 1}}, 2.f)}}, {}));
  fs::copy(numbers, given + "/numbers.npz");
  const auto edited = [&](const std::string& path) {
    json file = saved;
    file["edits"] = {"blocks.0.attn.z=@" + path + ":a"};
    std::ofstream(session) << file;
    return document_of(*read_session(session), *open_model(given + "/model"));
  };
  for (const std::string& path : {numbers, std::string("../numbers.npz")}) {
    const auto read = edited(path);
    ASSERT_FALSE(read) << path;
    EXPECT_TRUE(refused_path(read.error())) << read.error().text();
  }
  const auto beside = edited("numbers.npz");
  EXPECT_TRUE(beside) << beside.error().text();
  ASSERT_TRUE(save_session(session, session_file_opened(mine), {}));
  EXPECT_TRUE(may_open_model(*read_session(session))) << "who saves a session opened its model";
}

TEST_F(SessionFiles, EditsOfStepsThatTheModelLacksAreLeftOutAndSaid) {
  Document document = session_file_opened(source("tests/golden/models/gpt2"));
  for (const char* text : {"blocks.0.attn.z[head=1]=0", "blocks.1.mlp.out*=2"})
    document.edits.push_back(*parse_edit(text));
  ASSERT_TRUE(save_session(path(), document, {}));
  json file = *read_json_file(path());
  file["edits"].push_back("blocks.9.attn.z=0");  // of a deeper model
  std::ofstream(path()) << file;
  const Result<Document> read = again();
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->edits.size(), 2u);
  ASSERT_EQ(read->opened->warnings.size(), 1u);
  EXPECT_NE(read->opened->warnings[0].str().find("blocks.9.attn.z"), std::string::npos);
  file["edits"] = {"blocks.0.attn.zz=0"};
  std::ofstream(path()) << file;
  EXPECT_NE(again().error().sentence().find("a.attnscope"), std::string::npos) << "which file is damaged";
}

TEST_F(SessionFiles, AModelThatMovedWithItsSessionIsFound) {
  const std::string here = folder_ / "here", there = folder_ / "there";
  fs::create_directories(here);
  fs::copy(source("tests/golden/models/gpt2"), here + "/model", fs::copy_options::recursive);
  ASSERT_TRUE(save_session(here + "/a.attnscope", session_file_opened(here + "/model"), {}));
  fs::rename(here, there);
  const auto file = read_session(there + "/a.attnscope");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->model, there + "/model");
}

TEST_F(SessionFiles, DamageIsToldWithItsField) {
  Document document = session_file_opened(source("tests/golden/models/gpt2"));
  put_edit(document, edit("blocks.1.attn.z[head=1]=0"));
  ASSERT_TRUE(save_session(path(), document, {}));
  const json good = *read_json_file(path());
  const auto refusal = [&](const std::function<void(json&)>& damage) {
    json file = good;
    damage(file);
    std::ofstream(path()) << file;
    const Result<Document> read = again();
    return read ? std::string("accepted") : read.error().text();
  };
  EXPECT_EQ(refusal([](json&) {}), "accepted");
  const auto says = [&](const char* part, const std::function<void(json&)>& damage) {
    const std::string said = refusal(damage);
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_NE(said.find("a.attnscope"), std::string::npos) << said;
  };
  says("no session", [](json& file) { file["format"] = "x"; });
  says("version 99", [](json& file) { file["version"] = 99; });
  says("\"version\"", [](json& file) { file.erase("version"); });
  says("\"model\"", [](json& file) { file["model"] = 3; });
  says("\"ids\"", [](json& file) { file["inputs"][0]["ids"] = {"a"}; });
  says("\"inputs\"", [](json& file) { file["inputs"] = 7; });
  says("padding", [](json& file) { file["padding"]["to"] = "many"; });
  says("edits", [](json& file) { file["edits"] = {7}; });
  const std::string outside = refusal([](json& file) { file["inputs"][0]["ids"] = {100000}; });
  EXPECT_NE(outside.find("100000"), std::string::npos) << outside;
  std::ofstream(path()) << "{";
  EXPECT_FALSE(read_session(path()));
  EXPECT_FALSE(read_session(folder_ / "nothing.attnscope"));
}

// 896 patched numbers: [14 positions, 64 neurons].
struct SessionArrays : SessionFiles {
  void SetUp() override {
    SessionFiles::SetUp();
    document_ = session_file_opened(source("tests/golden/models/gpt2"));
    ASSERT_TRUE(set_ids(document_, 0, {5, 17, 3, 99, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {}));
    const auto shape =
        (*document_.model->run(inputs_of(document_)[0]))->find(to_site("blocks.1.mlp.post"))->shape;
    shape_ = {{Axis::none, shape[0]}, {Axis::none, shape[1]}};
    std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1]));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.f / static_cast<float>(3 + i);
    values[1] = -0.f;
    numbers_ = Tensor::from(std::move(values), shape_);
    ASSERT_GT(numbers_.count(), 256);
    document_.edits.push_back(
        make_edit(NumberEdit{*parse_target("blocks.1.mlp.post"), EditOp::set, Frozen{numbers_, ""}}));
    ASSERT_TRUE(save_session(path(), document_, {}, &document_));
  }
  json file() const { return json::parse(std::ifstream(path())); }
  void put(const json& file) const { std::ofstream(path()) << file; }
  std::string refusal() {
    const Result<Document> read = again();
    return read ? "" : read.error().sentence();
  }
  // As earlier versions wrote it: the arrays in a file beside it.
  void as_version_1() {
    json all = file();
    all["version"] = 1;
    const std::string name = all["arrays"].begin().key();
    all.erase("arrays");
    put(all);
    ASSERT_TRUE(write_safetensors(path() + ".safetensors", {{name, numbers_}}));
  }
  Document document_;
  Shape shape_;
  Tensor numbers_;
};

TEST_F(SessionArrays, ASessionWithLargeArraysIsOneFileThatCanBeRenamed) {
  EXPECT_FALSE(fs::exists(path() + ".safetensors"));
  EXPECT_EQ(file()["arrays"].size(), 1u) << "of the run and the pinned one once";
  const std::string moved = folder_ / "renamed.attnscope";
  fs::rename(path(), moved);
  const auto read = document_of(*read_session(moved), *open_model(source("tests/golden/models/gpt2")));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->edits.size(), 1u);
  EXPECT_EQ(std::get<Frozen>(read->edits[0]->number()->value).values.values(), numbers_.values());
}

TEST_F(SessionArrays, TwoFilesOfAnEarlierVersionStillOpen) {
  as_version_1();
  const Result<Document> read = again();
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(std::get<Frozen>(read->edits.at(0)->number()->value).values.values(), numbers_.values());
  const std::string arrays = path() + ".safetensors";
  const std::string name = (*open_safetensors(arrays))->infos().front().name;
  ASSERT_TRUE(write_safetensors(arrays, {{name, Tensor::filled(shape_, 2.f)}}));
  EXPECT_NE(refusal().find("are not those that were saved"), std::string::npos) << refusal();
  fs::remove(arrays);
  EXPECT_NE(refusal(), "");
  ASSERT_TRUE(save_session(path(), document_, {}));
  EXPECT_EQ(refusal(), "");
}

TEST_F(SessionArrays, DamagedArraysAreSaid) {
  const json good = file();
  const std::string name = good["arrays"].begin().key();
  const auto with = [&](const char* field, const json& value) {
    json changed = good;
    changed["arrays"][name][field] = value;
    put(changed);
    return refusal();
  };
  std::string text = good["arrays"][name]["float32"];
  text[40] = text[40] == 'A' ? 'B' : 'A';
  EXPECT_NE(with("float32", text).find("are not those that were saved"), std::string::npos);
  EXPECT_NE(with("float32", text.substr(4)), "");
  EXPECT_NE(with("float32", 7), "");
  EXPECT_NE(with("shape", {1 << 25, 1 << 25, 1 << 25}), "");
  EXPECT_NE(with("shape", {0, 3}), "");
  EXPECT_NE(with("shape", {-1}), "");
  json gone = good;
  gone["arrays"] = 3;
  put(gone);
  EXPECT_NE(refusal(), "");
}

}  // namespace
}  // namespace attnscope
