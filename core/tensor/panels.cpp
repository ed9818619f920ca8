#include "core/tensor/panels.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <unordered_map>

namespace attnscope {
namespace {

constexpr std::int64_t kLargeWeight = std::int64_t{1} << 17;  // values
constexpr std::int64_t kMostTurned = std::int64_t{1} << 20;   // a larger one is not kept twice

std::atomic<std::int64_t> taken{0};
std::atomic<std::uint32_t> period{1};  // of Panels::drop_unused()

std::atomic<std::int64_t>& panel_limit() {
  static std::atomic<std::int64_t> bytes{[] {
    const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages / 4 * size : std::int64_t{1} << 30;
  }()};
  return bytes;
}

std::int64_t panels_of(std::int64_t columns, std::int64_t width) { return (columns + width - 1) / width; }

}  // namespace

// ---- the memory ----------------------------------------------------------------------------------

PackedPanels::PackedPanels(std::int64_t rows, std::int64_t columns, std::int64_t width)
    : rows_(rows),
      width_(width),
      memory_(Shape{{Axis::none, panels_of(columns, width) * width * rows}}),
      states_(std::make_unique<std::atomic<State>[]>(static_cast<std::size_t>(panels_of(columns, width)))) {
  taken += bytes();
}

PackedPanels::~PackedPanels() { taken -= bytes(); }

PackedPanels::State PackedPanels::claim(std::int64_t index) {
  State found = State::empty;
  std::atomic<State>& state = states_[static_cast<std::size_t>(index)];
  if (state.load(std::memory_order_acquire) == State::full) return State::full;
  return state.compare_exchange_strong(found, State::busy) ? State::empty : found;
}

void PackedPanels::done(std::int64_t index) {
  states_[static_cast<std::size_t>(index)].store(State::full, std::memory_order_release);
}

// ---- of a weight ---------------------------------------------------------------------------------

// Every weight's, by the memory that it views. Never destroyed: weights of static variables may outlive any
// other variable.
struct Panels::All {
  std::mutex mutex;  // taken before that of any Panels
  std::unordered_multimap<const float*, Panels*> by_memory;
};

Panels::All& Panels::all() {
  static All& one = *new All;
  return one;
}

Panels::Panels(const Tensor& weight, bool turned)
    : weight_(weight),
      data_(weight.data()),
      rows_(weight.size(0)),
      cols_(weight.size(1)),
      row_step_(weight.stride(0)),
      col_step_(weight.stride(1)) {
  if (!turned && rows_ * cols_ <= kMostTurned) turned_.reset(new Panels(weight.transpose(), true));
}

std::shared_ptr<Panels> Panels::of_weight(const Tensor& weight) {
  const std::lock_guard lock(all().mutex);
  const auto [first, last] = all().by_memory.equal_range(weight.data());
  for (auto at = first; at != last; ++at)
    if (at->second->lies_on(weight))
      if (std::shared_ptr<Panels> known = at->second->self_.lock()) return known;
  std::shared_ptr<Panels> made(new Panels(weight, false));
  made->self_ = made;
  all().by_memory.emplace(made->data_, made.get());
  return made;
}

Panels::~Panels() {
  const std::lock_guard lock(all().mutex);
  const auto [first, last] = all().by_memory.equal_range(data_);
  const auto own = std::find_if(first, last, [this](const auto& one) { return one.second == this; });
  if (own != last) all().by_memory.erase(own);
}

bool Panels::lies_on(const Tensor& weight) const {
  return weight.data() == data_ && weight.size(0) == rows_ && weight.size(1) == cols_ &&
         weight.stride(0) == row_step_ && weight.stride(1) == col_step_;
}

std::int64_t Panels::bytes() { return taken; }
void Panels::set_limit(std::int64_t bytes) { panel_limit() = bytes; }

void Panels::drop_unused() {
  const std::uint32_t ended = period.fetch_add(1);
  const std::lock_guard lock(all().mutex);
  for (const auto& [memory, panels] : all().by_memory) {
    panels->drop_if_unused(ended);
    if (panels->turned_) panels->turned_->drop_if_unused(ended);
  }
}

void Panels::drop_if_unused(std::uint32_t ended) {
  if (used_ >= ended) return;
  const std::lock_guard lock(mutex_);
  packed_.reset();
}

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

std::shared_ptr<PackedPanels> Panels::wanted(std::int64_t width) {
  used_ = period.load();
  const std::lock_guard lock(mutex_);
  if (!packed_) {
    if (products_++ == 0 && rows_ * cols_ >= kLargeWeight) return nullptr;
    packed_ = allocated(width);
  }
  return packed_ && packed_->width() == width ? packed_ : nullptr;
}

// Null beyond the limit, and where the system gives no memory.
std::shared_ptr<PackedPanels> Panels::allocated(std::int64_t width) const {
  const std::int64_t bytes =
      panels_of(cols_, width) * width * rows_ * static_cast<std::int64_t>(sizeof(float));
  if (taken + bytes > panel_limit()) return nullptr;
  try {
    return std::make_shared<PackedPanels>(rows_, cols_, width);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace attnscope
