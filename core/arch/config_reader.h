// Reads config.json fields by any of their spellings, with ranges; keeps the first problem as an Error.
// Sizes have upper limits, which bound what a config can make us allocate.
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ops/ops.h"

namespace attnscope {

struct AttentionSpec;
struct ModelConfig;

/// The numbers that a setting may be. Beyond them float arithmetic gives infinities or NaN, or the number
/// becomes 0.
struct NumberRange {
  double least, most;
  bool or_zero = false;  ///< 0, outside of the others, switches something off
};
inline constexpr NumberRange kEpsilon{1e-30, 1e3};  ///< of a norm
inline constexpr NumberRange kFactor{-1e9, 1e9};    ///< rows or scores are multiplied by it
inline constexpr NumberRange kStretch{1e-6, 1e9};   ///< something is divided by it, or by a power of it
inline constexpr NumberRange kStretchOrNone{1e-6, 1e9, true};
inline constexpr NumberRange kShare{1e-6, 1};     ///< a part of a whole
inline constexpr NumberRange kTheta{1e-6, 1e30};  ///< base of the rotary frequencies

class ConfigReader {
 public:
  ConfigReader(const nlohmann::json& config, std::string what) : config_(config), what_(std::move(what)) {}

  /// The spellings of one field, the usual one first; none: the field is never there.
  class Keys {
   public:
    Keys() = default;
    Keys(std::initializer_list<const char*> keys) : keys_(keys) {}
    auto begin() const { return keys_.begin(); }
    auto end() const { return keys_.end(); }

   private:
    std::vector<const char*> keys_;
  };
  /// A whole number of at least 1; `fallback` < 1 makes the field required.
  int size(const Keys& keys, int fallback, int most = 1 << 24);
  /// As size, but 0 is allowed.
  int count(const Keys& keys, int fallback, int most = 1 << 24);
  /// A number of the range. Errors have the field, its value and the range.
  double number(const Keys& keys, double fallback, NumberRange range);
  float real(const Keys& keys, double fallback, NumberRange range) {
    return static_cast<float>(number(keys, fallback, range));
  }
  bool flag(const Keys& keys, bool fallback);
  std::string text(const Keys& keys, const std::string& fallback);
  /// "gelu_new", "silu", ... by the names of the `transformers` library.
  Activation activation(const Keys& keys, const std::string& fallback);
  /// A token id: a number, the first of a list, or -1.
  int token(const Keys& keys);
  /// The field, or null when it is absent or null.
  const nlohmann::json* find(const Keys& keys) const;
  /// True where the field is null, which often means "none".
  bool is_null(const char* key) const;

  void refuse(Error error);
  Status status() const;
  const std::string& what() const { return what_; }

 private:
  int whole(const Keys& keys, int fallback, int least, int most);
  const char* spelled(const Keys& keys) const;

  const nlohmann::json& config_;
  std::string what_;
  std::optional<Error> error_;
};

/// bos_token_id, eos_token_id and pad_token_id.
void read_special_tokens(ConfigReader& config, ModelConfig& out);
/// Heads that share a stream of this width, each with keys of its own; scores over the root of a head's
/// width.
void set_equal_heads(AttentionSpec& attention, int heads, int d_model);
/// rope_theta (rotary_emb_base), partial_rotary_factor (rotary_pct), rope_scaling {type | rope_type} of older
/// configs, rope_parameters of newer ones. `partial` is the rotated share of a head where the config has
/// none. An odd number of features is rotated as in transformers: with the next one, in pairs.
RopeSpec read_rope(ConfigReader& config, int d_head, double partial = 1.0);
/// The share of a head for which read_rope rotates `dims` of its features.
double rotary_share(std::int64_t dims, std::int64_t d_head);
/// The longest sequence a scaling is meant for, of a model with `positions` positions.
std::int64_t longest(const RopeSpec& rope, int positions);

}  // namespace attnscope
