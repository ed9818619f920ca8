#include "core/trace/mask_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Verdict = std::function<bool(std::int64_t query, std::int64_t key)>;

const std::vector<Span> kSpans = {{"image", 0, 4}, {"text", 4, 7}, {"action", 7, 9}, {"text", 9, 10}};

Mask mask_spec_resolved(const std::string& text, const Mask& own = {}) {
  const auto spec = MaskSpec::parse(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec ? "" : spec.error().text());
  if (!spec) return own;
  const auto mask = spec->resolve(own, 10, 10, kSpans);
  EXPECT_TRUE(mask.ok()) << text << ": " << (mask ? "" : mask.error().text());
  return mask ? *mask : own;
}

void expect_mask(const std::string& text, const Verdict& expected, const Mask& own = {}) {
  SCOPED_TRACE(text);
  const Mask mask = mask_spec_resolved(text, own);
  for (std::int64_t query = 0; query < 10; ++query) {
    std::uint8_t row[10] = {};
    if (mask.rule) mask.rule->allowed_row(query, 0, 10, row);
    for (std::int64_t key = 0; key < 10; ++key) {
      EXPECT_EQ(mask.allowed(query, key), expected(query, key)) << query << " " << key;
      EXPECT_EQ(!mask.rule || row[key] != 0, !mask.rule || mask.rule->allowed(query, key));
    }
  }
}

bool image(std::int64_t i) { return i < 4; }
bool text(std::int64_t i) { return (i >= 4 && i < 7) || i == 9; }
bool action(std::int64_t i) { return i == 7 || i == 8; }

TEST(MaskSpec, Terms) {
  expect_mask("causal", [](auto q, auto k) { return k <= q; });
  expect_mask("full", [](auto, auto) { return true; });
  expect_mask("none", [](auto, auto) { return false; });
  expect_mask("window(3)", [](auto q, auto k) { return k > q - 3; });
  expect_mask("prefix(4)", [](auto, auto k) { return k < 4; });
  expect_mask("text>image", [](auto q, auto k) { return text(q) && image(k); });
  expect_mask("*>text", [](auto, auto k) { return text(k); });
  expect_mask("action>*", [](auto q, auto) { return action(q); });
  expect_mask("*>*", [](auto, auto) { return true; });
  expect_mask("\"text\" > \"image\"", [](auto q, auto k) { return text(q) && image(k); });
}

TEST(MaskSpec, OperatorsAndPrecedence) {
  expect_mask("causal | *>image | *>action", [](auto q, auto k) { return k <= q || image(k) || action(k); });
  expect_mask("causal & window(4)", [](auto q, auto k) { return k <= q && k > q - 4; });
  expect_mask("text>text & causal | action>*",
              [](auto q, auto k) { return (text(q) && text(k) && k <= q) || action(q); });
  expect_mask("text>text & (causal | action>*)", [](auto q, auto k) { return text(q) && text(k) && k <= q; });
  expect_mask("!causal", [](auto q, auto k) { return k > q; });
  expect_mask("!!causal & !(image>image | none)",
              [](auto q, auto k) { return k <= q && !(image(q) && image(k)); });
  expect_mask("  full\n&!\tprefix( 2 )", [](auto, auto k) { return k >= 2; });
}

TEST(MaskSpec, MatrixIsTakenCellByCell) {
  const auto spec = MaskSpec::parse("causal & matrix([[1, 0, 1], [0, 1, 1]])");
  ASSERT_TRUE(spec.ok());
  const auto mask = spec->resolve({}, 2, 3, {});
  ASSERT_TRUE(mask.ok());
  const bool expected[2][3] = {{true, false, false}, {false, true, false}};
  for (std::int64_t query = 0; query < 2; ++query)
    for (std::int64_t key = 0; key < 3; ++key) EXPECT_EQ(mask->allowed(query, key), expected[query][key]);
  EXPECT_FALSE(mask->allowed(2, 0));  // beyond its rows
}

