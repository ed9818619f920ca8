#include "core/lab/pieces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/arch/shipped.h"
#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

// "-12" -> "−12"
std::string with_minus(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at))
    text.replace(at, 1, "−");
  return text;
}

// Without zeros at the end of what stands behind the point.
std::string without_end_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

LabControl real_control(std::string key, double least, double most, double initial, bool log) {
  return {std::move(key), LabNumber{least, most, initial, false, log}};
}
LabControl whole_control(std::string key, double least, double most, double initial, bool log) {
  return {std::move(key), LabNumber{least, most, initial, true, log}};
}
LabControl paced_control(std::string key, double most, std::string pace) {
  return {std::move(key), LabNumber{0, most, 0, true, false, std::move(pace)}};
}
LabControl choice_control(std::string key, std::vector<std::string> keys, int initial) {
  return {std::move(key), LabChoice{std::move(keys), initial}};
}
LabControl switch_control(std::string key, bool initial) { return {std::move(key), LabSwitch{initial}}; }
LabControl words_control(std::string key, std::string initial) {
  return {std::move(key), LabWords{std::move(initial)}};
}

std::string shown(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 1e3 && size < 1e10) {
    const std::string whole = format_count(std::llround(size));
    return value < 0 ? "−" + whole : whole;
  }
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  if (exponent >= -4 && exponent < 4)
    return with_minus(without_end_zeros(format("%.*f", std::max(0, digits - 1 - exponent), value)));
  return with_minus(with_power(value, std::max(0, std::min(digits, 3) - 1)));
}

std::string shown_seconds(double seconds) {
  if (seconds >= 1) return format("%.2f s", seconds);
  if (seconds >= 1e-3) return format("%.*f ms", seconds >= 0.1 ? 0 : seconds >= 0.01 ? 1 : 2, seconds * 1e3);
  return format("%.*f µs", seconds >= 1e-5 ? 0 : 1, seconds * 1e6);
}

Text shown_share(double share) {
  return Text::of("number.percent", {format("%.*f", share < 0.1 || share > 0.999 ? 2 : 1, share * 100)});
}

std::vector<double> powers_between(double least, double most, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i)
    out.push_back(i + 1 == count ? most
                                 : least * std::pow(most / least, static_cast<double>(i) / (count - 1)));
  return out;
}

std::vector<Text> fact(Text name, std::vector<Text> values) {
  values.insert(values.begin(), std::move(name));
  return values;
}

Tensor normal_rows(std::uint64_t seed, std::int64_t rows, std::int64_t cols) {
  SplitMix64 random = random_of(seed, fingerprint("lab"), static_cast<std::uint64_t>(cols));
  Buffer out({{Axis::pos, rows}, {Axis::dim, cols}});
  for (std::int64_t i = 0; i < out.count(); ++i) out.data()[i] = static_cast<float>(random.normal());
  return std::move(out).freeze();
}

MeanVariance spread_of(const Tensor& values) {
  MeanVariance out;
  const std::vector<float> all = values.values();
  const double count = static_cast<double>(all.size());
  for (const float value : all) out.mean += static_cast<double>(value) / count;
  for (const float value : all) {
    const double off = static_cast<double>(value) - out.mean;
    out.variance += off * off / count;
  }
  return out;
}

double entropy_of(const std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares)
    if (share > 0) sum -= share * std::log(share);
  return sum;
}

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const double median = seconds.size() % 2 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {median, seconds.front(), seconds.back()};
}

Timing timed(int rounds, const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return timing_of(std::move(seconds));
}

std::string shown_timing(const Timing& timing) {
  std::string least = shown_seconds(timing.least);
  const std::string most = shown_seconds(timing.most);
  const std::size_t space = least.find(' ');
  if (least.substr(space) == most.substr(most.find(' '))) least.resize(space);  // the unit once
  return shown_seconds(timing.median) + " (" + least + "–" + most + ")";
}

LabPiece in_full(LabPiece piece) {
  piece.in_full = true;
  return piece;
}

Result<std::shared_ptr<const OpenedModel>> shipped_model(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const OpenedModel>> kept;
  const std::lock_guard lock(mutex);
  if (const auto at = kept.find(name); at != kept.end()) return at->second;
  TRY(OpenedModel opened, open_shipped("model:" + name));
  return kept[name] = std::make_shared<const OpenedModel>(std::move(opened));
}

std::vector<Text> words_of(const OpenedModel& opened, const std::vector<int>& ids) {
  std::vector<Text> out;
  for (const int id : ids) out.emplace_back(token_label(opened, id));
  return out;
}

Result<Input> text_input(const OpenedModel& opened, const std::string& text) {
  CHECK(opened.tokenizer);
  TRY(const Encoding encoding, opened.tokenizer->encode(text));
  Input input;
  for (const auto& token : encoding.tokens) input.ids.push_back(token.id);
  return input;
}

ModelConfig lab_config(int width, int heads, int vocab, int blocks) {
  ModelConfig config;
  config.family = "lab";
  config.d_model = config.d_in = width;
  config.vocab_size = vocab;
  config.final_norm.kind = NormSpec::Kind::layer;
  config.head = {true, true};
  BlockSpec block;
  block.attention.n_heads = block.attention.n_kv_heads = heads;
  block.attention.d_head = width / heads;
  block.attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width) / heads));
  block.mlp.d_mlp = 4 * width;
  config.blocks.assign(static_cast<std::size_t>(blocks), block);
  return config;
}

Status go_on(const std::atomic<bool>& cancel) {
  if (cancel) return fail(Code::cancelled, "error.model.stopped");
  return Done{};
}

}  // namespace attnscope
