// What a person asks to be run: one table of flags, words and back, and the same sequences whether a request
// makes a document (the command line) or is laid over an open one (the window).
#include "core/session/request.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/base/words.h"
#include "tests/request_sample.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

std::string golden_folder(const char* name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
}

TEST(Request, EveryFlagHasAHelpAndReadsWhatItWrites) {
  for (const RequestFlag& flag : request_flags()) {
    const std::string help = tr(flag.help), name = "--" + std::string(flag.name);
    EXPECT_NE(help, flag.help) << name;
    const std::string value = request_sample(flag);
    const auto read = read_request({name, value});
    ASSERT_TRUE(read) << name << ": " << read.error().text();
    EXPECT_FALSE(read->unused()) << name;
    EXPECT_EQ(request_words(*read), (std::vector<std::string>{name, value}));
    EXPECT_EQ(*read_request({name + "=" + value}), *read) << name;
    EXPECT_EQ(read_request({name}).error().what().key(), "error.cli.no_value") << name;
    EXPECT_EQ(read_request({name, ""}).ok(), flag.takes_empty) << name;
    const auto twice = read_request({name, value, name, value});
    ASSERT_TRUE(twice) << name;
    EXPECT_EQ(request_words(*twice).size(), flag.once ? 2u : 4u) << name;
    const std::string clean = "--clean-" + std::string(flag.name);
    EXPECT_EQ(request_words(*read_request({clean, value}, "clean-"), "clean-").front(), clean);
  }
}

TEST(Request, BadWordsAreRefused) {
  const auto key = [](const std::vector<std::string>& words) {
    const auto read = read_request(words);
    return read ? std::string() : std::string(read.error().what().key());
  };
  EXPECT_EQ(key({"--frob", "1"}), "error.session.request.flag");
  EXPECT_EQ(key({"text", "1"}), "error.session.request.flag");
  EXPECT_EQ(key({"--ids", "1,x"}), "error.cli.ids");
  EXPECT_EQ(key({"--decoder-ids", "1,,2"}), "error.cli.ids");
  EXPECT_EQ(key({"--ids", "99999999999999"}), "error.cli.ids");
  EXPECT_EQ(key({"--pad-to", "-1"}), "error.session.request.value");
  EXPECT_EQ(key({"--pad-side", "top"}), "error.session.request.value");
  EXPECT_NE(key({"--mask", "causal |"}), "");
  EXPECT_EQ(key({"--mask", "@no such file.npy"}), "") << "files are read when the request is carried out";
}

TEST(Request, IdsAreReadFromAFile) {
  const testing::TempFolder folder;
  const std::string file = folder / "ids.txt";
  std::ofstream(file) << "3, 1,\n4\n";
  auto opened = open_model(golden_folder("gpt2"));
  ASSERT_TRUE(opened);
  Document document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
  ASSERT_TRUE(apply_request(document, *read_request({"--ids", "@" + file})));
  EXPECT_EQ(document.sequences[0].input.ids, (std::vector<int>{3, 1, 4}));
  const auto missing = apply_request(document, *read_request({"--ids", "@" + file + ".not"}));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text().find("ids.txt.not"), std::string::npos) << missing.error().text();
  EXPECT_EQ(missing.error().text().find("@@"), std::string::npos) << "a list of ids never begins with @";
  std::ofstream(file) << "3, one";
  EXPECT_FALSE(apply_request(document, *read_request({"--ids", "@" + file})));
}

TEST(Request, WhatIsWrittenReadsBack) {
  std::mt19937 random(5);
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const std::vector<std::string> texts{"the cat", "", "--text", "a=b", "@@x", "한국어", "1,2"};
  const auto some = [&](std::vector<std::string>& out, const std::vector<std::string>& from) {
    for (int i = pick(3); i > 0; --i)
      out.push_back(from[static_cast<std::size_t>(pick(static_cast<int>(from.size())))]);
  };
  for (int i = 0; i < 500; ++i) {
    Request request;
    for (auto* words : {&request.words, &request.decoder_words})
      for (int n = pick(4); n > 0; --n)
        words->push_back(pick(2) == 0 ? Request::Words{"1,2,3", true}
                                      : Request::Words{texts[static_cast<std::size_t>(pick(7))], false});
    some(request.images, {"a.png", "b b.npy"});
    some(request.spans, {"image=4,text=3"});
    some(request.types, {"0,0,1"});
    some(request.masks, {"causal & window(2)", "enc:full", "cross:@m.npy"});
    some(request.edits, {"embed[token=\",]\"]=0", "blocks.*.attn.z[head=1]*=@run:1"});
    if (pick(2) == 0) request.pad_to = pick(9);
    if (pick(2) == 0) request.pad_side = pick(2) == 0 ? PadSide::left : PadSide::right;
    const auto again = read_request(request_words(request, "clean-"), "clean-");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, request);
  }
}

// One row: a model, and words whose request makes the same run from nothing and over the open model.
struct RequestRow {
  const char* model;
  std::vector<std::string> words;
};

