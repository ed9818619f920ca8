// The menu that replaces parts of the model's architecture on the same weights, in one block or in all. What
// the model does not support is disabled, with the reason.
#include <algorithm>
#include <cmath>
#include <map>

#include "app/look/item_map.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/edit_words.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/model/derive.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr float kPointerMoved = 3.f;  // units: less is a hand at rest
constexpr int kMostBlockChips = 8;    // of more blocks the cursor's alone is offered

struct ExchangeChoice {
  Exchange::Part part;
  const char *branch, *value;
  const char* key;  ///< string key: "exchange.attention"
};
struct ExchangeRow {
  const char* key;
  std::vector<ExchangeChoice> choices;
};

// The rows of the menu; the numbers of key/value heads depend on the model.
const std::vector<ExchangeRow>& exchange_rows() {
  static const std::vector<ExchangeRow> table{
      {"exchange.order",
       {{Exchange::Part::order, "", "pre", "exchange.pre"},
        {Exchange::Part::order, "", "post", "exchange.post"},
        {Exchange::Part::order, "", "parallel", "exchange.parallel"}}},
      {"exchange.skip",
       {{Exchange::Part::skip, "attn", "off", "exchange.attention"},
        {Exchange::Part::skip, "cross", "off", "exchange.cross"},
        {Exchange::Part::skip, "mlp", "off", "exchange.mlp"}}},
      {"exchange.activation",
       {{Exchange::Part::activation, "mlp", "relu", "exchange.relu"},
        {Exchange::Part::activation, "mlp", "gelu", "exchange.gelu"},
        {Exchange::Part::activation, "mlp", "gelu_tanh", "exchange.gelu_tanh"},
        {Exchange::Part::activation, "mlp", "silu", "exchange.silu"}}},
      {"exchange.gate",
       {{Exchange::Part::activation, "mlp", "reglu", "exchange.reglu"},
        {Exchange::Part::activation, "mlp", "geglu", "exchange.geglu"},
        {Exchange::Part::activation, "mlp", "swiglu", "exchange.swiglu"}}},
      {"exchange.scaling",
       {{Exchange::Part::scaling, "attn", "off", "exchange.attention"},
        {Exchange::Part::scaling, "cross", "off", "exchange.cross"}}},
      {"exchange.mask_order",
       {{Exchange::Part::mask_order, "attn", "before", "exchange.before"},
        {Exchange::Part::mask_order, "attn", "after", "exchange.after"}}}};
  return table;
}

struct ExchangeMenu {
  int block = -1;                          ///< < 0: every block
  std::string key;                         ///< cache key of `why`
  std::map<std::string, std::string> why;  ///< by the text of the edit; empty: it is possible
  ImVec2 opened;                           ///< where the pointer was
  bool moved = false;                      ///< since then: before, no tooltip lies over the menu
};

ExchangeMenu& menu_of(const PanelContext& context) {
  auto& kept = inspector_cache(context.workspace).exchanges;
  if (!kept) kept = std::make_shared<ExchangeMenu>();
  return *std::static_pointer_cast<ExchangeMenu>(kept);
}

Exchange exchange_of(const PanelContext& context, const ExchangeMenu& menu, const ExchangeChoice& choice) {
  const Cursor& cursor = context.workspace.cursor;
  return {choice.part, cursor.stack, menu.block, choice.branch, choice.value};
}

const std::string& inspector_exchange_why_not(const PanelContext& context, ExchangeMenu& menu,
                                              const std::shared_ptr<const Edit>& edit) {
  const auto [found, fresh] = menu.why.try_emplace(to_text(*edit));
  if (!fresh) return found->second;
  const Status can = check_new_edit(context, edit);
  if (!can) found->second = can.error().text();
  return found->second;
}

// Removes edits that replace the same part of the same blocks.
void take_back(Document& document, Exchange exchange) {
  std::erase_if(document.edits, [&](const auto& edit) {
    if (!edit->exchange()) return false;
    exchange.value = edit->exchange()->value;
    return *edit->exchange() == exchange;
  });
}

