// Reads the questions of a lesson's pages.
#include <random>
#include <set>
#include <utility>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/lesson_reader.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

const std::string kStationName = "figure.steps.name.";  // of a station of the film

Result<std::vector<Slip>> read_slips(const LessonReader& reader, const Json& ask) {
  std::vector<Slip> out;
  const Json none = Json::array();
  const Json& slips = ask.contains("slips") ? ask["slips"] : none;
  if (!slips.is_array()) return reader.refuse("ask.slips", "error.lesson.wants_list");
  for (const Json& entry : slips) {
    TRY_OK(reader.only(entry, "ask.slips", {"id", "value"}));
    TRY(const std::string id, reader.text(entry, "id", "ask.slips.id"));
    TRY(Expression value, reader.expression(entry, "value", "ask.slips.value"));
    out.push_back({id, std::move(value)});
  }
  return out;
}

Result<AskKind> read_number(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "answer", "tolerance", "slips"}));
  NumberAsk out;
  TRY(out.answer, reader.expression(ask, "answer", "ask.answer"));
  if (ask.contains("tolerance")) {
    if (!ask["tolerance"].is_number() || ask["tolerance"].get<double>() < 0)
      return reader.refuse("ask.tolerance", "error.lesson.wants_number");
    out.tolerance = ask["tolerance"].get<double>();
  }
  TRY(out.slips, read_slips(reader, ask));
  return AskKind(std::move(out));
}

// Authors write the right answer first. The order on the screen and on paper follows from the names of lesson
// and page, the same in every language; an order that means something (numbers, blocks) is kept by
// "in_order".
void mix_choices(const LessonReader& reader, std::vector<ChoiceAsk::Choice>& choices) {
  Hash seed;
  seed.take(reader.lesson.id);
  seed.take(reader.page);
  std::mt19937_64 draw(seed.value());
  for (std::size_t left = choices.size(); left > 1; --left)
    std::swap(choices[left - 1], choices[static_cast<std::size_t>(draw() % left)]);
}

Result<ChoiceAsk> read_choices(const LessonReader& reader, const Json& ask) {
  ChoiceAsk out;
  const auto list = ask.find("choices");
  if (list == ask.end() || !list->is_array() || list->size() < 2 || list->size() > 12)
    return reader.refuse("ask.choices", "error.lesson.wants_choices");
  std::set<std::string> ids;
  for (const Json& entry : *list) {
    TRY_OK(reader.only(entry, "ask.choices", {"id", "words", "when"}));
    ChoiceAsk::Choice choice;
    TRY(choice.id, reader.text(entry, "id", "ask.choices.id"));
    TRY(choice.words, reader.text(entry, "words", "ask.choices.words", false));
    TRY(choice.when, reader.expression(entry, "when", "ask.choices.when"));
    if (!ids.insert(choice.id).second)
      return reader.refuse("ask.choices.id", "error.lesson.twice", in_quotes(choice.id));
    out.choices.push_back(std::move(choice));
  }
  TRY(const bool in_order, reader.flag(ask, "in_order", "ask.in_order"));
  if (!in_order) mix_choices(reader, out.choices);
  return out;
}

Result<AskKind> read_choice(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "choices", "in_order"}));
  TRY(ChoiceAsk out, read_choices(reader, ask));
  return AskKind(std::move(out));
}

// The entries of a list, {"id", KEY}, each id once.
Result<std::vector<std::pair<std::string, Json>>> read_named(const LessonReader& reader, const Json& ask,
                                                             const char* key, std::size_t most,
                                                             std::initializer_list<const char*> known) {
  const std::string field = std::string("ask.") + key;
  const auto list = ask.find(key);
  if (list == ask.end() || !list->is_array() || list->empty() || list->size() > most)
    return reader.refuse(field, "error.lesson.wants_entries", static_cast<std::int64_t>(most));
  std::vector<std::pair<std::string, Json>> out;
  std::set<std::string> ids;
  for (const Json& entry : *list) {
    TRY_OK(reader.only(entry, field, known));
    TRY(std::string id, reader.text(entry, "id", field + ".id"));
    if (!ids.insert(id).second) return reader.refuse(field + ".id", "error.lesson.twice", in_quotes(id));
    out.emplace_back(std::move(id), entry);
  }
  return out;
}

