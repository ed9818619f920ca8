#include "app/panels/input/input_menu.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kMostFound = 60;
constexpr int kMostWordsListed = 400;

/// Ids of a vocabulary without a tokenizer: names that contain the query, or ids that start with its digits.
std::vector<int> listed_ids(const OpenedModel& opened, int count, const std::string& query) {
  std::vector<int> ids;
  for (int id = 0; id < count && static_cast<int>(ids.size()) < kMostWordsListed; ++id) {
    const bool word = lower(token_label(opened, id)).find(lower(query)) != std::string::npos;
    if (query.empty() || word || starts_with(std::to_string(id), query)) ids.push_back(id);
  }
  return ids;
}

bool is_whole_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Ids whose tokens contain the query, or all of a small vocabulary where there is none; if it is a number,
/// that id first.
std::vector<int> searched_ids(const Tokenizer& tokenizer, const std::string& query) {
  if (query.empty() && tokenizer.vocab_size() <= kMostWordsListed) {
    std::vector<int> all(static_cast<std::size_t>(tokenizer.vocab_size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> ids = tokenizer.search(query, kMostFound);
  int id = 0;
  const bool number = is_whole_number(query) &&
                      std::from_chars(query.data(), query.data() + query.size(), id).ec == std::errc();
  if (number && id < tokenizer.vocab_size()) ids.insert(ids.begin(), id);
  return ids;
}

std::size_t cursor_sequence(const PanelContext& context) {
  const std::size_t count = context.session.document().sequences.size();
  return std::min(count - 1, static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence)));
}

bool menu_item(const char* key, bool on = false, bool enabled = true) {
  const bool chosen = ImGui::MenuItem((std::string(tr(key)) + "###" + key).c_str(), nullptr, on, enabled);
  note_item(key);
  return chosen;
}

// The undo label; names the stack where the model has two.
Text sentence(Stack of, const char* key, std::vector<Text> arguments) {
  const Text words = Text::of(key, std::move(arguments));
  return of == Stack::enc ? Text::of("input.edit.of_source", {words}) : words;
}

}  // namespace

void look_at(const PanelContext& context, Stack of, std::int64_t row, bool as_key) {
  Cursor& cursor = context.workspace.cursor;
  const Stack rows = of == Stack::enc ? of : context.session.document().model->config().stack;
  const auto keys = [&] { return cursor.part == Part::cross ? Stack::enc : cursor.stack; };
  if (cursor.stack != rows && keys() != rows && context.run)
    go_to_place(context.workspace, *context.run, {rows, Part::attn});
  const bool both = cursor.stack == rows && keys() == rows;
  if (both ? as_key : keys() == rows)
    cursor.key = row;
  else if (cursor.stack == rows)
    cursor.query = row;
}

const std::vector<int>& ChipMenu::found_ids(const PanelContext& context, Stack of,
                                            const OpenedModel& opened) {
  if (searched_for_ == query_) {
    if (auto found = search_.take()) {
      if (!*found) throw ErrorThrown{found->error()};  // its part of the frame says it
      found_ = **std::move(found);
    }
    return found_;
  }
  searched_for_ = query_;
  const ModelConfig& config = opened.model->config();
  if (!opened.tokenizer) {
    const int count = config.of(of == Stack::enc ? of : config.stack).vocab_size;
    return found_ = listed_ids(opened, count, query_);
  }
  search_.begin(context.workers(),
                [query = query_, tokenizer = opened.tokenizer] { return searched_ids(*tokenizer, query); });
  return found_;
}

void ChipMenu::change_token(const PanelContext& context, Stack of, const Chip& chip, int id) {
  const std::size_t sequence = cursor_sequence(context), pos = static_cast<std::size_t>(chip.token);
  const std::string word = token_label(*context.session.document().opened, id), at = std::to_string(pos);
  if (change_ == Change::replace) {
    context.commands.edit(sentence(of, "input.edit.replace", {at, chip.label, word}), {},
                          [=](Document& changed) { return replace_token(changed, sequence, pos, id, of); });
  } else {
    const std::size_t where = change_ == Change::before ? pos : pos + 1;
    context.commands.edit(sentence(of, "input.edit.insert", {word, std::to_string(where)}), {},
                          [=](Document& changed) { return insert_token(changed, sequence, where, id, of); });
  }
  ImGui::CloseCurrentPopup();
}

void ChipMenu::draw_found(const PanelContext& context, Stack of, const Chip& chip,
                          const std::vector<int>& ids) {
  const OpenedModel& opened = *context.session.document().opened;
  const bool full = context.workspace.level == Level::full;
  compat::begin_child("found", ImVec2(px(330), px(full ? 190 : 120)), true);
  for (const int id : ids) {
    const std::string word = token_label(opened, id);
    note_text(word);
    const WithId scope(id);
    const bool chosen = ImGui::Selectable("###found");
    ImGui::SameLine(px(8));
    {
      const WithFont face(fonts().mono);
      ImGui::TextUnformatted(shortened(word, px(220)).c_str());
    }
    if (full) {
      ImGui::SameLine(px(250));
      dim_text(std::to_string(id));
    }
    if (!chosen) continue;
    change_token(context, of, chip, id);
    break;
  }
  if (ids.empty()) dim_text(tr(query_.empty() ? "input.menu.type" : "input.menu.none"));
  ImGui::EndChild();
}

