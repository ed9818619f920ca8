// The Check view: compares every step of the run with reference arrays recorded by another program (PyTorch,
// TransformerLens), or with the pinned run A. Each step is green or red with its largest error; the first red
// one is named. Errors: a recording that does not match the model.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/arch/open.h"
#include "core/base/computed.h"
#include "core/base/words.h"
#include "core/lens/alignment.h"
#include "core/lens/step_differences.h"

namespace attnscope {
namespace {

constexpr float kStrip = 26.f, kMark = 13.f, kBar = 48.f;  // units
constexpr double kDecades = 8;  // decades below the tolerance at which a bar starts; it ends three above
struct Tolerance {
  double value;
  const char* label;
};
constexpr Tolerance kTolerances[] = {{1e-6, "1e-06###check_1e-06"},
                                     {1e-5, "1e-05###check_1e-05"},
                                     {1e-4, "1e-04###check_1e-04"},
                                     {1e-3, "1e-03###check_1e-03"},
                                     {1e-2, "1e-02###check_1e-02"}};

/// The reference to compare with.
struct Reference {
  std::string name;
  Traces traces;
  std::vector<std::string> texts;  ///< typed texts, for the pinned run only
};

/// The result, and how the tokens of both are aligned.
struct Comparison {
  std::vector<StepDifference> rows;
  struct Tokens {
    std::int64_t matched = 0, here = 0, there = 0;
  };
  std::vector<Tokens> tokens;  ///< for each sequence that both have
};

Comparison compared(const Traces& mine, const Traces& theirs, const std::atomic<bool>& cancel) {
  Comparison out{step_differences(mine, theirs, &cancel), {}};
  for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()) && !cancel; ++i) {
    const Stack stack = mine[i]->config().stack;
    out.tokens.push_back(
        {align_rows(*mine[i], *theirs[i], stack).matched(), mine[i]->rows(stack), theirs[i]->rows(stack)});
  }
  return out;
}

// The text typed for a sequence.
std::string typed(const Document& document, std::size_t sequence) {
  if (sequence >= document.sequences.size()) return {};
  const Sequence& one = document.sequences[sequence];
  return document.model && document.model->config().encoder() ? one.source_text : one.text;
}

Result<Reference> read_reference(const std::string& path) {
  TRY(OpenedModel opened, open_model(path));
  if (opened.recorded.empty()) return fail(Code::bad_format, "check.no_recording", {quoted_path(path)});
  return Reference{path.substr(path.rfind('/') + 1), std::move(opened.recorded), {}};
}

class CheckView : public View {
 public:
  const char* id() const override { return "check"; }
  ViewGroup group() const override { return ViewGroup::ask; }
  int order() const override { return 1; }
  void keep(Choices& choices) override;
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void ask(const ViewContext& context);
  static std::shared_ptr<const RunResult> pinned_of(const ViewContext& context);
  std::shared_ptr<const Reference> reference(const ViewContext& context) const;
  void draw_choices(const ViewContext& context, float width);
  void draw_heading(float width) const;
  void draw_tokens(const ViewContext& context, const Reference& other, float width) const;
  void draw_strip(const ViewContext& context, float width);
  void draw_rows(const ViewContext& context);
  void draw_row(const ViewContext& context, const StepDifference& one, std::size_t number) const;
  bool other_tokens(const ViewContext& context, const Reference& other) const;
  static void take_input(const ViewContext& context, const Reference& other);
  static void go_to(const ViewContext& context, const StepDifference& one);
  ImU32 colour(const StepDifference& one) const;

  std::shared_ptr<std::string> chosen_ = std::make_shared<std::string>();  ///< from the browser or a session
  std::string path_;                                                       ///< the last path, readable or not
  bool restored_ = false;  ///< the file is a session's: keeps the saved choice of reference
  Computed<Result<Reference>> reading_;
  std::shared_ptr<const Reference> file_;
  std::uint64_t files_ = 0;  ///< number of files read
  std::optional<Error> error_;
  bool against_pinned_ = false;  ///< compare with A even though there is a file
  double tolerance_ = 1e-4;
  int scroll_to_ = -1;  ///< row of the table
  Computed<Comparison> compared_;
  std::shared_ptr<const Comparison> found_;
  std::shared_ptr<const std::vector<StepDifference>> rows_;  ///< of `found_`
};

void CheckView::keep(Choices& choices) {
  choices.of("against_pinned", against_pinned_);
  choices.of("tolerance", tolerance_, 0, 1e6);
  if (choices.reads()) path_.clear();
  choices.of("file", path_);
  if (!choices.reads()) return;
  file_.reset();
  error_.reset();
  *chosen_ = path_;
  restored_ = !path_.empty();
}