// Highlighted if the run is built that way. Choosing the model's own value removes the edit.
void draw_choice(const PanelContext& context, ExchangeMenu& menu, const ExchangeChoice& choice,
                 const std::string& words) {
  const Document& document = context.session.document();
  const auto edit = make_edit(exchange_of(context, menu, choice));
  const Exchange& exchange = *edit->exchange();
  const std::string text = to_text(*edit);
  const bool stands = std::any_of(document.edits.begin(), document.edits.end(), [&](const auto& one) {
    return one->enabled && one->exchange() && *one->exchange() == exchange;
  });
  const bool own = has_part(document.model->config(), exchange);
  const bool lit = has_part(context.run->trace(context.workspace.cursor.sequence).config(), exchange);
  const std::string& why = inspector_exchange_why_not(context, menu, edit);
  bool clicked = false;
  {
    const DisabledScope disabled(!why.empty() && !stands);
    clicked = chip(words + "###" + text, lit);
  }
  if (menu.moved) compat::item_tooltip(why.empty() ? text.c_str() : why.c_str(), true);
  if (!clicked || (own && lit)) return;
  const bool back = stands || own;
  context.commands.edit(
      Text::of(back ? "inspector.edits.removed" : "inspector.edits.added", {edit_words(*edit)}), {},
      [edit, back](Document& changed) -> Status {
        if (back)
          take_back(changed, *edit->exchange());
        else
          put_edit(changed, edit);
        return Done{};
      });
}

void draw_label(const char* key) {
  ImGui::AlignTextToFramePadding();
  dim_text(tr(key));
  ImGui::SameLine(px(118));
}

// Numbers of key/value heads that divide the heads of every block evenly.
void draw_kv_heads(const PanelContext& context, ExchangeMenu& menu) {
  const ModelConfig& config = context.session.document().model->config().of(context.workspace.cursor.stack);
  const auto [least, most] = extent(config, &BlockSpec::attention, &AttentionSpec::n_kv_heads);
  if (most < 2) return;
  draw_label("exchange.kv_heads");
  for (int groups = 1; groups <= least; ++groups) {
    const bool divides = std::all_of(config.blocks.begin(), config.blocks.end(), [&](const BlockSpec& block) {
      return block.attention.n_kv_heads % groups == 0;
    });
    if (!divides) continue;
    const std::string value = std::to_string(groups);
    draw_choice(context, menu, {Exchange::Part::kv_heads, "attn", value.c_str(), ""}, value);
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

void draw_menu(const PanelContext& context, ExchangeMenu& menu) {
  const ModelConfig& config = context.session.document().model->config();
  const Cursor& cursor = context.workspace.cursor;
  text_line(fonts().body_bold, theme().text, tr("exchange.title"));
  caption(tr("exchange.help"));
  const int blocks = config.of(cursor.stack).n_layers();
  if (menu.block >= blocks) menu.block = -1;
  if (chip(Label(tr("exchange.every"), "###exchange_every"), menu.block < 0)) menu.block = -1;
  for (int block = 0; block < blocks; ++block) {
    if (blocks > kMostBlockChips && block != std::max(0, cursor.layer)) continue;
    ImGui::SameLine();
    const std::string name = block_name(config, cursor.stack, block, true);
    if (chip(name + "###exchange_block_" + std::to_string(block), menu.block == block)) menu.block = block;
  }
  ImGui::Separator();
  for (const ExchangeRow& row : exchange_rows()) {
    draw_label(row.key);
    for (const ExchangeChoice& choice : row.choices) {
      draw_choice(context, menu, choice, tr(choice.key));
      ImGui::SameLine();
    }
    ImGui::NewLine();
  }
  draw_kv_heads(context, menu);
}

}  // namespace

void draw_exchanges(const PanelContext& context) {
  if (raised_button(Label(tr("exchange.open"), "###exchange"))) ImGui::OpenPopup("###exchange_menu");
  note_item("exchange");
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  if (context.workspace.keeps_stage) popup_over_panel();
  if (!ImGui::BeginPopup("###exchange_menu")) return;
  ExchangeMenu& menu = menu_of(context);
  const std::string key = std::to_string(context.session.history().point()) + "/" +
                          std::to_string(context.session.opened_version());
  if (key != menu.key) menu.key = key, menu.why.clear();
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  if (ImGui::IsWindowAppearing()) menu.opened = pointer, menu.moved = false;
  menu.moved |= std::abs(pointer.x - menu.opened.x) + std::abs(pointer.y - menu.opened.y) > px(kPointerMoved);
  draw_menu(context, menu);
  ImGui::EndPopup();
}

}  // namespace attnscope