void ChipMenu::draw_token_search(const PanelContext& context, Stack of, const Chip& chip) {
  const std::pair<Change, const char*> changes[] = {{Change::replace, "input.menu.replace"},
                                                    {Change::before, "input.menu.before"},
                                                    {Change::after, "input.menu.after"}};
  for (const auto& [change, key] : changes) {
    if (raised_button(Label(tr(key), "###", key), change == change_)) change_ = change;
    ImGui::SameLine(0, px(4));
  }
  ImGui::NewLine();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(px(330));
  const OpenedModel& opened = *context.session.document().opened;
  const char* hint = opened.tokenizer ? "input.menu.search" : "input.menu.search_ids";
  const bool entered =
      ImGui::InputTextWithHint("###token_search", tr(hint), &query_, ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("token_search");
  note_text(query_);
  const std::vector<int>& ids = found_ids(context, of, opened);
  if (entered && !ids.empty()) return change_token(context, of, chip, ids.front());
  draw_found(context, of, chip, ids);
}

void ChipMenu::draw_looks(const PanelContext& context, Stack of, const Chip& chip) {
  if (menu_item("input.menu.query")) look_at(context, of, chip.row, false);
  if (menu_item("input.menu.key")) look_at(context, of, chip.row, true);
}

void ChipMenu::draw_segments(const PanelContext& context, const Chip& chip) {
  const std::size_t sequence = cursor_sequence(context), pos = static_cast<std::size_t>(chip.token);
  const int known = context.session.document().model->config().type_vocab;
  ImGui::AlignTextToFramePadding();
  dim_text(tr("input.menu.segment"));
  for (int type = 0; type < std::min(known, 4); ++type) {
    ImGui::SameLine(0, px(6));
    const std::string number = std::to_string(type);
    if (!raised_button(number + "###segment" + number, chip.type == type)) continue;
    context.commands.edit(Text::of("input.edit.segment", {chip.label, number}), {},
                          [=](Document& changed) { return set_type(changed, sequence, pos, type); });
  }
  ImGui::SameLine(0, px(10));
  const int other = chip.type == 0 ? 1 : 0;
  if (!raised_button(tr("input.menu.segment_from_here", {std::to_string(other)}) + "###segment_from_here"))
    return;
  context.commands.edit(Text::of("input.edit.segment_from", {std::to_string(pos), std::to_string(other)}), {},
                        [=](Document& changed) { return set_type(changed, sequence, pos, other, true); });
}

void ChipMenu::draw_edits(const PanelContext& context, Stack of, const Chip& chip, std::size_t tokens) {
  const std::size_t sequence = cursor_sequence(context), pos = static_cast<std::size_t>(chip.token);
  const Document& document = context.session.document();
  const bool vectors = chip.kind == Chip::Kind::vector;
  const std::string at = std::to_string(pos);
  if (menu_item("chip_menu.delete", false, tokens > 1))
    context.commands.edit(sentence(of, "input.edit.delete", {chip.label, at}), {}, [=](Document& changed) {
      return vectors ? delete_position(changed, static_cast<std::int64_t>(pos))
                     : delete_token(changed, sequence, pos, of);
    });
  if (vectors) return;
  const auto mask = mask_token(*document.opened);
  if (mask && chip.id != *mask && menu_item("chip_menu.mask"))
    context.commands.edit(
        sentence(of, "input.edit.mask_token", {chip.label, at}), {},
        [=](Document& changed) { return replace_token(changed, sequence, pos, *mask, of); });
}

void ChipMenu::begin() {
  ImGui::OpenPopup("###chip_menu");
  ask_ = false;
  query_.clear();
  found_.clear();
  search_.forget();
  searched_for_.reset();
  change_ = Change::replace;
}

void ChipMenu::draw(const PanelContext& context, Stack of, const std::vector<Chip>& chips) {
  const WithId scope(of == Stack::enc ? "source" : "main");
  if (ask_) begin();
  // To the side where there is more room: what a lesson asks stays in sight.
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool leftwards = mouse.x > ImGui::GetIO().DisplaySize.x / 2;
  ImGui::SetNextWindowPos(mouse, ImGuiCond_Appearing, ImVec2(leftwards ? 1.f : 0.f, 0.f));
  if (context.workspace.keeps_stage) popup_over_panel();
  if (!ImGui::BeginPopup("###chip_menu")) return;
  const bool gone = chip_ >= chips.size() || context.session.document().sequences.empty();
  if (gone) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  const Chip& chip = chips[chip_];
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(chip.label.c_str());
  }
  const bool full = context.workspace.level == Level::full;  // in easy a click on the word looks from it
  if (full && chip.id >= 0)
    dim_text(tr("input.menu.facts", {std::to_string(chip.id), std::to_string(chip.row)}));
  if (full) draw_looks(context, of, chip);
  const bool in_document = chip.token >= 0 && chip.kind != Chip::Kind::patch;
  if (in_document) {
    const auto tokens = static_cast<std::size_t>(
        std::count_if(chips.begin(), chips.end(), [](const Chip& other) { return other.token >= 0; }));
    draw_edits(context, of, chip, tokens);
    if (chip.type >= 0) draw_segments(context, chip);
  }
  if (in_document && chip.kind != Chip::Kind::vector) {
    ImGui::Separator();
    draw_token_search(context, of, chip);
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
