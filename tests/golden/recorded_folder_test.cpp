// A record that a recorder fills part by part: whole, cut off, damaged, mixed with another.
#include "core/arch/recorded_folder.h"

#include <filesystem>
#include <fstream>

#include "core/lens/step_differences.h"
#include "tests/golden/explained.h"
#include "tests/recordings.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
namespace fs = std::filesystem;

constexpr const char* kIndexName = "model.safetensors.index.json";

std::string file_of(std::size_t part) {
  return "record-0000" + std::to_string(part + 1) + "-of-00004.safetensors";
}

class RecordedFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path("llama"));
    trace_ = must_run(*opened_.model, fixture("llama").inputs[0]);
    write(4);
  }
  // The first parts of a record of the run's blocks.
  void write(std::size_t count, bool named = true) {
    fs::remove_all(folder());
    fs::create_directory(folder());
    Metadata told{{"format", "attnscope-trace"}};
    if (named) told["parts"] = R"(["input", "blocks.0", "blocks.1", "blocks.2"])";
    for (std::size_t part = 0; part < count; ++part) {
      std::vector<NamedTensor> arrays;
      std::vector<NamedInts> ints;
      if (part == 0) ints.push_back({"tokens", {trace_->ids.begin(), trace_->ids.end()}, {11}});
      for (const Record& record : trace_->records())
        if (part > 0 && record.site.layer == static_cast<int>(part) - 1)
          arrays.push_back({to_text(record.site), must_tensor(*trace_, record.site)});
      ASSERT_TRUE(write_safetensors(folder() / file_of(part), arrays, ints, told));
    }
  }
  fs::path folder() const { return fs::path(temp_ / "run"); }
  std::size_t whole_steps() const {
    std::size_t steps = 0;
    for (const Record& record : trace_->records()) steps += record.site.layer >= 0 ? 1 : 0;
    return steps;
  }
  std::string warning() const {
    const OpenedModel opened = must_open(folder().string());
    return opened.warnings.size() == 1 ? opened.warnings.front().str() : "";
  }
  std::string refusal() const {
    const auto opened = open_model(folder().string());
    return opened ? "accepted" : opened.error().text();
  }

  TempFolder temp_;
  OpenedModel opened_;
  TracePointer trace_;
};

TEST_F(RecordedFolder, is_the_run_bit_for_bit) {
  const OpenedModel back = must_open(folder().string());
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(back.title, "run");
  ASSERT_EQ(back.recorded.size(), 1u);
  EXPECT_EQ(back.recorded[0]->ids, trace_->ids);
  for (const Record& record : trace_->records()) {
    if (record.site.layer < 0) continue;
    EXPECT_EQ(
        max_abs_difference(must_tensor(*back.recorded[0], record.site), must_tensor(*trace_, record.site)), 0)
        << to_text(record.site);
  }
  EXPECT_EQ(back.recorded[0]->records().size(), whole_steps());
}

TEST_F(RecordedFolder, opens_by_any_of_its_files) {
  EXPECT_EQ(must_open((folder() / file_of(2)).string()).recorded[0]->records().size(),
            must_open(folder().string()).recorded[0]->records().size());
}

TEST_F(RecordedFolder, that_was_cut_off_opens_with_what_is_there) {
  write(3);
  const OpenedModel back = must_open(folder().string());
  ASSERT_EQ(back.recorded.size(), 1u);
  EXPECT_TRUE(back.recorded[0]->find(*parse_site("blocks.1.resid_post")));
  EXPECT_FALSE(back.recorded[0]->find(*parse_site("blocks.2.resid_pre")));
  EXPECT_EQ(warning(), "The record is not whole: 3 of 4 parts are there. Missing: blocks.2.");
}

// Where no header names the parts, their numbers are no counts.
TEST_F(RecordedFolder, says_the_numbers_of_parts_without_names) {
  write(3, false);
  EXPECT_EQ(warning(), "The record is not whole: 3 of 4 parts are there. Missing: part 4.");
  fs::remove(folder() / file_of(1));
  EXPECT_EQ(warning(), "The record is not whole: 2 of 4 parts are there. Missing: parts 2, 4.");
}

TEST_F(RecordedFolder, with_a_part_that_was_cut_off_has_what_is_whole_of_it) {
  const fs::path part = folder() / file_of(2);
  fs::resize_file(part, fs::file_size(part) - 100);
  const OpenedModel back = must_open(folder().string());
  ASSERT_EQ(back.warnings.size(), 1u);
  EXPECT_NE(back.warnings[0].str().find(file_of(2)), std::string::npos) << back.warnings[0].str();
  EXPECT_NE(back.warnings[0].str().find(" was cut off: 1 of "), std::string::npos) << back.warnings[0].str();
  EXPECT_EQ(back.recorded[0]->records().size() + 1, whole_steps());
  for (const Record& record : back.recorded[0]->records())
    EXPECT_EQ(
        max_abs_difference(must_tensor(*back.recorded[0], record.site), must_tensor(*trace_, record.site)), 0)
        << to_text(record.site);
}

