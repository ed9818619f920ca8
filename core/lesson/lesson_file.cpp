#include "core/lesson/lesson_file.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/file_formats.h"
#include "core/base/hash.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_file.h"
#include "core/lab/lab.h"
#include "core/lesson/lesson_reader.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLessonFileMostBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMostPages = 64;
constexpr std::uint64_t kMostPlaces = 1 << 20;
constexpr std::string_view kFolder = "assets/lessons/";

// ---- what is open and looked at -------------------------------------------------------------------

Result<Padding> read_padding(const LessonReader& reader, const Json& open) {
  Padding out;
  const auto found = open.find("padding");
  if (found == open.end()) return out;
  TRY_OK(reader.only(*found, "open.padding", {"side", "to"}));
  out.on = true;
  TRY(const std::string side, reader.text(*found, "side", "open.padding.side"));
  if (side != "left" && side != "right") return reader.refuse("open.padding.side", "error.lesson.wants_side");
  out.side = side == "left" ? PadSide::left : PadSide::right;
  if (found->contains("to")) {
    const Json& to = (*found)["to"];
    if (!to.is_number_unsigned() || to.get<std::uint64_t>() > 4096)
      return reader.refuse("open.padding.to", "error.lesson.wants_count");
    out.to = to.get<std::int64_t>();
  }
  return out;
}

Status read_open(const LessonReader& reader, const Json& page, PageState& state) {
  const auto found = page.find("open");
  if (found == page.end()) {
    if (state.model.empty()) return reader.refuse("open", "error.lesson.wants_open");
    return Done{};
  }
  TRY_OK(reader.only(*found, "open",
                     {"model", "texts", "decoder_texts", "spans", "inputs", "padding", "edits", "data"}));
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
    state.inputs = std::make_shared<const Json>(*inputs);
  if (const auto data = found->find("data"); data != found->end()) {
    if (!data->is_string() && !data->is_object())
      return reader.refuse("open.data", "error.lesson.wants_data");
    state.data = std::make_shared<const Json>(*data), state.path = PathsIn::now().value_or("");
  }
  TRY(state.padding, read_padding(reader, *found));
  TRY(state.edits, reader.edits(*found, "edits", "open.edits"));
  return Done{};
}

Status read_look(const LessonReader& reader, const Json& page, PageState& state) {
  const auto found = page.find("look");
  if (found == page.end()) return Done{};
  TRY_OK(reader.only(*found, "look",
                     {"view", "second_view", "views", "difference", "log_scale", "backward", "ask", "cursor",
                      "lab", "lab_values", "station", "output_page", "level", "backward_rows"}));
  TRY(const std::string lab, reader.text(*found, "lab", "look.lab", false));
  if (!lab.empty())
    if (const auto there = find_lab(lab); !there) return reader.told("look.lab", there.error());
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
  state.looks = std::make_shared<const Json>(*found);
  return Done{};
}

// ---- the page ------------------------------------------------------------------------------------

Status read_points(const LessonReader& reader, const Json& json_page, Page& page) {
  TRY(page.points, reader.texts(json_page, "point", "point"));
  TRY(page.hides, reader.texts(json_page, "hide", "hide"));
  for (const std::string& point : page.points) {
    const bool place = point.find_first_of("[.") != std::string::npos && Expression::parse(point);
    if (!is_item(point) && !place) return reader.refuse("point", "error.lesson.no_item", in_quotes(point));
  }
  for (const std::string& cell : page.hides)
    if (const auto place = Expression::parse(cell); !is_item(cell) && !place)
      return reader.told("hide", place.error());
  return Done{};
}

// What is said afterwards, and where one may go from here.
Status read_because(const LessonReader& reader, const Json& json_page, Page& page) {
  const auto found = json_page.find("because");
  if (found == json_page.end()) return Done{};
  TRY_OK(reader.only(*found, "because", {"holds", "values", "percent"}));
  TRY(page.because.percent, reader.flag(*found, "percent", "because.percent"));
  for (const auto& [key, into] :
       {std::pair("holds", &page.because.holds), {"values", &page.because.values}}) {
    const std::string field = std::string("because.") + key;
    TRY(const std::vector<std::string> texts, reader.texts(*found, key, field));
    for (const std::string& text : texts) {
      Result<Expression> parsed = Expression::parse(text);
      if (!parsed) return reader.told(field, parsed.error());
      into->push_back(*std::move(parsed));
    }
  }
  return Done{};
}

