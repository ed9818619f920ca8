#include "app/views/training_kept.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/common.h"

namespace attnscope {

// Thread-safe.
std::vector<TrainingKept::Row> TrainingKept::rows_of(const std::string& folder,
                                                     const TrainingSettings& settings) {
  std::vector<Row> out;
  const auto task = task_of(settings);
  for (KeptRun& run : kept_runs(folder, settings.task, settings.data)) {
    const auto config = task ? (*task)->config(run.settings.sizes) : Result<ModelConfig>(task.error());
    Row row;
    row.run = std::move(run);
    if (config) {
      row.layers = config->n_layers();
      row.heads = common(*config, &BlockSpec::attention, &AttentionSpec::n_heads).value_or(0);
      row.width = static_cast<int>(config->d_model);
    }
    out.push_back(std::move(row));
  }
  return out;
}

void TrainingKept::follow(const ViewContext& context, const TrainingSettings& settings) {
  const Training& training = context.session.training();
  const std::string what = settings.task + "\n" + settings.data;
  const std::uint64_t key = key_of({std::hash<std::string>{}(what), training.kept_version(), asked_});
  shown_ = rows_
               .get_or_before(std::hash<std::string>{}(what), key, context.workers(),
                              [folder = training.kept_in(), settings](const std::atomic<bool>&) {
                                return rows_of(folder, settings);
                              })
               .value;
}

void TrainingKept::draw(const ViewContext& context, ChipRow& row) {
  if (!shown_ || shown_->empty()) return;
  const KeptRun& newest = shown_->front().run;
  const std::string go_on = tr("training.go_on", {format_count(newest.step)}) + "###train_go_on";
  const std::string help = tr("training.go_on.help", {newest.saved});
  if (row(go_on, false, help.c_str()))
    context.commands.act([newest](Session& session) { (void)session.train_from(newest); });
  if (row(Label(tr("training.kept"), "###train_kept"), false, tr("training.kept.help"))) {
    removing_.clear();
    ImGui::OpenPopup("###train_kept_list");
  }
  // Above the chip, aligned to the right edge of the view.
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x - scaled(24);
  const ImVec2 corner(std::max(right, ImGui::GetItemRectMax().x), ImGui::GetItemRectMin().y - scaled(5));
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, ImVec2(1, 1));
  draw_list(context, *shown_);
}

void TrainingKept::draw_remove(const ViewContext& context, const std::string& path, std::size_t number) {
  const bool sure = removing_ == path;
  const std::string label = std::string(tr(sure ? "training.kept.sure" : "training.kept.remove")) +
                            "###train_remove_" + std::to_string(number);
  const ColourScope ink(ImGuiCol_Text, sure ? theme().error : theme().text_dim);
  const float wide = std::max(chip_width(tr("training.kept.sure")), chip_width(tr("training.kept.remove")));
  const bool clicked = ImGui::Button(label.c_str(), ImVec2(wide, 0));
  note_item(label);
  compat::item_tooltip(path.c_str());
  if (!clicked) return;
  if (sure) context.commands.act([path](Session& session) { session.training().remove_kept(path); });
  removing_ = sure ? std::string() : path;
}

void TrainingKept::draw_rows(const ViewContext& context, const std::vector<Row>& rows) {
  const StyleScope cells(ImGuiStyleVar_CellPadding, ImVec2(scaled(9), scaled(3)));
  if (ImGui::BeginTable("###train_kept_table", 5, ImGuiTableFlags_SizingFixedFit)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const KeptRun& run = rows[i].run;
      ImGui::TableNextColumn();
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(
          tr("training.kept.step", {format_count(run.step), format_count(run.settings.recipe.steps)})
              .c_str());
      note_item("train_kept_" + std::to_string(i));
      const std::string sizes =
          tr("training.kept.sizes",
             {std::to_string(rows[i].layers), std::to_string(rows[i].heads), std::to_string(rows[i].width)});
      for (const std::string& text : {rows[i].layers > 0 ? sizes : std::string(), run.saved}) {
        ImGui::TableNextColumn();
        ImGui::AlignTextToFramePadding();
        text_line(fonts().small, theme().text_dim, text);
      }
      ImGui::TableNextColumn();
      const std::string go_on =
          std::string(tr("training.kept.go_on")) + "###train_kept_go_" + std::to_string(i);
      if (chip(go_on, false)) {
        context.commands.act([run](Session& session) { (void)session.train_from(run); });
        ImGui::CloseCurrentPopup();
      }
      ImGui::TableNextColumn();
      draw_remove(context, run.path, i);
    }
    ImGui::EndTable();
  }
}

void TrainingKept::draw_list(const ViewContext& context, const std::vector<Row>& rows) {
  const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2(scaled(12), scaled(10)));
  const float high = ImGui::GetIO().DisplaySize.y * 0.6f;
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(ImGui::GetIO().DisplaySize.x, high));
  if (!ImGui::BeginPopup("###train_kept_list")) return;
  text_line(fonts().small, theme().text_dim, tr("training.kept.title"));
  draw_rows(context, rows);
  ImGui::EndPopup();
}

}  // namespace attnscope
