#include "core/tensor/panels.h"

#include <unistd.h>

#include <new>

namespace attnscope {
namespace {

constexpr std::int64_t kLargeWeight = std::int64_t{1} << 17;  // values
constexpr std::int64_t kMostTurned = std::int64_t{1} << 20;   // a larger one is not kept twice

std::atomic<std::int64_t> taken{0};

std::atomic<std::int64_t>& panel_limit() {
  static std::atomic<std::int64_t> bytes{[] {
    const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages / 4 * size : std::int64_t{1} << 30;
  }()};
  return bytes;
}

}  // namespace

Panels::Panels(const Tensor& weight, bool turned)
    : data_(weight.data()),
      rows_(weight.size(0)),
      cols_(weight.size(1)),
      row_step_(weight.stride(0)),
      col_step_(weight.stride(1)) {
  if (!turned && rows_ * cols_ <= kMostTurned) turned_.reset(new Panels(weight.transpose(), true));
}

Panels::Panels(const Tensor& weight) : Panels(weight, false) {}

Panels::~Panels() {
  if (memory_) taken -= memory_->count() * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t Panels::bytes() { return taken; }
void Panels::set_limit(std::int64_t bytes) { panel_limit() = bytes; }

Panels* Panels::of(const Tensor& view) {
  if (first_column(view) >= 0) return this;
  return turned_ && turned_->first_column(view) >= 0 ? turned_.get() : nullptr;
}

std::int64_t Panels::first_column(const Tensor& view) const {
  if (view.rank() != 2 || view.size(0) != rows_ || view.size(1) < 1) return -1;
  if (rows_ > 1 && view.stride(0) != row_step_) return -1;
  if (view.size(1) > 1 && view.stride(1) != col_step_) return -1;
  const std::int64_t from = view.data() - data_, step = col_step_ > 0 ? col_step_ : 1;
  if (from < 0 || from % step != 0 || from / step + view.size(1) > cols_) return -1;
  return from / step;
}

bool Panels::wanted(std::int64_t width) {
  if (!ready_) {
    if (products_.fetch_add(1) == 0 && rows_ * cols_ >= kLargeWeight) return false;
    std::lock_guard lock(mutex_);
    if (!ready_ && !allocate(width)) return false;
  }
  return width == width_;
}

bool Panels::allocate(std::int64_t width) {
  const std::int64_t count = (cols_ + width - 1) / width;
  const std::int64_t bytes = count * width * rows_ * static_cast<std::int64_t>(sizeof(float));
  if (taken.fetch_add(bytes) + bytes <= panel_limit()) try {
      memory_ = std::make_unique<Buffer>(Shape{{Axis::none, count * width * rows_}});
      states_ = std::make_unique<std::atomic<State>[]>(static_cast<std::size_t>(count));
      width_ = width;
      ready_ = true;
      return true;
    } catch (const std::bad_alloc&) {
      memory_.reset();
    }
  taken -= bytes;
  return false;
}

Panels::State Panels::claim(std::int64_t index) {
  State found = State::empty;
  std::atomic<State>& state = states_[static_cast<std::size_t>(index)];
  if (state.load(std::memory_order_acquire) == State::full) return State::full;
  return state.compare_exchange_strong(found, State::busy) ? State::empty : found;
}

void Panels::done(std::int64_t index) {
  states_[static_cast<std::size_t>(index)].store(State::full, std::memory_order_release);
}

}  // namespace attnscope
