// Sender x receiver in words, and beside the grid the senders of one receiver as bars: how far the measure
// moves when what each wrote is taken out of what it alone reads. A click on a bar puts that edit into the
// document, or takes it back.
#pragma once

#include <string>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/table.h"

namespace attnscope {

class ChipRow;

/// "head 0.2", "MLP 1", "neuron 0.17", "embedding", of one position "cat 1" (over a data set "position 1").
std::string sender_words(const OpenedModel& opened, const SweepAnswer& answer, const SweepCell& cell);
/// "Q 1.3", "MLP 1", "logits".
std::string receiver_words(const Target& where);
/// Chips of what writes and of what reads.
void draw_link_ends(const ViewContext& context, ChipRow& line);

class AskLinks {
 public:
  /// The senders of the receiver of a cell, in the rectangle at `at`.
  void draw(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer, std::size_t cell,
            ImVec2 at, ImVec2 room);

 private:
  Table table_of(const ViewContext& context, const SweepAnswer& answer, std::size_t cell, float width);

  std::vector<std::size_t> cells_;  ///< of the table's rows
  Kept<Table> table_;
  KeptText title_;
};

}  // namespace attnscope