void CheckView::ask(const ViewContext& context) {
  context.commands.ask_file(
      {false, "check.open.title", {}, [chosen = chosen_](Session&, const std::string& path) {
         *chosen = path;
       }});
}

// The pinned run, if it is not the current one.
std::shared_ptr<const RunResult> CheckView::pinned_of(const ViewContext& context) {
  const auto pinned = context.session.pinned();
  return pinned && pinned->version != context.run.version ? pinned : nullptr;
}

std::shared_ptr<const Reference> CheckView::reference(const ViewContext& context) const {
  const auto pinned = pinned_of(context);
  if (!pinned || (file_ && !against_pinned_)) return file_;
  Reference out{tr("check.pinned"), pinned->traces, {}};
  for (std::size_t i = 0; i < pinned->traces.size(); ++i) out.texts.push_back(typed(pinned->document, i));
  return std::make_shared<const Reference>(std::move(out));
}

void CheckView::follow(const ViewContext& context) {
  if (!chosen_->empty()) {
    path_ = std::exchange(*chosen_, {});
    reading_.begin(context.workers(), [path = path_] { return read_reference(path); });
  }
  if (auto read = reading_.take()) {
    error_.reset();
    if (*read) {
      file_ = std::make_shared<const Reference>(**std::move(read));
      ++files_;
    } else {
      error_ = read->error();
    }
    if (!std::exchange(restored_, false)) against_pinned_ = false;
  }
  const auto pinned = pinned_of(context);
  const auto other = reference(context);
  rows_.reset();
  found_.reset();
  if (!other) return;
  const bool file = other == file_;
  const std::uint64_t of = file ? files_ : pinned->version;
  found_ = compared_.get(key_of({context.run.version, of, file}), context.workers(),
                         [mine = context.run.traces, theirs = other->traces](
                             const std::atomic<bool>& cancel) { return compared(mine, theirs, cancel); });
  if (found_) rows_ = {found_, &found_->rows};
}

ImU32 CheckView::colour(const StepDifference& one) const {
  return !one.compared()            ? mix(theme().text_dim, theme().panel, 0.5f)
         : one.max_abs > tolerance_ ? theme().error
                                    : theme().ok;
}

void CheckView::go_to(const ViewContext& context, const StepDifference& one) {
  context.workspace.cursor.sequence = one.sequence;
  if (one.at.empty()) return go_to_site(context.workspace, context.run, one.site);
  pin_cell(context.workspace, context.run, {one.site, one.at});
}

void CheckView::draw_choices(const ViewContext& context, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const float right = ImGui::GetCursorScreenPos().x + width;
  if (chip(Label(tr("check.open"), "###check_open"), false, tr("check.open.help"))) ask(context);
  if (file_) {
    ImGui::SameLine();
    const Label label(middle_truncated(fonts().body, file_->name, scaled(220)), "###check_file");
    if (chip(label, reference(context) == file_, file_->name.c_str())) against_pinned_ = false;
  }
  if (pinned_of(context)) {
    ImGui::SameLine();
    if (chip(Label(tr("check.pinned"), "###check_pinned"), against_pinned_ || !file_,
             tr("check.pinned.help")))
      against_pinned_ = true;
  }
  if (const StepDifference* first = rows_ ? first_beyond(*rows_, tolerance_) : nullptr) {
    ImGui::SameLine();
    if (chip(Label(tr("check.go"), "###check_go"), false, tr("check.go.help"))) {
      go_to(context, *first);
      scroll_to_ = static_cast<int>(first - rows_->data());
    }
  }
  float all = text_size(fonts().small, tr("check.tolerance")).x + scaled(6);
  for (const auto& [one, label] : kTolerances) all += chip_width(label) + scaled(5);
  if (right - ImGui::GetItemRectMax().x > all + scaled(16)) {
    ImGui::SameLine();
    ImGui::SetCursorScreenPos(ImVec2(right - all, ImGui::GetCursorScreenPos().y));
  }
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().text_dim, tr("check.tolerance"));
  for (const auto& [one, label] : kTolerances) {
    ImGui::SameLine();
    if (chip(label, tolerance_ == one, tr("check.tolerance.help"))) tolerance_ = one;
  }
}

