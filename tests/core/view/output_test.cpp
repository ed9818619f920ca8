// What will it say: three temperatures of one row, whose numbers are softmax(logits / T).
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/train/pilot_path.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

// softmax(logits / temperature), in double.
std::vector<double> shares(const Tensor& logits, double temperature) {
  std::vector<double> out;
  double most = -1e300, sum = 0;
  for (const float logit : logits.values()) most = std::max(most, static_cast<double>(logit));
  for (const float logit : logits.values())
    out.push_back(std::exp((static_cast<double>(logit) - most) / temperature)), sum += out.back();
  for (double& one : out) one /= sum;
  return out;
}

TEST(ViewOutput, SaysTheSharesOfTheRunAtThreeTemperatures) {
  for_every_row([](const ViewState& state, const std::string& where) {
    const figure::Figure figure = figure_of("output", state);
    const std::vector<std::string> said = sentence_of(figure);
    const Tensor logits = state.run->logits_row(answer_row(state));
    const double temperatures[] = {0.5, 1, 2};
    double last = 2;
    for (int at = 0; at < 3; ++at) {
      const std::vector<double> wanted = shares(logits, temperatures[at]);
      const auto best = std::max_element(wanted.begin(), wanted.end());
      const auto& table = mark_of<figure::TableMark>(figure, "at" + std::to_string(at));
      EXPECT_NEAR(*table.rows.front().bar, *best, 1e-4) << where;
      const std::string name =
          answer_name(state, answer_row(state), static_cast<int>(best - wanted.begin())).str();
      EXPECT_EQ(said[1], name) << where;
      EXPECT_EQ(table.rows.front().cells[0].str(), name) << where;
      EXPECT_EQ(said[static_cast<std::size_t>(3 + 2 * at)],
                format("%.1f %%", 100 * static_cast<double>(static_cast<float>(*table.rows.front().bar))));
      EXPECT_LE(*table.rows.front().bar, last + 1e-6) << where;  // the higher, the more alike
      last = *table.rows.front().bar;
      for (std::size_t row = 0; row < table.rows.size(); ++row)
        EXPECT_EQ(table.rows[row].cells[0].str(),
                  mark_of<figure::TableMark>(figure, "at1").rows[row].cells[0].str())
            << where;
      EXPECT_EQ(table.rows.front().before.has_value(), state.before != nullptr) << where;
    }
  });
}

TEST(ViewOutput, MarksTheTemperatureInUse) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  const auto cards = [&](double temperature) {
    state.temperature = temperature;
    std::string out;
    const figure::Figure figure = figure_of("output", state);
    for (const char* part : {"at0", "at1", "at2"})
      out += mark_of<figure::TableMark>(figure, part).card == figure::TableMark::Card::chosen ? "x" : ".";
    return out + " " + join({sentence_of(figure)[2], sentence_of(figure)[4], sentence_of(figure)[6]}, " ");
  };
  EXPECT_EQ(cards(1), ".x. 0.5 1 2");
  EXPECT_EQ(cards(2), "..x 0.5 1 2");
  EXPECT_EQ(cards(0.3), "x.. 0.3 1 2");
  EXPECT_EQ(cards(1.2), ".x. 0.5 1.2 2");
  EXPECT_EQ(cards(0), "... 0.5 1 2");
}

TEST(ViewOutput, NamesWhatTheModelSays) {
  const std::pair<const char*, const char*> kinds[] = {{"model:storyteller", "word"},
                                                       {"model:sorter", "sign"},
                                                       {"model:translator", "written"},
                                                       {"model:gap-filler", "gap"},
                                                       {"model:pilot", "action"}};
  for (const auto& [name, kind] : kinds) {
    const Opened of = opened(name);
    const ViewState state = first_state(*of.model, of.run);
    const bool movement = std::string(kind) == "action";
    EXPECT_EQ(answer_title(state, answer_row(state)).front().key(),
              std::string("figure.answer.") + (movement ? "movement" : kind));
    EXPECT_EQ(sentence_key(figure_of("output", state)), std::string("figure.output.sentence.") + kind);
  }
}

// The Pilot says seven movements, one after the other; after them an eighth would be no movement of the arm.
TEST(ViewOutput, NamesTheMovementOfEachAction) {
  const Opened of = opened("model:pilot");
  ViewState state = first_state(*of.model, of.run);
  for (const char* movement : {"dx", "dy", "dz", "roll", "pitch", "yaw", "gripper"}) {
    const Text title = answer_title(state, answer_row(state)).front();
    ASSERT_EQ(title.key(), "figure.answer.movement") << movement;
    EXPECT_EQ(title.arguments().front().key(), std::string("lab.robot.action.") + movement);
    ++state.row;
  }
}

