// Weights that stay in the file: the same numbers as with expanded ones, edits included, and memory that
// stays below the limit.
#include <chrono>
#include <fstream>
#include <thread>

#include "core/arch/memory_limit.h"
#include "core/session/document.h"
#include "tests/golden/gguf_checkpoint.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::vector<int> kGgufLimitIds{5, 17, 3, 99, 42, 0, 120};

OpenedModel open_within(const std::string& path, std::int64_t limit) {
  const auto opened = open_model(path, {limit, {}});
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().text());
  return opened ? *opened : OpenedModel{};
}

std::size_t encoded_weights(const OpenedModel& opened) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : opened.model->weights().all()) count += tensor.is_encoded() ? 1 : 0;
  return count;
}

// Every recorded step of both, each row at a time; returns how many were compared.
int expect_same_steps(const Model& kept, const Model& expanded, double tolerance) {
  const TracePointer a = must_run(kept, {kGgufLimitIds, {}}), b = must_run(expanded, {kGgufLimitIds, {}});
  for (const Record& record : b->records()) {
    const Tensor expected = must_tensor(*b, record.site);
    const double largest = std::max(std::fabs(stats(expected).max), std::fabs(stats(expected).min));
    EXPECT_LE(max_abs_difference(must_tensor(*a, record.site), expected), tolerance * std::max(1.0, largest))
        << to_text(record.site);
  }
  return static_cast<int>(b->records().size());
}

TEST(MemoryLimit, QuantisedMatricesStayInTheFile) {
  for (const char* file : {"llama-q4_0.gguf", "llama-q4_k_m.gguf"}) {
    const std::string path = source_path(std::string("tests/golden/gguf/") + file);
    const OpenedModel kept = open_within(path, 1000), expanded = open_within(path, std::int64_t{1} << 30);
    EXPECT_TRUE(kept.stays_in_file);
    EXPECT_FALSE(expanded.stays_in_file);
    EXPECT_EQ(encoded_weights(kept), 16u);  // 2 x (4 + 3), the table and the unembedding
    EXPECT_EQ(encoded_weights(expanded), 0u);
    ASSERT_FALSE(kept.notes.empty());
    EXPECT_NE(kept.notes.front().str().find("stay as they are in the file"), std::string::npos);
    EXPECT_GT(expect_same_steps(*kept.model, *expanded.model, 2e-6), 40);
  }
}

TEST(MemoryLimit, HalfPrecisionFolders) {
  const TempFolder folder;
  for (const std::string name : {"gpt2", "llama", "qwen2", "gemma", "bert"}) {
    CheckpointFolder checkpoint(name);
    checkpoint.to_half();
    checkpoint.write(folder / name);
    const OpenedModel kept = open_within(folder / name, 0), expanded = open_within(folder / name, 1 << 30);
    EXPECT_GT(encoded_weights(kept), 8u) << name;
    EXPECT_GT(expect_same_steps(*kept.model, *expanded.model, 2e-6), 20) << name;
    const WeightHealth health = weight_health(kept.model->weights());
    EXPECT_EQ(health.nans + health.infs, 0) << name;
  }
  const OpenedModel bf16 = open_within(model_path("llama3"), 0);
  EXPECT_GT(encoded_weights(bf16), 8u);
  EXPECT_GT(expect_same_steps(*bf16.model, *open_within(model_path("llama3"), 1 << 30).model, 2e-6), 20);
}

TEST(MemoryLimit, AnEditedWeightLiesOverTheFile) {
  const std::string path = source_path("tests/golden/gguf/llama-q4_0.gguf");
  Document kept = new_document(std::make_shared<const OpenedModel>(open_within(path, 0)));
  Document expanded = new_document(std::make_shared<const OpenedModel>(open_within(path, 1 << 30)));
  for (Document* document : {&kept, &expanded}) {
    ASSERT_TRUE(set_weight_cell(*document, "blocks.1.attn.q.weight", {200, 77}, 3.f));
    ASSERT_TRUE(set_weight_cell(*document, "tok_embed.weight", {42, 5}, -2.f));
  }
  ASSERT_EQ(kept.edits.size(), 2u);
  RunOptions options;
  options.edits = kept.edits;
  const TracePointer a = must_run(*kept.model, {.ids = {1, 42, 7}}, options),
                     b = must_run(*expanded.model, {.ids = {1, 42, 7}}, options);
  EXPECT_TRUE(a->weights().get("tok_embed.weight").is_encoded());
  EXPECT_EQ(a->weights().get("tok_embed.weight").at(42, 5), -2.f);
  EXPECT_EQ(a->weights().get("blocks.1.attn.q.weight").at(200, 77), 3.f);
  for (const Record& record : a->records())
    EXPECT_LE(max_abs_difference(must_tensor(*a, record.site), must_tensor(*b, record.site)), 2e-6)
        << to_text(record.site);
  EXPECT_NE(kept.model->weights().get("tok_embed.weight").at(42, 5), -2.f) << "the model stays as it was";
}

