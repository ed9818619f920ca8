// A window with a lesson in it.
#pragma once

#include "core/lesson/lesson_file.h"
#include "tests/app/ui_driver.h"

namespace attnscope::testing {

class LessonFrameTest : public FrameTest {
 protected:
  void open(const std::string& id, int page = 0) {
    const Status begun = state().lessons.start(state(), id, page);
    ASSERT_TRUE(begun) << begun.error().text();
    settle();
    ASSERT_TRUE(state().lessons.ready()) << id;
    frames(3);
  }
  const PageDraft& draft() { return state().lessons.draft(); }
};

}  // namespace attnscope::testing