// A bin is said as the centimetres, degrees or the openness that it stands for.
TEST(ViewOutput, SaysWhatAnActionStandsFor) {
  const Opened of = opened("model:pilot");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  const std::vector<int> bins{10, 10, 4, 13, 1, 7, 6};
  const auto move = arm_move(bins);
  ASSERT_TRUE(move);
  const double meant[] = {move->dx, move->dy, move->dz, move->roll, move->pitch, move->yaw, move->gripper};
  const char* units[] = {"metres", "metres", "metres", "degrees", "degrees", "degrees", "open"};
  for (std::size_t action = 0; action < bins.size(); ++action, ++state.row) {
    const auto table = answer_table(state, answer_row(state), 1);
    ASSERT_TRUE(table);
    const Text said = table->rows.front().cells.front();
    EXPECT_EQ(said.key(), std::string("figure.answer.bin.") + units[action]);
    EXPECT_EQ(said.str().find("<act"), std::string::npos) << "three cards side by side have room for one";
    std::string number = said.arguments().front().str();
    if (number.starts_with("−")) number.replace(0, std::string("−").size(), "-");
    const double shown = action < 3 ? 100 * meant[action] : meant[action];  // in centimetres
    EXPECT_NEAR(std::stod(number), shown, action + 1 < bins.size() ? 1e-6 : 0.005);
  }
}

TEST(ViewOutput, BeginsAtTheGapAndAtTheFirstAction) {
  const Opened gap = opened("model:gap-filler");
  const ViewState state = first_state(*gap.model, gap.run);
  EXPECT_EQ(row_label(*gap.model, *gap.run, state.place.stack, state.row), "[MASK]");
  const Opened pilot = opened("model:pilot");
  const ViewState flying = first_state(*pilot.model, pilot.run);
  const auto first = row_label(*pilot.model, *pilot.run, flying.place.stack, flying.row + 1);
  EXPECT_TRUE(first.starts_with("<act_")) << first;
}

// The lead over the second output, and the entropy by a plain loop.
TEST(ViewOutput, HowSureItIsFollowsFromTheLogits) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto table = sureness_table(state, state.row);
  ASSERT_TRUE(table);
  std::vector<float> logits = of.run->logits_row(state.row).values();
  std::sort(logits.rbegin(), logits.rend());
  double all = 0, entropy = 0;
  for (const float one : logits) all += std::exp(static_cast<double>(one));
  for (const float one : logits) {
    const double share = std::exp(static_cast<double>(one)) / all;
    entropy -= share * std::log(share);
  }
  const double lead = static_cast<double>(logits[0]) - static_cast<double>(logits[1]);
  const auto said = [&](std::size_t row) { return table->rows[row].cells[1].arguments().front().str(); };
  EXPECT_EQ(said(0), figure::number_text(lead, 2));
  EXPECT_NEAR(std::stod(said(1)), std::exp(lead), 1e-3 * std::exp(lead));
  EXPECT_NEAR(std::stod(said(2)), entropy, 0.006);
  EXPECT_NEAR(std::stod(said(3)), std::log(static_cast<double>(logits.size())), 0.006);
  EXPECT_NEAR(std::stod(table->rows[4].cells[1].str()), std::exp(entropy), 0.006);
}

// Beside the number a long name would be cut; and a factor of thousands is no power of ten.
TEST(ViewOutput, HowSureItIsIsWrittenInFull) {
  for (const auto& [name, key] : {std::pair("model:storyteller", "figure.sure.lead"),
                                  std::pair("model:pilot", "figure.sure.lead.long")}) {
    const Opened of = opened(name);
    const ViewState state = first_state(*of.model, of.run);
    const auto table = sureness_table(state, state.row);
    ASSERT_TRUE(table) << name;
    EXPECT_EQ(table->rows[0].cells[0].key(), key);
    const std::string times = table->rows[1].cells[1].str();
    EXPECT_EQ(times.find("e+"), std::string::npos) << times;
    EXPECT_EQ(times, name == std::string("model:pilot") ? "29,230 ×" : "239.4 ×");
  }
}

// A movement is said in centimetres wherever it is an answer, as in the card beside the picture.
TEST(ViewOutput, EveryViewSaysWhatAMovementStandsFor) {
  const Opened of = opened("model:pilot");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  for (const char* id : {"ask", "residual", "mlp"}) {
    const auto figure = draw_view(**find_view(id), state);
    ASSERT_TRUE(figure) << id;
    std::vector<std::string> said = sentence_of(*figure);
    for (const auto& [part, from] :
         {std::pair("waterfall", 0u), std::pair("neurons", 4u)})  // words it writes
      if (figure::find_part(*figure, part))
        for (const auto& row : mark_of<figure::TableMark>(*figure, part).rows)
          for (std::size_t at = from; at < row.cells.size(); ++at) said.push_back(row.cells[at].str());
    int movements = 0;
    for (const std::string& one : said) {
      movements += one.find(" cm") != std::string::npos ? 1 : 0;
      EXPECT_EQ(one.find("<act_"), std::string::npos) << id << ": " << one;
    }
    EXPECT_GT(movements, 0) << id;
  }
}

}  // namespace
}  // namespace attnscope
