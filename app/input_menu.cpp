// The menu of a chip: what the token is, look from it or at it, exchange it for another of the vocabulary,
// insert beside it, delete it.
#include <algorithm>
#include <charconv>

#include "app/controls.h"
#include "app/input_bar.h"
#include "app/look/item_map.h"
#include "app/look/strings.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr int kMostFound = 60;
constexpr int kMostListed = 400;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

/// Ids of a vocabulary without a tokenizer: words that hold the query, or ids whose digits begin with it.
std::vector<int> listed_ids(const OpenedModel& opened, const std::string& query) {
  std::vector<int> ids;
  const int count = opened.model->config().vocab_size;
  for (int id = 0; id < count && static_cast<int>(ids.size()) < kMostListed; ++id) {
    const bool word = lower(token_label(opened, id)).find(lower(query)) != std::string::npos;
    if (query.empty() || word || starts_with(std::to_string(id), query)) ids.push_back(id);
  }
  return ids;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

const std::vector<int>& InputBar::found_ids(const PanelContext& context, const OpenedModel& opened) {
  if (search_ && search_->query == query_) {
    if (search_->done) found_ = search_->ids;
    return found_;
  }
  search_ = std::make_shared<Search>();
  search_->query = query_;
  if (!opened.tokenizer) {
    search_->ids = listed_ids(opened, query_);
    search_->done = true;
    return found_ = search_->ids;
  }
  context.commands.act([search = search_, tokenizer = opened.tokenizer](Session& session) {
    session.jobs().submit("token_search", [search, tokenizer](const std::atomic<bool>& cancel) {
      search->ids = tokenizer->search(search->query, kMostFound);
      int id = 0;
      const std::string& query = search->query;
      const bool number = is_number(query) &&
                          std::from_chars(query.data(), query.data() + query.size(), id).ec == std::errc();
      if (number && id < tokenizer->vocab_size()) search->ids.insert(search->ids.begin(), id);
      if (!cancel) search->done = true;
    });
  });
  return found_;
}

void InputBar::change_token(const PanelContext& context, int id) {
  const Document& document = context.session.document();
  const auto sequence = static_cast<std::size_t>(context.workspace.cursor.sequence);
  const std::string word = token_label(*document.opened, id), at = std::to_string(menu_pos_);
  const std::size_t pos = menu_pos_;
  if (change_ == Change::replace) {
    context.commands.edit(tr("input.edit.replace", {at, chip_labels_[pos], word}), {},
                          [=](Document& changed) { return replace_token(changed, sequence, pos, id); });
  } else {
    const std::size_t where = change_ == Change::before ? pos : pos + 1;
    context.commands.edit(tr("input.edit.insert", {word, std::to_string(where)}), {},
                          [=](Document& changed) { return insert_token(changed, sequence, where, id); });
  }
  typed_error_.reset();
  ImGui::CloseCurrentPopup();
}

void InputBar::draw_token_search(const PanelContext& context, const Document& document) {
  const std::pair<Change, const char*> changes[] = {{Change::replace, "input.menu.replace"},
                                                    {Change::before, "input.menu.before"},
                                                    {Change::after, "input.menu.after"}};
  for (const auto& [change, key] : changes) {
    if (raised_button(std::string(tr(key)) + "###" + key, change == change_)) change_ = change;
    ImGui::SameLine(0, px(4));
  }
  ImGui::NewLine();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(px(330));
  const char* hint = document.opened->tokenizer ? "input.menu.search" : "input.menu.search_ids";
  const bool entered =
      ImGui::InputTextWithHint("###token_search", tr(hint), &query_, ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("token_search");
  note_text(query_);
  const std::vector<int>& ids = found_ids(context, *document.opened);
  if (entered && !ids.empty()) return change_token(context, ids.front());
  compat::begin_child("found", ImVec2(px(330), px(210)), true);
  for (const int id : ids) {
    const std::string word = token_label(*document.opened, id);
    note_text(word);
    const WithId scope(id);
    const bool chosen = ImGui::Selectable("###found");
    ImGui::SameLine(px(8));
    {
      const WithFont face(fonts().mono);
      ImGui::TextUnformatted(shortened(word, px(220)).c_str());
    }
    ImGui::SameLine(px(250));
    dim_text(std::to_string(id));
    if (!chosen) continue;
    change_token(context, id);
    break;
  }
  if (ids.empty()) dim_text(tr(query_.empty() ? "input.menu.type" : "input.menu.none"));
  ImGui::EndChild();
}

void InputBar::draw_chip_menu(const PanelContext& context) {
  if (open_menu_) {
    ImGui::OpenPopup("###chip_menu");
    query_.clear();
    found_.clear();
    search_.reset();
    change_ = Change::replace;
  }
  open_menu_ = false;
  if (!begin_popup("###chip_menu")) return;
  const Document& document = context.session.document();
  Cursor& cursor = context.workspace.cursor;
  const auto sequence = static_cast<std::size_t>(cursor.sequence);
  if (menu_pos_ >= chip_labels_.size() || sequence >= document.sequences.size()) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  const bool vectors = !document.sequences[sequence].input.vectors.empty();
  const std::string& label = chip_labels_[menu_pos_];
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(label.c_str());
  }
  if (!vectors)
    dim_text(tr("input.menu.facts", {std::to_string(document.sequences[sequence].input.ids[menu_pos_]),
                                     std::to_string(menu_pos_)}));
  if (ImGui::MenuItem((std::string(tr("input.menu.query")) + "###query").c_str()))
    cursor.query = static_cast<std::int64_t>(menu_pos_);
  if (ImGui::MenuItem((std::string(tr("input.menu.key")) + "###key").c_str()))
    cursor.key = static_cast<std::int64_t>(menu_pos_);
  note_item("chip_menu.key");
  const bool only = chip_labels_.size() < 2;
  if (ImGui::MenuItem((std::string(tr("input.menu.delete")) + "###delete").c_str(), nullptr, false, !only)) {
    context.commands.edit(tr("input.edit.delete", {label, std::to_string(menu_pos_)}), {},
                          [=, pos = menu_pos_](Document& changed) {
                            return vectors ? delete_position(changed, static_cast<std::int64_t>(pos))
                                           : delete_token(changed, sequence, pos);
                          });
    typed_error_.reset();
  }
  note_item("chip_menu.delete");
  if (!vectors) {
    ImGui::Separator();
    draw_token_search(context, document);
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