Status read_explores(const LessonReader& reader, const Json& json_page, Page& page) {
  const auto found = json_page.find("explore");
  if (found == json_page.end()) return Done{};
  if (!found->is_array() || found->empty() || found->size() > 3)
    return reader.refuse("explore", "error.lesson.wants_explores");
  for (const Json& entry : *found) {
    TRY_OK(reader.only(entry, "explore", {"view", "lab"}));
    Explore out;
    TRY(out.view, reader.text(entry, "view", "explore.view", false));
    TRY(out.lab, reader.text(entry, "lab", "explore.lab", false));
    if (!out.lab.empty()) {
      auto asked = parse_lab_request(out.lab);
      if (!asked) return reader.told("explore.lab", asked.error());
      const bool set = out.lab != asked->lab->id();
      out.lab = asked->lab->id();
      if (set) out.values = std::move(asked->values);
      out.view = "labs";
    }
    if (!is_view(out.view))
      return reader.refuse("explore.view", "error.lesson.no_view", in_quotes(out.view),
                           join(names().views, ", "));
    page.explores.push_back(std::move(out));
  }
  return Done{};
}

Result<Page> read_page(LessonReader& reader, const Json& entry, PageState& state) {
  Page page;
  if (!entry.is_object()) return reader.refuse("", "error.lesson.wants_object");
  TRY(page.id, reader.name(entry));
  reader.page = page.id;
  TRY_OK(reader.only(
      entry, "",
      {"id", "open", "look", "point", "hide", "predict", "panels", "ask", "because", "explore", "controls"}));
  TRY_OK(read_open(reader, entry, state));
  TRY_OK(read_look(reader, entry, state));
  page.state = state;
  TRY_OK(read_points(reader, entry, page));
  if (entry.contains("predict")) {
    TRY(page.predicts, reader.flag(entry, "predict", "predict"));
  }
  TRY(page.ask, read_ask(reader, entry));
  TRY(page.panels, reader.flag(entry, "panels", "panels"));
  TRY(page.controls, reader.texts(entry, "controls", "controls"));
  TRY_OK(read_because(reader, entry, page));
  TRY_OK(read_explores(reader, entry, page));
  return page;
}

std::shared_ptr<const Json> easy_look(const Json& look) {
  Json out = look.is_object() ? look : Json::object();
  if (!out.contains("level")) out["level"] = "easy";
  return std::make_shared<const Json>(std::move(out));
}

bool ships(const std::string& id) {
  const auto paths = assets_under(kFolder);
  return std::any_of(paths.begin(), paths.end(), [&](std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);  // "04_softmax.json"
    return name.substr(name.find('_') + 1) == id + ".json";
  });
}

// "mine-1a2b3c4d": the file's name, and a hash of its place for others that are called so.
std::string file_mark(const std::string& path) {
  std::error_code ignored;
  Hash hash;
  hash.take(std::filesystem::weakly_canonical(path, ignored).string());
  return std::filesystem::path(path).stem().string() + "-" +
         format("%08x", static_cast<unsigned>(hash.value() & 0xffffffffu));
}

