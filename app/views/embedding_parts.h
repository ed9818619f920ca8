// The pages of the embedding view beside the lookup: map of the vocabulary (PCA), any two
// vectors side by side, and queries, keys and values of one head as scatter plots. Computed in
// core/lens.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/point_cloud.h"
#include "core/base/computed.h"
#include "core/lens/attention_places.h"
#include "core/lens/pca.h"
#include "core/lens/vectors.h"

namespace attnscope {

/// Tokens of the vocabulary on their first two principal components.
struct WordMap {
  std::vector<int> ids;
  Pca plane;
  bool whole = false;         ///< the whole vocabulary is shown
  std::vector<NearRow> near;  ///< of the chosen token, within the whole vocabulary
};
class EmbeddingMap {
 public:
  void draw(const ViewContext& context, Stack stack, std::int64_t row, ImVec2 at, ImVec2 size);

 private:
  std::uint64_t subject_ = 0;
  std::int64_t seen_row_ = -1;
  int chosen_ = -1;  ///< token id
  Computed<WordMap> made_;
  Made<WordMap> map_;
};

/// Which rows are compared.
enum class Compared : std::uint8_t { table, sum, stream, heads };
inline constexpr Option<Compared> kCompared[] = {{"table", Compared::table},
                                                 {"sum", Compared::sum},
                                                 {"stream", Compared::stream},
                                                 {"heads", Compared::heads}};
class EmbeddingCompare {
 public:
  /// Draws chips at `beside` if they fit up to the right edge, else on a line of their own.
  void draw(const ViewContext& context, Stack stack, ImVec2 beside, ImVec2 at, ImVec2 size);

  void keep(Choices& choices) {
    choices.all(what_, dots_);
    choices.of("a", a_, -1, 1 << 24);
    choices.of("b", b_, -1, 1 << 24);
  }

 private:
  struct Sheet {
    Tensor rows, cols;     ///< [pos, dim]
    Tensor cosines, dots;  ///< [pos, pos]
    Site row_site, col_site;
    std::int64_t head = -1;
  };
  void draw_chips(const ViewContext& context, const Trace& trace, Stack stack, int layer, ImVec2 beside,
                  ImVec2 at, float width);
  static bool has(const Trace& trace, Stack stack, const AttentionPlace& place, int layer, Compared what);
  static Sheet make(const Trace& trace, Stack stack, Compared what, const AttentionPlace& place, int layer,
                    std::int64_t head);
  void draw_pair(const ViewContext& context, Stack stack, const Sheet& sheet, ImVec2 at, ImVec2 size) const;

  OneOf<Compared> what_{"compared", kCompared, Compared::sum, "embedding.compare.", "###embedding_compare_"};
  Switch dots_{"dots", "embedding.dots", "###embedding_dots"};
  std::int64_t a_ = -1, b_ = -1;
  std::uint64_t subject_ = 0;
  MatrixWindow window_;
  KeptRange range_;
  Computed<Sheet> made_;
};

/// Scatter plots: Q and K on common axes, V on its own, with the query and its output z as arrows.
class EmbeddingHeads {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 size);

 private:
  struct Clouds {
    Pca qk, v;
    Tensor q, k, v_rows;  ///< projected [pos, 2], not centred
    Tensor weights;       ///< the query's pattern [1, key]
    std::vector<double> q_at, z_at;
    Site q_site, k_site, v_site;
    std::int64_t own = 0;  ///< index of the K/V head
    float weight(std::int64_t row) const;
  };
  static Clouds make(const Trace& trace, const AttentionPlace& place, int layer, std::int64_t head,
                     std::int64_t query);
  static void add_rows(const ViewContext& context, const Clouds& it, PointCloud& cloud, const Tensor& points,
                       ImU32 colour, Stack stack, bool by_weight);
  static void point_at(const ViewContext& context, const Clouds& it, const CloudEvent& event,
                       const PointCloud& cloud, std::int64_t queries, const Site& other);
  static void draw_clouds(const ViewContext& context, const Clouds& it, const AttentionPlace& place,
                          int layer, int head, std::int64_t query, ImVec2 at, ImVec2 size);
  Computed<Clouds> made_;
};

/// The step whose rows are q, k or v as attention reads them; the site of `q` if none was recorded.
Site head_rows_site(const Trace& trace, const AttentionPlace& place, int layer, Hue of);

}  // namespace attnscope
