#include "core/ops/product.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "core/ops/encoded_panels.h"
#include "core/ops/kernels.h"
#include "core/ops/tiles.h"
#include "core/tensor/panels.h"

namespace attnscope {
namespace {

constexpr std::int64_t kProductGroup = 192;  // columns that share a piece of x in the second cache
constexpr std::int64_t kLongGroup = 4096;
constexpr std::int64_t kChunk = 192;             // rows of that piece
constexpr std::int64_t kDepth = 768;             // columns of that piece
constexpr std::int64_t kPackDepth = 384;         // columns of it where the weights are packed on the way
constexpr std::int64_t kProductInPlaceRows = 4;  // for them alone nothing is packed
constexpr std::int64_t kInPlaceDepth = 16;       // rows of weights that are read side by side
constexpr std::int64_t kNearFloats = 1 << 17;    // rows of w that stay in the second cache are not packed
constexpr std::int64_t kProductTogether = 8;     // rows of x that go over them together
constexpr std::int64_t kProductFewRows = 16;     // they stay in the first cache at any depth

// Room for a packed group, from the border of a cache line on; a vector more, because a panel may be read
// from its middle on.
float* group_room() {
  constexpr std::size_t kLine = 64;
  thread_local const std::unique_ptr<float[]> room(new float[kPackDepth * (kProductGroup + 64) + 64 + kLine]);
  void* at = room.get();
  std::size_t space = 2 * kLine;
  return static_cast<float*>(std::align(kLine, kLine, at, space));
}

// Rows [row, row + m) and columns [col, col + n) of a product.
struct Piece {
  std::int64_t row, m, col, n;
};

// A piece's share of the rows that are read after its product, asked for a few lines at a time.
class Fetching {
 public:
  Fetching(const RowsAhead& ahead, const Product& product, const Piece& piece, std::int64_t times)
      : from_(ahead) {
    const std::int64_t before = piece.row * product.n + piece.m * piece.col;  // cells of earlier pieces
    const std::int64_t cells = product.m * product.n;
    row_ = ahead.count * before / cells;
    end_ = ahead.count * (before + piece.m * piece.n) / cells;
    each_ = ((end_ - row_) * ((ahead.width + kLine - 1) / kLine) + times - 1) / times;
  }
  void some() {
    for (std::int64_t i = 0; i < each_ && row_ < end_; ++i) {
      __builtin_prefetch(from_.rows + row_ * from_.ld + at_, 0, 2);
      at_ += kLine;
      if (at_ < from_.width) continue;
      at_ = 0;
      ++row_;
    }
  }

 private:
  static constexpr std::int64_t kLine = 16;  // floats
  const RowsAhead& from_;
  std::int64_t row_ = 0, end_ = 0, at_ = 0, each_ = 0;
};

// One product and how it is cut. Columns are counted from the border of a panel before the first one: `shift`
// of them come before it.
class Work {
 public:
  Work(const Product& p, const Right& w, std::int64_t threads) : p_(p), w_(w), threads_(threads) {
    if (!w.data) encoded_.emplace(w.keep);
    depth_ = encoded_ ? encoded_->depth(p.m) : kPackDepth;
    width_ = encoded_ ? kernel_.columns
                      : Cut(w.panels ? w.panels->columns() : p.n, kernel_.columns, kernel_.width).piece;
    if (w.panels) kept_ = w.panels->wanted(width_);
    if (kept_) shift_ = w.first_column % width_;
  }

  // Rows of a piece: packing on the way is for as many rows as leave work for every thread.
  std::int64_t rows() const {
    return kept_ ? kChunk : std::max(kChunk, p_.m * p_.n / (width_ * 4 * threads_));
  }
  // Pieces of the columns, for so many pieces of rows.
  Cut columns(std::int64_t chunks) const {
    const std::int64_t panels = (shift_ + p_.n + width_ - 1) / width_;
    const bool in_place =
        !kept_ && !encoded_ && p_.m <= kProductInPlaceRows;  // long stretches of memory, one after another
    const bool one = encoded_ && encoded_->decodes() && p_.m > 1 &&
                     p_.m <= kProductFewRows;  // what is decoded stays in the first cache
    const std::int64_t group = in_place ? kLongGroup : one ? width_ : kProductGroup;
    const std::int64_t most = std::max<std::int64_t>(1, group / width_);
    return {shift_ + p_.n, width_ * std::clamp<std::int64_t>(panels * chunks / (4 * threads_), 1, most),
            width_};
  }
  Piece piece(const Cut& rows, const Cut& cols, std::int64_t index) const {
    const std::int64_t row = rows.begin(index / cols.count), at = cols.begin(index % cols.count);
    const std::int64_t col = std::max<std::int64_t>(0, at - shift_);
    return {row, rows.end(index / cols.count) - row, col, cols.end(index % cols.count) - shift_ - col};
  }

