#include "app/views/output_ways.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/output_settings.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kTokens = 8, kDepth = 6, kSeeds = 4, kMostShownBeams = 5;
constexpr double kPlausible = 0.1;  // contrast only tokens with at least this share of the top probability
constexpr std::size_t kContrasted = 6;

// The prompt: the sequence up to and including row `pos`.
Input prefix(Input input, std::int64_t pos) {
  const auto count = static_cast<std::size_t>(pos + 1);
  if (input.ids.size() > count) input.ids.resize(count);
  if (input.types.size() > count) input.types.resize(count);
  if (input.attention_mask.size() > count) input.attention_mask.resize(count);
  for (Span& span : input.spans) {
    span.begin = std::min(span.begin, pos + 1);
    span.end = std::min(span.end, pos + 1);
  }
  return input;
}

struct Question {
  std::shared_ptr<const Model> model;
  Input prompt;
  Sampling sampling;
  RunOptions options;
  int beams = 3;
  std::shared_ptr<const Trace> now, pinned;
  std::int64_t pos = 0;
};

Status answer_into(Ways& out, const Question& asked) {
  const auto strand = [&](std::string id, std::string name, const Sampling& sampling) -> Status {
    TRY(const Generated made, generate(*asked.model, asked.prompt, kTokens, sampling, asked.options));
    Strand one{std::move(id), std::move(name), made.ids, made.log_probs, 0};
    for (const double nats : made.log_probs) one.sum += nats;
    out.strands.push_back(std::move(one));
    return Done{};
  };
  Sampling own = asked.sampling;
  own.temperature = 0;
  TRY_OK(strand("greedy", tr("output.ways.greedy"), own));
  own = asked.sampling;
  for (int i = 0; i < kSeeds; ++i, ++own.seed) {
    const std::string seed = std::to_string(own.seed);
    TRY_OK(strand("seed_" + std::to_string(i), tr("output.ways.seed", {seed}), own));
  }
  TRY(out.beams, beam_search(*asked.model, asked.prompt,
                             {asked.beams, kDepth, 1.0, asked.sampling.repetition_penalty}, asked.options));
  out.beam_count = asked.beams;
  if (asked.pinned && asked.pos < asked.pinned->length) {
    out.contrast =
        contrast(asked.now->logits_row(asked.pos), asked.pinned->logits_row(asked.pos), kPlausible);
    out.pinned = true;
    out.contrast.resize(std::min(out.contrast.size(), kContrasted));
  }
  return Done{};
}

Ways answer(const Question& asked) {
  Ways out;
  if (Status done = answer_into(out, asked); !done) out.error = done.error();
  return out;
}

}  // namespace

Made<Ways> OutputWays::ways(const ViewContext& context, std::int64_t pos) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const Document& document = context.run.document;
  const std::size_t at = std::min(sequence, document.sequences.size() - 1);
  const Sampling sampling = context.session.document().sampling;
  const std::shared_ptr<const RunResult> pinned = context.session.pinned();
  const std::uint64_t subject = key_of({context.run.opened_version, at});
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(pos), sampling_key(sampling),
              static_cast<std::uint64_t>(beams_), pinned ? pinned->version : 0});
  Question asked;
  asked.model = document.model;
  asked.now = context.run.shared(static_cast<int>(at));
  asked.prompt = prefix(asked.now->input, pos);
  asked.sampling = sampling;
  asked.options.edits = edits_for(document.edits, static_cast<int>(at));
  asked.beams = beams_;
  asked.pos = pos;
  if (pinned && !pinned->traces.empty()) {
    asked.pinned = pinned->shared(static_cast<int>(at));
    if (!asked.pinned->find(asked.pinned->main(StepRole::logits))) asked.pinned = nullptr;
  }
  return ways_.get_or_before(subject, key, context.workers(),
                             [asked = std::move(asked)](const std::atomic<bool>& cancel) {
                               Question own = asked;
                               own.options.cancel = &cancel;
                               return answer(own);
                             });
}

