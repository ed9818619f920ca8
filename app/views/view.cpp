#include "app/views/view.h"

#include <tuple>

#include "app/look/label.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {

std::string ViewContext::difference_words() const {
  if (session.pinned()) return tr("difference.pinned");
  return tr("difference.last", {session.last_change()});
}

std::string ViewContext::main_row_name(std::int64_t row) const {
  const int sequence = workspace.cursor.sequence;
  return row_name(run, sequence, run.trace(sequence).config().stack, row);
}

const char* group_name(ViewGroup group) {
  constexpr const char* kNames[] = {"walk", "words", "inside", "ask", "learn"};
  return kNames[static_cast<int>(group)];
}

const char* view_title(const View& view) { return tr(Label("view.", view.id())); }

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> out;
  for (const ViewRow& row : view_table()) out.push_back(row.make());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tuple(a->group(), a->order()) < std::tuple(b->group(), b->order());
  });
  return out;
}

}  // namespace attnscope
