// The KV cache view: prefill, then token by token. What is computed and what is only read, the keys and
// values, matmuls with and without the cache, bytes at long contexts, and a check that the outputs are equal.
// All counts are from runs made by core/sample.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/figure_page.h"
#include "app/views/kv_costs.h"
#include "app/views/kv_stack.h"
#include "app/views/view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/sample/cached_run.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostSteps = 64, kFirstSteps = 12;
constexpr float kStepsPerSecond = 1.5f;
constexpr float kRowShare = 0.4f;  // of the room below the controls: the newest row in digits

enum class KvPage : std::uint8_t { cells, products, bytes };
constexpr Option<KvPage> kKvPages[] = {{"cells", KvPage::cells, "cells", "cells"},
                                       {"products", KvPage::products, "products", "products_page"},
                                       {"bytes", KvPage::bytes, "bytes", "bytes_page"}};
constexpr Option<int> kKvFormats[] = {{"f32", 0}, {"bf16", 1}, {"f8", 2}, {"int4", 3}};

class KvView : public View {
 public:
  KvView() : View({"kv", ViewGroup::inside, 2}) {}
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty()) return "kv.none";
    if (run.recorded()) return "kv.none.recorded";
    const ModelConfig& config = run.trace(0).config();
    if (runs_with_cache(config)) return "";
    if (config.patch.size > 0) return "kv.none.image";
    if (config.vocab_size == 0 || !config.head.present) return "kv.none.words";
    return config.head.first_row_only ? "kv.none.classes" : "kv.none.both_sides";
  }
  bool takes_arrows(const RunResult& run) const override { return unavailable(run).empty(); }
  void keep(Choices& choices) override {
    choices.all(page_, format_);
    choices.of("layer", layer_, 0, 1 << 16);
    choices.of("at_end", at_end_);
  }
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void play(const ViewContext& context);
  void walk_keys(const ViewContext& context);
  void draw_controls(const ViewContext& context, float width);
  void draw_cells(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_values(const ViewContext& context, bool keys, ImVec2 at, ImVec2 room);
  void draw_status(const ViewContext& context, ImVec2 at, float width) const;
  const CachedRun* told() const { return run_ && *run_.value ? &**run_.value : nullptr; }
  const CacheStep& step() const { return told()->steps[at_]; }

  Computed<Result<CachedRun>> made_;
  Made<Result<CachedRun>> run_;
  std::uint64_t subject_ = 0, told_key_ = 0;
  std::int64_t prompt_ = -1;
  std::size_t at_ = 0;
  bool playing_ = false, at_end_ = true;
  float walked_ = 0;
  OneOf<KvPage> page_{"page", kKvPages, KvPage::cells, "kv.page.", "###kv_"};
  int layer_ = 0;
  std::int64_t head_ = 0;  // K/V head
  std::array<Tensor, 2> values_;
  std::array<KeptRange, 2> ranges_;
  std::array<std::uint64_t, 2> values_key_{};
  std::array<MatrixWindow, 2> windows_;
  FigureArea newest_{"kv", "row"};  ///< keys and values of the newest row in digits
  Kept<std::vector<KvStackRow>> rows_;
  std::uint64_t described_for_ = 0;
  Described described_;
  OneOf<int> format_{"format", kKvFormats, 0, "", "###kv_format_"};
};

void KvView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const auto trace = context.run.shared(cursor.sequence);
  const ModelConfig& config = trace->config();
  const std::int64_t least = least_prompt(config, trace->input), length = trace->length;
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence)});
  if (subject != subject_) {
    subject_ = subject;
    prompt_ = -1;
    at_end_ = true;
    windows_ = {};
  }
  if (prompt_ < 0) prompt_ = std::max({least, length / 2, length - kFirstSteps});
  prompt_ = std::clamp(prompt_, std::max(std::min(least, length), length - kMostSteps), length);
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(prompt_)});
  const std::shared_ptr<const Model> model = context.run.document.model;
  run_ = made_.get_or_before(subject, key, context.workers(),
                             [=, prompt = prompt_](const std::atomic<bool>& cancel) {
                               return run_with_cache(*model, trace->input, trace->edits, prompt, 4, &cancel);
                             });
  if (const CachedRun* told_run = told()) {
    if (told_key_ != key && run_.fresh) {
      told_key_ = key;
      if (at_end_) at_ = told_run->steps.size() - 1;
    }
    at_ = std::min(at_, told_run->steps.size() - 1);
  }
  layer_ = std::clamp(cursor.layer, 0, config.n_layers() - 1);
  const AttentionSpec& attention = config.blocks[static_cast<std::size_t>(layer_)].attention;
  head_ = std::clamp(cursor.head, 0, attention.n_heads - 1) * attention.n_kv_heads / attention.n_heads;
  if (described_for_ != context.run.version) {
    described_for_ = context.run.version;
    const OpenedModel& opened = *context.run.document.opened;
    described_ = describe_model(opened.title, opened.family, config, trace->weights());
  }
}