// The result, in place of the view's description.
void CheckView::draw_heading(float width) const {
  if (!rows_) return view_heading(tr("check.title"), tr("check.sentence"), width);
  const auto& rows = *rows_;
  const auto compared =
      std::count_if(rows.begin(), rows.end(), [](const auto& one) { return one.compared(); });
  const auto good = std::count_if(
      rows.begin(), rows.end(), [&](const auto& one) { return one.compared() && one.max_abs <= tolerance_; });
  const StepDifference* first = first_beyond(rows, tolerance_);
  const std::string border = format("%.0e", tolerance_);
  std::string words;
  if (compared == 0)
    words = tr("check.none");
  else if (!first)
    words = tr("check.all", {std::to_string(compared), border});
  else
    words = tr("check.first", {std::to_string(good), std::to_string(compared), border, first->name(),
                               significant(first->max_abs, 3), to_text(first->at)});
  text_line(fonts().title, theme().text, tr("check.title"));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  text_line(fonts().body_bold, compared == 0 ? theme().text_dim : first ? theme().error : theme().ok, words);
  ImGui::PopTextWrapPos();
  note_item("check.verdict");
}

// True if the reference was recorded for other tokens: then no step can agree.
bool CheckView::other_tokens(const ViewContext& context, const Reference& other) const {
  for (std::size_t i = 0; i < std::min(other.traces.size(), context.run.traces.size()); ++i) {
    const Trace &mine = *context.run.traces[i], &theirs = *other.traces[i];
    if (!same_vocabulary(mine, theirs)) {
      if (i < other.texts.size() && other.texts[i] != typed(context.run.document, i)) return true;
      continue;
    }
    if (!theirs.ids.empty() && theirs.ids != mine.ids) return true;
    if (!theirs.input.source.empty() && theirs.input.source != mine.input.source) return true;
  }
  return other.traces.size() > context.run.traces.size();
}

void CheckView::take_input(const ViewContext& context, const Reference& other) {
  context.commands.edit(
      Text::of("check.edit.input", {other.name}), {},
      [traces = other.traces, texts = other.texts](Document& document) -> Status {
        for (std::size_t i = 0; i < traces.size(); ++i) {
          if (i >= document.sequences.size()) TRY_OK(add_sequence(document, 0));
          const Trace& from = *traces[i];
          const ModelConfig& config = document.model->config();
          if (!same_texts(config.texts.get(), from.config().texts.get())) {
            TRY_OK(set_text(document, i, i < texts.size() ? texts[i] : "",
                            config.encoder() ? Stack::enc : config.stack));
            continue;
          }
          if (!from.input.source.empty())
            TRY_OK(set_spelled(
                document, i, sequence_from_ids(*document.opened, from.input.source, Stack::enc), Stack::enc));
          if (!from.ids.empty())
            TRY_OK(set_spelled(document, i, sequence_from_ids(*document.opened, from.ids), Stack::single));
        }
        return Done{};
      });
}

void CheckView::draw_tokens(const ViewContext& context, const Reference& other, float width) const {
  if (!other_tokens(context, other)) return;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  text_line(fonts().body, theme().warning, tr("check.other_tokens", {other.name}));
  ImGui::PopTextWrapPos();
  note_item("check.other_tokens");
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  if (sequence < found_->tokens.size()) {
    const Comparison::Tokens& tokens = found_->tokens[sequence];
    if (tokens.matched < std::max(tokens.here, tokens.there)) {
      caption(tr("check.aligned", {std::to_string(tokens.matched), std::to_string(tokens.here),
                                   std::to_string(tokens.there)}));
      note_item("check.aligned");
    }
  }
  if (!context.run.recorded() &&
      chip(Label(tr("check.take_input"), "###check_take"), false, tr("check.take_input.help")))
    take_input(context, other);
}

// Overview: one stripe per step, in timeline order.
void CheckView::draw_strip(const ViewContext& context, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = scaled(kStrip),
              each = width / static_cast<float>(std::max<std::size_t>(1, rows_->size()));
  ImGui::InvisibleButton("###check_strip", ImVec2(width, high));
  note_item("check_strip");
  const Canvas canvas;
  const float gap = each > scaled(4) ? scaled(1) : 0;
  for (std::size_t i = 0; i < rows_->size(); ++i) {
    const float x = at.x + each * static_cast<float>(i);
    canvas.fill_rect(ImVec2(x, at.y), ImVec2(x + each - gap, at.y + high), colour((*rows_)[i]));
  }
  if (!ImGui::IsItemHovered()) return;
  const auto index = static_cast<std::size_t>(
      std::clamp((ImGui::GetIO().MousePos.x - at.x) / each, 0.f, static_cast<float>(rows_->size() - 1)));
  const StepDifference& one = (*rows_)[index];
  const std::string alone =
      one.alone > 0 ? "\n" + std::string(tr("compare.alone", {std::to_string(one.alone)})) : "";
  ImGui::SetTooltip("%s  %s%s", one.name().c_str(),
                    one.compared() ? significant(one.max_abs, 3).c_str() : one.why.str().c_str(),
                    alone.c_str());
  if (!ImGui::IsItemClicked()) return;
  go_to(context, one);
  scroll_to_ = static_cast<int>(index);
}

