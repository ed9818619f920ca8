// The three families by counting open pairs; caches of published models against their closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

LabPicture shown_picture(const char* text) {
  const auto parsed = parse_lab_request(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  auto out = compute(*parsed->lab, parsed->values);
  EXPECT_TRUE(out) << out.error().text();
  return out ? *std::move(out) : LabPicture{};
}

double ones(const LabPiece& piece) {
  double sum = 0;
  for (const float value : std::get<LabMatrix>(piece.what).values.values()) sum += static_cast<double>(value);
  return sum;
}

TEST(Families, OpenAsManyPairsAsTheySay) {
  EXPECT_EQ(ones(shown_picture("families,family=encoder,n=7").pieces[0]), 49);
  EXPECT_EQ(ones(shown_picture("families,family=decoder,n=7").pieces[0]), 28);
  EXPECT_EQ(ones(shown_picture("families,family=encoder,n=7").pieces[1]), 28) << "the other one beside it";
  EXPECT_EQ(ones(shown_picture("families,family=decoder,n=7").pieces[1]), 49);
  const LabPicture both = shown_picture("families,family=both,n=4,source=6");
  EXPECT_EQ(ones(both.pieces[0]) + ones(both.pieces[1]) + ones(both.pieces[2]), 36 + 10 + 24);
  EXPECT_NE(both.formula.str().find("= 70 "), std::string::npos) << both.formula.str();
}

// Two masks stand beside each other: their titles say which one is chosen.
TEST(Families, TheTitlesSayWhichMaskIsChosen) {
  for (const char* family : {"encoder", "decoder"}) {
    const LabPicture picture = shown_picture((std::string("families,family=") + family).c_str());
    const auto title = [&](std::size_t at) {
      return std::get<LabMatrix>(picture.pieces[at].what).title.str();
    };
    EXPECT_TRUE(title(0).starts_with("Chosen: " + std::string(family) + "-only")) << title(0);
    EXPECT_TRUE(title(1).starts_with("To compare: ")) << title(1);
    EXPECT_TRUE(picture.pieces[1].in_easy) << "in full the papers stand there";
    EXPECT_EQ(title(1).find(family), std::string::npos) << title(1);
  }
}

TEST(Sentence, IsReadByThreeModels) {
  const auto lab = find_lab("sentence");
  ASSERT_TRUE(lab);
  LabValues values = initial_values(**lab);
  ASSERT_TRUE(set_value(**lab, values, "text=The hungry dog ate the cake"));
  const auto picture = compute(**lab, values);
  if (!picture) GTEST_SKIP() << picture.error().text();  // built without models
  ASSERT_EQ(picture->pieces.size(), 4u);
  const auto weights = [&](std::size_t piece) {
    return std::get<LabMatrix>(picture->pieces[piece].what).values;
  };
  // Six words: [CLS] and [SEP] around them, <bos> before them, </s> behind them.
  EXPECT_EQ(weights(0).size(0), 8);
  EXPECT_EQ(weights(1).size(0), 7);
  EXPECT_EQ(weights(2).size(1), 7);
  for (std::size_t piece = 0; piece < 3; ++piece)
    for (std::int64_t row = 0; row < weights(piece).size(0); ++row) {
      double sum = 0;
      for (std::int64_t col = 0; col < weights(piece).size(1); ++col)
        if (const float one = weights(piece).at(row, col); std::isfinite(one))
          sum += static_cast<double>(one);
      EXPECT_NEAR(sum, 1, 1e-5) << piece << " " << row;
    }
  EXPECT_TRUE(std::isinf(weights(1).at(0, 1))) << "nobody sees what follows";
  EXPECT_TRUE(std::isfinite(weights(0).at(0, 7))) << "an encoder sees both sides";
  const auto& rows = std::get<LabTable>(picture->pieces[3].what).rows;
  EXPECT_EQ(rows[0][2].str(), "64");
  EXPECT_EQ(rows[1][2].str(), "28");
  EXPECT_NE(rows[2][4].str().find("개"), std::string::npos) << rows[2][4].str();
  ASSERT_TRUE(set_value(**lab, values, "text=The zebra ran"));
  const auto other = compute(**lab, values);
  ASSERT_TRUE(other);
  for (const auto& row : std::get<LabTable>(other->pieces[3].what).rows) EXPECT_EQ(row[5].str(), "zebra");
  ASSERT_TRUE(set_value(**lab, values, "text=The old king bought a cake"));
  const auto missed = compute(**lab, values);
  ASSERT_TRUE(missed);
  const bool none = missed->notice.arguments()[0].str() == "0";
  EXPECT_EQ(missed->notice.key() == "lab.sentence.notice.missed", none) << missed->notice.str();
  ASSERT_TRUE(set_value(**lab, values, "text="));
  EXPECT_TRUE(compute(**lab, values)) << "nothing at all is a sentence too";
  EXPECT_EQ(value_text(*find_control(**lab, "text"), values), "");
}

TEST(Sharing, CachesAreThoseOfTheConfigs) {
  const LabPicture picture = shown_picture("sharing,n=2048,bytes=2");
  const auto& bars = std::get<LabBars>(picture.pieces[1].what).bars;
  ASSERT_EQ(bars.size(), 7u);
  EXPECT_EQ(bars[0].value, 1073741824.0) << "Llama-2-7B: 2 x 32 x 32 x 128 x 2048 x 2";
  EXPECT_EQ(bars[1].value, 2.0 * 80 * 8 * 128 * 2048 * 2) << "Llama-2-70B";
  EXPECT_EQ(bars[5].value, 2.0 * 18 * 1 * 256 * 2048 * 2) << "Gemma-2B";
  // A window keeps no more than it sees.
  const auto longer = shown_picture("sharing,n=131072,bytes=2");
  const auto& wide = std::get<LabBars>(longer.pieces[1].what).bars;
  EXPECT_EQ(wide[4].value, 2.0 * 32 * 8 * 128 * 4096 * 2) << "Mistral-7B: 4096 tokens";
  EXPECT_EQ(wide[0].value, 64 * bars[0].value);
}

}  // namespace
}  // namespace attnscope
