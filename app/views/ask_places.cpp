// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_places.h"

#include "app/look/kept_text.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/session/prompt_list.h"

namespace attnscope {
namespace {

// What is knocked out or patched.
void draw_kinds_of_places(const ViewContext& context, ChipRow& line) {
  Asking& asking = context.workspace.asking;
  AskSettings& settings = asking.settings;
  const bool patch = settings.page == AskPage::patch;
  std::string& chosen = patch ? settings.patch : settings.knock_out;
  for (const PlaceQuestion& question : place_questions()) {
    if (question.patch != patch || settings.page == AskPage::heads ||
        !has_places(context.run.document.model->config(), question))
      continue;
    const Label key(patch ? "ask.patch." : "ask.out.", question.id);
    const bool on = &asking.question() == &question;
    if (line(Label(tr(key), "###", key), on, tr(Label(key, ".help")))) chosen = question.id;
  }
  const ModelConfig& config = context.run.trace(context.workspace.cursor.sequence).config();
  line.part();
  for (const Stack stack : {Stack::enc, Stack::vision, config.stack}) {  // stack whose rows are edited
    if (!has_stacks(config) || !asking.question().by_rows || settings.page == AskPage::heads ||
        config.of(stack).stack != stack)
      continue;
    const std::string id = "###ask_stack_" + std::to_string(static_cast<int>(stack));
    if (line(stack_name(config, stack) + id, asking.stack_of(config) == stack)) settings.stack = stack;
  }
}

// How many neurons at once.
void draw_groups(Asking& asking, ChipRow& line) {
  AskSettings& settings = asking.settings;
  const bool out = settings.page == AskPage::knock_out && asking.question().over == std::string_view("d_mlp"),
             write = settings.page == AskPage::links && settings.from == AskFrom::neurons;
  if (!out && !write) return;
  line.part();
  for (const int group : kNeuronGroups) {
    const std::string count = std::to_string(group);
    const char* label = group == 1 ? tr("ask.group.one") : kept_tr("ask.group", {count}).c_str();
    if (line(Label(label, "###ask.group.", count), settings.group == group,
             kept_tr("ask.group.help", {count}).c_str()))
      settings.group = group;
  }
}

// What the places become; over a data set the means are those of its prompts.
void draw_hows(const ViewContext& context, ChipRow& line) {
  AskSettings& settings = context.workspace.asking.settings;
  const bool data = context.workspace.asking.over_data();
  for (const auto& [name, how] : kAskHows) {
    if (!data && how > AskHow::mean) continue;
    const bool on = settings.how == how || (!data && how == AskHow::mean && settings.how > how);
    const Label key(data && how != AskHow::zero ? "ask.data.how." : "ask.how.",
                    how == AskHow::mean_by_pos ? "mean_by_pos" : std::string_view(name));
    if (line(Label(tr(key), "###ask.how.", name), on, tr(Label(key, ".help")))) settings.how = how;
  }
}

// Patch over a data set: whose run takes the places.
void draw_sides(const ViewContext& context, ChipRow& line) {
  AskSettings& settings = context.workspace.asking.settings;
  const bool turned = looks_at_corrupt(context.session.document());
  line.part();
  for (const bool into_corrupt : {true, false}) {
    const Label key("ask.data.into.", into_corrupt ? "corrupt" : "clean");
    if (line(Label(tr(key), "###", key), (settings.into_other != turned) == into_corrupt,
             tr(Label(key, ".help"))))
      settings.into_other = into_corrupt != turned;
  }
}

}  // namespace

void draw_ask_places(const ViewContext& context, ChipRow& line) {
  Asking& asking = context.workspace.asking;
  const AskPage page = asking.settings.page;
  if (page != AskPage::links) draw_kinds_of_places(context, line);
  draw_groups(asking, line);
  line.part();
  if (page == AskPage::knock_out || page == AskPage::heads) draw_hows(context, line);
  if (page == AskPage::patch && asking.over_data()) draw_sides(context, line);
}

}  // namespace attnscope