void CheckView::draw_row(const ViewContext& context, const StepDifference& one, std::size_t number) const {
  const Canvas canvas;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight(), mark = scaled(kMark);
  const float top = at.y + (line - mark) / 2;
  canvas.fill_rect(ImVec2(at.x, top), ImVec2(at.x + mark, top + mark), colour(one), scaled(3));
  const std::string id = "###check_row_" + std::to_string(number);
  const bool here =
      context.workspace.cursor.step == one.site && context.workspace.cursor.sequence == one.sequence;
  if (ImGui::Selectable(id.c_str(), here, ImGuiSelectableFlags_SpanAllColumns)) go_to(context, one);
  note_item("check_row_" + std::to_string(number));
  if (one.compared() && one.alone > 0)
    compat::item_tooltip(tr("compare.alone", {std::to_string(one.alone)}).c_str());
  ImGui::TableNextColumn();
  text_line(fonts().mono, theme().text, one.name());
  ImGui::TableNextColumn();
  if (!one.compared()) return text_line(fonts().small, theme().text_dim, one.why.str());
  text_line(fonts().mono, colour(one), one.max_abs == 0 ? "0" : significant(one.max_abs, 3));
  ImGui::TableNextColumn();
  const ImVec2 bar = ImGui::GetCursorScreenPos();
  const double decades = one.max_abs > 0 ? std::log10(one.max_abs / tolerance_) + kDecades : 0;
  const float wide = scaled(kBar), share = static_cast<float>(std::clamp(decades / (kDecades + 3), 0.0, 1.0));
  const float border = bar.x + wide * static_cast<float>(kDecades / (kDecades + 3));
  canvas.fill_rect(ImVec2(bar.x, top), ImVec2(bar.x + wide * share, top + mark),
                   with_alpha(colour(one), 0.7f));
  canvas.line(ImVec2(border, at.y), ImVec2(border, at.y + line), theme().text_dim);
  ImGui::Dummy(ImVec2(wide, line));
  ImGui::TableNextColumn();
  if (one.at.empty()) return;
  text_line(fonts().mono, theme().text_dim, to_text(one.at));
  for (const double value : {one.first, one.second}) {
    ImGui::TableNextColumn();
    text_line(fonts().mono, theme().text, significant(value, 5));
  }
}

void CheckView::draw_rows(const ViewContext& context) {
  const StyleScope cells(ImGuiStyleVar_CellPadding, ImVec2(scaled(6), scaled(3)));
  const int flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX;
  if (!ImGui::BeginTable("###check_table", 7, flags, ImGui::GetContentRegionAvail())) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* key : {"", "check.column.step", "check.column.error", "check.column.border",
                          "check.column.at", "check.column.here", "check.column.there"})
    ImGui::TableSetupColumn(*key ? tr(key) : "");
  ImGui::TableHeadersRow();
  if (scroll_to_ >= 0) {
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    ImGui::SetScrollY(row * (static_cast<float>(scroll_to_) - 1));
    scroll_to_ = -1;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_->size()));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_row(context, (*rows_)[static_cast<std::size_t>(row)], static_cast<std::size_t>(row));
  ImGui::EndTable();
}

void CheckView::draw(const ViewContext& context) {
  follow(context);
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  draw_heading(width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_choices(context, width);
  if (error_) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    text_line(fonts().body, theme().error, error_->sentence());
    if (const std::string hint = error_->hint(); !hint.empty()) caption(hint);
    ImGui::PopTextWrapPos();
    note_item("check.error");
  }
  const auto other = reference(context);
  if (!other)
    return caption(tr(reading_.waits()           ? "check.reading"
                      : context.session.pinned() ? "check.nothing.pinned"
                                                 : "check.nothing"));
  if (!rows_) return caption(tr("check.comparing"));
  draw_tokens(context, *other, width);
  draw_strip(context, width);
  draw_rows(context);
}

}  // namespace

std::unique_ptr<View> make_check_view();
std::unique_ptr<View> make_check_view() { return std::make_unique<CheckView>(); }

}  // namespace attnscope