  void run(const Piece& piece) const {
    if (!p_.add && !begins_) start_with_bias(piece);
    if (kept_) return run_kept(piece);
    if (encoded_ && p_.m == 1 && p_.x_col == 1) return run_row(piece);
    std::int64_t done = 0;
    if (!encoded_ && p_.m <= kProductInPlaceRows)
      done = run_in_place(piece);
    else if (!encoded_ && !w_.transposed && p_.k * w_.ld <= kNearFloats)
      done = run_near(piece);
    run_packing({piece.row, piece.m, piece.col + done, piece.n - done});
  }

 private:
  void start_with_bias(const Piece& piece) const {
    for (std::int64_t row = piece.row; row < piece.row + piece.m; ++row) {
      float* const y = p_.y + row * p_.ldy + piece.col;
      if (p_.bias)
        std::copy_n(p_.bias + piece.col, piece.n, y);
      else
        std::fill_n(y, piece.n, 0.f);
    }
  }

  // Weights of columns [col, col + n) and steps [at, at + depth) as panels; `col` may lie outside the
  // product.
  void pack(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to) const {
    if (encoded_) return encoded_->pack(col, n, at, depth, to, width_);
    const float* const from = w_.data + (w_.transposed ? col * w_.ld + at : at * w_.ld + col);
    kernel_.pack(from, w_.ld, w_.transposed, to, width_, n, depth);
  }
  // The piece's rows times columns [col, col + n) and steps [at, at + depth), which `panel` holds.
  void step(const Piece& piece, std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth,
            const float* panel, std::int64_t ld) const {
    float* const y = p_.y + piece.row * p_.ldy + col;
    const bool first = begins_ && at == 0;
    const float* const from = !first ? y : p_.bias ? p_.bias + col : kZeroRow;
    kernel_.multiply(p_.x + piece.row * p_.x_row + at * p_.x_col, p_.x_row, p_.x_col, panel, ld, from,
                     first ? 0 : p_.ldy, y, p_.ldy, piece.m, n, depth);
  }
  std::int64_t row_step(std::int64_t columns) const {
    if (encoded_) return width_;
    return (std::min(columns, width_) + kernel_.width - 1) / kernel_.width * kernel_.width;
  }

  // Reads the weights where they are: for so few rows that a packed copy would be used once or twice. The
  // last columns, which fill no vector, are left; returns how many are done.
  std::int64_t run_in_place(const Piece& piece) const {
    const std::int64_t whole = piece.n / 16 * 16;
    if (w_.transposed && p_.x_col == 1) {
      kernel_.multiply_transposed(p_.x + piece.row * p_.x_row, p_.x_row, w_.data + piece.col * w_.ld, w_.ld,
                                  p_.y + piece.row * p_.ldy + piece.col, p_.ldy, piece.m, whole, p_.k);
      return whole;
    }
    if (w_.transposed) return 0;
    for (std::int64_t at = 0; at < p_.k; at += kInPlaceDepth)
      for (std::int64_t col = piece.col; col < piece.col + whole; col += width_)
        step(piece, col, std::min(width_, piece.col + whole - col), at, std::min(kInPlaceDepth, p_.k - at),
             w_.data + at * w_.ld + col, w_.ld);
    return whole;
  }

  // The same for any number of rows, where w stays in the second cache as it lies.
  std::int64_t run_near(const Piece& piece) const {
    const std::int64_t whole = piece.n / 16 * 16;
    const Cut depths(p_.k, kPackDepth, 1);
    const std::int64_t times = depths.count * ((piece.m + kProductTogether - 1) / kProductTogether) *
                               ((whole + width_ - 1) / width_);
    if (times == 0) return 0;
    Fetching one(p_.ahead, p_, piece, times), other(p_.ahead_too, p_, piece, times);
    for (std::int64_t i = 0; i < depths.count; ++i)
      for (std::int64_t col = 0; col < whole; col += width_)
        for (std::int64_t row = 0; row < piece.m; row += kProductTogether) {
          one.some();
          other.some();
          const std::int64_t at = depths.begin(i), begin = piece.col + col;
          step({piece.row + row, std::min(kProductTogether, piece.m - row), 0, 0}, begin,
               std::min(width_, whole - col), at, depths.end(i) - at, w_.data + at * w_.ld + begin, w_.ld);
        }
    return whole;
  }

  // A single row times an encoded weight, panel by panel: none is made where the weight is decoded in
  // registers. Behind the last panel this thread goes on with the piece after those of the others.
  void run_row(const Piece& piece) const {
    for (std::int64_t at = 0; at < piece.n; at += width_) {
      const std::int64_t n = std::min(width_, piece.n - at);
      const std::int64_t ahead = at + n < piece.n ? n : n + piece.n * (threads_ - 1);
      const std::int64_t col = piece.col + at;
      if (!encoded_->multiply_row(col, n, ahead, p_.x, p_.y + col)) run_packing({piece.row, 1, col, n});
    }
  }

