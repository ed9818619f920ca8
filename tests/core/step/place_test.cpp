// Places: what is read and written back, cells, selectors, and what is refused.
#include "core/step/place.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "core/base/text.h"

namespace attnscope {
namespace {

Site place_site(const std::string& text) {
  const auto site = parse_site(text);
  EXPECT_TRUE(site) << text;
  return site ? *site : Site{};
}

bool picks(const std::string& selector, const std::string& site) {
  const auto parsed = Selector::parse(selector);
  EXPECT_TRUE(parsed) << selector;
  return parsed && parsed->matches(place_site(site));
}

TEST(CellText, prints_and_parses_back) {
  const std::string text = "blocks.5.attn.pattern[head=3,query=7,key=2]";
  const auto cell = parse_cell(text);
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->site, site_of(Slot::pattern, 5));
  ASSERT_EQ(cell->at.size(), 3u);
  EXPECT_EQ(cell->at[1].axis, "query");
  EXPECT_EQ(cell->at[1].begin, 7);
  EXPECT_EQ(to_text(*cell), text);
  EXPECT_EQ(to_text(*parse_cell("logits")), "logits");
  for (const char* bad : {"logits[", "logits[pos]", "logits[pos=]", "logits[pos=x]", "logits[pos=-1]",
                          "logits[token=cat]", "logits[pos=*]", "logits[pos=1", "logits[]", "frob[pos=1]"})
    EXPECT_FALSE(parse_cell(bad)) << bad;
}

TEST(Selector, globs_ranges_and_exclusions) {
  EXPECT_TRUE(picks("*", "logits"));
  EXPECT_TRUE(picks("*.pattern", "blocks.3.attn.pattern"));
  EXPECT_FALSE(picks("*.pattern", "blocks.3.attn.z"));
  EXPECT_TRUE(picks("blocks.0-2.attn.*", "blocks.2.attn.q"));
  EXPECT_FALSE(picks("blocks.0-2.attn.*", "blocks.3.attn.q"));
  EXPECT_TRUE(picks("blocks.9-11.attn.q", "blocks.10.attn.q"));
  EXPECT_FALSE(picks("blocks.1.*", "blocks.11.attn.q"));
  EXPECT_TRUE(picks("logits,*.q", "blocks.1.attn.q"));
  EXPECT_FALSE(picks("*,!*.q", "blocks.1.attn.q"));
  EXPECT_FALSE(picks("!*.q", "blocks.1.attn.q"));
  EXPECT_TRUE(picks("!*.q", "blocks.1.attn.k"));
  EXPECT_TRUE(picks("!*.q,blocks.1.attn.q", "blocks.1.attn.q"));
  EXPECT_TRUE(Selector().matches(site_of(Slot::logits)));
}

TEST(Selector, brackets_ask_for_parts_of_a_step) {
  const auto parts = [](const std::string& selector, const std::string& site) {
    const auto parsed = Selector::parse(selector);
    EXPECT_TRUE(parsed) << selector;
    std::string out;
    for (const auto& part : parsed ? parsed->parts(place_site(site)) : std::vector<std::vector<AxisRange>>{})
      out += (out.empty() ? "" : " ") + (part.empty() ? "whole" : to_text(part));
    return out;
  };
  const std::string pattern = "blocks.0.attn.pattern";
  EXPECT_EQ(parts("blocks.0.attn.pattern[head=1,query=3,key=2]", pattern), "[head=1,query=3,key=2]");
  EXPECT_EQ(parts("*.pattern[head=1],logits[pos=2]", pattern), "[head=1]");
  EXPECT_EQ(parts("blocks.*.attn.pattern[head=1,query=2-5]", pattern), "[head=1,query=2-5]");
  EXPECT_EQ(parts("*.pattern[head=1],logits[pos=2]", "logits"), "[pos=2]");
  EXPECT_EQ(parts("blocks.0-1.attn.hook_pattern[head=1],*.pattern[head=2],*.pattern[head=1]", pattern),
            "[head=1] [head=2]");
  EXPECT_EQ(parts("*,*.pattern[head=1]", pattern), "whole [head=1]");
  EXPECT_EQ(parts("*.pattern[head=1],!*.pattern", pattern), "");
  EXPECT_EQ(parts("logits", pattern), "");
  EXPECT_EQ(parts("*", pattern), "whole");
  for (const char* bad : {"logits[", "logits[pos=1", "logits[pos]", "logits[pos=-0]", "logits[pos=1,pos=2]",
                          "logits[=1]", "[pos=1]", "!logits[pos=1]", "logits[pos=1]x"})
    EXPECT_FALSE(Selector::parse(bad)) << bad;
}

TEST(Place, is_read_once_for_steps_and_edits) {
  const auto place = parse_place("blocks.*.attn.z[head=0-3,pos=2]");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name, "blocks.*.attn.z");
  EXPECT_EQ(place->at, (std::vector<AxisRange>{{"head", 0, 4}, {"pos", 2, 3}}));
  EXPECT_EQ(to_text(place->at), "[head=0-3,pos=2]");
  EXPECT_EQ(named_blocks(place->name)->which, Indices{});
  EXPECT_EQ(named_blocks("enc.blocks.1-3.mlp.out")->which, (Indices{1, 4}));
  EXPECT_EQ(named_blocks("blocks.1.mlp.out")->which, (Indices{1, 2}));
  EXPECT_FALSE(named_blocks("mlp.out"));
  for (const char* bad : {"logits[pos=5-2]", "logits[pos=1-]", "logits[pos=-]", "logits[pos=99999999999999]"})
    EXPECT_FALSE(parse_place(bad)) << bad;
  EXPECT_FALSE(parse_cell("logits[pos=1-2]")) << "a cell has one index on each axis";
}

