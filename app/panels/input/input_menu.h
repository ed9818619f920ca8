// The context menu of a chip: what the token is, make it query or key, replace it by another token, insert
// beside it, mask it, set its segment, delete it. Padding has no menu entries: it is not in the document.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/state/panel.h"

namespace attnscope {

/// The token, patch or vector of one chip.
struct Chip {
  enum class Kind : std::uint8_t { token, special, padding, image, patch, vector };
  Kind kind = Kind::token;
  std::string label;
  int id = -1;
  int type = -1;                   ///< segment id; -1: the model has no segments
  std::int64_t row = 0, rows = 1;  ///< rows of the run
  std::int64_t token = -1;         ///< index in the document's tokens; -1: none
  bool unknown = false;            ///< the label was typed; the vocabulary does not know it
  bool holds(std::int64_t at) const { return at >= row && at < row + rows; }
};

class ChipMenu {
 public:
  void ask(std::size_t chip) { chip_ = chip, ask_ = true; }
  void draw(const PanelContext& context, Stack of, const std::vector<Chip>& chips);

 private:
  enum class Change : std::uint8_t { replace, before, after };

  void begin();
  void draw_looks(const PanelContext& context, Stack of, const Chip& chip);
  void draw_edits(const PanelContext& context, Stack of, const Chip& chip, std::size_t tokens);
  void draw_segments(const PanelContext& context, const Chip& chip);
  void draw_token_search(const PanelContext& context, Stack of, const Chip& chip);
  void draw_found(const PanelContext& context, Stack of, const Chip& chip, const std::vector<int>& ids);
  const std::vector<int>& found_ids(const PanelContext& context, Stack of, const OpenedModel& opened);
  void change_token(const PanelContext& context, Stack of, const Chip& chip, int id);

  std::size_t chip_ = 0;
  bool ask_ = false;
  Change change_ = Change::replace;
  std::string query_;
  Computed<std::vector<int>> search_;        ///< of the vocabulary,
  std::optional<std::string> searched_for_;  ///< the query that `found_` belongs to
  std::vector<int> found_;
};

/// Moves the cursor to a row of a stack: as the query, or as the key. If the cursor's attention lacks these
/// rows, it moves to an attention that has them.
void look_at(const PanelContext& context, Stack of, std::int64_t row, bool as_key);

}  // namespace attnscope
