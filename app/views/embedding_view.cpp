// The embedding view: a token's row of the table, shown as one-hot times matrix, its scale, the added
// position, and the sum that enters block 0; then a map of the vocabulary, any two rows side by side, and q,
// k, v of one head. Terms that the model lacks are not shown.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/embedding_parts.h"
#include "app/views/view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kEmbeddingCellWidth = 50.f, kEmbeddingLeastRow = 17.f, kEmbeddingMostRow = 60.f;  // units
constexpr std::int64_t kEmbeddingWords = 7;  // visible rows of the table

enum class EmbeddingPage : std::uint8_t { lookup, map, compare, heads };
constexpr Option<EmbeddingPage> kEmbeddingPages[] = {
    {"lookup", EmbeddingPage::lookup, "lookup", "lookup"},
    {"map", EmbeddingPage::map, "map", "map_page"},
    {"compare", EmbeddingPage::compare, "compare", "compare_page"},
    {"heads", EmbeddingPage::heads, "heads", "heads_page"}};

/// One row of the figure: a step, or a row of the table.
struct Strip {
  std::string key, label;
  Site site;
  std::int64_t row = 0;
  ImU32 colour = 0;
  bool sum = false;
  Tensor values = {};  ///< all dimensions
};

bool embeds(const Trace& trace, Stack stack) {
  return std::any_of(trace.records().begin(), trace.records().end(), [&](const Record& record) {
    const Slot slot = record.site.slot;
    return record.site.stack == stack && record.site.layer < 0 &&
           (slot == Slot::tok_embed || role_of(slot) == StepRole::patches ||
            role_of(slot) == StepRole::position || role_of(slot) == StepRole::segment);
  });
}

class EmbeddingView : public View {
 public:
  EmbeddingView() : View({"embedding", ViewGroup::words, 1}) {}
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty()) return "embedding.none";
    for (const Stack stack : {Stack::single, Stack::dec, Stack::enc, Stack::vision})
      if (embeds(run.trace(0), stack)) return "";
    return run.recorded() ? "embedding.none.recorded" : "embedding.none";
  }
  void keep(Choices& choices) override {
    choices.of(page_);
    choices.of("token", token_, -1, 1 << 24);
    compare_.keep(choices);
  }
  void draw(const ViewContext& context) override;

 private:
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
  std::string weight_;              ///< name of the table's weight
  std::vector<std::string> names_;  ///< of the visible rows
  std::int64_t first_word_ = 0, wanted_words_ = kEmbeddingWords;
  EmbeddingSum sum_;
  Kept<std::vector<Strip>> strips_;
  KeptText facts_;
  MatrixPlot one_hot_plot_, words_plot_, strip_plot_;
  bool switched_ = false;  ///< an edit changes the scale
  EmbeddingMap map_;
  EmbeddingCompare compare_;
  EmbeddingHeads heads_;
};

void EmbeddingView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& run = trace(context);
  stack_ = cursor.stack;
  for (const Stack stack : {cursor.stack, run.config().stack, Stack::enc, Stack::vision})
    if (embeds(run, stack)) {
      stack_ = stack;
      break;
    }
  const std::int64_t rows = std::max<std::int64_t>(1, run.rows(stack_));
  row_ = std::clamp<std::int64_t>(stack_ == cursor.stack ? cursor.query : rows - 1, 0, rows - 1);
  const std::vector<int>& ids = run.ids_of(stack_);
  token_ = run.config().of(stack_).patch.size == 0 && row_ < std::ssize(ids)
               ? ids[static_cast<std::size_t>(row_)]
               : -1;
  const std::uint64_t subject = key_of({context.run.opened_version, static_cast<std::uint64_t>(stack_)});
  if (subject != subject_) subject_ = subject, first_ = 0;
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(cursor.sequence),
                                    static_cast<std::uint64_t>(row_)});
  if (key == key_) return;
  key_ = key;
  table_ = token_table(run, stack_);
  weight_ = std::string(stack_prefix(stack_)) + "tok_embed.weight";
  sum_ = embedding_sum(run, stack_, row_);
  dims_ = !sum_.sum.empty() ? sum_.sum.count() : run.config().of(stack_).d_model;
  const auto edit = scale_edit();
  const Edits& edits = context.run.document.edits;
  switched_ = std::any_of(edits.begin(), edits.end(),
                          [&](const auto& one) { return one->enabled && same_edit(*one, *edit); });
  take_words(*context.run.document.opened);
}