namespace {

// A token with a background opacity by its probability. Returns its right edge, pixels.
float draw_token(const Canvas& canvas, ImVec2 at, float height, const std::string& label, double prob) {
  const Theme& t = theme();
  ImFont* font = fonts().mono;
  const ImVec2 size = text_size(font, label);
  const float right = at.x + size.x + scaled(10);
  canvas.fill_rect(at, ImVec2(right, at.y + height),
                   with_alpha(t.attention, 0.08f + 0.42f * static_cast<float>(prob)), scaled(4));
  draw_text(canvas, font, ImVec2(at.x + scaled(5), at.y + (height - size.y) / 2), t.text, label);
  return right + scaled(4);
}

bool output_ways_row_button(const std::string& id, ImVec2 at, ImVec2 size) {
  ImGui::SetCursorScreenPos(at);
  const bool clicked = hit_area(("###" + id).c_str(), ImVec2(std::max(1.f, size.x), std::max(1.f, size.y)));
  note_item(id);
  if (ImGui::IsItemHovered()) {
    Canvas().fill_rect(at, ImVec2(at.x + size.x, at.y + size.y), theme().hovered, scaled(4));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  return clicked;
}

std::string all_of(const OpenedModel& opened, const std::vector<int>& ids) {
  std::string out;
  for (const int id : ids) out += (out.empty() ? "" : " ") + output_name(opened, id);
  return out;
}

}  // namespace

std::optional<std::vector<int>> OutputWays::draw_strands(const ViewContext& context, const Ways& ways,
                                                         ImVec2 at, ImVec2 room) const {
  const OpenedModel& opened = *context.run.document.opened;
  const Theme& t = theme();
  const Canvas canvas;
  float names = 0;
  for (const Strand& strand : ways.strands) names = std::max(names, text_size(fonts().small, strand.name).x);
  const std::string against = tr("output.ways.against");
  if (ways.pinned) names = std::max(names, text_size(fonts().small, against).x);
  names += scaled(12);
  const float row = room.y / static_cast<float>(ways.strands.size() + (ways.pinned ? 1 : 0));
  const float box = row - scaled(4), number = text_size(fonts().mono_small, "−00.00").x;
  const float end = at.x + room.x - number - scaled(10);
  const auto text_y = [&](ImFont* font) { return (box - text_size(font, "X").y) / 2; };
  std::optional<std::vector<int>> chosen;
  for (const Strand& strand : ways.strands) {
    if (output_ways_row_button("way_" + strand.id, at, ImVec2(room.x, box))) chosen = strand.ids;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", tr("output.ways.help", {all_of(opened, strand.ids), significant(strand.sum, 4),
                                                      significant(std::exp(strand.sum), 3)})
                                  .c_str());
    draw_text(canvas, fonts().small, ImVec2(at.x + scaled(2), at.y + text_y(fonts().small)), t.text_dim,
              strand.name);
    float x = at.x + names;
    for (std::size_t i = 0; i < strand.ids.size(); ++i) {
      const std::string label = output_name(opened, strand.ids[i]);
      note_text(label);
      if (x + text_size(fonts().mono, label).x + scaled(24) > end) {
        draw_text(canvas, fonts().mono, ImVec2(x, at.y + text_y(fonts().mono)), t.text_dim, "…");
        break;
      }
      x = draw_token(canvas, ImVec2(x, at.y), box, label, std::exp(strand.log_probs[i]));
    }
    const std::string sum = number_text(static_cast<float>(strand.sum), 2);
    draw_text(canvas, fonts().mono_small,
              ImVec2(at.x + room.x - text_size(fonts().mono_small, sum).x, at.y + text_y(fonts().mono_small)),
              t.text, sum);
    at.y += row;
  }
  if (!ways.pinned) return chosen;
  draw_text(canvas, fonts().small, ImVec2(at.x + scaled(2), at.y + text_y(fonts().small)), t.text_dim,
            against);
  float x = at.x + names;
  for (const Contrast& one : ways.contrast) {
    const std::string name = output_name(opened, one.id), score = signed_number(one.score, 2);
    note_text(name);
    const float width = text_size(fonts().mono, name).x + text_size(fonts().mono_small, score).x + scaled(20);
    if (x + width > at.x + room.x) break;
    const std::string id = "contrast_" + std::to_string(one.id);
    if (output_ways_row_button(id, ImVec2(x, at.y), ImVec2(width - scaled(6), box))) chosen = {one.id};
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", tr("output.ways.against.help",
                                 {name, number_text(one.expert, 4), number_text(one.amateur, 4), score})
                                  .c_str());
    const float after = draw_token(canvas, ImVec2(x, at.y), box, name, static_cast<double>(one.expert));
    draw_text(canvas, fonts().mono_small, ImVec2(after - scaled(2), at.y + text_y(fonts().mono_small)),
              one.score < 0 ? t.negative : t.positive, score);
    x += width + scaled(6);
  }
  return chosen;
}