TEST(MaskSpec, PlainConjunctionsKeepTheClosedForm) {
  Mask own;
  own.window = 5;
  own.cells = {{1, 9, true}};
  const auto closed = [&](const std::string& text, bool causal, std::int64_t window) {
    const Mask mask = mask_spec_resolved(text, own);
    EXPECT_FALSE(mask.rule) << text;
    EXPECT_EQ(mask.causal, causal) << text;
    EXPECT_EQ(mask.window, window) << text;
    EXPECT_EQ(mask.cells.size(), 1u) << text;
  };
  closed("model", true, 5);
  closed("causal", true, 0);
  closed("full", false, 0);
  closed("causal & (window(7) & window(3)) & full", true, 3);
  closed("model & window(9)", true, 5);
  EXPECT_TRUE(mask_spec_resolved("causal | window(3)").rule);
  EXPECT_TRUE(mask_spec_resolved("causal & *>image").rule);
  EXPECT_FALSE(mask_spec_resolved("causal & *>image").causal);
}

TEST(MaskSpec, ModelIsTheModelsOwnMask) {
  Mask own;
  own.window = 3;
  expect_mask(
      "model | *>image", [](auto q, auto k) { return (k <= q && k > q - 3) || image(k); }, own);
  const Mask ruled = mask_spec_resolved("prefix(2)");
  expect_mask(
      "model & causal", [](auto q, auto k) { return k < 2 && k <= q; }, ruled);
  EXPECT_EQ(mask_spec_resolved("model", ruled).rule, ruled.rule);
}

TEST(MaskSpec, PaddingAndSwitchedCellsComeAfterTheText) {
  Mask own;
  own.attention_mask = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 0, 1});
  own.cells = {{3, 1, true}, {4, 4, false}};
  expect_mask(
      "causal | *>image",
      [](auto q, auto k) {
        if (q == 3 && k == 1) return true;
        if (q == 4 && k == 4) return false;
        return (k <= q || image(k)) && k != 1;
      },
      own);
}

TEST(MaskSpec, TextSurvives) {
  EXPECT_TRUE(MaskSpec().is_model());
  EXPECT_EQ(MaskSpec::parse("  causal |*>image \n")->text(), "causal |*>image");
  EXPECT_TRUE(MaskSpec::parse(" model ")->is_model());
  EXPECT_FALSE(MaskSpec::parse("model & causal")->is_model());
  const Tensor numbers = Tensor::from({1, 0, 1, 1, 1, 0}, {{Axis::query, 2}, {Axis::key, 3}});
  const auto spec = MaskSpec::from_matrix(numbers);
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->text(), "matrix([[1,0,1],[1,1,0]])");
  const auto mask = MaskSpec::parse(spec->text())->resolve({}, 2, 3, {});
  ASSERT_TRUE(mask.ok());
  for (std::int64_t query = 0; query < 2; ++query)
    for (std::int64_t key = 0; key < 3; ++key)
      EXPECT_EQ(mask->allowed(query, key), numbers.at(query, key) == 1.f);
}

TEST(MaskSpec, MatrixOfNumbersIsChecked) {
  EXPECT_EQ(MaskSpec::from_matrix({}).error().code(), Code::bad_shape);
  EXPECT_EQ(MaskSpec::from_matrix(Tensor::from({1, 1}, {{Axis::key, 2}})).error().code(), Code::bad_shape);
  const auto odd = MaskSpec::from_matrix(Tensor::from({0, -1e9f}, {{Axis::query, 1}, {Axis::key, 2}}));
  ASSERT_FALSE(odd.ok());
  EXPECT_NE(odd.error().sentence().find("row 0, column 1"), std::string::npos) << odd.error().sentence();
}

void expect_error(const std::string& text, const std::string& part) {
  const auto spec = MaskSpec::parse(text);
  ASSERT_FALSE(spec.ok()) << text;
  EXPECT_NE(spec.error().sentence().find(part), std::string::npos) << text << ": " << spec.error().sentence();
  EXPECT_FALSE(spec.error().hint().empty());
}

