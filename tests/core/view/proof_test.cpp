// The proof sheet of every shipped model, and what it does not claim.
#include "core/view/proof.h"

#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(Proofs, HoldForEveryShippedModel) {
  for (const std::string& name : kShippedForViews) {
    const Opened of = opened(name);
    const auto proofs = proofs_of(*of.model, of.run, answer_row(first_state(*of.model, of.run)));
    EXPECT_GE(proofs.size(), 5u) << name;
    for (const Proof& proof : proofs) {
      EXPECT_GT(proof.numbers, 0) << name << ": " << proof.what.str();
      EXPECT_TRUE(proof.good()) << name << ": " << proof.what.str() << " " << proof.largest;
    }
  }
}

// An edited row of weights need not add up to 1, and its pattern is not what its queries and keys give.
TEST(Proofs, OfAnEditedRunClaimNothingOfItsSoftmax) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3;
  const auto has_softmax = [&] {
    const auto proofs = proofs_of(*of.model, state.run, answer_row(state));
    return std::any_of(proofs.begin(), proofs.end(),
                       [](const Proof& proof) { return proof.what.key() == "report.proof.softmax"; });
  };
  EXPECT_TRUE(has_softmax());
  EXPECT_NE(pattern_script(state).find("softmax(-1)"), std::string::npos);
  EXPECT_EQ(pattern_script(state, 10), "") << "too many numbers";
  state.run = edited(of, "blocks.1.attn.pattern[head=3,query=5,key=2]=0");
  EXPECT_FALSE(has_softmax());
  EXPECT_EQ(pattern_script(state), "");
}

}  // namespace
}  // namespace attnscope
