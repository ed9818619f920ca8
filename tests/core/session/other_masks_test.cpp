// Every mask of every family can be switched: the main stack's, an encoder's, a vision tower's and that of
// cross-attention. A switched cell changes the pattern as a softmax without that key does, in every block of
// that attention and in no other; undo brings every bit back.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/lens/attention_places.h"
#include "core/session/backward_run.h"
#include "core/session/mask_edits.h"
#include "core/session/session.h"
#include "tests/edits.h"

namespace attnscope {
namespace {

const std::string kSideSource = ATTNSCOPE_SOURCE_DIR;

// The fixtures, and the shipped models of each kind.
std::vector<std::string> switched_models() {
  std::vector<std::string> out{"assets/models/translator", "assets/models/gap-filler", "assets/models/pilot",
                               "assets/models/storyteller"};
  for (const auto& entry : std::filesystem::directory_iterator(kSideSource + "/tests/golden/models"))
    out.push_back("tests/golden/models/" + entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Opens a model on a few ids; shipped ones have an input of their own.
void open_on_ids(Session& session, const std::string& name) {
  session.open(kSideSource + "/" + name);
  session.wait();
  ASSERT_FALSE(session.error()) << session.error()->text();
  const ModelConfig& config = session.document().model->config();
  if (name.find("golden") != std::string::npos && config.patch.size == 0) {
    const Stack reads = config.encoder() ? Stack::enc : config.stack;
    ASSERT_TRUE(session.edit("ids", "", [&](Document& document) -> Status {
      TRY_OK(set_text(document, 0, "3 17 5 22 9", reads));
      return config.encoder() ? set_text(document, 0, "4 8 11", config.stack) : Status(Done{});
    }));
  }
  session.wait();
  ASSERT_NE(session.result(), nullptr);
}

Tensor whole_step(const Trace& trace, const Site& site) {
  const auto tensor = trace.tensor(site);
  EXPECT_TRUE(tensor) << to_text(site);
  return tensor ? *tensor : Tensor();
}

// softmax over the keys of one row of masked scores [key], without `hidden`; plain loops in double.
std::vector<double> softmax_without(const Tensor& row, std::int64_t hidden) {
  std::vector<double> out(static_cast<std::size_t>(row.count()), 0.0);
  double high = -INFINITY, sum = 0;
  for (std::int64_t key = 0; key < row.count(); ++key)
    if (key != hidden) high = std::max(high, static_cast<double>(row.at(key)));
  for (std::int64_t key = 0; key < row.count(); ++key)
    if (key != hidden)
      sum += out[static_cast<std::size_t>(key)] = std::exp(static_cast<double>(row.at(key)) - high);
  for (double& one : out) one /= sum;
  return out;
}

// Block 0 of the attention reads the same Q and K as before, so only the query's row changes.
void expect_row_without_key(const Trace& before, const Trace& now, const AttentionPlace& place,
                            std::int64_t query, std::int64_t hidden) {
  const std::vector<const Record*> patterns = patterns_of(before, place);
  const Site site = patterns.front()->site;
  Site reads = site;  // what the softmax reads
  reads.slot = before.config().attention_at(site).mask_before_scale ? Slot::scaled : Slot::masked;
  const Tensor scores = whole_step(before, reads), old = whole_step(before, site),
               fresh = whole_step(now, site);
  for (std::int64_t head = 0; head < old.size(0); ++head) {
    const std::vector<double> wanted = softmax_without(scores.select(0, head).select(0, query), hidden);
    for (std::int64_t row = 0; row < old.size(1); ++row) {
      for (std::int64_t key = 0; key < old.size(2); ++key) {
        if (row == query)
          EXPECT_NEAR(fresh.at(head, row, key), wanted[static_cast<std::size_t>(key)], 1e-5);
        else
          EXPECT_EQ(fresh.at(head, row, key), old.at(head, row, key)) << to_text(site) << row << "," << key;
      }
    }
    EXPECT_EQ(fresh.at(head, query, hidden), 0.f);
  }
}

// In every block of that attention the one cell is off; all other masks are as they were.
void expect_only_that_mask(const Trace& before, const Trace& now, const AttentionPlace& place,
                           std::int64_t query, std::int64_t key) {
  for (const AttentionPlace& other : attention_places(before)) {
    for (const Record* record : patterns_of(before, other)) {
      Site site = record->site;
      site.slot = Slot::mask;
      Tensor wanted = whole_step(before, site);
      if (other == place) wanted = wanted.with_value({query, key}, 0.f);
      EXPECT_EQ(max_abs_difference(wanted, whole_step(now, site)), 0) << to_text(site);
    }
  }
}

class OtherMasksOf : public ::testing::TestWithParam<std::string> {};

TEST_P(OtherMasksOf, ACellOfEveryMaskIsSwitchedAndTakenBack) {
  Session session;
  ASSERT_NO_FATAL_FAILURE(open_on_ids(session, GetParam()));
  const auto first = session.result();
  const Trace& before = first->trace(0);
  const Site last = before.records().back().site;
  for (const AttentionPlace& place : attention_places(before)) {
    const Record& pattern = *patterns_of(before, place).front();
    const std::int64_t query = pattern.shape[1] - 1;
    const std::int64_t key = std::max<std::int64_t>(0, std::min(query, pattern.shape[2]) - 1);
    ASSERT_GE(query, 1) << to_text(pattern.site);
    const MaskPlace mask{attention_kind(place.stack, place.part, before.config().stack), pattern.site.layer,
                         0};
    ASSERT_TRUE(session.edit("Hide a key", "", [&](Document& document) -> Status {
      set_mask_cell(document, query, key, false, mask);
      return Done{};
    }));
    session.wait();
    ASSERT_FALSE(session.error()) << session.error()->text();
    EXPECT_EQ(session.history().undo_sentence(), "Hide a key");
    EXPECT_EQ(count_switched_cells(session.document()), 1u);
    const auto changed = session.result();
    ASSERT_NE(changed->version, first->version) << to_text(pattern.site);
    expect_only_that_mask(before, changed->trace(0), place, query, key);
    expect_row_without_key(before, changed->trace(0), place, query, key);
    EXPECT_GT(max_abs_difference(whole_step(before, last), whole_step(changed->trace(0), last)), 0)
        << to_text(pattern.site);
    session.undo();
    session.wait();
    EXPECT_EQ(count_switched_cells(session.document()), 0u);
    EXPECT_EQ(max_abs_difference(whole_step(before, last), whole_step(session.result()->trace(0), last)), 0);
    session.redo();
    session.wait();
    EXPECT_EQ(
        max_abs_difference(whole_step(changed->trace(0), last), whole_step(session.result()->trace(0), last)),
        0);
    session.undo();
    session.wait();
  }
}

INSTANTIATE_TEST_SUITE_P(All, OtherMasksOf, ::testing::ValuesIn(switched_models()), [](const auto& model) {
  std::string name = std::filesystem::path(model.param).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

Document other_masks_document(const std::string& name) {
  Session session;
  open_on_ids(session, name);
  return session.document();
}

const std::string kSideMarian = "tests/golden/models/marian", kSideBigger = "tests/golden/models/gemma2";

TEST(OtherMasks, PresetsRowsAndColumnsOfARectangle) {
  Document document = other_masks_document(kSideMarian);
  const std::vector<Input> inputs = inputs_of(document);
  const MaskPlace cross{AttentionKind::cross, 1, 0};
  const MaskSize size(inputs[0].length(), static_cast<std::int64_t>(inputs[0].source.size()));
  ASSERT_GT(size.keys, size.queries);
  ASSERT_TRUE(toggle_mask_column(document, size.keys - 1, size, cross));
  EXPECT_EQ(switched_cells(document, AttentionKind::cross).size(), static_cast<std::size_t>(size.queries));
  ASSERT_TRUE(toggle_mask_row(document, 0, size, cross));
  EXPECT_EQ(mask_summary(mask_of(document, cross), size.queries, size.keys).fully_masked,
            std::vector<std::int64_t>{0});
  EXPECT_FALSE(toggle_mask_row(document, size.queries, size, cross)) << "there is no such query";
  ASSERT_TRUE(choose_mask(document, "causal", AttentionKind::cross));
  const Mask mask = mask_of(document, cross);
  for (std::int64_t query = 0; query < size.queries; ++query)
    for (std::int64_t key = 0; key < size.keys; ++key) EXPECT_EQ(mask.allowed(query, key), key <= query);
  EXPECT_TRUE(is_chosen_mask(document, "causal", AttentionKind::cross));
  EXPECT_TRUE(asked_mask(document, AttentionKind::main).is_model()) << "the decoder's own mask is another";
  ASSERT_TRUE(choose_mask(document, "model", AttentionKind::cross));
  EXPECT_TRUE(document.edits.empty());
}

TEST(OtherMasks, ATextForEveryMask) {
  Document document = other_masks_document(kSideMarian);
  ASSERT_TRUE(set_mask_text(document, "causal", AttentionKind::encoder));
  ASSERT_TRUE(set_mask_text(document, "window(2)", AttentionKind::cross));
  EXPECT_TRUE(asked_mask(document, AttentionKind::main).is_model());
  EXPECT_FALSE(mask_of(document, MaskPlace{AttentionKind::encoder}).allowed(0, 1));
  EXPECT_FALSE(mask_of(document, MaskPlace{AttentionKind::cross}).allowed(2, 0));
  const Status none = set_mask_text(document, "causal", AttentionKind::vision);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence().find("no vision tower"), std::string::npos) << none.error().sentence();
  EXPECT_FALSE(set_mask_text(document, "matrix([[1,0],[1,1]])", AttentionKind::cross)) << "of another shape";
  EXPECT_FALSE(set_mask_text(document, "text>*", AttentionKind::encoder)) << "no part of this name";
}

// A cell of the encoder's and one of the cross-attention's mask hidden.
RunOptions with_hidden_cells() {
  RunOptions options;
  options.edits = {testing::cells({{2, 1, false}}, AttentionKind::cross),
                   testing::cells({{3, 0, false}, {4, 1, false}}, AttentionKind::encoder)};
  return options;
}

TEST(OtherMasks, DecodingTokenByTokenSeesTheSwitchedCells) {
  const Document document = other_masks_document(kSideMarian);
  const Input input = inputs_of(document)[0];
  RunOptions options = with_hidden_cells();
  const auto at_once = document.model->run(input, options), plain = document.model->run(input);
  ASSERT_TRUE(at_once && plain);
  const Site last = site_of(Slot::ln_final_out, -1, Stack::dec), logits = (*plain)->records().back().site;
  const Site read = (*plain)->find(last) ? last : logits;
  const Tensor wanted = whole_step(**at_once, read);
  EXPECT_GT(max_abs_difference(wanted, whole_step(**plain, read)), 1e-4);
  for (std::int64_t pos = 0; pos < input.length(); ++pos) {
    Input next = input;
    next.ids.resize(static_cast<std::size_t>(pos) + 1);
    const auto step = document.model->run(next, options);
    ASSERT_TRUE(step) << step.error().text();
    EXPECT_LE(max_abs_difference(wanted.slice(0, 0, pos + 1), whole_step(**step, read)), 1e-5) << pos;
    options.base = *step;
  }
}

TEST(OtherMasks, GradientsFollowTheSwitchedCells) {
  const Document document = other_masks_document(kSideMarian);
  const RunOptions options = with_hidden_cells();
  const auto trace = document.model->run(inputs_of(document)[0], options);
  ASSERT_TRUE(trace);
  auto objective = default_objective(**trace, {LossRows::as_trained, 5});
  ASSERT_TRUE(objective) << objective.error().text();
  const auto gradients = backward(*trace, *std::move(objective));
  ASSERT_TRUE(gradients) << gradients.error().text();
  for (const char* name :
       {"enc.blocks.0.attn.v", "enc.blocks.1.attn.k", "dec.blocks.0.cross.q", "dec.blocks.1.cross.v"}) {
    const auto checked = check_cell(**gradients, *parse_site(name), {2, 3});
    ASSERT_TRUE(checked) << name << ": " << checked.error().text();
    EXPECT_NEAR(checked->analytic, checked->measured,
                2 * checked->uncertainty + 1e-3 * std::abs(checked->analytic) + 1e-7)
        << name;
  }
}

TEST(OtherMasks, PrefixesAreTakenOffTheText) {
  const auto taken = [](std::string_view text) {
    const AttentionKind of = take_mask_prefix(text);
    return std::pair(of, std::string(text));
  };
  EXPECT_EQ(taken(" enc:causal"), std::pair(AttentionKind::encoder, std::string("causal")));
  EXPECT_EQ(taken("cross:@mask.npy"), std::pair(AttentionKind::cross, std::string("@mask.npy")));
  EXPECT_EQ(taken("vision: full"), std::pair(AttentionKind::vision, std::string(" full")));
  EXPECT_EQ(taken("text>image"), std::pair(AttentionKind::main, std::string("text>image")));
  EXPECT_EQ(taken(""), std::pair(AttentionKind::main, std::string()));
}

TEST(OtherMasks, ACellIsComparedWithTheMaskOfTheBlockThatIsLookedAt) {
  Document document = other_masks_document(kSideBigger);
  ASSERT_TRUE(set_text(document, 0, "1 2 3 4 5 6 7 8 9 10 11 12"));
  const auto& blocks = document.model->config().blocks;
  const auto far = [&](int layer) { return mask_of(document, layer).allowed(11, 0); };
  int narrow = -1, wide = -1;
  for (int layer = 0; layer < static_cast<int>(blocks.size()); ++layer) (far(layer) ? wide : narrow) = layer;
  ASSERT_TRUE(narrow >= 0 && wide >= 0) << "this family has both kinds";
  set_mask_cell(document, 11, 0, false, {AttentionKind::main, wide, 0});
  EXPECT_FALSE(far(wide));
  set_mask_cell(document, 11, 0, true, {AttentionKind::main, wide, 0});
  EXPECT_TRUE(document.edits.empty()) << "taken back, not allowed in the blocks with a window";
  ASSERT_TRUE(choose_mask(document, "causal & window(2)", AttentionKind::main));
  for (const int layer : {narrow, wide}) {
    EXPECT_TRUE(mask_of(document, layer).allowed(11, 10));
    EXPECT_FALSE(mask_of(document, layer).allowed(11, 9)) << layer;
  }
}

}  // namespace
}  // namespace attnscope