namespace {

struct TreePlace {
  ImVec2 p0, p1;
};

// Positions of the tree's nodes: a column per depth, most likely node on top.
std::vector<TreePlace> places_of(const BeamSearch& tree, int rows, ImVec2 at, ImVec2 room) {
  std::vector<TreePlace> out(tree.nodes.size());
  const float root = scaled(12), step = (room.x - root) / static_cast<float>(kDepth), gap = scaled(22);
  const float row = std::min(room.y / static_cast<float>(rows), scaled(44)), box = row - scaled(4);
  int depth = 0, index = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const BeamNode& node = tree.nodes[i];
    if (node.depth != depth) depth = node.depth, index = 0;
    const float x = at.x + root + static_cast<float>(depth - 1) * step + gap;
    const float y = at.y + static_cast<float>(index++) * row;
    out[i] = {ImVec2(x, y), ImVec2(x + step - gap, y + box)};
    if (i == 0) out[i] = {ImVec2(at.x, y), ImVec2(at.x + root, y + box)};
  }
  return out;
}

void draw_edge(const Canvas& canvas, const TreePlace& from, const TreePlace& to, ImU32 colour, float width) {
  const ImVec2 a(from.p1.x, (from.p0.y + from.p1.y) / 2), d(to.p0.x, (to.p0.y + to.p1.y) / 2);
  const float middle = (a.x + d.x) / 2;
  const ImVec2 points[] = {a, ImVec2(middle, a.y), ImVec2(middle, d.y), d};
  canvas.polyline(points, colour, false, width);
}

}  // namespace

std::optional<std::vector<int>> OutputWays::draw_tree(const ViewContext& context, const Ways& ways, ImVec2 at,
                                                      ImVec2 room) const {
  const OpenedModel& opened = *context.run.document.opened;
  const BeamSearch& tree = ways.beams;
  const Theme& t = theme();
  const Canvas canvas;
  std::vector<char> on_best(tree.nodes.size());
  if (!tree.hypotheses.empty())
    for (int at_node = tree.hypotheses.front().node; at_node > 0;
         at_node = tree.nodes[static_cast<std::size_t>(at_node)].parent)
      on_best[static_cast<std::size_t>(at_node)] = 1;
  const std::vector<TreePlace> places = places_of(tree, 2 * ways.beam_count, at, room);
  canvas.fill_rect(places[0].p0, places[0].p1, t.accent, scaled(3));
  std::optional<std::vector<int>> chosen;
  for (const bool best : {false, true})  // the best beam's lines are on top
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
      if (static_cast<bool>(on_best[i]) == best) {
        const bool kept = tree.nodes[i].fate != BeamNode::Fate::dropped;
        draw_edge(canvas, places[static_cast<std::size_t>(tree.nodes[i].parent)], places[i],
                  best   ? t.accent
                  : kept ? t.text_dim
                         : t.border,
                  scaled(best ? 2.2f : 1.f));
      }
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const BeamNode& node = tree.nodes[i];
    const bool kept = node.fate != BeamNode::Fate::dropped;
    const TreePlace& box = places[i];
    const ImVec2 size(box.p1.x - box.p0.x, box.p1.y - box.p0.y);
    canvas.fill_rect(box.p0, box.p1, kept ? t.panel_raised : t.ground, scaled(4));
    if (output_ways_row_button("beam_" + std::to_string(i), box.p0, size))
      chosen = tree.ids(static_cast<int>(i));
    const std::string name = output_name(opened, node.id);
    note_text(name);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", tr(node.fate == BeamNode::Fate::ended  ? "output.beam.ended"
                                 : node.fate == BeamNode::Fate::kept ? "output.beam.kept"
                                                                     : "output.beam.dropped",
                                 {name, significant(std::exp(node.chance), 3), significant(node.chance, 4),
                                  significant(node.sum, 4), significant(node.sum / node.depth, 4)})
                                  .c_str());
    canvas.rect(box.p0, box.p1,
                on_best[i] ? t.accent
                : kept     ? t.text_dim
                           : t.border,
                scaled(4), 0, scaled(on_best[i] ? 2.f : 1.f));
    ImFont* font = size.y > scaled(18) ? fonts().mono : fonts().mono_small;
    const std::string prob = number_text(static_cast<float>(std::exp(node.chance)), 2);
    const ImVec2 prob_size = text_size(fonts().mono_small, prob);
    const float middle = (box.p0.y + box.p1.y) / 2, left = box.p0.x + scaled(5);
    const float name_room = size.x - prob_size.x - scaled(14);
    draw_text(canvas, font, ImVec2(left, middle - text_size(font, "X").y / 2), kept ? t.text : t.text_dim,
              middle_truncated(font, name, std::max(1.f, name_room)));
    draw_text(canvas, fonts().mono_small,
              ImVec2(box.p1.x - prob_size.x - scaled(4), middle - prob_size.y / 2),
              kept ? t.text : t.text_dim, prob);
  }
  return chosen;
}

