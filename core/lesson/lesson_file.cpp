#include "core/lesson/lesson_file.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLessonFileMostBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMostPages = 64;
constexpr std::uint64_t kMostPlaces = 1 << 20;
constexpr std::string_view kFolder = "assets/lessons/";

/// One page while it is read: errors have its place.
struct Reader {
  const Lesson& lesson;
  std::string page;

  template <class... Arguments>
  Error refuse(const std::string& field, const char* key, Arguments... arguments) const {
    return at_field(lesson, page, field, fail(Code::bad_format, key, {Text(arguments)...}));
  }
  Error told(const std::string& field, const Error& error) const {
    return at_field(lesson, page, field, error);
  }

  Status only(const json& object, const std::string& field, std::initializer_list<const char*> known) const {
    if (!object.is_object()) return refuse(field, "error.lesson.wants_object");
    for (const auto& [key, value] : object.items()) {
      const auto same = [&name = key](const char* word) { return name == word; };
      if (std::any_of(known.begin(), known.end(), same)) continue;
      std::string list;
      for (const char* word : known) list += (list.empty() ? "" : ", ") + std::string(word);
      return refuse(field.empty() ? key : field + "." + key, "error.lesson.unknown_field", list);
    }
    return Done{};
  }
  Result<std::string> text(const json& object, const char* key, const std::string& field,
                           bool needed = true) const {
    const auto found = object.find(key);
    if (found == object.end() && !needed) return std::string();
    if (found == object.end() || !found->is_string() || found->get<std::string>().empty())
      return refuse(field, "error.lesson.wants_text");
    return found->get<std::string>();
  }
  Result<std::vector<std::string>> texts(const json& object, const char* key,
                                         const std::string& field) const {
    std::vector<std::string> out;
    const auto found = object.find(key);
    if (found == object.end()) return out;
    if (!found->is_array()) return refuse(field, "error.lesson.wants_texts");
    for (const json& entry : *found) {
      if (!entry.is_string()) return refuse(field, "error.lesson.wants_texts");
      out.push_back(entry.get<std::string>());
    }
    return out;
  }
  Result<Expression> expression(const json& object, const char* key, const std::string& field) const {
    TRY(const std::string words, text(object, key, field));
    Result<Expression> parsed = Expression::parse(words);
    if (!parsed) return told(field, parsed.error());
    return parsed;
  }
  Result<Edits> edits(const json& object, const char* key, const std::string& field) const {
    if (!object.contains(key)) return Edits{};
    Result<Edits> read = edits_from_json(json{{"edits", object[key]}}, lesson.file);
    if (!read) return told(field, read.error());
    return read;
  }
};

// ---- what is open and looked at -------------------------------------------------------------------

Result<Padding> read_padding(const Reader& reader, const json& open) {
  Padding out;
  const auto found = open.find("padding");
  if (found == open.end()) return out;
  TRY_OK(reader.only(*found, "open.padding", {"side", "to"}));
  out.on = true;
  TRY(const std::string side, reader.text(*found, "side", "open.padding.side"));
  if (side != "left" && side != "right") return reader.refuse("open.padding.side", "error.lesson.wants_side");
  out.side = side == "left" ? PadSide::left : PadSide::right;
  if (found->contains("to")) {
    const json& to = (*found)["to"];
    if (!to.is_number_unsigned() || to.get<std::uint64_t>() > 4096)
      return reader.refuse("open.padding.to", "error.lesson.wants_count");
    out.to = to.get<std::int64_t>();
  }
  return out;
}

Status read_open(const Reader& reader, const json& page, PageState& state) {
  const auto found = page.find("open");
  if (found == page.end()) {
    if (state.model.empty()) return reader.refuse("open", "error.lesson.wants_open");
    return Done{};
  }
  TRY_OK(reader.only(*found, "open",
                     {"model", "texts", "decoder_texts", "spans", "inputs", "padding", "edits"}));
  TRY(std::string model, reader.text(*found, "model", "open.model", state.model.empty()));
  if (model.empty()) model = state.model;
  if (!is_shipped_name(model))
    return reader.refuse("open.model", "error.lesson.wants_shipped", in_quotes(model));
  PageState next;
  next.model = std::move(model);
  next.looks = std::move(state.looks);
  state = std::move(next);
  TRY(state.texts, reader.texts(*found, "texts", "open.texts"));
  TRY(state.decoder_texts, reader.texts(*found, "decoder_texts", "open.decoder_texts"));
  TRY(state.spans, reader.texts(*found, "spans", "open.spans"));
  if (const auto inputs = found->find("inputs"); inputs != found->end())
    state.inputs = std::make_shared<const json>(*inputs);
  TRY(state.padding, read_padding(reader, *found));
  TRY(state.edits, reader.edits(*found, "edits", "open.edits"));
  return Done{};
}

