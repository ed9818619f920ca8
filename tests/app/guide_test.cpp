// The handbook names every view, key, lab, lesson and flag of the program, in every language, and the window
// shows the page of what is on the stage.
#include "core/base/guide.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/shell/dialogs.h"
#include "app/shell/handbook.h"
#include "app/shell/options.h"
#include "app/state/actions.h"
#include "app/views/view.h"
#include "core/base/markdown.h"
#include "core/base/text.h"
#include "core/lab/lab.h"
#include "core/lesson/lesson_file.h"
#include "tests/app/ui_driver.h"
#include "tests/guide_tables.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using testing::each_guide;
using testing::expect_guide_table;
using testing::guide_folder;
using testing::guide_text;
using testing::table_head;
using testing::table_row;

constexpr int kMostLines = 60;            // of the page of a view
constexpr double kManyNumbers = 1 << 16;  // the end of a range that only keeps numbers sane

class Guide : public testing::FrameTest {
 protected:
  const std::string& page() { return frame_->handbook().page(); }
};

using Titles = std::vector<std::string>;
std::string code(const std::string& text) { return "`" + text + "`"; }

// ---- tables ----------------------------------------------------------------------------------------

std::string keys_as_markdown(const Titles& titles) {
  std::string out;
  for (const KeyGroup& group : key_groups(Level::full)) {
    if (group.lines.empty()) continue;
    out += (out.empty() ? "### " : "\n### ") + group.title + "\n\n" + table_head(titles);
    for (const auto& [keys, what] : group.lines)
      out += table_row({"**" + markdown_cell(keys) + "**", markdown_cell(what)});
  }
  return out;
}

// Those that work in the easy window, in one table.
std::string easy_keys_as_markdown(const Titles& titles) {
  std::string out = table_head(titles);
  for (const KeyGroup& group : key_groups(Level::easy))
    for (const auto& [keys, what] : group.lines)
      out += table_row({"**" + markdown_cell(keys) + "**", markdown_cell(what)});
  return out;
}

std::string labs_as_markdown(const Titles& titles) {
  std::string out = table_head(titles);
  for (const Lab& lab : labs())
    out += table_row(
        {code(lab.id()), markdown_cell(tr(lab.key + ".title")), markdown_cell(tr(lab.key + ".sentence"))});
  return out;
}

std::string lessons_as_markdown(const Titles& titles) {
  std::string out = table_head(titles);
  const auto lessons = shipped_lessons();
  EXPECT_TRUE(lessons);
  for (const Lesson& lesson : *lessons)
    out += table_row({code(lesson.id), markdown_cell(tr(lesson_key(lesson, "title"))),
                      std::to_string(lesson.pages.size())});
  return out;
}

std::string controls_as_markdown(const Titles& titles) {
  std::string out = table_head(titles);
  for (const auto& view : make_views())
    for (const Offered& one : offered_by(*view)) {
      std::string values;
      for (const std::string& word : one.words) values += (values.empty() ? "" : ", ") + code(word);
      const bool open_end = one.most >= kManyNumbers;  // as many as the model or the text has
      if (values.empty() && one.least < one.most)
        values = format("%g \u2026", open_end ? std::max(one.least, -1.0) : one.least) +
                 (open_end ? "" : format(" %g", one.most));
      out += table_row({code(std::string(view->id()) + "." + one.name), values});
    }
  return out;
}

TEST_F(Guide, ItsTablesAreThoseOfTheProgram) {
  each_guide([](const std::string& language) {
    expect_guide_table(language, "keys", "keys", keys_as_markdown);
    expect_guide_table(language, "easy", "keys", easy_keys_as_markdown);
    expect_guide_table(language, "labs", "labs", labs_as_markdown);
    expect_guide_table(language, "lessons", "lessons", lessons_as_markdown);
    expect_guide_table(language, "controls", "controls", controls_as_markdown);
    expect_guide_table(
        language, "flags", "attnscope", [](const Titles&) { return options_table(); },
        testing::without_takes);
  });
}

// What a person who has no table at hand looks for by name.
TEST_F(Guide, NamesEveryKeyLabLessonAndFlag) {
  each_guide([](const std::string& language) {
    const std::string keys = guide_text(language, "keys"), labs_page = guide_text(language, "labs"),
                      flags = guide_text(language, "flags"), lessons_page = guide_text(language, "lessons");
    for (const Action& action : actions())
      for (const Chord& chord : action.keys)
        if (!chord.untold) {
          EXPECT_NE(keys.find(markdown_cell(chord_text(chord))), std::string::npos)
              << language << " " << action.id;
          EXPECT_NE(keys.find(markdown_cell(action_name(action))), std::string::npos)
              << language << " " << action.id;
        }
    for (const Lab& lab : labs())
      EXPECT_NE(labs_page.find(code(lab.id())), std::string::npos) << language << " " << lab.id();
    const auto lessons = shipped_lessons();
    ASSERT_TRUE(lessons);
    for (const Lesson& lesson : *lessons)
      EXPECT_NE(lessons_page.find(code(lesson.id)), std::string::npos) << language << " " << lesson.id;
    for (const RequestFlag& flag : request_flags())
      EXPECT_NE(flags.find("`--" + std::string(flag.name)), std::string::npos)
          << language << " " << flag.name;
  });
}

