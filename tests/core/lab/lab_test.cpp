// What holds for every lab: controls with names in both languages, a picture at the ends of every control,
// values that read back, and words for everything that is said.
#include "core/lab/lab.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "core/base/words.h"
#include "core/lab/pieces.h"
#include "tests/core/lab/lab_pictures.h"

namespace attnscope {
namespace {

using testing::number_of;

struct Says {
  std::string all;
  int numbers = 0;

  void say(const Text& text) { all += text.str() + "\n"; }
  void number(double value) {
    EXPECT_FALSE(std::isnan(value)) << "NaN in a curve";
    ++numbers;
  }
  void operator()(const LabPlot& plot) {
    say(plot.title), say(plot.x_title);
    EXPECT_FALSE(plot.series.empty());
    for (const LabSeries& series : plot.series) {
      say(series.name);
      for (const auto& [x, y] : series.points) {
        number(x), number(y);
        EXPECT_TRUE(!plot.log_x || x > 0) << plot.title.str();
      }
    }
  }
  void operator()(const LabMatrix& matrix) {
    say(matrix.title), say(matrix.rows), say(matrix.cols);
    ASSERT_EQ(matrix.values.rank(), 2);
    const auto fits = [](const std::vector<Text>& labels, std::int64_t size) {
      return labels.empty() || static_cast<std::int64_t>(labels.size()) == size;
    };
    EXPECT_TRUE(fits(matrix.row_labels, matrix.values.size(0))) << matrix.title.str();
    EXPECT_TRUE(fits(matrix.col_labels, matrix.values.size(1))) << matrix.title.str();
    for (const Text& label : matrix.row_labels) say(label);
    for (const Text& label : matrix.col_labels) say(label);
    numbers += static_cast<int>(matrix.values.count());
  }
  void operator()(const LabBars& bars) {
    say(bars.title);
    for (const LabBars::Bar& bar : bars.bars) say(bar.name), say(bar.shown), number(bar.value);
  }
  void operator()(const LabTable& table) {
    say(table.title);
    std::size_t width = table.header.size();
    for (const auto& row : table.rows) {
      if (width == 0) width = row.size();
      EXPECT_EQ(row.size(), width) << table.title.str();
      for (const Text& cell : row) say(cell);
      ++numbers;
    }
    for (const Text& cell : table.header) say(cell);
  }
};

void expect_words(const Lab& lab, const LabValues& values, const std::string& where) {
  const auto picture = compute(lab, values);
  ASSERT_TRUE(picture) << where << ": " << picture.error().text();
  for (const std::string language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    Says says;
    for (const LabPiece& piece : picture->pieces) std::visit(says, piece.what);
    says.say(picture->formula), says.say(picture->notice);
    EXPECT_GT(says.numbers, 4) << where;
    EXPECT_EQ(says.all.find("lab."), std::string::npos) << where << ": " << says.all;
    EXPECT_EQ(says.all.find('{'), std::string::npos) << where << ": " << says.all;
    EXPECT_FALSE(picture->notice.empty()) << where;
  }
  ASSERT_TRUE(set_language("en"));
}

std::vector<double> ends_of(const LabControl& control) {
  if (const auto* number = std::get_if<LabNumber>(&control.kind)) return {number->least, number->most};
  if (std::holds_alternative<LabSwitch>(control.kind)) return {0, 1};
  if (std::holds_alternative<LabWords>(control.kind)) return {0};
  std::vector<double> all;
  for (std::size_t i = 0; i < std::get<LabChoice>(control.kind).keys.size(); ++i)
    all.push_back(static_cast<double>(i));
  return all;
}

class EveryLab : public ::testing::TestWithParam<std::string> {
 protected:
  const Lab& lab() const {
    const auto found = find_lab(GetParam());
    EXPECT_TRUE(found);
    return **found;
  }
};

void expect_words_at_ends(const Lab& lab, const LabValues& initial) {
  expect_words(lab, initial, lab.id());
  for (const LabControl& control : lab.controls)
    for (const double end : ends_of(control)) {
      LabValues values = initial;
      values.set(control.id(), end);
      expect_words(lab, values, lab.id() + " " + control.id() + "=" + value_text(control, end));
    }
}

class LightLab : public EveryLab {};
TEST_P(LightLab, ShowsWordsAndNumbersAtTheEndsOfEveryControl) {
  expect_words_at_ends(lab(), initial_values(lab()));
}

class LongLab : public EveryLab {};  // those that train
TEST_P(LongLab, ShowsWordsAndNumbersAtTheEndsOfEveryControl) {
  LabValues few = initial_values(lab());
  few.set("steps", 25);
  expect_words_at_ends(lab(), few);
}

TEST_P(EveryLab, HasControlsWithNamesAndValuesThatReadBack) {
  std::set<std::string> ids;
  EXPECT_GE(lab().controls.size(), 2U);
  for (const LabControl& control : lab().controls) {
    EXPECT_TRUE(ids.insert(control.id()).second) << control.key;
    EXPECT_TRUE(has_string(control.key)) << control.key;
    for (const double end : ends_of(control)) {
      const auto read = parse_value(control, value_text(control, end));
      ASSERT_TRUE(read) << control.key << ": " << read.error().text();
      EXPECT_NEAR(*read, end, 1e-5 * std::fabs(end)) << control.key;
    }
  }
  EXPECT_TRUE(has_string(lab().key + ".title"));
  EXPECT_TRUE(has_string(lab().key + ".sentence"));
}

bool trains(const Lab& lab) { return lab.id() == "pair" || lab.id() == "surface" || lab.id() == "length"; }

std::vector<std::string> ids_where(const std::function<bool(const Lab&)>& wanted) {
  std::vector<std::string> ids;
  for (const Lab& lab : labs())
    if (wanted(lab)) ids.push_back(lab.id());
  return ids;
}
std::vector<std::string> all_ids() {
  return ids_where([](const Lab&) { return true; });
}
INSTANTIATE_TEST_SUITE_P(Labs, LightLab,
                         ::testing::ValuesIn(ids_where([](const Lab& lab) { return !trains(lab); })),
                         [](const auto& lab) { return lab.param; });
INSTANTIATE_TEST_SUITE_P(Labs, LongLab, ::testing::ValuesIn(ids_where(trains)),
                         [](const auto& lab) { return lab.param; });

INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, ::testing::ValuesIn(all_ids()),
                         [](const auto& lab) { return lab.param; });

TEST(LabTiming, IsAMedianWithItsSpread) {
  const Timing odd = timing_of({3e-3, 1e-3, 2e-3}), even = timing_of({4e-3, 1e-3, 2e-3, 3e-3});
  EXPECT_DOUBLE_EQ(odd.median, 2e-3);
  EXPECT_DOUBLE_EQ(odd.least, 1e-3);
  EXPECT_DOUBLE_EQ(odd.most, 3e-3);
  EXPECT_DOUBLE_EQ(even.median, 2.5e-3);
  EXPECT_EQ(shown_timing(odd), "2.00 ms (1.00–3.00 ms)");
  EXPECT_EQ(shown_timing(timing_of({9e-4, 2e-3, 3e-3})), "2.00 ms (900 µs–3.00 ms)");
}

// What there is to try changes a control that exists to another value of its own, and is said in both
// languages; the second control exists, too.
TEST(Labs, WhatThereIsToTryCanBeDone) {
  for (const Lab& lab : labs()) {
    const LabControl* control = find_control(lab, lab.tries.id);
    ASSERT_TRUE(control) << lab.id();
    EXPECT_NE(lab.tries.to, control->initial()) << lab.id();
    EXPECT_TRUE(parse_value(*control, value_text(*control, lab.tries.to))) << lab.id();
    EXPECT_TRUE(has_string(lab.key + ".try")) << lab.id();
    if (!lab.tries.beside.empty()) {
      EXPECT_TRUE(find_control(lab, lab.tries.beside)) << lab.id();
    }
  }
}

// What moves by itself is a number of the lab: there and back, and within its limits.
TEST(Labs, MoveANumberOfTheirsThereAndBack) {
  int moving = 0;
  for (const Lab& lab : labs()) {
    if (lab.moves.id.empty()) continue;
    ++moving;
    const LabControl* control = find_control(lab, lab.moves.id);
    ASSERT_TRUE(control) << lab.id();
    const auto& number = std::get<LabNumber>(control->kind);
    EXPECT_NE(lab.moves.to, number.initial) << lab.id();
    EXPECT_GE(lab.moves.to, number.least) << lab.id();
    EXPECT_LE(lab.moves.to, number.most) << lab.id();
    EXPECT_EQ(*moved_value(lab, 0), number.initial);
    EXPECT_NEAR(*moved_value(lab, 0.5), lab.moves.to, 1e-9 * std::fabs(lab.moves.to) + 1e-9) << lab.id();
    EXPECT_EQ(*moved_value(lab, 1), number.initial);
  }
  EXPECT_GE(moving, 20);
  EXPECT_FALSE(moved_value(**find_lab("pair"), 0.5)) << "each value would be a training";
}

TEST(Labs, StandInOneOrder) {
  ASSERT_FALSE(labs().empty());
  for (std::size_t i = 1; i < labs().size(); ++i) EXPECT_LT(labs()[i - 1].order, labs()[i].order);
}

TEST(Labs, RefuseWhatTheyDoNotHave) {
  const auto none = find_lab("nothing");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint().find("sqrt"), std::string::npos);
  const Lab& lab = **find_lab("sqrt");
  LabValues values = initial_values(lab);
  EXPECT_FALSE(set_value(lab, values, "d_k"));
  EXPECT_FALSE(set_value(lab, values, "d_q=4"));
  EXPECT_FALSE(set_value(lab, values, "d_k=0"));
  EXPECT_FALSE(set_value(lab, values, "d_k=2.5"));
  EXPECT_FALSE(set_value(lab, values, "scaling=maybe"));
  EXPECT_TRUE(set_value(lab, values, "scaling=on"));
  EXPECT_TRUE(values.on("scaling"));
}

TEST(Labs, StopWhenTheyAreNotWantedAnyMore) {
  const std::atomic<bool> stop{true};
  const auto stopped = compute(**find_lab("sqrt"), {}, stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::cancelled);
}

TEST(Labs, WriteNumbersThatReadAgain) {
  EXPECT_EQ(shown(22.627417), "22.63");
  EXPECT_EQ(shown(1048576), "1,048,576");
  EXPECT_EQ(shown(-0.25), "−0.25");
  EXPECT_EQ(shown(1.1254e-7, 2), "1.1·10⁻⁷");
  EXPECT_EQ(shown(0.99999988747, 8), "0.99999989");
  EXPECT_EQ(shown(INFINITY), "∞");
  for (const double value : {3.5e-7, -0.0625, 12.0, 65504.0, 6.02e23, 1e-12})
    EXPECT_NEAR(number_of(shown(value)), value, 5e-3 * std::fabs(value));
}

}  // namespace
}  // namespace attnscope