// The rows of the table around the token, as many as fit.
void EmbeddingView::take_words(const OpenedModel& opened) {
  words_ = one_hot_ = {};
  names_.clear();
  if (token_ < 0 || table_.empty() || token_ >= table_.size(0)) return;
  const std::int64_t count = std::min(wanted_words_, table_.size(0));
  first_word_ = std::clamp<std::int64_t>(token_ - count / 2, 0, table_.size(0) - count);
  words_ = table_.slice(0, first_word_, first_word_ + count).packed();
  std::vector<float> hot(static_cast<std::size_t>(count), 0.f);
  hot[static_cast<std::size_t>(token_ - first_word_)] = 1.f;
  one_hot_ = Tensor::from(std::move(hot), {{Axis::vocab, count}, {Axis::unit, 1}});
  for (std::int64_t id = first_word_; id < first_word_ + count; ++id)
    names_.push_back(std::to_string(id) + " " + token_label(opened, static_cast<int>(id)));
}

std::vector<Strip> EmbeddingView::strips(const ViewContext& context) const {
  const Trace& run = trace(context);
  const Theme& t = theme();
  std::vector<Strip> out;
  const auto add = [&](const char* key, Slot slot, std::string label, ImU32 colour, bool sum = false) {
    const Site site = site_of(slot, -1, stack_);
    std::int64_t row = row_;
    if (role_of(slot) == StepRole::patches && run.config().of(stack_).patch.class_token) --row;
    const Record* record = run.find(site);
    if (record && row >= 0 && row < record->shape[0])
      out.push_back({key, std::move(label), site, row, colour, sum,
                     run.slice(site, 0, {row, row + 1}, {0, dims_}).packed()});
  };
  const std::string at = std::to_string(row_);
  const bool scales = sum_.scale != 1.f;
  add("embedding_token", Slot::tok_embed,
      switched_ && !scales
          ? tr("embedding.row.token_scaled", {std::to_string(token_), number_text(root(), 3)})
          : tr("embedding.row.token", {std::to_string(token_)}),
      t.residual);
  add("embedding_patch", Slot::patch_embed, tr("embedding.row.patch", {at}), t.residual);
  add("embedding_scaled", Slot::tok_scaled,
      tr("embedding.row.scaled", {number_text(switched_ ? 1.f : sum_.scale, 3)}), t.residual);
  add("embedding_merged", Slot::merged, tr("embedding.row.merged"), t.residual);
  add("embedding_position", Slot::pos_embed,
      tr("embedding.row.position", {std::to_string(run.positions(stack_).of(row_))}), t.q);
  add("embedding_type", Slot::type_embed, tr("embedding.row.type"), t.k);
  add("embedding_sum", Slot::embed, tr("embedding.row.sum"), t.residual, true);
  add("embedding_normed", Slot::ln_embed_out, tr("embedding.row.normed"), t.norm, true);
  return out;
}

HeatStyle strip_style(const Tensor& values, bool log_scale) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.log_scale = log_scale;
  set_range(style, signed_range(values));
  return style;
}

