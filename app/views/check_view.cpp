// The Check view: whether every step of the shipped models equals PyTorch's, at once; and every step of this
// run against what PyTorch computed of this model (core/session/reference_check.h), against reference arrays
// recorded by another program (PyTorch, TransformerLens), or against the pinned run A. Each step is green or
// red with its largest error; the first red one is named. Errors: a recording that does not match the model.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/views/check_reference.h"
#include "app/views/check_shipped.h"
#include "app/views/check_table.h"
#include "app/views/view.h"
#include "app/widgets/pieces.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

struct Tolerance {
  double value;
  const char* label;
};
constexpr Tolerance kTolerances[] = {{1e-6, "1e-06###check_1e-06"},
                                     {1e-5, "1e-05###check_1e-05"},
                                     {1e-4, "1e-04###check_1e-04"},
                                     {1e-3, "1e-03###check_1e-03"},
                                     {1e-2, "1e-02###check_1e-02"}};

class CheckView : public View {
 public:
  CheckView() : View({"check", ViewGroup::ask, 1, {.all = true, .text = true}}) {}
  void keep(Choices& choices) override;
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void follow_torch(const ViewContext& context);
  void ask(const ViewContext& context);
  static std::shared_ptr<const RunResult> pinned_of(const ViewContext& context);
  std::shared_ptr<const CheckReference> reference(const ViewContext& context) const;
  bool torch(const ViewContext& context) const;
  CheckRows rows() const { return {rows_, border_, torch_ != nullptr, torch_ && torch_->other_input}; }
  double& tolerance() { return by_torch_ ? torch_tolerance_ : tolerance_; }
  void draw_choices(const ViewContext& context, float width);
  void draw_heading(const ViewContext& context, float width) const;
  void draw_tokens(const ViewContext& context, const CheckReference& other, float width) const;
  void draw_other_input(const ViewContext& context, float width) const;
  static void draw_error(const Error& error, float width);

  std::shared_ptr<std::string> chosen_ = std::make_shared<std::string>();  ///< from the browser or a session
  std::string path_;                                                       ///< the last path, readable or not
  bool restored_ = false;  ///< the file is a session's: keeps the saved choice of reference
  Computed<Result<CheckReference>> reading_;
  std::shared_ptr<const CheckReference> file_;
  std::uint64_t files_ = 0;  ///< number of files read
  std::optional<Error> error_;
  bool against_pinned_ = false;  ///< compare with A even though there is a file
  bool against_torch_ = false;   ///< compare with PyTorch's numbers even though there is a file or A
  double tolerance_ = 1e-4, torch_tolerance_ = kReferenceTolerance;
  int scroll_to_ = -1;  ///< row of the table
  Computed<CheckComparison> compared_;
  std::shared_ptr<const CheckComparison> found_;
  Computed<RunCheck> torch_compared_;
  std::shared_ptr<const RunCheck> torch_;  ///< while it is compared with PyTorch's numbers
  CheckedSteps rows_;                      ///< of `found_` or `torch_`
  std::uint64_t opened_ = 0;
  bool has_torch_ = false;  ///< PyTorch's numbers travel with the model
  bool by_torch_ = false;   ///< in this frame: see torch()
  double border_ = 0;       ///< the tolerance of this frame
};

void CheckView::keep(Choices& choices) {
  choices.of("against_pinned", against_pinned_);
  choices.of("against_torch", against_torch_);
  choices.of("tolerance", tolerance_, 0, 1e6);
  choices.of("torch_tolerance", torch_tolerance_, 0, 1e6);
  if (choices.reads()) path_.clear();
  choices.of("file", path_);
  if (!choices.reads()) return;
  file_.reset();
  error_.reset();
  if (const auto named = path_.empty() ? Result<std::string>(path_) : named_file(path_))
    path_ = *named;
  else
    error_ = named.error(), path_.clear();
  *chosen_ = path_;
  restored_ = !path_.empty();
}

