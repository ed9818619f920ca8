// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_prompts.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/views/ask_grid.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/data_prompt.h"
#include "core/session/prompt_list.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostListed = 300;
constexpr float kPromptRow = 35.f, kPromptTip = 356.f, kPromptBar = 0.4f;  // units; share of the width

std::string typed_measure(const Asking& asking) {
  const auto& request = asking.request();
  return request && request->data ? request->data->question.measure : std::string();
}

// "ask.data.diff" for a measure whose tokens are each prompt's own; null for one that names them.
const char* own_answer_key(const std::string& measure) {
  if (!takes_own_answers(measure)) return nullptr;
  if (measure.starts_with("logit_diff")) return "diff";
  return measure.starts_with("logit") ? "logit" : "prob";
}

std::optional<std::size_t> strongest(const SweepAnswer& answer) {
  std::optional<std::size_t> most;
  const auto moves = [&](std::size_t cell) { return std::fabs(answer.shown(cell, true, false)); };
  for (std::size_t cell = 0; cell < answer.values.size(); ++cell)
    if (std::isfinite(answer.values[cell]) && (!most || moves(cell) > moves(*most))) most = cell;
  return most && moves(*most) > 0 ? most : std::nullopt;
}

}  // namespace

std::string_view own_measure_words(const std::string& measure) {
  const char* key = own_answer_key(measure);
  return key ? tr(Label("ask.data.measure.", key)) : std::string_view();
}

std::string_view own_measure_question(const std::string& measure) {
  const char* key = own_answer_key(measure);
  return !key ? std::string_view()
              : tr(std::string_view(key) == "diff" ? "ask.data.title.diff" : "ask.data.title.one");
}

std::string data_measure_words(const Asking& asking, const OpenedModel& opened) {
  if (const auto own = own_measure_words(typed_measure(asking)); !own.empty()) return std::string(own);
  const auto answer = asking.measure.newest();
  return answer && answer->measure ? measure_words(opened, *answer->measure) : std::string();
}

std::string data_measure_question(const Asking& asking, const OpenedModel& opened) {
  if (const auto own = own_measure_question(typed_measure(asking)); !own.empty()) return std::string(own);
  const auto answer = asking.measure.newest();
  return answer && answer->measure ? measure_question(opened, *answer->measure) : std::string();
}

namespace {

// What is done to the places of an answer over a data set, as the keys of its sentences say it.
std::string data_change(const SweepAnswer& answer) {
  const DataQuestion& asked = answer.request.data->question;
  using From = DataKnockout::From;
  if (asked.path) return std::string(name_of_value(asked.path->kind, kPathKinds));
  if (asked.patch != PatchInto::none) return asked.patch == PatchInto::corrupt ? "patch" : "patch.back";
  return asked.how.from == From::mean       ? "mean"
         : asked.how.from == From::resample ? "resample"
         : asked.how.from == From::itself   ? "zero"
                                            : "mean:pos";
}

// The end of the keys of its list of prompts.
const char* data_list(const SweepAnswer& answer) {
  const DataQuestion& asked = answer.request.data->question;
  return asked.path ? ".path" : asked.patch != PatchInto::none ? ".patch" : "";
}

}  // namespace

const std::string& prompts_words(const SweepAnswer& answer) {
  const std::string done = format_count(answer.prompts_done()), all = format_count(answer.prompts());
  return answer.prompts_done() == answer.prompts() ? kept_tr("ask.data.all", {all})
                                                   : kept_tr("ask.data.some", {done, all});
}

std::string data_result(const ViewContext& context, const SweepAnswer& answer, const std::string& measure) {
  const auto most = strongest(answer);
  if (!answer.data || !most) return {};
  const DataCell& of = answer.data->cells()[*most];
  const auto number = [](double value) { return number_text(static_cast<float>(value), 2); };
  const std::string place = place_words(*context.run.document.opened, answer, answer.cells()[*most]);
  const std::string key = "ask.data.result." + data_change(answer);
  std::string text =
      tr(key, {prompts_words(answer), place, measure, number(answer.base()), number(answer.values[*most])});
  if (of.change.n() > 1)
    text += " " + tr("ask.data.result.error", {number(of.change.mean()), number(of.change.standard_error()),
                                               std::to_string(of.change.n())});
  return text;
}

void AskPrompts::draw_choice(const ViewContext& context, ChipRow& line) {
  Asking& asking = context.workspace.asking;
  AskSettings& settings = asking.settings;
  if (context.session.document().data.prompts) {
    for (const auto& [name, over] : kAskOvers) {
      const Label key("ask.over.", name);
      if (line(Label(tr(key), "###", key), settings.over == over, tr(Label(key, ".help"))))
        settings.over = over;
    }
    return;
  }
  const std::optional<DataChoice>& own = over_.own(context);
  if (!own || context.session.opening_data()) return;
  if (line(Label(tr("ask.over.own"), "###ask.over.own"), false, tr("ask.over.own.help"))) {
    settings.over = AskOver::mean;
    context.commands.act([choice = *own](Session& session) { session.open_data(choice); });
  }
}

