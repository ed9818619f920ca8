#include "core/session/ask_look.h"

#include <algorithm>

#include "core/session/look_read.h"

namespace attnscope {
namespace {

constexpr Named<Stack> kStackNames[] = {
    {"single", Stack::single}, {"enc", Stack::enc}, {"dec", Stack::dec}, {"vision", Stack::vision}};

}  // namespace

nlohmann::json ask_look(const Asking& asking) {
  const AskSettings& settings = asking.settings;
  return {{"measure", asking.measure.text},
          {"row", asking.measure.row},
          {"page", name_of_value(settings.page, kAskPages)},
          {"knock_out", settings.knock_out},
          {"patch", settings.patch},
          {"how", name_of_value(settings.how, kAskHows)},
          {"over", name_of_value(settings.over, kAskOvers)},
          {"group", settings.group},
          {"other", settings.other},
          {"into_other", settings.into_other},
          {"stack", name_of_value(settings.stack, kStackNames)},
          {"change", settings.change},
          {"normalised", settings.normalised},
          {"strongest", settings.strongest},
          {"strength", name_of_value(settings.strength, kStrengthBys)},
          {"whole_range", settings.whole_range},
          {"circuit_how", name_of_value(settings.circuit_how, kAskHows)},
          {"from", name_of_value(settings.from, kAskFroms)},
          {"to", name_of_value(settings.to, kAskTos)},
          {"path", name_of_value(settings.path, kPathKinds)},
          {"sum", name_of_value(settings.sum, kAskSums)}};
}

void take_ask_look(const nlohmann::json& look, Asking& asking) {
  asking.measure.text.clear();
  asking.measure.row = -1;
  asking.settings = {};
  const auto found = look.find("ask");
  if (found == look.end() || !found->is_object()) return;
  AskSettings& settings = asking.settings;
  session_look_read(*found, "measure", asking.measure.text);
  session_look_read(*found, "row", asking.measure.row);
  session_look_read(*found, "page", settings.page, kAskPages);
  session_look_read(*found, "stack", settings.stack, kStackNames);
  session_look_read(*found, "knock_out", settings.knock_out);
  session_look_read(*found, "patch", settings.patch);
  bool mean = false;  // of earlier versions
  session_look_read(*found, "mean", mean);
  if (mean) settings.how = AskHow::mean;
  session_look_read(*found, "how", settings.how, kAskHows);
  session_look_read(*found, "over", settings.over, kAskOvers);
  session_look_read(*found, "group", settings.group);
  settings.group = std::max(1, settings.group);
  session_look_read(*found, "other", settings.other);
  session_look_read(*found, "into_other", settings.into_other);
  session_look_read(*found, "change", settings.change);
  session_look_read(*found, "normalised", settings.normalised);
  session_look_read(*found, "strongest", settings.strongest);
  session_look_read(*found, "strength", settings.strength, kStrengthBys);
  session_look_read(*found, "whole_range", settings.whole_range);
  session_look_read(*found, "circuit_how", settings.circuit_how, kAskHows);
  session_look_read(*found, "from", settings.from, kAskFroms);
  session_look_read(*found, "to", settings.to, kAskTos);
  session_look_read(*found, "path", settings.path, kPathKinds);
  session_look_read(*found, "sum", settings.sum, kAskSums);
}

}  // namespace attnscope