std::optional<std::vector<int>> OutputWays::draw(const ViewContext& context, std::int64_t pos, ImVec2 at,
                                                 ImVec2 room) {
  const Made<Ways> made = ways(context, pos);
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("output_ways", room);
  if (!made) {
    caption(tr("output.pending"));
    return std::nullopt;
  }
  if (made->error) {
    caption(made->error->sentence() + "\n" + made->error->hint());
    return std::nullopt;
  }
  const float width = room.x - scaled(10);
  caption(tr(made->pinned ? "output.ways.caption.pinned" : "output.ways.caption"));
  at.y = ImGui::GetCursorScreenPos().y;
  const auto rows = static_cast<float>(made->strands.size() + (made->pinned ? 1 : 0));
  const float left = room.y - (at.y - ImGui::GetWindowPos().y);
  const float strands = std::clamp(left * 0.42f, rows * scaled(24), rows * scaled(38));
  std::optional<std::vector<int>> chosen = draw_strands(context, *made, at, ImVec2(width, strands));
  at.y += strands + scaled(6);
  ImGui::SetCursorScreenPos(at);
  section_heading(tr("output.beams", {std::to_string(beams_)}));
  {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(1)));
    ImGui::SameLine(0, scaled(12));
    ChipRow line(at.x + width - ImGui::GetCursorScreenPos().x, 5);
    for (int beams = 1; beams <= kMostShownBeams; ++beams) {
      const std::string name = std::to_string(beams);
      if (line(name + "###beams_" + name, beams == beams_, tr("output.beams.help"))) beams_ = beams;
    }
  }
  if (!made->beams.hypotheses.empty()) {
    const BeamHypothesis& best = made->beams.hypotheses.front();
    caption(tr("output.beams.best", {all_of(*context.run.document.opened, made->beams.ids(best.node)),
                                     significant(best.score, 4)}));
  }
  const float y = ImGui::GetCursorScreenPos().y + scaled(2);
  const float tree =
      std::max(scaled(20) * static_cast<float>(2 * made->beam_count), ImGui::GetWindowPos().y + room.y - y);
  if (auto from_tree = draw_tree(context, *made, ImVec2(at.x, y), ImVec2(width, tree)))
    chosen = std::move(from_tree);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  ImGui::Dummy(ImVec2(1, tree - scaled(4)));
  if (!made.fresh) {
    veil(ImGui::GetWindowPos(), ImVec2(ImGui::GetWindowPos().x + room.x, ImGui::GetWindowPos().y + room.y));
    return std::nullopt;
  }
  return chosen;
}

}  // namespace attnscope
