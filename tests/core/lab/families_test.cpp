// The three families by counting open pairs; caches of published models against their closed form.
#include <gtest/gtest.h>

#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

LabPicture shown_picture(const char* wish) {
  const auto parsed = parse_lab_wish(wish);
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
  const LabPicture both = shown_picture("families,family=both,n=4,source=6");
  EXPECT_EQ(ones(both.pieces[0]) + ones(both.pieces[1]) + ones(both.pieces[2]), 36 + 10 + 24);
  EXPECT_NE(both.formula.str().find("= 70 "), std::string::npos) << both.formula.str();
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