void CheckView::ask(const ViewContext& context) {
  context.commands.ask_file(
      {false, "check.open.title", {}, [chosen = chosen_](Session&, const std::string& path) {
         know_file(path);
         *chosen = path;
       }});
}

// The pinned run, if it is not the current one.
std::shared_ptr<const RunResult> CheckView::pinned_of(const ViewContext& context) {
  const auto pinned = context.session.pinned();
  return pinned && pinned->version != context.run.version ? pinned : nullptr;
}

std::shared_ptr<const CheckReference> CheckView::reference(const ViewContext& context) const {
  const auto pinned = pinned_of(context);
  if (!pinned || (file_ && !against_pinned_)) return file_;
  return std::make_shared<const CheckReference>(pinned_reference(*pinned, tr("check.pinned")));
}

// The table compares with PyTorch's numbers: nothing else is there, or they were chosen.
bool CheckView::torch(const ViewContext& context) const {
  return has_torch_ && (against_torch_ || (!file_ && !pinned_of(context)));
}

void CheckView::follow(const ViewContext& context) {
  if (!chosen_->empty()) {
    path_ = std::exchange(*chosen_, {});
    reading_.begin(context.workers(), [path = path_] { return read_reference(path); });
  }
  if (auto read = reading_.take()) {
    error_.reset();
    if (*read) {
      file_ = std::make_shared<const CheckReference>(**std::move(read));
      ++files_;
    } else {
      error_ = read->error();
    }
    if (!std::exchange(restored_, false)) against_pinned_ = against_torch_ = false;
  }
  rows_.reset();
  found_.reset();
  torch_.reset();
  const auto& opened = context.run.document.opened;
  if (std::exchange(opened_, context.run.opened_version) != context.run.opened_version)
    has_torch_ = opened && has_reference(*opened);
  by_torch_ = torch(context);
  border_ = tolerance();
  if (by_torch_) return follow_torch(context);
  const auto pinned = pinned_of(context);
  const auto other = reference(context);
  if (!other) return;
  const bool file = other == file_;
  const std::uint64_t of = file ? files_ : pinned->version;
  found_ = compared_.get(key_of({context.run.version, of, file}), context.workers(),
                         [mine = context.run.traces, theirs = other->traces](
                             const std::atomic<bool>& cancel) { return compared(mine, theirs, cancel); });
  if (found_) rows_ = {found_, &found_->rows};
}

// One sequence of the run; while an edited one is compared, the rows of the run before it.
void CheckView::follow_torch(const ViewContext& context) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  if (sequence >= context.run.traces.size()) return;
  const auto compare = [opened = context.run.document.opened, run = context.run.traces[sequence],
                        sequence](const std::atomic<bool>& cancel) {
    RunCheck out = check_run(*opened, *run, &cancel);
    for (StepDifference& one : out.check.steps) one.sequence = static_cast<int>(sequence);
    return out;
  };
  torch_ = torch_compared_
               .get_or_before(context.run.opened_version, key_of({context.run.version, sequence}),
                              context.workers(), compare)
               .value;
  if (torch_ && !torch_->check.error) rows_ = {torch_, &torch_->check.steps};
}

