// GGUF tensors under Hugging Face's names: a transposed matrix becomes a transposed view, reordered rows
// are put back, an added 1 is subtracted.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/gguf_model.h"
#include "core/arch/gguf_names.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Order = std::vector<std::int64_t>;  // row r of the model is row order[r] of the file

// Llama's conversion made pairs of the two halves of each head: (half, i) lies at (i, half).
Order from_pairs(std::int64_t rows, std::int64_t heads) {
  const std::int64_t d_head = rows / heads, half = d_head / 2;
  Order order;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t inside = row % d_head;
    order.push_back(row - inside + inside % half * 2 + inside / half);
  }
  return order;
}

// GPT-NeoX has [head][q, k, v]; the file has [q, k, v][head].
Order from_parts(std::int64_t rows, std::int64_t heads) {
  const std::int64_t d_head = rows / (3 * heads);
  Order order;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t head = row / (3 * d_head), part = row / d_head % 3;
    order.push_back((part * heads + head) * d_head + row % d_head);
  }
  return order;
}

Tensor minus_one(const Tensor& from) {
  std::vector<float> values = from.values();
  for (float& value : values) value -= 1.f;
  return Tensor::from(std::move(values), {{Axis::none, from.count()}});
}

class GgufSource final : public TensorSource {
 public:
  GgufSource(const Gguf& file, const GgufArchitecture& architecture, std::int64_t heads,
             std::int64_t kv_heads)
      : inner_(file.tensors), what_(file.what), heads_(heads), kv_heads_(kv_heads) {
    for (const TensorInfo& info : inner_->infos()) {
      const auto target = gguf_target(architecture, info.name);
      if (target && !index_.contains(target->name)) add(info, *target);
    }
  }

  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override {
    const auto at = index_.find(name);
    return at == index_.end() ? nullptr : &infos_[at->second];
  }
  Result<Tensor> load(std::string_view name) const override {
    const auto at = index_.find(name);
    if (at == index_.end()) return inner_->load(name);  // gives the error not_found
    TRY(const Tensor stored, inner_->load(rows_[at->second].stored));
    return mended(stored, at->second);
  }
  Result<Tensor> load_encoded(std::string_view name) const override {
    const auto at = index_.find(name);
    if (at == index_.end()) return inner_->load(name);
    TRY(const Tensor stored, inner_->load_encoded(rows_[at->second].stored));
    return mended(stored, at->second);
  }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    const auto at = index_.find(name);
    return inner_->load_ints(at == index_.end() ? std::string(name) : rows_[at->second].stored);
  }
  const std::map<std::string, std::string>& metadata() const override { return inner_->metadata(); }

 private:
  struct Row {
    std::string stored;
    GgufFix fix;
  };

  void add(const TensorInfo& info, const GgufTarget& target) {
    TensorInfo named = info;
    named.name = target.name;
    if (target.fix == GgufFix::transposed) std::reverse(named.shape.begin(), named.shape.end());
    if (info.name == "token_types.weight" && named.shape.size() == 1)
      named.shape.insert(named.shape.begin(), 1);
    index_.emplace(target.name, infos_.size());
    infos_.push_back(std::move(named));
    rows_.push_back({info.name, target.fix});
  }

  Result<Tensor> mended(const Tensor& stored, std::size_t index) const {
    const std::int64_t rows = stored.size(0);
    switch (rows_[index].fix) {
      case GgufFix::transposed: return stored.rank() == 2 ? stored.transpose() : stored;
      case GgufFix::plus_one: return minus_one(stored);
      case GgufFix::q_rows:
        return in_order(stored, index, 2 * heads_, [&] { return from_pairs(rows, heads_); });
      case GgufFix::k_rows:
        return in_order(stored, index, 2 * kv_heads_, [&] { return from_pairs(rows, kv_heads_); });
      case GgufFix::qkv_rows:
        return in_order(stored, index, 3 * heads_, [&] { return from_parts(rows, heads_); });
      case GgufFix::none: break;
    }
    if (stored.rank() == static_cast<int>(infos_[index].shape.size())) return stored;
    return Tensor::from(stored.values(), Shape{{Axis::none, 1}, {Axis::none, rows}});
  }

  template <class Make>
  Result<Tensor> in_order(const Tensor& stored, std::size_t index, std::int64_t pieces, Make make) const {
    if (pieces > 0 && stored.size(0) % pieces == 0) return stored.take_rows(make());
    return fail(Code::bad_shape, "error.arch.gguf.rows",
                {what_, in_quotes(rows_[index].stored), stored.size(0)});
  }

  std::shared_ptr<TensorSource> inner_;
  std::string what_;
  std::int64_t heads_, kv_heads_;
  std::vector<TensorInfo> infos_;
  std::vector<Row> rows_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace

Result<std::shared_ptr<TensorSource>> gguf_source(const Gguf& file, const nlohmann::json& config) {
  const GgufValue* name = file.find("general.architecture");
  const GgufArchitecture* architecture = find_gguf_architecture(name ? name->text().value_or("") : "");
  CHECK(architecture != nullptr);  // gguf_config has found it
  const char* key = config.contains("n_head") ? "n_head" : "num_attention_heads";
  const std::int64_t heads = config.value(key, std::int64_t{1});
  const std::int64_t kv_heads = config.value("num_key_value_heads", heads);
  return std::shared_ptr<TensorSource>(std::make_shared<GgufSource>(file, *architecture, heads, kv_heads));
}

}  // namespace attnscope