// An answer has a row for each prompt that was asked, in their order; some may have been left out.
void AskPrompts::sort(const SweepAnswer& answer, const DataPrompts& prompts, std::size_t cell) {
  const std::uint64_t key = key_of({answer.key, answer.change, cell});
  if (key == sorted_) return;
  sorted_ = key;
  lines_.clear();
  const std::vector<DataRow>& rows = answer.data->rows();
  for (std::size_t row = 0, prompt = 0; row < rows.size(); ++row, ++prompt) {
    while (prompt + 1 < prompts.lines.size() && prompts.lines[prompt].line != rows[row].line) ++prompt;
    for (const auto& [at, value] : rows[row].values)
      if (at == cell) lines_.push_back({row, prompt, value - rows[row].base});
  }
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
    const auto size = [](double effect) { return std::isnan(effect) ? -1 : std::fabs(effect); };
    return size(a.effect) > size(b.effect);
  });
  all_ = lines_.size();
  lines_.resize(std::min(lines_.size(), kMostListed));
}

void AskPrompts::draw(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer,
                      std::size_t cell, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  if (!answer->data) return caption(tr("ask.data.cell.waiting"));
  sort(*answer, *answer->request.data->prompts, cell);
  Asking& asking = context.workspace.asking;
  const OpenedModel& opened = *context.run.document.opened;
  const Document& document = context.session.document();
  const DataPrompts& prompts = *answer->request.data->prompts;
  const std::string& title = title_.get({answer->key, answer->change, cell}, [&] {
    const std::string place = place_words(opened, *answer, answer->cells()[cell]);
    const std::string all = format_count(static_cast<std::int64_t>(all_)), of = data_list(*answer);
    return all_ > lines_.size()
               ? tr("ask.data.list.some" + of, {place, format_count(std::ssize(lines_)), all})
               : tr("ask.data.list" + of, {place, all});
  });
  const ChildScope child("ask_prompts", room);
  caption(title);
  note_item("ask_prompts_title");
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  const std::int64_t looked =
      document.data.prompts == answer->request.data->prompts ? prompt_looked_at(document) : -1;
  const Table& table = table_.get(
      {sorted_, static_cast<std::uint64_t>(looked), context.session.history().point(),
       static_cast<std::uint64_t>(width)},
      [&] {
        Table made;
        const float text = width * (1 - kPromptBar),
                    number = text_size(fonts().mono_small, "−000.00").x + scaled(14);
        made.columns = {{TableColumn::Kind::text, {}, text}, number_column({}, number), bar_column()};
        made.row = scaled(kPromptRow);
        made.words = fonts().small, made.digits = fonts().mono_small;
        for (const Line& line : lines_) {
          const auto prompt = static_cast<std::int64_t>(line.prompt);
          const std::string words = prompt_text(opened, prompts.lines[line.prompt]);
          TableRow row{"###ask_prompt_" + std::to_string(prompt), {}, looked == prompt};
          row.cells.push_back({words});
          row.cells.push_back({signed_number(line.effect, 2)});
          row.cells.push_back(
              {{}, 0, std::fabs(line.effect), line.effect < 0 ? theme().negative : theme().positive});
          made.rows.push_back(std::move(row));
        }
        return made;
      });
  const ImVec2 rows = ImGui::GetCursorScreenPos();
  const TableEvent event = draw_table(table, rows, width, [](int) {});
  const auto line_of = [&](int row) { return lines_[static_cast<std::size_t>(row)]; };
  if (event.hovered >= 0) {
    const Line line = line_of(event.hovered);
    const DataRow& row = answer->data->rows()[line.row];
    const bool put = asking.is_prompt_put(document, cell, static_cast<std::int64_t>(line.prompt));
    const std::string tip =
        prompt_text(opened, prompts.lines[line.prompt]) + "\n" +
        tr("ask.data.list.line", {std::to_string(line.prompt + 1), signed_number(row.base, 4),
                                  signed_number(row.base + line.effect, 4), signed_number(line.effect, 4)}) +
        "\n" +
        (put ? std::string(tr("ask.data.list.put"))
             : std::string(tr(std::string("ask.data.list.click") + data_list(*answer))));
    note_text(tip);
    const std::string lines(in_lines(tip, scaled(kPromptTip)));
    const float row_top = rows.y + static_cast<float>(event.hovered) * scaled(kPromptRow);
    tooltip_beside(ImVec2(rows.x, row_top), ImVec2(rows.x + width, row_top + scaled(kPromptRow)),
                   lines.c_str());
    ImGui::SetTooltip("%s", lines.c_str());
  }
  if (event.clicked < 0 || !asking.is_fresh(*answer)) return;
  const auto prompt = static_cast<std::int64_t>(line_of(event.clicked).prompt);
  context.commands.act([&asking, answer, cell, prompt](Session& session) {
    asking.begin_prompt(session.workers(), answer, cell, prompt);
  });
}

void AskPrompts::follow(const ViewContext& context) {
  Asking& asking = context.workspace.asking;
  const auto made = asking.take_prompt();
  if (!made) return;
  if (!*made) {
    context.commands.act([why = made->error()](Session& session) { session.report(why); });
    return;
  }
  const std::int64_t prompt = (*made)->prompt;
  const auto answer = asking.answer();
  const std::string of = answer && answer->over_data() ? data_list(*answer) : "";
  context.workspace.cursor.sequence = 0;
  context.commands.edit(
      Text::of("ask.data.did" + of, {prompt + 1}), {},
      [&asking, edit = **made](Document& document) { return asking.put_prompt(document, edit); });
}

}  // namespace attnscope