// A lesson of one's own has its texts with it: {"strings": {"en": {"title": ..., "PAGE.text": ...}, "ko":
// ...}}. Texts that are there already stay.
Status take_strings(const LessonReader& reader, const Json& all, const Lesson& lesson) {
  const auto found = all.find("strings");
  if (found == all.end()) return Done{};
  if (!found->is_object()) return reader.refuse("strings", "error.lesson.wants_object");
  const std::vector<std::string> known = languages();
  for (const auto& [language, texts] : found->items()) {
    const std::string field = "strings." + language;
    if (std::find(known.begin(), known.end(), language) == known.end() || !texts.is_object())
      return reader.refuse(field, "error.lesson.wants_object");
    Json table = Json::object();
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
  const std::string file = in_quotes(lesson.file);
  const Text& what = error.what();
  Text out;
  if (field.empty())  // the whole of it
    out = page.empty() ? Text::of("error.lesson.at_whole_file", {file, what})
                       : Text::of("error.lesson.at_whole_page", {file, in_quotes(page), what});
  else
    out = page.empty() ? Text::of("error.lesson.at_file", {file, field, what})
                       : Text::of("error.lesson.at_page", {file, in_quotes(page), field, what});
  return {error.code(), out, error.hint().empty() ? Text::of("error.lesson.at_file.hint") : error.advice()};
}

Result<Lesson> lesson_from_text(std::string_view text, const std::string& file, const std::string& path) {
  Lesson lesson;
  lesson.file = file;
  TRY(const Json all, parse_json(text, file, TwiceKeys::refuse));
  LessonReader reader{lesson, {}};
  TRY_OK(reader.only(all, "",
                     {"format", "version", "id", "number", "minutes", "level", "own", "pages", "strings"}));
  if (all.value("format", Json()) != kLessonFormat.name)
    return reader.refuse("format", "error.lesson.no_lesson");
  if (all.value("version", Json()) != kLessonFormat.version)
    return reader.refuse("version", "error.lesson.newer");
  TRY(lesson.id, reader.name(all));
  lesson.kept = path.empty() || !ships(lesson.id) ? lesson.id : lesson.id + "@" + file_mark(path);
  lesson.own_texts = lesson.kept != lesson.id && all.contains("strings");
  for (const auto& [key, into] : {std::pair("number", &lesson.number), {"minutes", &lesson.minutes}}) {
    if (!all.contains(key)) continue;
    if (!all[key].is_number_unsigned() || all[key].get<std::uint64_t>() > 1000)
      return reader.refuse(key, "error.lesson.wants_count");
    *into = all[key].get<int>();
  }
  TRY(const std::string level, reader.text(all, "level", "level", false));
  if (!level.empty() && level != "easy" && level != "full")
    return reader.refuse("level", "error.lesson.wants_level");
  lesson.easy = level == "easy";
  TRY(const std::string own, reader.text(all, "own", "own", false));
  if (!own.empty() && own != "none") return reader.refuse("own", "error.lesson.wants_own");
  lesson.own = own.empty() ? Lesson::Own::by_input : Lesson::Own::nothing;
  TRY_OK(take_strings(reader, all, lesson));
  const auto pages = all.find("pages");
  if (pages == all.end() || !pages->is_array() || pages->empty() || pages->size() > kMostPages)
    return reader.refuse("pages", "error.lesson.wants_pages", static_cast<std::int64_t>(kMostPages));
  PageState state;
  std::set<std::string> ids;
  for (const Json& entry : *pages) {
    reader.page = "#" + std::to_string(lesson.pages.size() + 1);
    TRY(Page page, read_page(reader, entry, state));
    if (!ids.insert(page.id).second) return reader.refuse("id", "error.lesson.twice", in_quotes(page.id));
    if (lesson.easy) page.state.looks = easy_look(page.state.look());
    lesson.pages.push_back(std::move(page));
  }
  return lesson;
}

Result<Lesson> read_lesson(const std::string& path) {
  TRY(const Json all, read_json_file(path, kLessonFileMostBytes));
  const PathsIn named(path);
  return lesson_from_text(all.dump(), std::filesystem::path(path).filename().string(), path);
}

Result<std::vector<Lesson>> shipped_lessons() {
  std::vector<Lesson> out;
  for (const std::string_view path : assets_under(kFolder)) {
    TRY(Lesson lesson, lesson_from_text(asset(path), std::string(path.substr(kFolder.size()))));
    out.push_back(std::move(lesson));
  }
  const auto place = [](const Lesson& lesson) { return lesson.number >= 0 ? lesson.number : 100000; };
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

const Json& PageState::look() const {
  static const Json none;
  return looks ? *looks : none;
}

std::string lesson_key(const Lesson& lesson, std::string_view what) {
  return "lesson." + (lesson.own_texts ? lesson.kept : lesson.id) + "." + std::string(what);
}

std::string page_key(const Lesson& lesson, const Page& page, std::string_view what) {
  return lesson_key(lesson, page.id) + "." + std::string(what);
}

std::string page_words(const Lesson& lesson, const Page& page, std::string_view what) {
  return tr(page_key(lesson, page, what));
}

const std::vector<Slip>& slips_of(const AskKind& ask) {
  static const std::vector<Slip> none;
  return std::visit(
      [](const auto& one) -> const std::vector<Slip>& {
        if constexpr (requires { one.slips; }) {
          return one.slips;
        } else {
          return none;
        }
      },
      ask);
}

std::string_view ask_name(const AskKind& ask) {
  static constexpr std::string_view names[] = {"",     "number", "shape",  "choice", "cell",
                                               "head", "mask",   "change", "bars",   "order"};
  if (const auto* bars = std::get_if<BarsAsk>(&ask); bars && bars->is_curve()) return "curve";
  if (const auto* change = std::get_if<ChangeAsk>(&ask); change && change->is_build()) return "build";
  if (const auto* choice = std::get_if<ChoiceAsk>(&ask); choice && choice->is_probe()) return "probe";
  return names[ask.index()];
}

Text explore_words(const Explore& explore) {
  if (explore.lab.empty()) return Text::of("view." + explore.view);
  const auto lab = find_lab(explore.lab);
  return Text::of("lessons.explore.lab",
                  {Text::of("view.labs"), Text::of((lab ? (*lab)->key : explore.lab) + ".title")});
}

bool is_prediction(const Page& page) {
  return page.predicts.value_or(std::holds_alternative<BarsAsk>(page.ask));
}

std::string page_view(const Page& page) {
  const Json& look = page.state.look();
  return look.is_object() ? look.value("view", std::string("steps")) : std::string("steps");
}

}  // namespace attnscope