TEST(Selector, understands_other_tools_names) {
  EXPECT_TRUE(picks("blocks.0.attn.hook_pattern", "blocks.0.attn.pattern"));
  EXPECT_TRUE(picks("blocks.*.attn.hook_pattern", "blocks.4.attn.pattern"));
  EXPECT_TRUE(picks("blocks.0-4.hook_resid_post", "blocks.4.resid_post"));
  EXPECT_FALSE(picks("blocks.*.attn.hook_pattern", "blocks.4.attn.scores"));
}

TEST(Selector, refuses_unknown_names_and_is_quick_with_many_stars) {
  for (const char* bad : {"", ",", "logits,", "frob", "blocks.0.attn.frob", "!"})
    EXPECT_FALSE(Selector::parse(bad)) << bad;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(picks(std::string(200, '*') + "s*s*s*s*s*s*s*s*s*s*s*s*s*s*z*x", "blocks.100000.attn.scores"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST(Indices, CountFromTheEndAsInPython) {
  struct Row {
    const char* text;
    std::optional<Indices> of_five;
  };
  for (const auto& [text, of_five] :
       {Row{"2", Indices{2, 3}}, Row{"1-3", Indices{1, 4}}, Row{"*", Indices{0, 5}}, Row{"-1", Indices{4, 5}},
        Row{"-3--2", Indices{2, 4}}, Row{"1--1", Indices{1, 5}}, Row{"-2-4", Indices{3, 5}},
        Row{"5", std::nullopt}, Row{"-6", std::nullopt}, Row{"4--3", std::nullopt}}) {
    const auto read = parse_indices(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->of(5), of_five) << text;
    EXPECT_EQ(to_text(*read), text);
  }
  for (const char* bad : {"", "-", "--1", "1-", "3-1", "-1--2", "-0", "+1", " 1", "1.0", "x", "1*", "0x1"})
    EXPECT_FALSE(parse_indices(bad)) << bad;
}

TEST(Place, BlocksBecomeOnePlaceEach) {
  const auto names = [](const char* text, std::int64_t count) {
    std::string out;
    const auto each = one_per_block(*parse_place(text), count);
    for (const PlaceText& one : each.value_or(std::vector<PlaceText>{})) out += to_text(one) + " ";
    return out;
  };
  EXPECT_EQ(names("blocks.*.attn.z[head=1]", 2), "blocks.0.attn.z[head=1] blocks.1.attn.z[head=1] ");
  EXPECT_EQ(names("enc.blocks.-1.mlp.out.weight", 3), "enc.blocks.2.mlp.out.weight ");
  EXPECT_EQ(names("blocks.1-2.attn.q", 4), "blocks.1.attn.q blocks.2.attn.q ");
  EXPECT_EQ(names("blocks.7.attn.q", 2), "blocks.7.attn.q ") << "one block: the run says that it has none";
  EXPECT_EQ(names("blocks.0-2.attn.q", 2), "");
  EXPECT_EQ(names("logits[pos=-1]", 2), "logits[pos=-1] ");
}

TEST(Place, EndsBehindItsBracket) {
  const auto place = [](std::string_view text) { return std::string(text.substr(0, place_end(text, "="))); };
  EXPECT_EQ(place("blocks.0.attn.z[head=1]+=2"), "blocks.0.attn.z[head=1]");
  EXPECT_EQ(place("blocks.*.order=post"), "blocks.*.order");
  EXPECT_EQ(place(R"(embed[token="a]=\"b"]=0)"), R"(embed[token="a]=\"b"])");
}

TEST(Place, WhatIsWrittenReadsBack) {
  std::mt19937 random(7);
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const auto number = [&] { return pick(40) - 20; };
  const std::string signs = "ab,]['\"\\= *\n\t-";
  for (int i = 0; i < 4000; ++i) {
    PlaceText place;
    const char* layers[] = {"*", "3", "0-2", "-1", "-3--2"};
    const char* names[] = {"attn.z", "mlp.out.weight", "resid_post", "attn.q.bias"};
    place.name = pick(5) == 0 ? "input" : std::string("blocks.") + layers[pick(5)] + "." + names[pick(4)];
    for (const char* axis : {"pos", "head", "d_model", "head*d_head"}) {
      if (pick(2) == 0) continue;
      const std::int64_t first = number();
      place.at.emplace_back(axis, first, first + 1 + (first >= 0 ? pick(5) : 0));
    }
    if (pick(3) == 0) {
      AxisRange token("token", 0, 0);
      for (int length = 1 + pick(6); length > 0; --length)
        token.token += signs[static_cast<std::size_t>(pick(static_cast<int>(signs.size())))];
      place.at.push_back(token);
    }
    const auto again = parse_place(to_text(place));
    ASSERT_TRUE(again) << to_text(place);
    EXPECT_EQ(*again, place) << to_text(place);
    EXPECT_EQ(place_end(to_text(place) + "=1", "="), to_text(place).size()) << to_text(place);
  }
}

TEST(Selector, CountsBlocksFromTheEndAndFindsWeights) {
  const auto selector = *Selector::parse("blocks.-1.attn.z[pos=-1],blocks.0-1.mlp.out.weight,input");
  EXPECT_TRUE(selector.matches(site_of(Slot::z, 3), 4));
  EXPECT_FALSE(selector.matches(site_of(Slot::z, 2), 4));
  EXPECT_EQ(selector.value_parts("blocks.1.mlp.out.weight", 4).size(), 1u);
  EXPECT_TRUE(selector.value_parts("blocks.2.mlp.out.weight", 4).empty());
  EXPECT_EQ(selector.value_parts("input", 0).size(), 1u);
  EXPECT_TRUE(Selector().value_parts("blocks.1.mlp.out.weight", 4).empty()) << "steps only";
  EXPECT_TRUE(Selector::parse("blocks.*")->value_parts("blocks.1.mlp.out.weight", 4).empty());
}

}  // namespace
}  // namespace attnscope
