// Shipped models with the run that they open with, and what a figure says of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/arch/shipped.h"
#include "core/session/document.h"
#include "core/session/request.h"
#include "core/session/session.h"
#include "core/view/view.h"

namespace attnscope::testing {

inline const std::vector<std::string> kShippedForViews{
    "model:storyteller", "model:translator", "model:sorter",           "model:gap-filler",
    "model:pilot",       "model:induction",  "model:storyteller-llama"};

struct Opened {
  std::shared_ptr<const OpenedModel> model;
  std::shared_ptr<const Trace> run;
};
inline Opened opened(const std::string& name) {
  auto model = open_shipped(name);
  EXPECT_TRUE(model);
  Opened out{std::make_shared<const OpenedModel>(std::move(*model)), nullptr};
  const Document document = new_document(out.model);
  auto runs = run_all(document, {}, {});
  EXPECT_TRUE(runs);
  out.run = runs->front();
  return out;
}
/// The run of its document with one edit.
inline std::shared_ptr<const Trace> edited(const Opened& of, const std::string& edit) {
  Document document = new_document(of.model);
  Request request;
  request.edits = {edit};
  EXPECT_TRUE(apply_request(document, request)) << edit;
  const auto runs = run_all(document, {}, {});
  EXPECT_TRUE(runs);
  return runs->front();
}
inline figure::Figure figure_of(const char* view, const ViewState& state) {
  auto figure = draw_view(**find_view(view), state);
  EXPECT_TRUE(figure) << view;
  return *std::move(figure);
}
/// Calls `check` for every row of every shipped model, before and after its first block is switched off.
inline void for_every_row(const std::function<void(const ViewState&, const std::string& where)>& check) {
  for (const std::string& name : kShippedForViews) {
    const Opened of = opened(name);
    const std::string edit = std::string(stack_prefix(of.run->config().stack)) + "blocks.0.attn.z*=0";
    for (const bool changed : {false, true}) {
      ViewState state = first_state(*of.model, changed ? edited(of, edit) : of.run);
      if (changed) state.before = of.run;
      for (state.row = 0; state.row < state.run->rows(state.place.stack); ++state.row)
        check(state, name + " row " + std::to_string(state.row) + (changed ? ", edited" : ""));
    }
  }
}
template <class Mark>
const Mark& mark_of(const figure::Figure& figure, std::string_view part) {
  return std::get<Mark>(figure::find_part(figure, part)->mark);
}
/// The arguments of the full sentence, in words.
inline std::vector<std::string> sentence_of(const figure::Figure& figure) {
  return in_words(mark_of<figure::WordsMark>(figure, "sentence").forms.front().arguments());
}
inline std::string sentence_key(const figure::Figure& figure) {
  return mark_of<figure::WordsMark>(figure, "sentence").forms.front().key();
}

}  // namespace attnscope::testing
