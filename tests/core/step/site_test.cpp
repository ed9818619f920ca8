// Names: every row of the catalog prints and parses back, aliases, cells, selectors, and what is refused.
#include "core/step/site.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

Site must(const std::string& text) {
  const auto site = parse_site(text);
  EXPECT_TRUE(site) << text;
  return site ? *site : Site{};
}

TEST(Catalog, is_in_the_order_of_slots_and_complete) {
  ASSERT_EQ(catalog().size(), static_cast<std::size_t>(kSlotCount));
  std::set<std::string_view> names;
  for (int slot = 0; slot < kSlotCount; ++slot) {
    const Step& step = catalog()[static_cast<std::size_t>(slot)];
    EXPECT_EQ(step.slot, static_cast<Slot>(slot)) << step.text;
    EXPECT_TRUE(names.insert(step.text).second) << step.text;
    for (const std::string_view text :
         {step.axes, step_title(step), step_formula(step), step_sentence(step), step.torch}) {
      EXPECT_FALSE(text.empty()) << step.text;
      EXPECT_TRUE(is_valid_utf8(text)) << step.text;
    }
    for (const char* words : {".title", ".sentence"})
      EXPECT_TRUE(has_string("step." + std::string(step.text) + words)) << step.text << words;
    EXPECT_EQ(step.formula.empty(), has_string("step." + std::string(step.text) + ".formula")) << step.text;
    EXPECT_EQ(step.inputs.empty(), step.rule == Rule::mask_test) << step.text;
  }
}

TEST(Catalog, inputs_name_steps_or_weights_of_the_catalog) {
  for (const Step& step : catalog()) {
    for (const std::string& input : split(step.inputs, ' ')) {
      for (std::string name : split(input.substr(0, input.find('[')), '|')) {
        name = name.substr(0, name.find('@'));
        if (starts_with(name, "vision.")) name.erase(0, 7);
        if (starts_with(name, "enc.")) name.erase(0, 4);
        if (starts_with(name, "cross.")) name.replace(0, 5, "attn");
        if (name.empty() || name == "pixels" || ends_with(name, ".weight") || ends_with(name, ".bias"))
          continue;
        bool found = false;
        for (const Step& other : catalog()) found = found || other.text == name;
        EXPECT_TRUE(found) << step.text << " reads " << name;
      }
    }
  }
}

TEST(SiteText, every_slot_prints_and_parses_back) {
  for (const Step& step : catalog()) {
    for (const Stack stack : {Stack::single, Stack::enc, Stack::dec, Stack::vision}) {
      const Site site = site_of(step.slot, step.part == Part::model ? -1 : 11, stack);
      const auto back = parse_site(to_text(site));
      ASSERT_TRUE(back) << to_text(site);
      EXPECT_EQ(*back, site) << to_text(site);
      if (step.part != Part::attn) continue;
      Site cross = site;
      cross.part = Part::cross;
      EXPECT_EQ(must(to_text(cross)), cross) << to_text(cross);
    }
  }
  EXPECT_EQ(to_text(must("dec.blocks.3.cross.pattern")), "dec.blocks.3.cross.pattern");
  EXPECT_EQ(to_text(site_of(Slot::pattern, 3)), "blocks.3.attn.pattern");
}

TEST(SiteText, every_alias_is_understood) {
  int aliases = 0;
  for (const Step& step : catalog()) {
    for (const std::string& alias : split(step.aliases, ' ')) {
      if (alias.empty()) continue;
      ++aliases;
      EXPECT_EQ(must((step.part == Part::model ? "" : "blocks.2.") + alias).slot, step.slot) << alias;
    }
  }
  EXPECT_GT(aliases, 20);
  // TransformerLens takes its attention scores after the mask.
  EXPECT_EQ(to_text(must("blocks.0.attn.hook_attn_scores")), "blocks.0.attn.masked");
}

TEST(SiteText, refuses_what_the_catalog_does_not_hold) {
  for (const char* text :
       {"", "blocks", "blocks.", "blocks.0", "blocks.0.", "blocks.x.attn.q", "blocks.-1.attn.q", "attn.q",
        "blocks.0.logits", "blocks.99999999999.attn.q", "blocks.0.attn.q.weight", "enc.", "LOGITS",
        "blocks.0.cross.frob", "blocks.0.cross.resid_pre"}) {
    const auto site = parse_site(text);
    EXPECT_FALSE(site) << text;
    EXPECT_TRUE(site || site.error().code() == Code::not_found) << text;
  }
}

TEST(SiteText, the_nearest_names_are_names) {
  for (const char* bad :
       {"bloblocks.0.attn.q", "blocks.x.attn.q", "blocks.0.attn.qq", "enc.blocks.3.attn.frob",
        "my.blocks.1.attn.q", "blocks", "blocks.", "blocks.99999999999999999999999999999.q"}) {
    const auto site = parse_site(bad);
    ASSERT_FALSE(site) << bad;
    ASSERT_EQ(site.error().what().key(), "error.step.no_step") << bad;
    const std::string nearest = site.error().advice().arguments()[1].str();
    for (const std::string& name : split(nearest, ','))
      EXPECT_TRUE(parse_site(name.substr(name.find_first_not_of(' ')))) << bad << ": " << nearest;
  }
}

}  // namespace
}  // namespace attnscope