// One-hot vector beside the rows of the table around the token: the 1 selects its row.
void EmbeddingView::draw_table(const ViewContext& context, ImVec2 at, float labels, ImVec2 cell) {
  const std::int64_t count = words_.size(0);
  const float height = cell.y * static_cast<float>(count) + scaled(44), narrow = std::min(cell.x, scaled(44));
  MatrixPlot& hot = one_hot_plot_;
  hot.key = "embedding_one_hot";
  hot.values = one_hot_;
  hot.style.hi = 1;
  hot.digits = 0;
  hot.cell = ImVec2(narrow, cell.y);
  hot.row_label_width = labels - narrow - scaled(10);
  hot.col_label_height = text_size(fonts().small, "X").y + scaled(6);
  hot.cols.title = tr("embedding.one_hot");
  hot.cols.show_labels = false;
  hot.rows.label_of = [this](std::int64_t row) { return names_[static_cast<std::size_t>(row)]; };
  hot.selected_row = token_ - first_word_;
  hot.selected_col = 0;
  (void)draw_matrix(context.painter, hot, at, ImVec2(labels, height));
  MatrixPlot& plot = words_plot_;
  plot.key = "embedding_words";
  plot.values = words_.slice(1, first_, first_ + shown_);
  plot.style = strip_style(words_, context.workspace.log_scale);
  plot.cell = cell;
  plot.row_label_width = 0;
  plot.col_label_height = hot.col_label_height;
  plot.rows.show_labels = plot.cols.show_labels = false;
  plot.cols.title = kept_tr("embedding.table", {format_count(table_.size(0)), format_count(table_.size(1))});
  plot.cols.colour = theme().residual;
  plot.digits = 3;
  const MatrixMark here{token_ - first_word_, -1, theme().accent, 1, 1, 2.f};
  plot.lent_marks = {&here, 1};
  plot.place.weight = weight_;
  plot.place.first = {first_word_, first_};
  plot.place.row_axis = 0, plot.place.col_axis = 1;
  const DrawGroupScope group("matrix", weight_);
  const MatrixEvent event = draw_matrix(context.painter, plot, ImVec2(at.x + labels, at.y),
                                        ImVec2(cell.x * static_cast<float>(shown_) + scaled(4), height));
  if (!event.hovered()) return;
  Place place;
  place.weight = weight_;
  place.index = {first_word_ + event.row, first_ + event.col};
  ImGui::SetTooltip("%s", tr("embedding.cell.help", {weight_ + "[" + std::to_string(place.index[0]) + ", " +
                                                         std::to_string(place.index[1]) + "]",
                                                     number_text(plot.values.at(event.row, event.col), 6)})
                              .c_str());
  offer_edit(context.workspace, place);
}

void EmbeddingView::draw_strip(const ViewContext& context, const Strip& strip, ImVec2 at, float labels,
                               ImVec2 cell) {
  const Trace& run = trace(context);
  const DrawGroupScope group("matrix", strip.site);
  MatrixPlot& plot = strip_plot_;
  plot.key = strip.key;
  plot.values = strip.values.slice(1, first_, std::min(first_ + shown_, strip.values.size(1)));
  plot.style = strip_style(strip.values, context.workspace.log_scale);
  plot.cell = cell;
  plot.row_label_width = labels;
  plot.col_label_height = 0;
  plot.cols.show_labels = false;
  plot.rows.label_of = [&strip](std::int64_t) { return strip.label; };
  plot.rows.colour = strip.colour;
  plot.digits = 3;
  const MatrixMark sum{0, -1, theme().residual, 1, 1, 1.6f};
  plot.lent_marks = {&sum, strip.sum ? 1u : 0u};
  const MatrixEvent event =
      draw_matrix(context.painter, plot, at,
                  ImVec2(labels + cell.x * static_cast<float>(shown_) + scaled(4), cell.y + scaled(4)));
  if (!event.hovered()) return;
  const Cell here = cell_at(run, strip.site, {strip.row, first_ + event.col});
  ImGui::SetTooltip(
      "%s", tr("embedding.cell.help", {to_text(here), number_text(plot.values.at(0, event.col), 6)}).c_str());
  offer_edit(context.workspace, {here, {}, {}});
  if (!event.clicked) return;
  const std::int64_t query = row_;
  pin_cell(context.workspace, context.run, here);
  context.workspace.cursor.query = query;
}