// ---- pages -----------------------------------------------------------------------------------------

std::set<std::string> listed_pages() {
  std::set<std::string> out;
  for (const GuideChapter& chapter : guide_contents())
    for (const GuidePage& one : chapter.pages) EXPECT_TRUE(out.insert(one.id).second) << one.id << " twice";
  return out;
}

TEST_F(Guide, HasAPageForEveryViewAndListsEveryPage) {
  each_guide([](const std::string& language) {
    const std::set<std::string> listed = listed_pages();
    for (const ViewRow& view : view_table()) {
      const std::string text = guide_text(language, view.id);
      EXPECT_TRUE(listed.contains(view.id)) << language << ": no page " << view.id << ".md";
      EXPECT_TRUE(starts_with(text, "# " + std::string(tr(std::string("view.") + view.id)) + "\n"))
          << language << " " << view.id;
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kMostLines) << language << " " << view.id;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(guide_folder(language))) {
      const std::string id = entry.path().stem();
      if (id == "README") continue;
      EXPECT_TRUE(listed.contains(id)) << language << "/README.md does not list " << id;
      EXPECT_TRUE(fs::exists(guide_folder("en") / (id + ".md"))) << id;
    }
  });
  (void)set_language("en");
  EXPECT_GE(listed_pages().size(), view_table().size() + 8);
}

TEST_F(Guide, EveryLinkAndPictureOfAPageIsThere) {
  each_guide([](const std::string& language) {
    const fs::path folder = guide_folder(language);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string text = guide_text(language, entry.path().stem());
      for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
        const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
        EXPECT_TRUE(fs::exists(folder / target))
            << language << "/" << entry.path().filename() << ": " << target;
      }
      for (const MarkdownBlock& block : read_markdown(text))
        for (const MarkdownSpan& span : block.text) {  // of headings, paragraphs and items
          const bool plain = span.style == MarkdownStyle::plain;
          EXPECT_TRUE(!plain || span.text.find_first_of("*`") == std::string::npos)
              << language << "/" << entry.path().filename() << ": a sign that is not closed: " << span.text;
        }
    }
  });
}

// ---- in the window ---------------------------------------------------------------------------------

TEST_F(Guide, F1OpensThePageOfTheStage) {
  open_default();
  for (const auto& view : state().views) {
    workspace().view = view->id();
    key(compat::Key::f1);
    ASSERT_TRUE(shows("guide_page")) << view->id();
    EXPECT_EQ(page(), view->id());
    key(compat::Key::f1);
    EXPECT_FALSE(shows("guide_page"));
  }
  workspace().level = Level::easy, workspace().view = "attention";
  key(compat::Key::f1);
  EXPECT_EQ(page(), "easy");
}

TEST_F(Guide, ArrowsTurnItsPagesInEveryLanguage) {
  open_default();
  for (const std::string& language : languages()) {
    state().set_language(language);
    key(compat::Key::f1);
    std::vector<std::string> ids, turned;
    for (const GuideChapter& chapter : guide_contents())
      for (const GuidePage& one : chapter.pages) ids.push_back(one.id);
    while (page() != ids.front()) {
      const std::string before = page();
      key(compat::Key::left);
      ASSERT_NE(page(), before);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(page(), ids[i]) << language;
      EXPECT_FALSE(guide_text(language, page()).empty()) << language << " " << page();
      key(compat::Key::page_down);
      key(compat::Key::right);
    }
    EXPECT_EQ(page(), ids.back()) << "the last one stays";
    key(compat::Key::escape);
    EXPECT_FALSE(shows("guide_page"));
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(Guide, ALinkAndALineOfTheContentsLeadToTheirPage) {
  open_default();
  workspace().view = "mask";
  key(compat::Key::f1);
  for (int i = 0;
       i < 6 && !(shows("guide_link_places.md") && noted_items().at("guide_link_places.md").in_sight()); ++i)
    key(compat::Key::page_down);
  click("guide_link_places.md");
  EXPECT_EQ(page(), "places");
  frames(4);
  const float line = noted_items().at("guide_check").p0.y;
  click("guide_check");
  EXPECT_EQ(page(), "check");
  frames(4);
  EXPECT_EQ(noted_items().at("guide_check").p0.y, line) << "a line that is in sight stays where it is";
}

}  // namespace
}  // namespace attnscope