void KvView::play(const ViewContext& context) {
  if (!context.workspace.animate) playing_ = false;
  if (!playing_ || !told()) return;
  context.workspace.moving = true;
  walked_ += ImGui::GetIO().DeltaTime * kStepsPerSecond * context.workspace.speed;
  const auto whole = static_cast<std::size_t>(walked_);
  walked_ -= static_cast<float>(whole);
  const std::size_t last = told()->steps.size() - 1;
  at_ = std::min(at_ + whole, last);
  if (at_ == last) playing_ = false;
  at_end_ = at_ == last;
}

void KvView::walk_keys(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if (context.workspace.view != id() || io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeyShift ||
      ImGui::IsAnyItemActive() ||
      ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    return;
  if (compat::key_pressed(compat::Key::right)) at_ = std::min(at_ + 1, told()->steps.size() - 1);
  if (compat::key_pressed(compat::Key::left) && at_ > 0) --at_;
  at_end_ = at_ + 1 == told()->steps.size();
}

void KvView::draw_controls(const ViewContext& context, float width) {
  ChipRow row;
  choose(row, page_);
  if (page_ == KvPage::bytes) {
    row.part(18);
    choose(row, format_);
    return;
  }
  ImGui::SameLine();
  if (!told()) return ImGui::NewLine();
  ImGui::SameLine(0, scaled(14));
  if (context.workspace.animate) {
    if (play_button("###kv_play", playing_, tr("kv.play"))) {
      playing_ = !playing_;
      if (playing_ && at_ + 1 == told()->steps.size()) at_ = 0;
    }
    ImGui::SameLine();
  }
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const bool beside = width - ImGui::GetCursorPosX() > scaled(220);
  if (!beside) ImGui::NewLine();
  const float left = width - (ImGui::GetCursorPosX() - scaled(4)) - scaled(30);
  const float slider = std::clamp(left / 2, scaled(70), scaled(230));
  const float y = ImGui::GetCursorPosY() - (beside ? scaled(4) : 0);
  ImGui::SetCursorPosY(y);
  std::int64_t token = static_cast<std::int64_t>(at_);
  const SliderEvent moved = slider_int("###kv_step", tr("kv.step"), token, 0, std::ssize(told()->steps) - 1,
                                       slider, tr("kv.step.help"));
  if (moved.changed) {
    at_ = static_cast<std::size_t>(token);
    at_end_ = at_ + 1 == told()->steps.size();
  }
  ImGui::SameLine(0, scaled(14));
  ImGui::SetCursorPosY(y);
  const std::int64_t least = least_prompt(trace.config(), trace.input);
  (void)slider_int("###kv_prompt", tr("kv.prompt"), prompt_,
                   std::max(std::min(least, trace.length), trace.length - kMostSteps), trace.length, slider,
                   tr("kv.prompt.help"));
}

// K or V of the selected head as attention reads it, up to the step; later rows are masked.
void KvView::draw_values(const ViewContext& context, bool keys, ImVec2 at, ImVec2 room) {
  const int sequence = context.workspace.cursor.sequence;
  const Trace& trace = context.run.trace(sequence);
  const AttentionState* state = trace.attention(trace.main(StepRole::pattern, layer_));
  if (!state) return;
  const auto which = static_cast<std::size_t>(keys ? 0 : 1);
  const std::uint64_t key =
      key_of({context.run.version, static_cast<std::uint64_t>(sequence), static_cast<std::uint64_t>(layer_),
              static_cast<std::uint64_t>(head_), static_cast<std::uint64_t>(step().length), which});
  if (key != values_key_[which]) {
    values_key_[which] = key;
    const Tensor own = (keys ? state->in.k : state->in.v).select(0, head_);  // [key, d_head]
    std::vector<float> cells = own.values();
    const auto there = static_cast<std::size_t>(std::min(step().length, own.size(0)) * own.size(1));
    std::fill(cells.begin() + static_cast<std::ptrdiff_t>(there), cells.end(), kMasked);
    values_[which] = Tensor::from(std::move(cells), {{Axis::key, own.size(0)}, {Axis::d_head, own.size(1)}});
  }
  Site site = trace.main(slot_of(StepRole::split, Hue::value), layer_);
  for (const StepRole role :
       {StepRole::projection, StepRole::split, StepRole::head_norm, StepRole::rotated}) {  // the last one
    const Site made = trace.main(slot_of(role, Hue::key), layer_);
    if (keys && trace.find(made)) site = made;
  }
  const DrawGroupScope group("matrix", site, head_);
  MatrixPlot plot;
  plot.key = keys ? "kv_keys" : "kv_values";
  plot.values = values_[which];
  plot.style.map = Colormap::diverging;
  plot.style.log_scale = context.workspace.log_scale;
  set_range(plot.style, ranges_[which].of(values_[which]));
  plot.masked_numbers = false;
  plot.digits = 2;
  plot.window = &windows_[which];
  const auto label = [&](std::int64_t row) { return context.main_row_name(row); };
  plot.rows.label_of = std::ref(label);
  plot.rows.show_labels = keys || room.x > scaled(210);
  plot.cols.title = kept_tr(keys ? "kv.keys" : "kv.values", {std::to_string(layer_), std::to_string(head_)});
  plot.cols.colour = plot.frame_colour = keys ? theme().k : theme().v;
  const MatrixMark computed{
      step().first, -1, theme().text, std::max<std::int64_t>(1, step().length - step().first), 1, 1.6f};
  plot.lent_marks = {&computed, 1};
  fill_room(plot, room, ImVec2(scaled(96), scaled(58)));
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  if (!event.hovered()) return;
  const bool there = event.row < step().length;
  const Cell cell = cell_at(trace, site, {head_, event.row, event.col});
  const std::string text =
      there ? tr("kv.cell.help", {to_text(cell), number_text(values_[which].at(event.row, event.col), 6)})
            : std::string(tr("kv.cell.later"));
  ImGui::SetTooltip("%s", text.c_str());
  if (!there || !trace.find(site)) return;
  offer_edit(context.workspace, {cell, {}, {}});
  if (event.clicked) pin_cell(context.workspace, context.run, cell);
}

void KvView::draw_cells(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const float left = std::max(scaled(150), room.x * (room.x > scaled(560) ? 0.46f : 0.5f));
  KvStack stack;
  const float high = room.y - scaled(46);
  stack.rows = rows_.get({context.run.opened_version, std::bit_cast<std::uint32_t>(high)}, [&] {
    std::vector<int> heads;
    for (const BlockSpec& block : trace.config().blocks) heads.push_back(block.attention.n_kv_heads);
    return kv_stack_rows(heads, high);
  });
  stack.columns = trace.length;
  stack.length = step().length;
  stack.computed = step().first;
  stack.layer = layer_;
  stack.head = head_;
  const auto token = [&](std::int64_t column) { return context.main_row_name(column); };
  stack.token = std::ref(token);
  const KvStackEvent event = draw_kv_stack(stack, at, ImVec2(left - scaled(14), room.y));
  if (event.row >= 0) {
    const KvStackRow& row = stack.rows[static_cast<std::size_t>(event.row)];
    const char* what = event.column >= stack.length     ? "kv.stack.later"
                       : event.column >= stack.computed ? "kv.stack.computed"
                                                        : "kv.stack.read";
    const std::string text =
        tr(what, {std::to_string(row.layer), std::to_string(std::max<std::int64_t>(0, row.head)),
                  std::to_string(event.column), context.main_row_name(event.column)});
    ImGui::SetTooltip("%s", text.c_str());
    if (event.clicked) {
      Cursor& cursor = context.workspace.cursor;
      const AttentionSpec& attention = trace.config().blocks[static_cast<std::size_t>(row.layer)].attention;
      cursor.stack = trace.config().stack;
      cursor.part = Part::attn;
      cursor.layer = row.layer;
      if (row.head >= 0) cursor.head = static_cast<int>(row.head) * attention.n_heads / attention.n_kv_heads;
      cursor.key = event.column;
    }
  }
  // K has row labels; V as well if there is room.
  const bool twice = room.x - left > scaled(440);
  const float names = twice ? 0 : scaled(62), wide = (room.x - left - names) / 2;
  draw_values(context, true, ImVec2(at.x + left, at.y), ImVec2(names + wide - scaled(10), room.y));
  draw_values(context, false, ImVec2(at.x + left + names + wide, at.y), ImVec2(wide - scaled(4), room.y));
}

// What this step computed, and the check against a run without cache.
void KvView::draw_status(const ViewContext& context, ImVec2 at, float width) const {
  const Theme& t = theme();
  const Canvas canvas;
  const CacheStep& it = step();
  const std::int64_t computed = it.length - it.first;
  const std::string word = context.main_row_name(it.length - 1);
  note_text(word);
  const std::string& text =
      at_ == 0
          ? kept_tr("kv.status.prefill", {format_count(it.length)})
          : kept_tr(computed == 1 ? "kv.status.token" : "kv.status.more",
                    {std::to_string(it.length - 1), word, format_count(computed), format_count(it.first)});
  draw_text(canvas, fonts().body, at, t.text, middle_truncated(fonts().body, text, width));
  const float line = text_size(fonts().body, "X").y + scaled(3);
  std::string_view proof;
  ImU32 ink = t.ok;
  if (at_ == 0)
    proof = tr("kv.proof.prefill"), ink = t.text_dim;
  else if (it.difference < 0)
    proof = tr("kv.proof.unknown"), ink = t.text_dim;
  else
    proof = kept_tr(it.difference == 0 ? "kv.proof.same" : "kv.proof", {format("%.3g", it.difference)}),
    ink = it.difference < 1e-4 ? t.ok : t.warning;
  draw_text(canvas, fonts().body, ImVec2(at.x, at.y + line), ink,
            middle_truncated(fonts().body, proof, width));
}

void KvView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  view_heading(tr("kv.title"), tr("kv.sentence"), width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_controls(context, width);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4), bottom = origin.y + room.y;
  if (run_ && !*run_.value) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x, begin));
    return caption(run_.value->error().text());
  }
  if (!told()) return caption(tr("kv.pending"));
  walk_keys(context);
  play(context);
  const float status = 2 * (text_size(fonts().body, "X").y + scaled(3)) + scaled(6);
  const ImVec2 at(origin.x, begin);
  ImVec2 size(width, std::max(scaled(60), bottom - begin - status));
  if (page_ == KvPage::cells && !context.workspace.told) {  // a lesson may ask for these digits
    const std::int64_t row = step().length - 1;
    const ImVec2 most(width, size.y * kRowShare);
    const float high = newest_.follow(context, most, row);
    size.y -= high > 0 ? high + scaled(6) : 0;
    newest_.draw(context, ImVec2(at.x, at.y + size.y + scaled(6)), most, row);
  }
  if (page_ == KvPage::cells) draw_cells(context, at, size);
  if (page_ == KvPage::products) draw_kv_products(*told(), at_, at, size);
  if (page_ == KvPage::bytes) {
    const std::array<const char*, 4> names{"f32", "bf16", "f8", "int4"};
    const auto format = format_named(names[static_cast<std::size_t>(format_.value)]);
    const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
    draw_kv_bytes(described_, step().length, trace.rows(Stack::enc), *format, at, size);
    const CachedRun& run = *told();
    const std::string text =
        tr(run.cross_bytes > 0 ? "kv.kept.cross" : "kv.kept",
           {format_count(run.cache_bytes), format_count(run.length()), format_count(run.cross_bytes)});
    draw_text(Canvas(), fonts().body, ImVec2(origin.x, bottom - status + scaled(4)), theme().text_dim,
              middle_truncated(fonts().body, text, width));
  } else {
    draw_status(context, ImVec2(origin.x, bottom - status + scaled(4)), width);
  }
  if (!run_.fresh) veil(at, ImVec2(at.x + size.x, at.y + size.y));
}

}  // namespace

std::unique_ptr<View> make_kv_view();
std::unique_ptr<View> make_kv_view() { return std::make_unique<KvView>(); }

}  // namespace attnscope