Result<AskKind> read_probe(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "choices", "in_order", "fault", "looks", "budget"}));
  TRY(ChoiceAsk out, read_choices(reader, ask));
  TRY(out.fault, reader.edits(ask, "fault", "ask.fault"));
  if (out.fault.empty()) return reader.refuse("ask.fault", "error.lesson.wants_fault");
  TRY(const auto looks, read_named(reader, ask, "looks", 8, {"id", "value"}));
  for (const auto& [id, entry] : looks) {
    TRY(Expression value, reader.expression(entry, "value", "ask.looks.value"));
    out.looks.push_back({id, std::move(value)});
  }
  const auto budget = ask.find("budget");
  if (budget == ask.end() || !budget->is_number_unsigned() || budget->get<std::uint64_t>() == 0 ||
      budget->get<std::uint64_t>() > looks.size())
    return reader.refuse("ask.budget", "error.lesson.wants_budget", static_cast<std::int64_t>(looks.size()));
  out.budget = budget->get<int>();
  return AskKind(std::move(out));
}

// "least" and "most" of the numbers that are set.
Status read_limits(const LessonReader& reader, const Json& ask, ChangeAsk& out) {
  for (const auto& [key, into] : {std::pair("least", &out.least), {"most", &out.most}}) {
    const auto found = ask.find(key);
    if (found == ask.end()) continue;
    if (!found->is_number()) return reader.refuse(std::string("ask.") + key, "error.lesson.wants_number");
    *into = found->get<double>();
  }
  if (out.least >= out.most) return reader.refuse("ask.most", "error.lesson.wants_number");
  return Done{};
}

Result<AskKind> read_build(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "goals", "numbers", "least", "most", "show"}));
  ChangeAsk out;
  std::vector<std::string> all;
  TRY(const auto goals, read_named(reader, ask, "goals", 6, {"id", "when", "value"}));
  for (const auto& [id, entry] : goals) {
    ChangeAsk::Goal goal{id, {}, *Expression::parse("0")};
    TRY(goal.when, reader.expression(entry, "when", "ask.goals.when"));
    if (entry.contains("value")) {
      TRY(goal.value, reader.expression(entry, "value", "ask.goals.value"));
    }
    all.push_back("(" + goal.when.text() + ")");
    out.goals.push_back(std::move(goal));
  }
  Result<Expression> goal = Expression::parse(join(all, " and "));
  if (!goal) return reader.told("ask.goals", goal.error());
  out.goal = *std::move(goal);
  TRY(const auto knobs, read_named(reader, ask, "numbers", 8, {"id", "place"}));
  for (const auto& [id, entry] : knobs) {
    TRY(std::string place, reader.text(entry, "place", "ask.numbers.place"));
    if (const auto edit = parse_edit(place + "=0"); !edit)
      return reader.told("ask.numbers.place", edit.error());
    out.knobs.push_back({id, std::move(place)});
  }
  TRY_OK(read_limits(reader, ask, out));
  TRY(out.show, reader.edits(ask, "show", "ask.show"));
  if (out.show.empty()) return reader.refuse("ask.show", "error.lesson.wants_show");
  return AskKind(std::move(out));
}

Result<AskKind> read_change(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask",
                     {"kind", "goal", "live", "above", "below", "percent", "slips", "show", "show_texts"}));
  ChangeAsk out;
  TRY(out.goal, reader.expression(ask, "goal", "ask.goal"));
  for (const auto& [key, into] :
       {std::pair("live", &out.live), {"above", &out.above}, {"below", &out.below}}) {
    if (!ask.contains(key)) continue;
    TRY(*into, reader.expression(ask, key, std::string("ask.") + key));
  }
  if ((out.above || out.below) && (!out.live || (out.above && out.below)))
    return reader.refuse("ask.live", "error.lesson.wants_live");
  TRY(out.percent, reader.flag(ask, "percent", "ask.percent"));
  TRY(out.slips, read_slips(reader, ask));
  TRY(out.show, reader.edits(ask, "show", "ask.show"));
  TRY(out.show_texts, reader.texts(ask, "show_texts", "ask.show_texts"));
  if (out.show.empty() && out.show_texts.empty()) return reader.refuse("ask.show", "error.lesson.wants_show");
  return AskKind(std::move(out));
}

Result<AskKind> read_cell(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "in", "pick", "slips"}));
  CellAsk out;
  TRY(out.in, reader.text(ask, "in", "ask.in"));
  if (Result<Expression> place = Expression::parse(out.in); !place)
    return reader.told("ask.in", place.error());
  out.pick = *Expression::parse("value");
  if (ask.contains("pick")) {
    TRY(out.pick, reader.expression(ask, "pick", "ask.pick"));
  }
  TRY(out.slips, read_slips(reader, ask));
  return AskKind(std::move(out));
}