TEST_F(RecordedFolder, says_what_is_damaged_and_opens_the_rest) {
  std::ofstream(folder() / file_of(2), std::ios::binary) << "nonsense";
  const OpenedModel back = must_open(folder().string());
  ASSERT_EQ(back.warnings.size(), 2u);
  EXPECT_NE(back.warnings[0].str().find(file_of(2)), std::string::npos) << back.warnings[0].str();
  EXPECT_NE(back.warnings[1].str().find("Missing: blocks.1."), std::string::npos) << back.warnings[1].str();
  EXPECT_TRUE(back.recorded[0]->find(*parse_site("blocks.2.resid_post")));
}

std::uintmax_t header_bytes(const std::string& path) {
  std::uint64_t length = 0;  // eight bytes, little endian, as this machine has them
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&length), sizeof length);
  return length;
}

// Also one file of arrays; of weights, nothing is left out in silence.
TEST_F(RecordedFolder, or_one_file_that_was_cut_off_opens_with_what_is_whole) {
  const std::string path = temp_ / "run.safetensors";
  fs::copy_file(folder() / file_of(1), path);
  const std::size_t all = must_open(path).recorded[0]->records().size();
  fs::resize_file(path, fs::file_size(path) / 2);
  const OpenedModel back = must_open(path);
  EXPECT_LT(back.recorded[0]->records().size(), all);
  ASSERT_EQ(back.warnings.size(), 1u);
  EXPECT_NE(back.warnings[0].str().find("was cut off"), std::string::npos);
  fs::resize_file(path, 8 + header_bytes(path));  // all its arrays are named, and none is there
  const auto nothing = open_model(path);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().sentence().find("was cut off before the first of its"), std::string::npos)
      << nothing.error().sentence();
  fs::create_directory(temp_ / "model");
  for (const char* name : {"config.json", "model.safetensors"})
    fs::copy_file(model_path("llama") + "/" + name, temp_ / "model" + "/" + name);
  EXPECT_TRUE(open_model(temp_ / "model"));
  fs::resize_file(temp_ / "model" + "/model.safetensors", fs::file_size(path));
  EXPECT_FALSE(open_model(temp_ / "model"));
}

TEST_F(RecordedFolder, of_two_records_is_refused) {
  fs::copy_file(folder() / file_of(1), folder() / "record-00002-of-00009.safetensors");
  EXPECT_NE(refusal().find("two records"), std::string::npos) << refusal();
}

TEST_F(RecordedFolder, with_an_array_twice_is_refused) {
  fs::copy_file(folder() / file_of(1), folder() / file_of(2), fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal().find("is in two parts"), std::string::npos) << refusal();
}

TEST_F(RecordedFolder, without_a_whole_part_is_refused) {
  write(1);
  fs::resize_file(folder() / file_of(0), 5);
  EXPECT_NE(refusal(), "accepted");
}

TEST_F(RecordedFolder, names_of_other_files_are_no_parts) {
  for (const char* name : {"record-00001-of-00004.safetensors.part", "record-1-of-4.safetensors",
                           "record-00005-of-00004.safetensors", "record-00000-of-00004.safetensors",
                           "model-00001-of-00004.safetensors", "record-0000a-of-00004.safetensors"})
    EXPECT_FALSE(is_recorded_part(name)) << name;
  EXPECT_TRUE(is_recorded_part(file_of(0)));
  EXPECT_TRUE(is_recorded_part(kIndexName));
}

// Norms behind the branches follow attention, whose rows are queries: a recording cannot know, and is
// compared.
TEST(RecordedComparison, compares_every_step_of_every_block) {
  const OpenedModel opened = must_open(model_path("gemma2"));
  const TracePointer trace = must_run(*opened.model, fixture("gemma2").inputs[0]);
  const TempFolder temp;
  testing::Arrays all;
  all.add(*trace);
  const std::string path = temp / "run.safetensors";
  ASSERT_TRUE(write_safetensors(path, all.tensors, all.ints, {}));
  const OpenedModel back = must_open(path);
  for (const StepDifference& one : step_differences({trace}, back.recorded)) {
    EXPECT_TRUE(one.compared()) << one.name() << ": " << one.why.str();
    EXPECT_EQ(one.max_abs, 0) << one.name();
  }
}

}  // namespace
}  // namespace attnscope
