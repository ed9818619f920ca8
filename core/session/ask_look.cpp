#include "core/session/ask_look.h"

#include <algorithm>

#include "core/session/look_read.h"

namespace attnscope {
namespace {

constexpr Named<Stack> kStackNames[] = {
    {"single", Stack::single}, {"enc", Stack::enc}, {"dec", Stack::dec}, {"vision", Stack::vision}};

// The column that sorts the heads; one that nobody knows: as it was.
void take_heads(const nlohmann::json& look, AskSettings& settings) {
  std::string by;
  session_look_read(look, "heads_by", by);
  if (const auto score = parse_head_score(by)) settings.heads_by = *score;
  session_look_read(look, "heads_largest", settings.heads_largest);
  session_look_read(look, "heads_least", settings.heads_least);
  settings.heads_least = std::clamp(settings.heads_least, 0.f, 1.f);
  session_look_read(look, "heads_before", settings.heads_before);
}

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
          {"sum", name_of_value(settings.sum, kAskSums)},
          {"twin_row", settings.twin_row},
          {"heads_by", head_score_name(settings.heads_by)},
          {"heads_largest", settings.heads_largest},
          {"heads_least", settings.heads_least},
          {"heads_before", settings.heads_before},
          {"attention", name_of_value(settings.attention, kAttentionPaths)},
          {"attention_of", settings.attention_of},
          {"graph_qk", settings.graph_qk},
          {"graph_share", settings.graph_share},
          {"graph_file", settings.graph_file}};
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
  session_look_read(*found, "twin_row", settings.twin_row);
  take_heads(*found, settings);
  session_look_read(*found, "attention", settings.attention, kAttentionPaths);
  session_look_read(*found, "attention_of", settings.attention_of);
  session_look_read(*found, "graph_qk", settings.graph_qk);
  session_look_read(*found, "graph_share", settings.graph_share);
  settings.graph_share = std::clamp(settings.graph_share, static_cast<float>(kLeastGraphShare),
                                    static_cast<float>(kMostGraphShare));
  session_look_read(*found, "graph_file", settings.graph_file);
}

}  // namespace attnscope
