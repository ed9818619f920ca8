// The embedding view's state; its lookup page is drawn by embedding_lookup.cpp.
#pragma once

#include <cmath>

#include "app/look/kept_text.h"
#include "app/views/embedding_parts.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

enum class EmbeddingPage : std::uint8_t { lookup, map, compare, heads };
inline constexpr Option<EmbeddingPage> kEmbeddingPages[] = {
    {"lookup", EmbeddingPage::lookup, "lookup", "lookup"},
    {"map", EmbeddingPage::map, "map", "map_page"},
    {"compare", EmbeddingPage::compare, "compare", "compare_page"},
    {"heads", EmbeddingPage::heads, "heads", "heads_page"}};

class EmbeddingView : public View {
 public:
  EmbeddingView() : View({"embedding", ViewGroup::words, 1}) {}
  std::string unavailable(const RunResult& run) const override;
  void keep(Choices& choices) override {
    choices.of(page_);
    choices.of("token", token_, -1, 1 << 24);
    compare_.keep(choices);
  }
  void draw(const ViewContext& context) override;

 private:
  /// One row of the figure: a step, or a row of the table.
  struct Strip {
    std::string key, label;
    Site site;
    std::int64_t row = 0;
    ImU32 colour = 0;
    bool sum = false;
    Tensor values = {};  ///< all dimensions
  };

  void follow(const ViewContext& context);
  void take_words(const OpenedModel& opened);
  void draw_pages(const ViewContext& context, float width);
  Site scale_site() const;
  std::shared_ptr<const Edit> scale_edit() const;
  void draw_scale_chip(const ViewContext& context);
  void draw_lookup(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_table(const ViewContext& context, ImVec2 at, float labels, ImVec2 cell);
  void draw_strip(const ViewContext& context, const Strip& strip, ImVec2 at, float labels, ImVec2 cell);
  std::vector<Strip> strips(const ViewContext& context) const;
  std::string facts(const ViewContext& context) const;
  float root() const {
    return static_cast<float>(std::sqrt(static_cast<double>(std::max<std::int64_t>(1, dims_))));
  }
  const Trace& trace(const ViewContext& context) const {
    return context.run.trace(context.workspace.cursor.sequence);
  }

  OneOf<EmbeddingPage> page_{"page", kEmbeddingPages, EmbeddingPage::lookup, "embedding.page.",
                             "###embedding_"};
  Stack stack_ = Stack::single;
  std::int64_t row_ = 0;
  int token_ = -1;
  std::int64_t first_ = 0, dims_ = 0, shown_ = 0;  // dimensions: first visible, all, number visible
  std::uint64_t subject_ = 0, key_ = 0;
  Tensor table_, words_, one_hot_;
  std::string weight_;                       ///< name of the table's weight
  std::vector<std::string> names_;           ///< of the visible rows
  static constexpr std::int64_t kWords = 7;  ///< visible rows of the table, at most
  std::int64_t first_word_ = 0, wanted_words_ = kWords;
  EmbeddingSum sum_;
  Kept<std::vector<Strip>> strips_;
  KeptText facts_;
  MatrixPlot one_hot_plot_, words_plot_, strip_plot_;
  bool switched_ = false;  ///< an edit changes the scale
  EmbeddingMap map_;
  EmbeddingCompare compare_;
  EmbeddingHeads heads_;
};

}  // namespace attnscope