Status read_look(const Reader& reader, const json& page, PageState& state) {
  const auto found = page.find("look");
  if (found == page.end()) return Done{};
  TRY_OK(
      reader.only(*found, "look",
                  {"view", "second_view", "views", "difference", "log_scale", "backward", "ask", "cursor"}));
  for (const char* key : {"view", "second_view"}) {
    TRY(const std::string view, reader.text(*found, key, std::string("look.") + key, false));
    if (!view.empty() && !is_view(view))
      return reader.refuse(std::string("look.") + key, "error.lesson.no_view", in_quotes(view),
                           join(names().views, ", "));
  }
  if (const auto views = found->find("views"); views != found->end())
    for (const auto& [name, chosen] : views->items())  // what is chosen in each of them
      if (!is_view(name) || !chosen.is_object())
        return reader.refuse("look.views", "error.lesson.no_view", in_quotes(name),
                             join(names().views, ", "));
  if (const auto ask = found->find("ask"); ask != found->end()) {
    TRY_OK(reader.only(*ask, "look.ask", {"measure"}));
    TRY(const std::string measure, reader.text(*ask, "measure", "look.ask.measure"));
    (void)measure;
  }
  if (const auto cursor = found->find("cursor"); cursor != found->end()) {
    TRY_OK(reader.only(*cursor, "look.cursor",
                       {"sequence", "layer", "head", "query", "key", "step", "cross", "pinned"}));
    for (const char* key : {"sequence", "layer", "head", "query", "key"})
      if (const auto at = cursor->find(key);
          at != cursor->end() && !(at->is_number_unsigned() && at->get<std::uint64_t>() < kMostPlaces))
        return reader.refuse(std::string("look.cursor.") + key, "error.lesson.wants_count");
    TRY(const std::string step, reader.text(*cursor, "step", "look.cursor.step", false));
    if (!step.empty())
      if (const auto site = parse_site(step); !site) return reader.told("look.cursor.step", site.error());
    TRY(const std::string pinned, reader.text(*cursor, "pinned", "look.cursor.pinned", false));
    if (!pinned.empty())
      if (const auto cell = parse_cell(pinned); !cell) return reader.told("look.cursor.pinned", cell.error());
  }
  state.looks = std::make_shared<const json>(*found);
  return Done{};
}

// ---- questions ------------------------------------------------------------------------------------

Result<AskKind> read_number(const Reader& reader, const json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "answer", "tolerance", "slips"}));
  NumberAsk out;
  TRY(out.answer, reader.expression(ask, "answer", "ask.answer"));
  if (ask.contains("tolerance")) {
    if (!ask["tolerance"].is_number() || ask["tolerance"].get<double>() < 0)
      return reader.refuse("ask.tolerance", "error.lesson.wants_number");
    out.tolerance = ask["tolerance"].get<double>();
  }
  const json none = json::array();
  const json& slips = ask.contains("slips") ? ask["slips"] : none;
  if (!slips.is_array()) return reader.refuse("ask.slips", "error.lesson.wants_list");
  for (const json& entry : slips) {
    TRY_OK(reader.only(entry, "ask.slips", {"id", "value"}));
    TRY(const std::string id, reader.text(entry, "id", "ask.slips.id"));
    TRY(Expression value, reader.expression(entry, "value", "ask.slips.value"));
    out.slips.push_back({id, std::move(value)});
  }
  return AskKind(std::move(out));
}

Result<AskKind> read_choice(const Reader& reader, const json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "choices"}));
  ChoiceAsk out;
  const auto list = ask.find("choices");
  if (list == ask.end() || !list->is_array() || list->size() < 2 || list->size() > 12)
    return reader.refuse("ask.choices", "error.lesson.wants_choices");
  std::set<std::string> ids;
  for (const json& entry : *list) {
    TRY_OK(reader.only(entry, "ask.choices", {"id", "words", "when"}));
    ChoiceAsk::Choice choice;
    TRY(choice.id, reader.text(entry, "id", "ask.choices.id"));
    TRY(choice.words, reader.text(entry, "words", "ask.choices.words", false));
    TRY(choice.when, reader.expression(entry, "when", "ask.choices.when"));
    if (!ids.insert(choice.id).second)
      return reader.refuse("ask.choices.id", "error.lesson.twice", in_quotes(choice.id));
    out.choices.push_back(std::move(choice));
  }
  return AskKind(std::move(out));
}