std::string EmbeddingView::facts(const ViewContext& context) const {
  const Trace& run = trace(context);
  const ModelConfig& config = run.config().of(stack_);
  const auto length = [](const Tensor& x) { return x.empty() ? 0.0 : relation(x, x).length_a; };
  const double by = static_cast<double>(sum_.scale != 1.f ? sum_.scale : root());
  EmbeddingSum plain = sum_;  // the unedited row of the table
  if (!words_.empty() && !plain.token.empty()) plain.token = words_.select(0, token_ - first_word_);
  const auto percent = [](double share) {
    return std::isfinite(share) ? number_text(static_cast<float>(100 * share), 1) : std::string("—");
  };
  if (!sum_.position.empty() && token_ >= 0)
    return tr("embedding.facts.position",
              {number_text(static_cast<float>(length(plain.token)), 3),
               number_text(static_cast<float>(length(plain.position)), 3), percent(position_share(plain, 1)),
               number_text(static_cast<float>(by), 3), percent(position_share(plain, by))});
  const bool rope = std::any_of(config.blocks.begin(), config.blocks.end(),
                                [](const BlockSpec& block) { return block.attention.position.rotates(); });
  return tr(rope ? "embedding.facts.rope" : "embedding.facts.alone",
            {number_text(static_cast<float>(length(plain.token)), 3)});
}

Site EmbeddingView::scale_site() const {
  return site_of(sum_.scale != 1.f ? Slot::tok_scaled : Slot::tok_embed, -1, stack_);
}

// An edit that adds the scale √d_model if the model has none, else removes it.
std::shared_ptr<const Edit> EmbeddingView::scale_edit() const {
  return make_edit(NumberEdit{Target{Target::Kind::step, scale_site(), {}, {}}, EditOp::scale,
                              sum_.scale != 1.f ? 1 / sum_.scale : root()});
}

void EmbeddingView::draw_scale_chip(const ViewContext& context) {
  if (token_ < 0 || context.run.recorded() || !trace(context).find(scale_site())) return;
  ImGui::SameLine(0, scaled(16));
  const bool scales = sum_.scale != 1.f, on = scales != switched_;
  if (chip(Label(kept_tr("embedding.scale", {number_text(scales ? sum_.scale : root(), 3)}),
                 "###embedding_scale"),
           on, tr("embedding.scale.help")))
    context.commands.edit(Text::of(on ? "embedding.scale.did.off" : "embedding.scale.did.on"), {},
                          [edit = scale_edit(), off = switched_](Document& document) -> Status {
                            if (off)
                              std::erase_if(document.edits,
                                            [&](const auto& one) { return same_edit(*one, *edit); });
                            else
                              put_edit(document, edit);
                            return Done{};
                          });
}

