#include "core/session/run_so_far.h"

#include <algorithm>
#include <utility>

#include "core/lens/attention_plane.h"

namespace attnscope {
namespace {

constexpr std::int64_t kSide = 64;  // cells of a picture and axis, and queries that are read: little work

// Blocks of a model in the order in which they are computed, and the number of those before a stack's.
int blocks_before(const ModelConfig& config, Stack stack) {
  int count = 0;
  for (const ModelConfig* one : {config.encoder(), config.vision()}) {
    if (!one) continue;
    if (one->stack == stack) return count;
    count += one->n_layers();
  }
  return count;
}

}  // namespace

RunSoFar::RunSoFar(const Document& document, std::function<void()> news, Clock clock)
    : news_(std::move(news)),
      clock_(std::move(clock)),
      began_(clock_()),
      sequences_(std::max(1, static_cast<int>(document.sequences.size()))) {
  const ModelConfig& config = document.model->config();
  blocks_ = std::max(1, blocks_before(config, config.stack) + config.n_layers());
}

void RunSoFar::took(int sequence, const Trace& trace, Stack stack, int layer) {
  const int done = sequence * blocks_ + blocks_before(trace.config(), stack) + layer;
  const auto all = static_cast<float>(sequences_ * blocks_);
  if (first_ < 0) {
    first_ = done;
    from_ = static_cast<float>(done) / all;
  }
  share_ = std::min(1.f, static_cast<float>(done + 1) / all);
  if (sequence == 0 && stack == trace.config().stack && trace.length >= kLeastPictured) picture(trace, layer);
}

void RunSoFar::picture(const Trace& trace, int layer) {
  const Site site = trace.main(StepRole::pattern, layer);
  const Record* pattern = trace.find(site);
  auto next = std::make_shared<PicturesSoFar>();
  if (const auto before = pictures()) *next = *before;
  next->layers = layer + 1;
  next->of_layers = trace.config().n_layers();
  for (std::int64_t head = 0; pattern && head < pattern->shape[0]; ++head) {
    const PooledPlane plane = pooled_plane(trace, {site, head, {}, {}}, kSide, {}, {}, kSide);
    next->heads.push_back({layer, static_cast<int>(head), plane.cells});
    next->row_stride = plane.row_stride;
    next->widest = std::max(next->widest, static_cast<int>(pattern->shape[0]));
  }
  {
    const std::lock_guard lock(mutex_);
    pictures_ = std::move(next);
  }
  if (news_) news_();
}

std::optional<double> RunSoFar::seconds_left() const {
  const double share = static_cast<double>(share_), done = share - static_cast<double>(from_);
  if (done <= 0) return std::nullopt;
  return std::chrono::duration<double>(clock_() - began_).count() * (1 - share) / done;
}

std::shared_ptr<const PicturesSoFar> RunSoFar::pictures() const {
  const std::lock_guard lock(mutex_);
  return pictures_;
}

}  // namespace attnscope