void CheckView::draw_choices(const ViewContext& context, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const float right = ImGui::GetCursorScreenPos().x + width;
  if (has_torch_) {
    if (chip(Label(tr("check.torch"), "###check_torch"), by_torch_, tr("check.torch.help")))
      against_torch_ = true;
    ImGui::SameLine();
  }
  if (chip(Label(tr("check.open"), "###check_open"), false, tr("check.open.help"))) ask(context);
  if (file_) {
    ImGui::SameLine();
    const Label label(middle_truncated(fonts().body, file_->name, scaled(220)), "###check_file");
    if (chip(label, !by_torch_ && reference(context) == file_, file_->name.c_str()))
      against_pinned_ = against_torch_ = false;
  }
  if (pinned_of(context)) {
    ImGui::SameLine();
    if (chip(Label(tr("check.pinned"), "###check_pinned"), !by_torch_ && (against_pinned_ || !file_),
             tr("check.pinned.help")))
      against_pinned_ = true, against_torch_ = false;
  }
  if (const StepDifference* first = rows_ ? rows().first_wrong() : nullptr) {
    ImGui::SameLine();
    if (chip(Label(tr("check.go"), "###check_go"), false, tr("check.go.help"))) {
      go_to(context, rows(), *first);
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
    if (chip(label, border_ == one, tr("check.tolerance.help"))) tolerance() = one;
  }
}

// What all models come to; then the result of the table, or where there is none what it would hold.
void CheckView::draw_heading(const ViewContext& context, float width) const {
  text_line(fonts().title, theme().text, tr("check.title"));
  draw_shipped_check(context, width);
  ImGui::Dummy(ImVec2(1, scaled(4)));
  if (!rows_) return caption(tr("check.sentence"), width);
  const CheckRows found = rows();
  const ImU32 ink = !found.any() ? theme().text_dim : found.first_wrong() ? theme().error : theme().ok;
  text_line(fonts().body_bold, ink, check_words(found).verdict, width);
  note_item("check.verdict");
}

// PyTorch's numbers are of another text than that of this run: what the rows are of, and the way there.
void CheckView::draw_other_input(const ViewContext& context, float width) const {
  if (!torch_->other_input) return;
  const float right = ImGui::GetCursorPosX() + width;
  if (chip(Label(tr("check.take_input"), "###check_take"), false, tr("check.take_input.help")))
    context.commands.edit(Text::of("check.edit.input", {tr("check.torch")}), {},
                          [reference = torch_->check.reference,
                           at = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence))](
                              Document& document) { return take_input(document, at, reference); });
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().warning, tr("check.torch.reads_other", {in_quotes(torch_->check.text)}),
            right - ImGui::GetCursorPosX());
  note_item("check.other_tokens");
}

void CheckView::draw_tokens(const ViewContext& context, const CheckReference& other, float width) const {
  if (!other_tokens(context.run, other)) return;
  text_line(fonts().body, theme().warning, tr("check.other_tokens", {other.name}), width);
  note_item("check.other_tokens");
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  if (sequence < found_->tokens.size()) {
    const CheckComparison::Tokens& tokens = found_->tokens[sequence];
    if (tokens.matched < std::max(tokens.here, tokens.there)) {
      caption(tr("check.aligned", {std::to_string(tokens.matched), std::to_string(tokens.here),
                                   std::to_string(tokens.there)}));
      note_item("check.aligned");
    }
  }
  if (!context.run.recorded() &&
      chip(Label(tr("check.take_input"), "###check_take"), false, tr("check.take_input.help")))
    take_input(context.commands, other);
}

void CheckView::draw_error(const Error& error, float width) {
  text_line(fonts().body, theme().error, error.sentence(), width);
  if (const std::string hint = error.hint(); !hint.empty()) caption(hint, width);
  note_item("check.error");
}

void CheckView::draw(const ViewContext& context) {
  follow(context);
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  draw_heading(context, width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  draw_choices(context, width);
  if (error_) draw_error(*error_, width);
  if (by_torch_) {
    if (torch_ && torch_->check.error) return draw_error(*torch_->check.error, width);
    if (!rows_) return caption(tr("check.comparing"));
    draw_other_input(context, width);
  } else {
    const auto other = reference(context);
    if (!other)
      return caption(tr(reading_.waits()           ? "check.reading"
                        : context.session.pinned() ? "check.nothing.pinned"
                                                   : "check.nothing"));
    if (!rows_) return caption(tr("check.comparing"));
    draw_tokens(context, *other, width);
  }
  if (const auto clicked = draw_check_strip(context, rows(), width)) scroll_to_ = static_cast<int>(*clicked);
  draw_check_table(context, rows(), scroll_to_);
}

}  // namespace

std::unique_ptr<View> make_check_view();
std::unique_ptr<View> make_check_view() { return std::make_unique<CheckView>(); }

}  // namespace attnscope