void EmbeddingView::draw_lookup(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const std::vector<Strip>& rows = strips_.get({key_}, [&] { return strips(context); });
  float labels = 0;
  for (const Strip& strip : rows) labels = std::max(labels, text_size(fonts().mono_small, strip.label).x);
  for (const std::string& name : names_)
    labels = std::max(labels, text_size(fonts().mono_small, name).x + scaled(56));
  labels = std::min(labels + scaled(14), room.x * 0.4f);
  const float wide = room.x - labels - scaled(6), line = text_size(fonts().body, "X").y + scaled(4);
  shown_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(wide / scaled(kEmbeddingCellWidth)), 1, dims_);
  first_ = std::clamp<std::int64_t>(first_, 0, dims_ - shown_);
  float y = at.y;
  const float slider = shown_ < dims_ ? scaled(40) : 0, tail = slider + 2 * line + scaled(26);
  const float head = words_.empty() ? 0 : scaled(34);
  const float gaps = scaled(8) * static_cast<float>(rows.size()), all = room.y - head - gaps - tail;
  const auto fit = static_cast<std::int64_t>(all / scaled(kEmbeddingLeastRow)) - std::ssize(rows);
  if (const std::int64_t wanted = std::clamp<std::int64_t>(fit, 3, kEmbeddingWords);
      wanted != wanted_words_) {
    wanted_words_ = wanted;
    take_words(*context.run.document.opened);
  }
  const auto count =
      static_cast<float>(std::ssize(rows) + (words_.empty() ? std::int64_t{0} : words_.size(0)));
  const ImVec2 cell(
      std::min(wide / static_cast<float>(shown_), scaled(110)),
      std::clamp(all / std::max(1.f, count), scaled(kEmbeddingLeastRow), scaled(kEmbeddingMostRow)));
  if (!words_.empty()) {
    draw_table(context, ImVec2(at.x, y), labels, cell);
    y += head + cell.y * static_cast<float>(words_.size(0));
  }
  for (const Strip& strip : rows) {
    y += strip.sum ? scaled(10) : scaled(6);
    draw_strip(context, strip, ImVec2(at.x, y), labels, cell);
    y += cell.y;
  }
  if (slider > 0) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + labels, y + scaled(6)));
    (void)slider_int(
        "###embedding_first",
        kept_tr("embedding.dimensions",
                {std::to_string(first_), std::to_string(first_ + shown_ - 1), std::to_string(dims_)}),
        first_, 0, dims_ - shown_, std::min(wide - scaled(8), scaled(320)), tr("embedding.dimensions.help"));
    y += slider + scaled(6);
  }
  const Trace& run = trace(context);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + scaled(12)));
  const FontScope face(room.y > scaled(560) ? fonts().body : fonts().small);
  figure_text(facts_.get({key_}, [&] { return facts(context); }), room.x);
  const ColourScope dim(ImGuiCol_Text, theme().text_dim);
  const HeadSpec& out = run.config().head;
  if (!run.weights().all().empty() && out.present && token_ >= 0 && stack_ == run.config().stack)
    figure_text(kept_tr(out.tied ? "embedding.tied" : "embedding.untied",
                        {format_count(table_.empty() ? 0 : table_.size(0)), format_count(dims_)}),
                room.x);
}

void EmbeddingView::draw_pages(const ViewContext& context, float) {
  ChipRow row;
  choose(row, page_);
  if (page_ == EmbeddingPage::lookup) draw_scale_chip(context);
}

void EmbeddingView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  const std::string token = row_name(context.run, context.workspace.cursor.sequence, stack_, row_);
  note_text(token);
  constexpr const char* kSentences[] = {"embedding.sentence.lookup", "embedding.sentence.map",
                                        "embedding.sentence.compare", "embedding.sentence.heads"};
  const float below = places_heading(context.workspace, context.run, PlaceChips::stacks,
                                     kept_tr("embedding.title", {token, std::to_string(row_)}),
                                     tr(kSentences[static_cast<int>(page_.value)]), width);
  ImGui::SetCursorScreenPos(ImVec2(origin.x, below + scaled(8)));
  draw_pages(context, width);
  const ImVec2 beside(ImGui::GetItemRectMax().x + scaled(20), ImGui::GetItemRectMin().y);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4);
  const ImVec2 at(origin.x, begin), size(width, std::max(scaled(80), origin.y + room.y - begin));
  if (page_ == EmbeddingPage::lookup) draw_lookup(context, at, size);
  if (page_ == EmbeddingPage::map) map_.draw(context, stack_, row_, at, size);
  if (page_ == EmbeddingPage::compare) compare_.draw(context, stack_, beside, at, size);
  if (page_ == EmbeddingPage::heads) heads_.draw(context, at, size);
}

}  // namespace

std::unique_ptr<View> make_embedding_view();
std::unique_ptr<View> make_embedding_view() { return std::make_unique<EmbeddingView>(); }

}  // namespace attnscope