TEST(Request, MeansTheSameFromNothingAndOverAnOpenDocument) {
  const testing::TempFolder folder;
  std::ofstream(folder / "mask.json") << "[[1,0,0],[1,1,0],[1,1,1]]";
  const std::string mask = "@" + (folder / "mask.json");
  const std::vector<RequestRow> rows{
      {"gpt2", {"--ids", "1,2,3", "--ids", "4,5"}},
      {"gpt2", {"--text", "1 2 3", "--ids", "4,5", "--pad-to", "6", "--pad-side", "left"}},
      {"gpt2", {"--ids", "1,2,3", "--ids", "4", "--pad-side", "right"}},
      {"gpt2", {"--ids", "1,2,3", "--mask", mask}},
      {"gpt2", {"--ids", "1,2,3", "--spans", "a=1,b=2", "--mask", "b>a | a>b"}},
      {"gpt2", {"--ids", "1,2,3", "--ids", "1,2,4", "--edit", "blocks.0.attn.z[head=1]=@run:1"}},
      {"gpt2", {"--ids", "1,2,3", "--ids", "1,2", "--edit", "blocks.-1.attn.z[pos=-1]=0"}},
      {"bert", {"--ids", "1,2,3", "--types", "0,1,1"}},
      {"marian", {"--ids", "4,5,6", "--decoder-ids", "0,7", "--ids", "4,5", "--pad-to", "5"}},
      {"bart", {"--ids", "3,4", "--mask", "enc:causal"}},
  };
  for (const auto& [model, words] : rows) {
    const auto opened = open_model(golden_folder(model));
    ASSERT_TRUE(opened) << opened.error().text();
    const auto request = read_request(words);
    ASSERT_TRUE(request) << request.error().text();
    const auto alone = requested_document(*opened, *request);
    ASSERT_TRUE(alone) << model << ": " << alone.error().text();
    Document open = new_document(std::make_shared<const OpenedModel>(*opened));
    const Status laid = apply_request(open, *request);
    ASSERT_TRUE(laid) << model << ": " << laid.error().text();
    const std::vector<Input> a = inputs_of(*alone), b = inputs_of(open);
    ASSERT_EQ(a.size(), b.size()) << model;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].ids, b[i].ids) << model;
      EXPECT_EQ(a[i].source, b[i].source) << model;
      EXPECT_EQ(a[i].types, b[i].types) << model;
      EXPECT_EQ(a[i].spans, b[i].spans) << model;
      EXPECT_EQ(a[i].attention_mask, b[i].attention_mask) << model;
      EXPECT_EQ(a[i].source_attention_mask, b[i].source_attention_mask) << model;
      RunOptions options;
      options.edits = edits_for(alone->edits, static_cast<int>(i));
      EXPECT_TRUE(opened->model->run(a[i], options)) << model;
    }
    ASSERT_EQ(alone->edits.size(), open.edits.size()) << model;
    for (std::size_t i = 0; i < alone->edits.size(); ++i)
      EXPECT_TRUE(same_edit(*alone->edits[i], *open.edits[i])) << model << ": " << to_text(*open.edits[i]);
  }
}

TEST(Request, ASideAlonePadsToTheLongest) {
  const auto opened = open_model(golden_folder("gpt2"));
  ASSERT_TRUE(opened);
  for (const char* words : {"--pad-side=left", "--pad-to=0"}) {
    const auto made = requested_document(*opened, *read_request({"--ids=1,2,3", "--ids=4", words}));
    ASSERT_TRUE(made) << made.error().text();
    const bool left = std::string(words) == "--pad-side=left";
    EXPECT_EQ(inputs_of(*made)[1].attention_mask,
              left ? (std::vector<std::uint8_t>{0, 0, 1}) : (std::vector<std::uint8_t>{1, 0, 0}));
  }
}

TEST(Request, WhatDoesNotFitAModelIsRefused) {
  const auto key = [](const char* model, const std::vector<std::string>& words) {
    const auto opened = open_model(golden_folder(model));
    const auto request = read_request(words);
    const auto made = opened && request ? requested_document(*opened, *request) : Result<Document>(Error{});
    return made ? std::string() : std::string(made.error().what().key());
  };
  EXPECT_EQ(key("gpt2", {}), "error.cli.no_input");
  EXPECT_EQ(key("vit", {}), "error.cli.no_image");
  EXPECT_EQ(key("gpt2", {"--text", "hello"}), "error.cli.no_tokenizer_note");
  EXPECT_EQ(key("gpt2", {"--ids", "1", "--decoder-ids", "1"}), "error.cli.no_decoder");
  EXPECT_EQ(key("gpt2", {"--ids", "1", "--image", "x.png"}), "error.cli.no_vision");
  EXPECT_EQ(key("bart", {"--ids", "1", "--decoder-ids", "2", "--decoder-ids", "2"}), "error.cli.too_many");
  EXPECT_EQ(key("gpt2", {"--ids", "1", "--spans", "a=1", "--spans", "b=1"}), "error.cli.too_many");
  EXPECT_EQ(key("gpt2", {"--ids", "1,2,3", "--pad-to", "2"}), "error.cli.pad_to");
  EXPECT_EQ(key("gpt2", {"--ids", "1,2", "--edit", "embed=@run:7"}), "error.session.edit.no_run");
}

}  // namespace
}  // namespace attnscope