  void run_packing(const Piece& piece) const {
    float* const room = group_room();
    const Cut chunks(piece.m, kChunk, 24);
    for (std::int64_t at = 0; at < p_.k; at += depth_) {
      const std::int64_t depth = std::min(depth_, p_.k - at);
      pack(piece.col, piece.n, at, depth, room);
      for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk) {
        const std::int64_t row = piece.row + chunks.begin(chunk), m = chunks.end(chunk) - chunks.begin(chunk);
        for (std::int64_t col = 0; col < piece.n; col += width_)
          step({row, m, 0, 0}, piece.col + col, std::min(width_, piece.n - col), at, depth,
               room + col * depth, row_step(piece.n - col));
      }
    }
  }

  // The panel of that number of the weight, filled here where it is empty; null while another thread does.
  const float* filled(std::int64_t index) const {
    const PackedPanels::State state = kept_->claim(index);
    if (state == PackedPanels::State::busy) return nullptr;
    float* const panel = kept_->panel(index);
    if (state == PackedPanels::State::full) return panel;
    const std::int64_t first = index * width_;
    pack(first - w_.first_column, std::min(width_, w_.panels->columns() - first), 0, p_.k, panel);
    kept_->done(index);
    return panel;
  }

  void run_kept(const Piece& piece) const {
    std::array<const float*, kProductGroup / 4 + 1> panels{};
    const std::int64_t first = (w_.first_column + piece.col) / width_;
    const std::int64_t last = (w_.first_column + piece.col + piece.n - 1) / width_;
    for (std::int64_t index = first; index <= last; ++index)
      panels[static_cast<std::size_t>(index - first)] = filled(index);
    const std::int64_t step_depth = piece.m <= kProductFewRows ? p_.k : kDepth;
    for (std::int64_t at = 0; at < p_.k; at += step_depth)
      for (std::int64_t index = first; index <= last; ++index)
        through_panel(piece, index, panels[static_cast<std::size_t>(index - first)], at,
                      std::min(step_depth, p_.k - at));
  }

  // The part of the piece that lies in one of the weight's panels.
  void through_panel(const Piece& piece, std::int64_t index, const float* panel, std::int64_t at,
                     std::int64_t depth) const {
    const std::int64_t border =
        index * width_ - w_.first_column;  // where it begins, in columns of the product
    const std::int64_t col = std::max(piece.col, border);
    const std::int64_t n = std::min(piece.col + piece.n, border + width_) - col;
    const std::int64_t ld = row_step(w_.panels->columns() - index * width_);
    if (panel) return step(piece, col, n, at, depth, panel + at * ld + (col - border), ld);
    float* const room = group_room();
    for (std::int64_t i = at; i < at + depth; i += kPackDepth) {
      const std::int64_t some = std::min(kPackDepth, at + depth - i);
      pack(col, n, i, some, room);
      step(piece, col, n, i, some, room, row_step(n));
    }
  }

  const Product& p_;
  const Right& w_;
  const Kernels& kernel_ = kernels();
  std::shared_ptr<PackedPanels> kept_;
  std::optional<EncodedPanels> encoded_;
  std::int64_t threads_, width_ = 0, shift_ = 0, depth_ = 0;
  // The first step of a cell begins with the bias; elsewhere the bias is written beforehand.
  const bool begins_ = !p_.add && p_.k > 0 && p_.m > kProductInPlaceRows;
};

}  // namespace

Right::Right(const Tensor& w) : data(w.is_encoded() ? nullptr : w.data()), ld(w.stride(0)), keep(w) {
  if (w.is_encoded()) return;
  const bool whole_rows = w.stride(1) == 1, whole_columns = w.stride(0) == 1;
  if (whole_rows || whole_columns) {
    transposed = !whole_rows;
    if (transposed) ld = w.stride(1);
    if (w.panels()) panels = w.panels()->of(w);
    if (panels) first_column = panels->first_column(w);
    return;
  }
  if (w.size(1) == 1) return;
  if (w.size(0) == 1) {
    ld = w.stride(1);
    transposed = true;
    return;
  }
  keep = w.packed();
  data = keep.data();
  ld = keep.stride(0);
}

namespace {

// Calls share(count, body) with the pieces of a product.
template <class Share>
void run(const Product& product, const Right& w, std::int64_t threads, Share share) {
  const Work work(product, w, threads);
  const Cut rows(product.m, work.rows(), 24), cols = work.columns(rows.count);
  share(rows.count * cols.count, [&](std::int64_t index) { work.run(work.piece(rows, cols, index)); });
}

}  // namespace

void multiply(const Product& product, const Right& w) {
  if (product.m * product.n * product.k < (1 << 16)) return multiply_alone(product, w);
  const bool in_order = product.m == 1 && w.data;
  run(product, w, threads_here(), [&](std::int64_t count, const auto& body) {
    in_order ? for_each_tile_from_ends(count, body) : for_each_tile(count, body);
  });
}

void multiply_alone(const Product& product, const Right& w) {
  run(product, w, 1, [](std::int64_t count, const auto& body) {
    for (std::int64_t index = 0; index < count; ++index) body(index);
  });
}

}  // namespace attnscope