TEST(MaskSpec, BadTextsAreNamedWithTheirPlace) {
  expect_error("", "empty");
  expect_error(" \n ", "empty");
  expect_error("causal & windw(4)", "\"windw\" stands at character 10 where model, causal");
  expect_error("causal |", "the text ends at character 9 where model");
  expect_error("causal causal", "\"causal\" stands at character 8 where &, | or the end");
  expect_error("(causal", "the text ends at character 8 where &, | or )");
  expect_error("causal)", "\")\" stands at character 7");
  expect_error("window", "the text ends at character 7 where ( and a number");
  expect_error("window(0)", "\"0\" stands at character 8 where a number from 1");
  expect_error("window(99999999999999999999)", "where a number from 1");
  expect_error("window(-3)", "where a number");
  expect_error("prefix(3", "where ) was expected");
  expect_error("text>", "the text ends at character 6 where the name of a span or *");
  expect_error("*", "where > and the span");
  expect_error("\"a\"", "where > and the span");
  expect_error("\"a", "where the closing quotation mark");
  expect_error("\"\">a", "where the name of a span");
  expect_error("matrix([[1,0],[1]])", "where a row of 2 cells like the first, not of 1,");
  expect_error("matrix([[1,2]])", "\"2\" stands at character 12 where 0 or 1");
  expect_error("matrix([])", "where [ and a row");
  expect_error("matrix([[1,0]]", "where ]) after");
  expect_error("한국 & windw", "\"한국\" stands at character 1");
  expect_error(std::string(1000, '('), "at most 64 parentheses");
}

TEST(MaskSpec, WhatDoesNotFitTheSequenceIsNamed) {
  const auto unknown = MaskSpec::parse("causal & text>img")->resolve({}, 10, 10, kSpans);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().sentence().find("\"img\""), std::string::npos);
  EXPECT_NE(unknown.error().hint().find("image, text, action."), std::string::npos) << unknown.error().hint();
  EXPECT_NE(MaskSpec::parse("a>b")->resolve({}, 2, 2, {}).error().hint().find("no named spans"),
            std::string::npos);
  const auto shape = MaskSpec::parse("!matrix([[1,0]])")->resolve({}, 4, 5, {});
  ASSERT_FALSE(shape.ok());
  EXPECT_EQ(shape.error().sentence(), "The mask matrix is (1, 2) where (4, 5) is needed.");
}

// Any text parses or says why not; what parses resolves or says why not.
TEST(MaskSpec, RandomTextsNeverCrash) {
  const std::vector<std::string> pieces = {"model",       "causal",
                                           "full",        "none",
                                           "window",      "prefix",
                                           "matrix",      "(",
                                           ")",           "[",
                                           "]",           ",",
                                           "0",           "1",
                                           "&",           "|",
                                           "!",           ">",
                                           "*",           "text",
                                           "image",       "\"",
                                           "\"t\"",       " ",
                                           "\n",          "7",
                                           "-",           "\xff",
                                           "한",          "text>*",
                                           "(3)",         "[[1,0]]",
                                           "99999999999", std::string(1, '\0')};
  std::mt19937 random(7);
  int parsed = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += pieces[random() % pieces.size()];
    const auto spec = MaskSpec::parse(text);
    if (!spec) {
      EXPECT_TRUE(is_valid_utf8(spec.error().sentence()));
      continue;
    }
    ++parsed;
    const auto mask = spec->resolve({}, 10, 10, kSpans);
    if (mask)
      for (std::int64_t i = 0; i < 10; ++i) (void)mask->allowed(i, 9 - i);
  }
  EXPECT_GT(parsed, 500);
  std::string long_text = "causal";
  for (int i = 0; i < 100000; ++i) long_text += i % 2 == 0 ? "|!none" : "&full";
  EXPECT_TRUE(mask_spec_resolved(long_text).allowed(3, 9));
}

}  // namespace
}  // namespace attnscope