Result<AskKind> read_bars(const LessonReader& reader, const Json& ask, bool curve) {
  BarsAsk out;
  if (curve) {
    TRY_OK(reader.only(ask, "ask", {"kind", "row", "words", "good", "slips", "top"}));
    if (!ask.contains("top") || !ask["top"].is_number() || ask["top"].get<double>() <= 0)
      return reader.refuse("ask.top", "error.lesson.wants_number");
    out.top = ask["top"].get<double>(), out.good = 0.08;
  } else {
    TRY_OK(reader.only(ask, "ask", {"kind", "row", "words", "good", "slips"}));
  }
  TRY(out.row, reader.expression(ask, "row", "ask.row"));
  TRY(const std::vector<std::string> words, reader.texts(ask, "words", "ask.words"));
  for (const std::string& word : words) {
    const std::string key = lesson_key(reader.lesson, reader.page + ".bar." + word);
    out.words.push_back(has_string(key) ? Text::of(key) : Text(word));
  }
  if (ask.contains("good")) {
    if (!ask["good"].is_number() || ask["good"].get<double>() <= 0)
      return reader.refuse("ask.good", "error.lesson.wants_number");
    out.good = ask["good"].get<double>();
  }
  TRY(out.slips, read_slips(reader, ask));
  return AskKind(std::move(out));
}

Result<AskKind> read_order(const LessonReader& reader, const Json& ask) {
  TRY_OK(reader.only(ask, "ask", {"kind", "steps", "stations"}));
  OrderAsk out;
  TRY(const std::vector<std::string> steps, reader.texts(ask, "steps", "ask.steps"));
  if (steps.size() < 3 || steps.size() > 10) return reader.refuse("ask.steps", "error.lesson.wants_steps");
  for (const std::string& step : steps) {
    const auto site = parse_site(step);
    if (!site) return reader.told("ask.steps", site.error());
    out.steps.push_back(*site);
  }
  TRY(out.stations, reader.texts(ask, "stations", "ask.stations"));
  const bool known = std::all_of(out.stations.begin(), out.stations.end(), [](const std::string& station) {
    return has_string(kStationName + station);
  });
  if (!known || (!out.stations.empty() && out.stations.size() != out.steps.size()))
    return reader.refuse("ask.stations", "error.lesson.wants_stations");
  return AskKind(std::move(out));
}

}  // namespace

Text OrderAsk::name_of(const Site& step) const {
  const auto at = static_cast<std::size_t>(std::find(steps.begin(), steps.end(), step) - steps.begin());
  return at < stations.size() ? Text::of(kStationName + stations[at])
                              : Text(std::string(step_title(step_of(step.slot))));
}

Result<AskKind> read_ask(const LessonReader& reader, const Json& page) {
  const auto found = page.find("ask");
  if (found == page.end()) return AskKind();
  if (!found->is_object()) return reader.refuse("ask", "error.lesson.wants_object");
  TRY(const std::string kind, reader.text(*found, "kind", "ask.kind"));
  if (kind == "number") return read_number(reader, *found);
  if (kind == "choice") return read_choice(reader, *found);
  if (kind == "change") return read_change(reader, *found);
  if (kind == "cell") return read_cell(reader, *found);
  if (kind == "bars" || kind == "curve") return read_bars(reader, *found, kind == "curve");
  if (kind == "build") return read_build(reader, *found);
  if (kind == "probe") return read_probe(reader, *found);
  if (kind == "order") return read_order(reader, *found);
  if (kind == "shape") {
    TRY_OK(reader.only(*found, "ask", {"kind", "step", "slips"}));
    TRY(const std::string step, reader.text(*found, "step", "ask.step"));
    const auto site = parse_site(step);
    if (!site) return reader.told("ask.step", site.error());
    TRY(std::vector<Slip> slips, read_slips(reader, *found));
    return AskKind(ShapeAsk{*site, std::move(slips)});
  }
  if (kind == "head") {
    TRY_OK(reader.only(*found, "ask", {"kind", "pick", "slips"}));
    TRY(Expression pick, reader.expression(*found, "pick", "ask.pick"));
    TRY(std::vector<Slip> slips, read_slips(reader, *found));
    return AskKind(HeadAsk{std::move(pick), std::move(slips)});
  }
  if (kind == "mask") {
    TRY_OK(reader.only(*found, "ask", {"kind", "text", "slips"}));
    TRY(const std::string text, reader.text(*found, "text", "ask.text"));
    if (const auto mask = MaskSpec::parse(text); !mask) return reader.told("ask.text", mask.error());
    TRY(std::vector<Slip> slips, read_slips(reader, *found));
    return AskKind(MaskAsk{text, std::move(slips)});
  }
  return reader.refuse(
      "ask.kind", "error.lesson.no_kind", in_quotes(kind),
      std::string("number, shape, choice, probe, cell, head, mask, change, build, bars, curve, "
                  "order"));
}

}  // namespace attnscope