Result<AskKind> read_change(const Reader& reader, const json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "goal", "live", "show", "show_texts"}));
  ChangeAsk out;
  TRY(out.goal, reader.expression(ask, "goal", "ask.goal"));
  if (ask.contains("live")) {
    TRY(out.live, reader.expression(ask, "live", "ask.live"));
  }
  TRY(out.show, reader.edits(ask, "show", "ask.show"));
  TRY(out.show_texts, reader.texts(ask, "show_texts", "ask.show_texts"));
  if (out.show.empty() && out.show_texts.empty()) return reader.refuse("ask.show", "error.lesson.wants_show");
  return AskKind(std::move(out));
}

Result<AskKind> read_cell(const Reader& reader, const json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "in", "pick"}));
  CellAsk out;
  TRY(out.in, reader.text(ask, "in", "ask.in"));
  if (Result<Expression> place = Expression::parse(out.in); !place)
    return reader.told("ask.in", place.error());
  out.pick = *Expression::parse("value");
  if (ask.contains("pick")) {
    TRY(out.pick, reader.expression(ask, "pick", "ask.pick"));
  }
  return AskKind(std::move(out));
}

Result<AskKind> read_ask(const Reader& reader, const json& page) {
  const auto found = page.find("ask");
  if (found == page.end()) return AskKind();
  if (!found->is_object()) return reader.refuse("ask", "error.lesson.wants_object");
  TRY(const std::string kind, reader.text(*found, "kind", "ask.kind"));
  if (kind == "number") return read_number(reader, *found);
  if (kind == "choice") return read_choice(reader, *found);
  if (kind == "change") return read_change(reader, *found);
  if (kind == "cell") return read_cell(reader, *found);
  if (kind == "shape") {
    TRY_OK(reader.only(*found, "ask", {"kind", "step"}));
    TRY(const std::string step, reader.text(*found, "step", "ask.step"));
    const auto site = parse_site(step);
    if (!site) return reader.told("ask.step", site.error());
    return AskKind(ShapeAsk{*site});
  }
  if (kind == "head") {
    TRY_OK(reader.only(*found, "ask", {"kind", "pick"}));
    TRY(Expression pick, reader.expression(*found, "pick", "ask.pick"));
    return AskKind(HeadAsk{std::move(pick)});
  }
  if (kind == "mask") {
    TRY_OK(reader.only(*found, "ask", {"kind", "text"}));
    TRY(const std::string text, reader.text(*found, "text", "ask.text"));
    if (const auto mask = MaskSpec::parse(text); !mask) return reader.told("ask.text", mask.error());
    return AskKind(MaskAsk{text});
  }
  return reader.refuse("ask.kind", "error.lesson.no_kind", in_quotes(kind));
}

Status read_points(const Reader& reader, const json& json_page, Page& page) {
  TRY(page.points, reader.texts(json_page, "point", "point"));
  TRY(page.hides, reader.texts(json_page, "hide", "hide"));
  for (const std::string& point : page.points) {
    const bool place = point.find_first_of("[.") != std::string::npos && Expression::parse(point);
    if (!is_item(point) && !place) return reader.refuse("point", "error.lesson.no_item", in_quotes(point));
  }
  for (const std::string& cell : page.hides)
    if (const auto place = Expression::parse(cell); !place) return reader.told("hide", place.error());
  return Done{};
}

Result<Page> read_page(Reader& reader, const json& entry, PageState& state) {
  Page page;
  if (!entry.is_object()) return reader.refuse("", "error.lesson.wants_object");
  TRY(page.id, reader.text(entry, "id", "id"));
  reader.page = page.id;
  TRY_OK(reader.only(entry, "", {"id", "open", "look", "point", "hide", "ask"}));
  TRY_OK(read_open(reader, entry, state));
  TRY_OK(read_look(reader, entry, state));
  page.state = state;
  TRY_OK(read_points(reader, entry, page));
  TRY(page.ask, read_ask(reader, entry));
  return page;
}

