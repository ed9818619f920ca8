#include "core/lesson/draft.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using nlohmann::json;

// Texts of one side, where all of them are texts; a scene of vectors has its own inputs.
json texts_of(const Document& document, std::string Sequence::*side) {
  json out = json::array();
  for (const Sequence& sequence : document.sequences) {
    if ((sequence.*side).empty()) return json::array();
    out.push_back(sequence.*side);
  }
  return out;
}

json open_of(const Document& document) {
  json out{{"model", document.opened->path}};
  const bool two = document.model->config().encoder() != nullptr;
  const json texts = texts_of(document, two ? &Sequence::source_text : &Sequence::text);
  if (!texts.empty()) out["texts"] = texts;
  if (two && !texts.empty())
    if (json answers = texts_of(document, &Sequence::text); !answers.empty())
      out["decoder_texts"] = std::move(answers);
  json spans = json::array();
  for (const Sequence& sequence : document.sequences) spans.push_back(spans_text(sequence.input.spans));
  const auto none = [](const json& text) { return text.get<std::string>().empty(); };
  if (std::none_of(spans.begin(), spans.end(), none)) out["spans"] = spans;
  if (document.padding.on)
    out["padding"] = {{"side", document.padding.side == PadSide::left ? "left" : "right"},
                      {"to", document.padding.to}};
  if (json edits = edits_to_json(document.edits); !edits.is_null()) out["edits"] = std::move(edits);
  return out;
}

// Where the change of a point happened: the step of the edit that is new.
std::string place_of(const Document& before, const Document& after) {
  for (const auto& edit : after.edits) {
    const bool old = std::find(before.edits.begin(), before.edits.end(), edit) != before.edits.end();
    const NumberEdit* number = old ? nullptr : edit->number();
    if (number && number->where.kind == Target::Kind::step) return to_text(number->where.site);
  }
  return {};
}

/// A document of the history and what was done to come to it; empty for the oldest.
struct Point {
  Document document;
  std::string sentence;
};

// Up to the one that is now, from the oldest on.
std::vector<Point> points_of(History history) {
  std::vector<Point> out{{history.now(), history.undo_sentence()}};
  while (history.can_undo()) {
    history.undo();
    out.push_back({history.now(), history.undo_sentence()});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::string lesson_id_of(const std::string& text) {
  std::string out;
  for (const char sign : lower(text)) {
    const bool plain = (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9');
    if (plain || (!out.empty() && out.back() != '_')) out += plain ? sign : '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "mine" : out;
}

Result<json> lesson_draft(const History& history, const std::string& id, const std::string& view) {
  const auto& opened = history.now().opened;
  if (!opened || !is_shipped_name(opened->path)) return fail(Code::unsupported, "error.lesson.draft");
  const std::vector<Point> points = points_of(history);
  json pages = json::array(), words{{"title", tr("lessons.draft.title")}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Document& document = points[i].document;
    if (!document.opened || document.opened != opened) continue;  // of what was open before
    const std::string page = "p" + std::to_string(pages.size() + 1);
    json look{{"view", view}};
    const std::string place = i > 0 ? place_of(points[i - 1].document, document) : std::string();
    if (!place.empty()) look = {{"view", "steps"}, {"cursor", {{"step", place}}}};
    const std::string& done = points[i].sentence;
    words[page + ".title"] = pages.empty() || done.empty() ? tr("lessons.draft.begin") : done;
    words[page + ".text"] = tr("lessons.draft.text");
    pages.push_back({{"id", page}, {"open", open_of(document)}, {"look", std::move(look)}});
  }
  return json{{"format", "attnscope-lesson"},
              {"version", 1},
              {"id", id},
              {"pages", std::move(pages)},
              {"strings", {{language(), std::move(words)}}}};
}

}  // namespace attnscope
