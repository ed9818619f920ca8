// Masks of named kinds: text to parts and back, what they hide, and how other programs write them.
#include "core/trace/mask_mix.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/trace/config.h"
#include "core/trace/mask_notation.h"
#include "core/trace/mask_spec.h"

namespace attnscope {
namespace {

Mask mask_mix_resolved(const std::string& text, std::int64_t tokens) {
  const std::vector<Span> spans{{"image", 0, 2}, {"text", 2, 4}, {"action", 4, 6}};
  return *MaskSpec::parse(text)->resolve(Mask{}, tokens, tokens, spans);
}

TEST(MaskMix, ReadsWhatItWrites) {
  for (const char* text : {"model", "causal", "causal & window(4)", "causal | prefix(3)", "full",
                           "causal | image>image | \"a & b\">text", "matrix([[1,0],[1,1]]) & causal"}) {
    const auto mix = mask_mix(text);
    ASSERT_TRUE(mix) << text;
    EXPECT_EQ(mask_text(*mix), text);
  }
  EXPECT_EQ(mask_mix(" causal&window(4) ")->parts, (std::vector<std::string>{"causal", "window(4)"}));
  for (const char* text : {"!causal", "causal & (full | none)", "(causal)", "causal & window(2) | full", "",
                           "causal &", "causal & causal", "causal & !(window(2))"})
    EXPECT_FALSE(mask_mix(text)) << text;
}

TEST(MaskMix, PartsComeAndGoAndJoinAsIsUsual) {
  MaskMix mix = with_part({}, "causal");
  EXPECT_EQ(mask_text(mix), "causal");
  EXPECT_EQ(mask_text(with_part(mix, "window(3)")), "causal & window(3)");
  EXPECT_EQ(mask_text(with_part(mix, "prefix(2)")), "causal | prefix(2)");
  EXPECT_EQ(mask_text(with_part({}, "window(3)")), "window(3)");
  EXPECT_EQ(mask_text(with_part({}, "window(3)", true)), "causal & window(3)") << "alone it opens the future";
  EXPECT_EQ(mask_text(with_part(with_part({}, "window(3)", true), "window(3)", true)), "causal");
  EXPECT_EQ(mask_text(with_part(mix, "image>image")), "causal | image>image");
  EXPECT_EQ(mask_text(with_part(with_part(mix, "window(3)"), "causal")), "window(3)");
  EXPECT_EQ(mask_text(with_part(mix, "causal")), "model");
  MaskMix or_mix = with_part(with_part(mix, "prefix(2)"), "window(3)");
  EXPECT_EQ(mask_text(or_mix), "causal | prefix(2) | window(3)");
}

TEST(MaskMix, WritesTheRuleOfAnAttention) {
  AttentionSpec spec;
  spec.causal = false, spec.window = 0;
  EXPECT_EQ(mask_text(spec), "full");
  spec.window = 3;
  EXPECT_EQ(mask_text(spec), "window(3)");
  spec.causal = true;
  EXPECT_EQ(mask_text(spec), "causal & window(3)");
  spec.window = 0;
  EXPECT_EQ(mask_text(spec), "causal");
  spec.mask = "prefix(2)";
  EXPECT_EQ(mask_text(spec), "prefix(2)");
}

TEST(MaskMix, AndHidesMoreThanOr) {
  const Mask both = mask_mix_resolved("causal & window(2)", 6),
             either = mask_mix_resolved("causal | image>image", 6);
  for (std::int64_t q = 0; q < 6; ++q)
    for (std::int64_t k = 0; k < 6; ++k) {
      EXPECT_EQ(both.allowed(q, k), k <= q && q - k < 2);
      EXPECT_EQ(either.allowed(q, k), k <= q || (q < 2 && k < 2));
    }
}

TEST(MaskNotation, CsvReadsBackInEveryNotation) {
  const Mask mask = mask_mix_resolved("causal | image>image", 6);
  for (const MaskNotation notation : {MaskNotation::ones, MaskNotation::hidden, MaskNotation::added}) {
    std::istringstream text(*mask_as(mask, 6, 6, notation, MaskFormat::csv));
    std::string line;
    for (std::int64_t q = 0; q < 6; ++q) {
      ASSERT_TRUE(std::getline(text, line));
      std::istringstream cells(line);
      std::string cell;
      for (std::int64_t k = 0; k < 6; ++k) {
        ASSERT_TRUE(std::getline(cells, cell, ','));
        const bool allowed = notation == MaskNotation::ones     ? cell == "1"
                             : notation == MaskNotation::hidden ? cell == "False"
                                                                : cell == "0";
        EXPECT_EQ(allowed, mask.allowed(q, k));
      }
    }
    EXPECT_FALSE(std::getline(text, line));
  }
}

TEST(MaskNotation, LinesOfPythonRunAsTheyStand) {
  const Mask mask = mask_mix_resolved("causal", 2);
  EXPECT_EQ(*mask_as(mask, 2, 2, MaskNotation::ones, MaskFormat::numpy),
            "import numpy as np\nmask = np.array([[1, 0],\n    [1, 1]], dtype=np.int64)\n");
  EXPECT_EQ(*mask_as(mask, 2, 2, MaskNotation::hidden, MaskFormat::pytorch),
            "import torch\nmask = torch.tensor([[False, True],\n    [False, False]], dtype=torch.bool)\n");
  EXPECT_EQ(*mask_as(mask, 2, 2, MaskNotation::added, MaskFormat::pytorch),
            "import torch\nmask = torch.tensor([[0.0, -torch.inf],\n    [0.0, 0.0]], dtype=torch.float32)\n");
  EXPECT_EQ(*mask_as(mask, 2, 2, MaskNotation::added, MaskFormat::csv, {"a", "\"b\""}, {"a", "\"b\""}),
            ",\"a\",\"\"\"b\"\"\"\n\"a\",0,-inf\n\"\"\"b\"\"\",0,0\n");
  EXPECT_FALSE(mask_as(mask, 1 << 10, 1 << 10, MaskNotation::ones, MaskFormat::csv));
}

}  // namespace
}  // namespace attnscope