// A lesson of one's own has its texts with it: {"strings": {"en": {"title": ..., "PAGE.text": ...}, "ko":
// ...}}. Texts that are there already stay.
Status take_strings(const Reader& reader, const json& all, const Lesson& lesson) {
  const auto found = all.find("strings");
  if (found == all.end()) return Done{};
  if (!found->is_object()) return reader.refuse("strings", "error.lesson.wants_object");
  const std::vector<std::string> known = languages();
  for (const auto& [language, texts] : found->items()) {
    const std::string field = "strings." + language;
    if (std::find(known.begin(), known.end(), language) == known.end() || !texts.is_object())
      return reader.refuse(field, "error.lesson.wants_object");
    json table = json::object();
    for (const auto& [key, text] : texts.items()) {
      if (!text.is_string()) return reader.refuse(field + "." + key, "error.lesson.wants_text");
      table[lesson_key(lesson, key)] = text;
    }
    (void)add_strings(language, lesson.file, table.dump());
  }
  return Done{};
}

}  // namespace

Error at_field(const Lesson& lesson, const std::string& page, const std::string& field, const Error& error) {
  Error out = error;
  const std::string file = in_quotes(lesson.file);
  out.what = page.empty() ? Text::of("error.lesson.at_file", {file, field, error.what})
                          : Text::of("error.lesson.at_page", {file, in_quotes(page), field, error.what});
  if (error.hint().empty()) out.advice = Text::of("error.lesson.at_file.hint");
  return out;
}

Result<Lesson> lesson_from_text(std::string_view text, const std::string& file) {
  Lesson lesson;
  lesson.file = file;
  TRY(const json all, parse_json(text, file, TwiceKeys::refuse));
  Reader reader{lesson, {}};
  TRY_OK(reader.only(all, "", {"format", "version", "id", "number", "pages", "strings"}));
  if (all.value("format", json()) != "attnscope-lesson")
    return reader.refuse("format", "error.lesson.no_lesson");
  if (all.value("version", json()) != 1) return reader.refuse("version", "error.lesson.newer");
  TRY(lesson.id, reader.text(all, "id", "id"));
  if (all.contains("number")) {
    if (!all["number"].is_number_unsigned() || all["number"].get<std::uint64_t>() > 1000)
      return reader.refuse("number", "error.lesson.wants_count");
    lesson.number = all["number"].get<int>();
  }
  TRY_OK(take_strings(reader, all, lesson));
  const auto pages = all.find("pages");
  if (pages == all.end() || !pages->is_array() || pages->empty() || pages->size() > kMostPages)
    return reader.refuse("pages", "error.lesson.wants_pages", static_cast<std::int64_t>(kMostPages));
  PageState state;
  std::set<std::string> ids;
  for (const json& entry : *pages) {
    reader.page = "#" + std::to_string(lesson.pages.size() + 1);
    TRY(Page page, read_page(reader, entry, state));
    if (!ids.insert(page.id).second) return reader.refuse("id", "error.lesson.twice", in_quotes(page.id));
    lesson.pages.push_back(std::move(page));
  }
  return lesson;
}

Result<Lesson> read_lesson(const std::string& path) {
  TRY(const json all, read_json_file(path, kLessonFileMostBytes));
  const PathsIn named(path);
  return lesson_from_text(all.dump(), std::filesystem::path(path).filename().string());
}

Result<std::vector<Lesson>> shipped_lessons() {
  std::vector<Lesson> out;
  for (const std::string_view path : assets_under(kFolder)) {
    TRY(Lesson lesson, lesson_from_text(asset(path), std::string(path.substr(kFolder.size()))));
    out.push_back(std::move(lesson));
  }
  const auto place = [](const Lesson& lesson) { return lesson.number > 0 ? lesson.number : 100000; };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Lesson& a, const Lesson& b) { return place(a) < place(b); });
  return out;
}

Result<Lesson> shipped_lesson(const std::string& id) {
  std::vector<std::string> known;
  for (const std::string_view path : assets_under(kFolder)) {
    Result<Lesson> lesson = lesson_from_text(asset(path), std::string(path.substr(kFolder.size())));
    const bool named = ends_with(path, "_" + id + ".json");
    if (lesson ? lesson->id == id : named) return lesson;  // a fault in another file does not matter
    if (lesson) known.push_back(lesson->id);
  }
  return fail(Code::not_found, "error.lesson.no_such", {in_quotes(id), join(known, ", ")});
}

const json& PageState::look() const {
  static const json none;
  return looks ? *looks : none;
}

std::string lesson_key(const Lesson& lesson, std::string_view what) {
  return "lesson." + lesson.id + "." + std::string(what);
}

std::string page_key(const Lesson& lesson, const Page& page, std::string_view what) {
  return "lesson." + lesson.id + "." + page.id + "." + std::string(what);
}

std::string_view ask_name(const AskKind& ask) {
  static constexpr std::string_view names[] = {"",     "number", "shape", "choice",
                                               "cell", "head",   "mask",  "change"};
  return names[ask.index()];
}

}  // namespace attnscope
