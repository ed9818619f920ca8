// Key/value heads (MHA, GQA, MQA) of seven published models, and the size of their caches at a length.
#include <algorithm>
#include <cmath>

#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr const char* kModels[] = {"llama-2-7b", "llama-2-70b", "llama-3-8b", "llama-3-70b",
                                   "mistral-7b", "gemma-2b",    "gemma-7b"};
constexpr double kBytes[] = {4, 2, 1};

struct Sharing {
  const char* name;
  LabInk ink;
};
// Of most models: every head its own keys and values, all heads one pair, or groups of heads.
Sharing sharing_of(const ModelConfig& config) {
  bool own = true, one = true;
  for (const BlockSpec& block : config.blocks) {
    own = own && block.attention.n_kv_heads == block.attention.n_heads;
    one = one && block.attention.n_kv_heads == 1;
  }
  return own   ? Sharing{"MHA", LabInk::red}
         : one ? Sharing{"MQA", LabInk::green}
               : Sharing{"GQA", LabInk::blue};
}

// Keys and values of every block: 2 · g · d_k numbers per token, no more tokens than its window.
double cache_bytes(const ModelConfig& config, double tokens, double bytes, bool all_heads) {
  double sum = 0;
  for (const BlockSpec& block : config.blocks) {
    const AttentionSpec& attention = block.attention;
    const double kept =
        attention.window > 0 ? std::min(tokens, static_cast<double>(attention.window)) : tokens;
    sum += 2.0 * (all_heads ? attention.n_heads : attention.n_kv_heads) * attention.d_head * kept * bytes;
  }
  return sum;
}

Result<LabPicture> compute_sharing(const LabValues& values, const std::atomic<bool>&) {
  const double tokens = values.number("n"), bytes = kBytes[values.choice("bytes")];
  LabTable table;
  table.title = Text::of("lab.sharing.table");
  table.header = {
      Text(), Text::of("lab.sharing.blocks"), Text::of("lab.sharing.heads"), Text::of("lab.sharing.kv_heads"),
      Text(), Text::of("lab.sharing.each"),   Text::of("lab.sharing.saved")};
  LabBars bars;
  bars.title = Text::of("lab.sharing.cache", {shown(tokens, 6)});
  std::string largest, smallest;
  double most = 0, least = INFINITY;
  for (const char* name : kModels) {
    TRY(const Described model, describe_preset(name));
    const ModelConfig& config = model.config;
    const Sharing sharing = sharing_of(config);
    const double own = cache_bytes(config, tokens, bytes, false),
                 all = cache_bytes(config, tokens, bytes, true);
    const double per_token = cache_bytes(config, 1, bytes, false);
    bars.bars.push_back({name, own, format_bytes(static_cast<std::uint64_t>(own)), sharing.ink});
    table.rows.push_back(
        fact(name, {config.n_layers(), range_text(config, &BlockSpec::attention, &AttentionSpec::n_heads),
                    range_text(config, &BlockSpec::attention, &AttentionSpec::n_kv_heads), sharing.name,
                    format_bytes(static_cast<std::uint64_t>(per_token)), shown(all / own, 3) + "\u00d7"}));
    if (own > most) most = own, largest = name;
    if (own < least) least = own, smallest = name;
  }
  TRY(const Described first, describe_preset(kModels[0]));
  LabPicture out;
  out.pieces = {in_full({table, 1.3f, true, 1.2f}), {bars, 1}};
  out.formula = Text::of(
      "lab.sharing.formula",
      {first.config.n_layers(), range_text(first.config, &BlockSpec::attention, &AttentionSpec::n_kv_heads),
       range_text(first.config, &BlockSpec::attention, &AttentionSpec::d_head), shown(tokens, 6),
       shown(bytes), shown(cache_bytes(first.config, tokens, bytes, false), 12)});
  out.notice = Text::of("lab.sharing.notice",
                        {shown(tokens, 6), largest, format_bytes(static_cast<std::uint64_t>(most)), smallest,
                         format_bytes(static_cast<std::uint64_t>(least))});
  return out;
}

}  // namespace

Lab lab_sharing();
Lab lab_sharing() {
  return {"lab.sharing",
          19,
          {whole_control("lab.sharing.n", 128, 131072, 4096, true),
           choice_control("lab.sharing.bytes",
                          {"lab.sharing.bytes.4", "lab.sharing.bytes.2", "lab.sharing.bytes.1"}, 1)},
          compute_sharing,
          {"n", 131072},
          {"n", 131072, "bytes"}};
}

}  // namespace attnscope
