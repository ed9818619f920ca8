// What was chosen inside the views, in files: names, whatever the order of an enum; numbers of files of
// before.
#include "app/views/choices.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/views/view.h"

namespace attnscope {
namespace {

nlohmann::json written(View& view) {
  nlohmann::json out = nlohmann::json::object();
  Choices choices(out);
  view.keep(choices);
  return out;
}

void take(View& view, const nlohmann::json& chosen) {
  Choices choices(chosen);
  view.keep(choices);
}

struct KeptChoice {
  const char *view, *key;
  int first;  // the number that files of before wrote for the first
  std::vector<std::string> names;
};

const std::vector<KeptChoice>& kept_choices() {
  static const std::vector<KeptChoice> all{
      {"attention", "mode", 0, {"map", "lines", "build", "triangle"}},
      {"attention",
       "sorted",
       0,
       {"place", "entropy", "largest", "previous", "first", "self", "duplicate", "induction"}},
      {"calculator", "pane", 0, {"parameters", "cache", "flops", "training", "slips"}},
      {"embedding", "compared", 0, {"table", "sum", "stream", "heads"}},
      {"embedding", "page", 0, {"lookup", "map", "compare", "heads"}},
      {"kv", "page", 0, {"cells", "products", "bytes"}},
      {"kv", "format", 0, {"f32", "bf16", "f8", "int4"}},
      {"mask", "side", 0, {"own", "now", "difference"}},
      {"mask", "page", 0, {"pattern", "scores", "segments", "blind"}},
      {"mlp", "page", 0, {"words", "neurons", "clouds"}},
      {"mlp", "stage", 44, {"mlp.pre", "mlp.gate", "mlp.up", "mlp.act", "mlp.post"}},
      {"output", "at", 0, {"telling", "last", "cursor"}},
      {"output", "setting", 0, {"temperature", "top_k", "top_p", "min_p", "penalty", "seed"}},
      {"position", "rotary_page", 0, {"distance", "wavelengths", "reach", "variants"}},
      {"position", "rotary_variant", -1, {"own", "standard", "linear", "dynamic", "llama3", "yarn"}},
      {"position", "table_page", 0, {"surface", "hills", "clocks", "shift", "dots", "similarity", "back"}},
      {"position", "subject", -1, {"waves", "model", "formula", "length", "order"}},
      {"residual", "colour", 0, {"probability", "asked", "rank", "entropy", "kl"}},
      {"tokenizer", "shelf", 0, {"own", "bpe", "unigram", "beside"}},
      {"training", "pane", 0, {"head", "targets", "arm", "result"}}};
  return all;
}

View& view_named(const std::vector<std::unique_ptr<View>>& views, std::string_view id) {
  for (const auto& view : views)
    if (view->id() == id) return *view;
  throw std::runtime_error("no view " + std::string(id));
}

TEST(ChoicesOfViews, AreWrittenByNameAndReadByNameAndByTheNumbersOfOldFiles) {
  for (const KeptChoice& kept : kept_choices()) {
    const auto views = make_views();
    View& view = view_named(views, kept.view);
    for (int i = 0; i < static_cast<int>(kept.names.size()); ++i) {
      const std::string& name = kept.names[static_cast<std::size_t>(i)];
      take(view, {{kept.key, kept.first + i}});
      EXPECT_EQ(written(view).at(kept.key), name) << kept.view;
      take(view, {{kept.key, kept.names.front()}});
      take(view, {{kept.key, name}});
      EXPECT_EQ(written(view).at(kept.key), name) << kept.view;
    }
    const int past = kept.first + static_cast<int>(kept.names.size());
    for (const nlohmann::json& wrong :
         {nlohmann::json(past), nlohmann::json("no such name"), nlohmann::json()})
      take(view, {{kept.key, wrong}});
    EXPECT_EQ(written(view).at(kept.key), kept.names.back()) << kept.view;
  }
}

// Counts and places; whatever else is written as a number would be one of an enum.
TEST(ChoicesOfViews, ThatAreNumbersAreCountsAndPlaces) {
  const std::set<std::string> counts{
      "a",      "b",           "batch",          "distance",    "factor",       "feature",
      "key0",   "key1",        "key2",           "layer",       "length_times", "merges",
      "neuron", "order_first", "order_second",   "rotary_pair", "seq",          "served",
      "step",   "table_dim",   "table_distance", "table_pos",   "token",        "tokens",
      "word",   "asked"};
  for (const auto& view : make_views()) {
    const nlohmann::json chosen = written(*view);
    for (const auto& [key, value] : chosen.items())
      if (value.is_number_integer() && key.rfind("size_", 0) != 0) {
        EXPECT_TRUE(counts.count(key) > 0) << view->id() << " " << key;
      }
  }
}

// A file of a program whose enum has another order.
TEST(ChoicesOfViews, KeepTheirMeaningWhenTheOrderOfTheEnumChanges) {
  enum class Before { query, key, value };
  enum class After { sink, value, query, key };
  constexpr Named<Before> before[] = {{"q", Before::query}, {"k", Before::key}, {"v", Before::value}};
  constexpr Named<After> after[] = {
      {"q", After::query}, {"k", After::key}, {"v", After::value}, {"sink", After::sink}};
  const auto moved = [&](Before from, nlohmann::json file) {
    Choices out(file);
    out.of("step", from, before);
    After to = After::sink;
    Choices in(std::as_const(file));
    in.of("step", to, after);
    return to;
  };
  EXPECT_EQ(moved(Before::query, nlohmann::json::object()), After::query);
  EXPECT_EQ(moved(Before::key, nlohmann::json::object()), After::key);
  EXPECT_EQ(moved(Before::value, nlohmann::json::object()), After::value);
  EXPECT_EQ(named_value(2, after), After::value) << "a number of a file of before";
}

}  // namespace
}  // namespace attnscope
