// Every control of every view, moved to each of its ends as --set does: nothing falls over, what was chosen
// is kept and no text is missing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/shell/options.h"
#include "tests/app/ui_driver.h"

namespace attnscope::testing {
namespace {

/// What files have for each end.
std::vector<nlohmann::json> ends_of(const Offered& offered) {
  std::vector<std::string> texts = offered.words;
  if (texts.empty())
    for (const double end : {offered.least, offered.most})
      texts.push_back(offered.whole ? std::to_string(static_cast<std::int64_t>(end)) : std::to_string(end));
  std::vector<nlohmann::json> out;
  for (const std::string& text : texts) {
    const auto value = offered.read(text);
    EXPECT_TRUE(value) << offered.name << " " << text;
    if (value) out.push_back(*value);
  }
  return out;
}

class ControlsOf : public FrameTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ControlsOf, EveryViewGoToEachOfTheirEnds) {
  open_model(GetParam());
  int moved = 0;
  for (std::size_t i = 0; i < state().views.size(); ++i) {
    View& view = *state().views[i];
    workspace().view = view.id();
    if (!view.unavailable(run()).empty()) continue;
    settle();
    const nlohmann::json before = chosen_in(view);
    for (const Offered& offered : offered_by(view)) {
      for (const nlohmann::json& end : ends_of(offered)) {
        SCOPED_TRACE(std::string(view.id()) + "." + offered.name + "=" + end.dump());
        choose_in(view, {{offered.name, end}});
        if (!end.is_number_float()) {
          EXPECT_EQ(chosen_in(view).at(offered.name), end);
        }
        frames(2);
        ASSERT_TRUE(state().faults.empty()) << state().faults.begin()->second.error.text();
        ++moved;
      }
      choose_in(view, before);
    }
    settle();
  }
  EXPECT_GT(moved, 60);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

INSTANTIATE_TEST_SUITE_P(Models, ControlsOf, ::testing::Values("gpt2", "llama3", "marian"),
                         [](const auto& model) { return std::string(model.param); });

TEST(Set, NamesEachOptionOnce) {
  for (const auto& view : make_views()) {
    std::set<std::string> names;
    for (const Offered& offered : offered_by(*view)) {
      EXPECT_TRUE(names.insert(offered.name).second) << view->id() << "." << offered.name;
      EXPECT_EQ(std::set<std::string>(offered.words.begin(), offered.words.end()).size(),
                offered.words.size());
      EXPECT_TRUE(!offered.words.empty() || offered.least < offered.most)
          << view->id() << "." << offered.name;
    }
  }
}

TEST(Set, ReadsValuesAsFilesHaveThem) {
  const auto read = read_settings({"kv.page=bytes", "mlp.page=neurons", "kv.layer=3", "kv.at_end=true",
                                   "mlp.page=clouds", "position.rotary_move=2.5"});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, nlohmann::json::parse(R"({"kv": {"page": "bytes", "layer": 3, "at_end": true},
      "mlp": {"page": "clouds"}, "position": {"rotary_move": 2.5}})"));
}

TEST(Set, SaysInBothLanguagesWhichExist) {
  const struct {
    const char *text, *names;  // what the error must contain
  } wrong[] = {{"nowhere.page=bytes", "kv"},
               {"kv.nothing=1", "format"},
               {"kv.page=nothing", "products"},
               {"kv.layer=-1", "65"},
               {"kv.layer=1.5", "65"},
               {"kv.layer=x", "65"},
               {"position.rotary_move=1e9", "200"},
               {"kv.page", "VIEW"},
               {"=", "VIEW"},
               {"labs.a=1", "kv"},
               {"kv.at_end=yes", "false"},
               {"", "VIEW"}};
  for (const std::string language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const auto& [text, names] : wrong) {
      const auto read = read_settings({text});
      ASSERT_FALSE(read) << text;
      const std::string form = language == "ko" && std::string(names) == "VIEW" ? "--set" : names;
      EXPECT_NE(read.error().text().find(form), std::string::npos) << read.error().text();
    }
  }
  (void)set_language("en");
  const char* arguments[] = {"attnscope", "--set", "kv.page=bytes", "--set", "kv.page=nothing"};
  EXPECT_EQ(read_command_line(3, arguments).options.settings, std::vector<std::string>{"kv.page=bytes"});
  EXPECT_EQ(read_command_line(5, arguments).status, 2);
}

TEST_F(FrameTest, WhatIsSetIsShownByTheFirstModel) {
  state().choose_in_views({{"kv", {{"page", "bytes"}}}});
  open_model("gpt2");
  workspace().view = "kv";
  settle();
  EXPECT_EQ(chosen_in(*state().view("kv")).at("page"), "bytes");
  EXPECT_TRUE(shows("kv_format_int4"));
  click("kv_format_int4");
  EXPECT_EQ(chosen_in(*state().view("kv")).at("format"), "int4");
}

}  // namespace
}  // namespace attnscope::testing
