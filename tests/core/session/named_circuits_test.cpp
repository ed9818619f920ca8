// Circuits of a document: put, taken away, undone, kept by a session, and sessions without any.
#include "core/session/named_circuits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/session/session.h"
#include "core/session/session_file.h"
#include "tests/core/session/reopened.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

TEST(NamedCircuits, AreUndoneAndKeptByASession) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  session.wait();
  ASSERT_TRUE(session.result());
  const NamedCircuit names{"names", {"blocks.0.attn.z[head=2]", "blocks.1.attn.z[head=3]"}, "logit_diff"};
  ASSERT_TRUE(session.edit("put", {}, [&](Document& d) { return put_circuit(d, names); }));
  ASSERT_TRUE(session.edit("put", {}, [&](Document& d) {
    return put_circuit(d, {"edge", {"blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]"}});
  }));
  ASSERT_TRUE(circuit_named(session.document(), "names"));
  const testing::TempFolder folder;
  const std::string path = folder / "s.attnscope";
  ASSERT_TRUE(save_session(path, session.document(), nlohmann::json::object()));
  const auto read = testing::reopened(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->circuits, session.document().circuits);
  session.undo();
  EXPECT_FALSE(circuit_named(session.document(), "edge"));
  EXPECT_TRUE(circuit_named(session.document(), "names"));
  ASSERT_TRUE(session.edit("drop", {}, [&](Document& d) {
    drop_circuit(d, "names");
    return Status(Done{});
  }));
  EXPECT_TRUE(session.document().circuits.empty());
  session.undo();
  EXPECT_EQ(*circuit_named(session.document(), "names"), names);
}

TEST(NamedCircuits, DamagedOnesAreASentenceAndNoneIsNoField) {
  Document document;
  EXPECT_FALSE(put_circuit(document, {"", {"a"}}));
  EXPECT_FALSE(put_circuit(document, {"a", {}}));
  EXPECT_TRUE(put_circuit(document, {"a", {"x"}}));
  EXPECT_TRUE(put_circuit(document, {"a", {"y"}}));
  EXPECT_EQ(document.circuits.size(), 1u) << "the one with its name is replaced";
  for (const char* wrong : {"{}", "[1]", R"([{"name": "a"}])", R"([{"name": 1, "parts": []}])",
                            R"([{"name": "a", "parts": [1]}])", R"([{"name": "a", "parts": []}])",
                            R"([{"name": "a", "parts": ["x"], "measure": 1}])"}) {
    Document fresh;
    const Status taken = take_circuits(nlohmann::json::parse(wrong), "s.attnscope", fresh);
    ASSERT_FALSE(taken) << wrong;
    EXPECT_NE(taken.error().text().find("circuits"), std::string::npos);
  }
  Document again;
  ASSERT_TRUE(take_circuits(circuits_json(document), "s.attnscope", again));
  EXPECT_EQ(again.circuits, document.circuits);
}

}  // namespace
}  // namespace attnscope
