#include "core/lesson/draft.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/edit_json.h"
#include "core/arch/shipped.h"
#include "core/base/file_formats.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/page_document.h"
#include "core/session/prompt_list.h"
#include "core/session/session_file.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

// Texts of one side, where all of them are texts; a scene of vectors has its own inputs.
std::vector<std::string> texts_of(const Document& document, std::string Sequence::*side) {
  std::vector<std::string> out;
  for (const Sequence& sequence : document.sequences) {
    if ((sequence.*side).empty()) return {};
    out.push_back(sequence.*side);
  }
  return out;
}

bool equal_numbers(const Tensor& a, const Tensor& b) {
  return a.same_place(b) || (a.sizes() == b.sizes() && a.values() == b.values());
}

bool same_input(const Sequence& first, const Sequence& second) {
  const Input &a = first.input, &b = second.input;
  return a.ids == b.ids && a.source == b.source && a.types == b.types && a.spans == b.spans &&
         equal_numbers(a.vectors, b.vectors) && equal_numbers(a.pixels, b.pixels);
}

// The inputs of a page: texts where they are complete, else every number.
Result<PageState> inputs_of_page(const Document& document) {
  PageState out;
  const bool two = document.model->config().encoder() != nullptr;
  out.texts = texts_of(document, two ? &Sequence::source_text : &Sequence::text);
  if (two && !out.texts.empty()) out.decoder_texts = texts_of(document, &Sequence::text);
  for (const Sequence& sequence : document.sequences) out.spans.push_back(spans_text(sequence.input.spans));
  if (std::all_of(out.spans.begin(), out.spans.end(), [](const auto& text) { return text.empty(); }))
    out.spans.clear();
  out.padding = document.padding;
  Document said = new_document(document.opened);
  if (give_page_inputs(said, out) &&
      std::equal(said.sequences.begin(), said.sequences.end(), document.sequences.begin(),
                 document.sequences.end(), same_input))
    return out;
  out.texts.clear();
  out.decoder_texts.clear();
  out.spans.clear();
  TRY(Json inputs, inputs_to_json(document));
  out.inputs = std::make_shared<const Json>(std::move(inputs));
  return out;
}

Result<Json> open_of(const Document& document) {
  TRY(const PageState state, inputs_of_page(document));
  Json out{{"model", document.opened->path}};
  if (!state.texts.empty()) out["texts"] = state.texts;
  if (!state.decoder_texts.empty()) out["decoder_texts"] = state.decoder_texts;
  if (!state.spans.empty()) out["spans"] = state.spans;
  if (state.inputs) out["inputs"] = *state.inputs;
  if (document.padding.on)
    out["padding"] = {{"side", document.padding.side == PadSide::left ? "left" : "right"},
                      {"to", document.padding.to}};
  if (Json edits = edits_to_json(document.edits); !edits.is_null()) out["edits"] = std::move(edits);
  if (document.data.prompts) {
    out["data"] = prompt_list_json(document.data, "");
    out["data"].erase("opened"), out["data"].erase("corrupt"), out["data"].erase("prompts");
  }
  return out;
}

// Where the change of a point happened: the step of the edit that is new, its head and row.
Json place_of(const Document& before, const Document& after) {
  for (const auto& edit : after.edits) {
    const bool old = std::find(before.edits.begin(), before.edits.end(), edit) != before.edits.end();
    const NumberEdit* number = old ? nullptr : edit->number();
    if (!number || number->where.kind != Target::Kind::step) continue;
    Json out{{"step", to_text(number->where.site)}};
    if (edit->sequence > 0) out["sequence"] = edit->sequence;
    if (number->where.site.layer >= 0) out["layer"] = number->where.site.layer;
    for (const Axis axis : {Axis::head, Axis::query, Axis::key})
      if (const AxisRange* range = range_on(number->where, axis))
        out[std::string(axis_name(axis))] = range->begin;
    return out;
  }
  return {};
}

/// A document of the history and what was done to come to it; empty for the oldest.
struct DraftPoint {
  Document document;
  std::string sentence;
};

// Up to the one that is now, from the oldest on.
std::vector<DraftPoint> points_of(History history) {
  std::vector<DraftPoint> out{{history.now(), history.undo_sentence()}};
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

Result<Json> lesson_draft(const History& history, const std::string& id, const std::string& view) {
  const auto& opened = history.now().opened;
  if (!opened || !is_shipped_name(opened->path)) return fail(Code::unsupported, "error.lesson.draft");
  const std::vector<DraftPoint> points = points_of(history);
  Json pages = Json::array(), words{{"title", tr("lessons.draft.title")}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Document& document = points[i].document;
    if (!document.opened || document.opened != opened) continue;  // of what was open before
    const std::string page = "p" + std::to_string(pages.size() + 1);
    Json look{{"view", view}};
    const Json place = i > 0 ? place_of(points[i - 1].document, document) : Json();
    if (!place.is_null()) look = {{"view", "steps"}, {"cursor", place}};
    const std::string& done = points[i].sentence;
    words[page + ".title"] = pages.empty() || done.empty() ? tr("lessons.draft.begin") : done;
    words[page + ".text"] = tr("lessons.draft.text");
    TRY(Json open, open_of(document));
    pages.push_back({{"id", page}, {"open", std::move(open)}, {"look", std::move(look)}});
  }
  return Json{{"format", kLessonFormat.name},
              {"version", kLessonFormat.version},
              {"id", id},
              {"pages", std::move(pages)},
              {"strings", {{language(), std::move(words)}}}};
}

}  // namespace attnscope