// Bytes of this process that belong to no file.
std::int64_t own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "RssAnon:") continue;
    std::int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

// The most of it while this object lives.
class Watch {
 public:
  Watch() : before_(own_memory()), thread_([this] { look(); }) {}
  std::int64_t growth() {
    done_ = true;
    thread_.join();
    return most_ - before_;
  }

 private:
  void look() {
    while (!done_) {
      most_ = std::max(most_, own_memory());
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  }
  std::int64_t before_, most_ = 0;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// A Llama of 50 million weights in Q8_0 (54 MB in the file, 200 MB expanded).
std::string large_model(const TempFolder& folder) {
  GgufWriter writer;
  const std::int64_t d = 1024, wide = 4096, vocab = 3000;
  const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t cols) {
    std::string bytes(static_cast<std::size_t>(rows * cols / 32 * 34), '\0');
    std::uint32_t state = 7;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      state = state * 1664525u + 1013904223u;
      bytes[at] = static_cast<char>(at % 34 == 0 ? 0 : at % 34 == 1 ? 0x0C : state >> 24);  // scale 2^-12
    }
    writer.tensor(name, {rows, cols}, 8, bytes);
  };
  const std::vector<float> ones(static_cast<std::size_t>(d), 1.f);
  writer.text("general.architecture", "llama");
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"context_length", 256},
                                                          {"embedding_length", d},
                                                          {"block_count", 3},
                                                          {"feed_forward_length", wide},
                                                          {"attention.head_count", 16}})
    writer.number("llama." + key, value);
  writer.real("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  matrix("token_embd.weight", vocab, d);
  writer.floats("output_norm.weight", {d}, ones);
  for (int layer = 0; layer < 3; ++layer) {
    const std::string base = "blk." + std::to_string(layer) + ".";
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"})
      matrix(base + name + ".weight", d, d);
    matrix(base + "ffn_gate.weight", wide, d);
    matrix(base + "ffn_up.weight", wide, d);
    matrix(base + "ffn_down.weight", d, wide);
    writer.floats(base + "attn_norm.weight", {d}, ones);
    writer.floats(base + "ffn_norm.weight", {d}, ones);
  }
  std::ofstream(folder / "large.gguf", std::ios::binary) << writer.file();
  return folder / "large.gguf";
}

TEST(MemoryLimit, PeakStaysBelowTheLimit) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps freed memory";
#endif
  const TempFolder folder;
  const std::string path = large_model(folder);
  constexpr std::int64_t kLimit = 40 << 20;
  Watch watch;
  {
    const OpenedModel opened = open_within(path, kLimit);
    ASSERT_TRUE(opened.stays_in_file);
    const TracePointer trace = must_run(*opened.model, {kGgufLimitIds, {}});
    const Tensor row = trace->logits_row(static_cast<std::int64_t>(kGgufLimitIds.size()) - 1);
    EXPECT_EQ(stats(row).nans, 0);
    EXPECT_GT(stats(row).l2, 0);
    EXPECT_EQ(weight_health(opened.model->weights()).nans, 0);
  }
  EXPECT_LT(watch.growth(), kLimit);
  Watch whole;
  EXPECT_FALSE(open_within(path, std::int64_t{1} << 30).stays_in_file);
  EXPECT_GT(whole.growth(), 150 << 20);  // the measure can tell
}

TEST(MemoryLimit, SizesInWords) {
  EXPECT_EQ(*parse_size("0"), 0);
  EXPECT_EQ(*parse_size("123456"), 123456);
  EXPECT_EQ(*parse_size("800M"), std::int64_t{800} << 20);
  EXPECT_EQ(*parse_size("1.5 GB"), std::int64_t{3} << 29);
  EXPECT_EQ(*parse_size("2GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(*parse_size("1t"), std::int64_t{1} << 40);
  for (const char* text : {"", "G", "-1G", "8X", "8GG", "nan", "1e30", "inf"})
    EXPECT_FALSE(parse_size(text)) << text;
  set_memory_limit(5);
  EXPECT_EQ(memory_limit(), 5);
  set_memory_limit(-1);
  EXPECT_GT(memory_limit(), 1 << 20);
}

}  // namespace
}  // namespace attnscope
