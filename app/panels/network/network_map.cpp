// The network map at the left: every part a box, the current block unfolded, the residual stream beside it. A
// click moves the cursor. Parts that the run lacks are not drawn.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/pointed.h"
#include "app/look/shade.h"
#include "app/panels/network/network_edits.h"
#include "app/panels/network/network_layout.h"
#include "app/panels/network/network_links.h"
#include "app/panels/network/network_pointed.h"
#include "app/panels/network/network_tree.h"
#include "app/state/controls.h"
#include "app/state/panel.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

struct Map {
  const PanelContext& context;
  const NetworkLayout& layout;
  ImVec2 origin;
  ImDrawList* list;

  ImVec2 at(float x, float y) const {
    return ImVec2(std::floor(origin.x + px(x)), std::floor(origin.y + px(y)));
  }
};

// True if the previewed change would affect a step of the box.
bool is_reached(const NetworkBox& box) {
  const auto reached = [](const Site& site) { return shaded_rows(site).size() > 0; };
  return box.kind != NetworkBox::Kind::header && box.kind != NetworkBox::Kind::title &&
         std::any_of(box.sites.begin(), box.sites.end(), reached);
}

void draw_ribbons(const Map& map) {
  for (const NetworkRibbon& ribbon : map.layout.ribbons) {
    const ImVec2 from = map.at(ribbon.x0, ribbon.y0), to = map.at(ribbon.x1, ribbon.y1);
    const float bend = (to.y - from.y) * 0.5f;
    const ImU32 colour = with_alpha(hue_colour(ribbon.hue), 0.45f);
    const float width = px(ribbon.y0 == ribbon.y1 ? 2.f : 5.f);
    map.list->AddBezierCubic(from, ImVec2(from.x, from.y + bend), ImVec2(to.x, to.y - bend), to, colour,
                             width);
  }
}

void draw_lanes(const Map& map) {
  for (const NetworkLane& lane : map.layout.lanes) {
    std::vector<ImVec2> points;
    for (const NetworkPoint& point : lane.points) points.push_back(map.at(point.x, point.y));
    map.list->AddPolyline(points.data(), static_cast<int>(points.size()),
                          with_alpha(hue_colour(lane.hue), 0.6f), 0, px(2.f));
  }
}

void draw_stream(const Map& map) {
  const NetworkLayout& layout = map.layout;
  for (const NetworkStream& stream : layout.streams) {
    if (stream.y1 <= stream.y0) continue;
    const ImVec2 top = map.at(stream.x - 2.5f, stream.y0), end = map.at(stream.x + 2.5f, stream.y1);
    map.list->AddRectFilled(top, end, with_alpha(theme().residual, 0.7f), px(2.5f));
  }
  if (layout.frame_y1 <= layout.frame_y0) return;
  const ImVec2 p0 = map.at(layout.frame_x0, layout.frame_y0), p1 = map.at(layout.frame_x1, layout.frame_y1);
  map.list->AddRectFilled(p0, p1, with_alpha(theme().text_dim, 0.05f), px(8));
  map.list->AddRect(p0, p1, theme().border, px(8));
}

void draw_sum(const Map& map, const NetworkBox& box, bool current, bool hovered) {
  const Theme& t = theme();
  const ImVec2 centre = map.at(box.x + box.w / 2, box.y + box.h / 2);
  const ImU32 colour = current ? t.accent : t.residual;
  map.list->AddCircleFilled(centre, px(box.w / 2 - 1),
                            current   ? t.accent_soft
                            : hovered ? t.hovered
                                      : t.ground);
  map.list->AddCircle(centre, px(box.w / 2 - 1), colour, 0, px(current ? 2.f : 1.5f));
  const float arm = px(3.5f);
  if (box.cut) {  // the skip connection ends above the sum
    const float end = centre.y - px(box.h / 2), half = px(5.f);
    map.list->AddRectFilled(ImVec2(centre.x - px(3), end - px(7)), ImVec2(centre.x + px(3), end), t.ground);
    map.list->AddLine(ImVec2(centre.x - half, end - px(7)), ImVec2(centre.x + half, end - px(7)), t.warning,
                      px(1.5f));
    map.list->AddCircleFilled(centre, px(2), colour);
    return;
  }
  map.list->AddLine(ImVec2(centre.x - arm, centre.y), ImVec2(centre.x + arm, centre.y), colour, px(1.5f));
  map.list->AddLine(ImVec2(centre.x, centre.y - arm), ImVec2(centre.x, centre.y + arm), colour, px(1.5f));
}

void draw_shape(const Map& map, const NetworkBox& box) {
  const WithFont font(fonts().mono_small);
  const std::string text = shortened(box.shape, px(box.w + 8));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 middle = map.at(box.x + box.w / 2, box.y + box.h + 2);
  const ImVec2 p0(std::floor(middle.x - size.x / 2), middle.y);
  map.list->AddRectFilled(ImVec2(p0.x - px(2), p0.y), ImVec2(p0.x + size.x + px(2), p0.y + size.y),
                          with_alpha(theme().ground, 0.8f), px(3));
  map.list->AddText(p0, theme().text_dim, text.c_str());
}

/// A head or neuron of a block; `at` -1: none.
struct InBlock {
  int layer = 0;
  std::int64_t at = -1;
};

// The head or neuron that is pointed at anywhere (look/pointed.h) and belongs to this box: attention, MLP, or
// a folded block.
InBlock pointed_in(const NetworkBox& box) {
  if (box.layer < 0 || box.kind == NetworkBox::Kind::header) return {};
  if (box.heads) return {box.layer, pointed_head(box.stack, box.target.part, box.layer)};
  const auto neurons = [](const Site& site) { return site.is(StepRole::neurons); };
  const bool mlp =
      box.kind == NetworkBox::Kind::part && std::any_of(box.sites.begin(), box.sites.end(), neurons);
  if (mlp) return {box.layer, pointed_neuron(box.stack, box.layer)};
  for (int layer = box.layer; box.kind == NetworkBox::Kind::folded && layer < box.layer + box.blocks; ++layer)
    for (const std::int64_t at :
         {pointed_head(box.stack, Part::attn, layer), pointed_head(box.stack, Part::cross, layer),
          pointed_neuron(box.stack, layer)})
      if (at >= 0) return {layer, at};
  return {};
}

// "1.2": block and head (or neuron) that is pointed at, else the cursor's.
void draw_head(const Map& map, const NetworkBox& box, const InBlock& pointed) {
  const WithFont font(fonts().mono_small);
  const bool lit = pointed.at >= 0;
  const InBlock shown = lit ? pointed : InBlock{box.layer, map.context.workspace.cursor.head};
  const std::string text = format("%d.%lld", shown.layer, static_cast<long long>(shown.at));
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 right = map.at(box.x + box.w - 8, box.y + box.h / 2);
  map.list->AddText(ImVec2(right.x - size.x, right.y - size.y / 2), lit ? theme().accent : theme().text_dim,
                    text.c_str());
}

// Number and width of heads below the letter, or the number of parameters at the right if there is room.
void draw_sizes(const Map& map, const NetworkBox& box, float label_end) {
  const WithFont font(fonts().mono_small);
  if (!box.sizes.empty()) {
    if (map.context.workspace.hides_shapes) return;
    const std::string text = shortened(box.sizes, px(box.w - 2));
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const ImVec2 at = map.at(box.x + box.w / 2, box.y + box.h - 3);
    return map.list->AddText(ImVec2(std::floor(at.x - size.x / 2), at.y - size.y), theme().text_dim,
                             text.c_str());
  }
  if (box.parameters <= 0 || box.heads || !box.shape.empty()) return;
  const std::string text = short_count(box.parameters);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const ImVec2 at = map.at(box.x + box.w - 8, box.y + box.h / 2);
  if (at.x - size.x < label_end + px(6)) return;
  map.list->AddText(ImVec2(std::floor(at.x - size.x), std::floor(at.y - size.y / 2)), theme().text_dim,
                    text.c_str());
}

void draw_part(const Map& map, const NetworkBox& box, bool current, bool hovered) {
  const Theme& t = theme();
  const bool title = box.kind == NetworkBox::Kind::title;
  const bool header = title || box.kind == NetworkBox::Kind::header,
             folded = box.kind == NetworkBox::Kind::folded;
  const ImVec2 p0 = map.at(box.x, box.y), p1 = map.at(box.x + box.w, box.y + box.h);
  if (!header) {
    const ImU32 line = current ? t.accent : folded ? t.border : hue_colour(box.hue);
    map.list->AddRectFilled(p0, p1,
                            current   ? t.accent_soft
                            : hovered ? t.hovered
                                      : t.panel_raised,
                            px(metric::kRounding));
    if (current)  // the current step glows
      for (int ring = 1; ring <= 3; ++ring) {
        const float out = px(1.5f * static_cast<float>(ring));
        map.list->AddRect(ImVec2(p0.x - out, p0.y - out), ImVec2(p1.x + out, p1.y + out),
                          with_alpha(t.accent, 0.28f / static_cast<float>(ring)), px(metric::kRounding) + out,
                          0, px(1.5f));
      }
    map.list->AddRect(p0, p1, line, px(metric::kRounding), 0,
                      current ? px(2) : std::max(1.f, std::floor(px(1))));
  }
  const bool coloured =
      box.hue == Hue::query || box.hue == Hue::key || (box.hue == Hue::value && box.key == "map.v");
  const WithFont font(header || current ? fonts().body_bold : fonts().body);
  const float room = px(box.w - (box.heads ? 48 : box.centred ? 4 : 12));
  static KeptTexts kept;
  const std::string& label = kept.get(
      text_key({map.context.run->version, static_cast<std::uint64_t>(box.kind), key_of(box.key),
                static_cast<std::uint64_t>(box.stack), static_cast<std::uint64_t>(box.layer + 1),
                static_cast<std::uint64_t>(box.blocks), static_cast<std::uint64_t>(room), header || current}),
      [&] { return shortened(network_label(map.context, box), room); });
  const ImVec2 size = ImGui::CalcTextSize(label.c_str());
  const float x = box.centred ? (p0.x + p1.x - size.x) / 2 : p0.x + px(header ? 2 : 10);
  const ImU32 ink = coloured ? hue_colour(box.hue) : header && hovered ? t.accent : t.text;
  const float lift = box.sizes.empty() ? 0.f : px(6);
  map.list->AddText(ImVec2(std::floor(x), std::floor((p0.y + p1.y - size.y) / 2 - lift)), ink, label.c_str());
  const InBlock pointed = pointed_in(box);
  if (pointed.at < 0) draw_sizes(map, box, x + size.x);
  if (box.heads || pointed.at >= 0) draw_head(map, box, pointed);
  if (!box.shape.empty() && !map.context.workspace.hides_shapes) draw_shape(map, box);
}

void draw_box(const Map& map, const NetworkBox& box, bool current) {
  const WithId layer((box.layer + 2) * 8 + static_cast<int>(box.stack));
  const WithId slot(static_cast<int>(box.target.slot) * 4 + static_cast<int>(box.target.part));
  ImGui::SetCursorScreenPos(map.at(box.x, box.y));
  const bool pressed = hit_area(box.key.c_str(), ImVec2(px(box.w), px(box.h)));
  const bool hovered = ImGui::IsItemHovered();
  if (pressed) click_network(map.context, box);
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hovered) network_tooltip(map.context, box);
  if (hovered) offer_network(map.context, box);
  if (hovered && box.heads)
    point_head(box.stack, box.target.part, box.layer, map.context.workspace.cursor.head);
  if (box.kind == NetworkBox::Kind::sum)
    draw_sum(map, box, current, hovered);
  else
    draw_part(map, box, current, hovered || pointed_in(box).at >= 0);
  if (is_reached(box)) tint(map.at(box.x, box.y), map.at(box.x + box.w, box.y + box.h));
  if (!edits_of(box, *map.context.run, map.context.workspace.cursor.sequence).empty())
    draw_edit_sign(Canvas(map.list), map.at(box.x + box.w, box.y));
}

// Scrolls to the cursor's box when the cursor has moved; otherwise leaves scrolling to the user.
void keep_in_view(const NetworkLayout& layout, int current, const Site& step) {
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("map.seen");
  const int seen = ((step.layer + 2) * 128 + static_cast<int>(step.slot)) * 16 +
                   static_cast<int>(step.stack) * 4 + static_cast<int>(step.part);
  if (storage->GetInt(id) == seen || current < 0) return;
  storage->SetInt(id, seen);
  const NetworkBox& box = layout.boxes[static_cast<std::size_t>(current)];
  const float top = px(box.y) - px(24), end = px(box.y + box.h) + px(24),
              view = ImGui::GetWindowHeight() - px(34);
  if (top < ImGui::GetScrollY()) ImGui::SetScrollY(std::max(0.f, top));
  if (end > ImGui::GetScrollY() + view) ImGui::SetScrollY(end - view);
}

constexpr double kMostLinked = 2e7;  // multiply-adds of composition scores, as the Circuits view draws

// A link from the lower edge of a box to the upper one of another.
struct LinkWay {
  const NetworkBox &from, &to;
  ImVec2 p0, p3;
  ImU32 colour;
};
LinkWay way_of(const Map& map, const NetworkLink& link) {
  const NetworkBox &from = map.layout.boxes[static_cast<std::size_t>(link.from)],
                   &to = map.layout.boxes[static_cast<std::size_t>(link.to)];
  const float across = 0.42f + 0.18f * static_cast<float>(link.side);  // beside the name of the block
  const Hue hue = link.side == Reads::q ? Hue::query : link.side == Reads::k ? Hue::key : Hue::value;
  return {from, to, map.at(from.x + from.w * across, from.y + from.h),
          map.at(to.x + to.w * (to.kind == NetworkBox::Kind::folded ? across : 0.5f), to.y), hue_colour(hue)};
}
void draw_link(const Map& map, const NetworkLink& link, double most, float alpha = 1) {
  const LinkWay way = way_of(map, link);
  const float bend = (way.p3.y - way.p0.y) * 0.5f, share = static_cast<float>(link.score / most);
  map.list->AddBezierCubic(way.p0, ImVec2(way.p0.x, way.p0.y + bend), ImVec2(way.p3.x, way.p3.y - bend),
                           way.p3, with_alpha(way.colour, alpha * (0.35f + 0.6f * share)),
                           px(1.f + 3.f * share));
}
// What stands between a line's ends lets it shine through, so that one sees where it goes on.
void draw_through(const Map& map, const NetworkLink& link, double most) {
  constexpr float kShinesThrough = 0.45f;
  const LinkWay way = way_of(map, link);
  for (const NetworkBox& box : map.layout.boxes) {
    const ImVec2 p0 = map.at(box.x, box.y), p1 = map.at(box.x + box.w, box.y + box.h);
    if (&box == &way.from || &box == &way.to || p1.y <= way.p0.y || p0.y >= way.p3.y) continue;
    map.list->PushClipRect(p0, p1, true);
    draw_link(map, link, most, kShinesThrough);
    map.list->PopClipRect();
  }
}
// Of the two heads the other one's name, on the line beside its box.
void name_link(const Map& map, const NetworkLink& link) {
  const LinkWay way = way_of(map, link);
  const WithFont font(fonts().mono_small);
  const std::string name = format("%d.%d", link.block, link.head);
  const ImVec2 size = ImGui::CalcTextSize(name.c_str());
  const bool above = way.from.kind == NetworkBox::Kind::folded;
  const ImVec2 at(std::floor((above ? way.p0.x : way.p3.x) - size.x / 2),
                  std::floor(above ? way.p0.y - size.y / 2 : way.p3.y - size.y - px(1)));
  map.list->AddRectFilled(ImVec2(at.x - px(2), at.y), ImVec2(at.x + size.x + px(2), at.y + size.y),
                          with_alpha(theme().ground, 0.85f), px(3));
  map.list->AddText(at, way.colour, name.c_str());
}

/// The layout of the newest run, cached by all its inputs.
struct KeptLayout {
  Computed<Result<Circuits>> circuits;
  std::shared_ptr<const Weights>
      weights;  ///< those of the circuits: held, so that no others have their address
  Kept<std::vector<NetworkLink>> links;
  std::uint64_t run = 0;
  int sequence = -1;
  OpenBlock open;
  float width = 0, height = 0;
  NetworkLayout layout;
};

const NetworkLayout& layout_of(const PanelContext& context, OpenBlock open, float width, float height) {
  auto& memory = context.workspace.map_layout;
  if (!memory) memory = std::make_shared<KeptLayout>();
  KeptLayout& kept = *std::static_pointer_cast<KeptLayout>(memory);
  const int sequence = context.workspace.cursor.sequence;
  const bool same = kept.run == context.run->version && kept.sequence == sequence &&
                    kept.open.stack == open.stack && kept.open.layer == open.layer && kept.width == width &&
                    kept.height == height;
  if (!same) {
    kept.run = context.run->version, kept.sequence = sequence, kept.open = open;
    kept.width = width, kept.height = height;
    kept.layout = network_layout(*context.run, sequence, open, width, height);
  }
  return kept.layout;
}

const std::vector<NetworkLink> kNoLinks;

// While the circuits are looked at: what the cursor's head reads of others, and others of it.
const std::vector<NetworkLink>& links_of(const Map& map) {
  const PanelContext& context = map.context;
  const Cursor& cursor = context.workspace.cursor;
  if (context.workspace.view != "circuits" || context.run->recorded()) return kNoLinks;
  const Trace& trace = context.run->trace(cursor.sequence);
  if (trace.weights().all().empty() || circuits_cost(trace.config()) > kMostLinked) return kNoLinks;
  KeptLayout& kept = *std::static_pointer_cast<KeptLayout>(context.workspace.map_layout);
  kept.weights = trace.shared_weights();  // the same as before unless one was edited
  const std::uint64_t subject = context.run->opened_version,
                      key = key_of({subject, reinterpret_cast<std::uintptr_t>(kept.weights.get())});
  if (!kept.circuits.asked(key))
    kept.circuits.begin(subject, key, context.workers(),
                        [model = Model(trace.shared_config(), trace.shared_weights())](
                            const std::atomic<bool>& cancel) { return circuits_of(model, true, &cancel); });
  const auto made = kept.circuits.made(subject, key);
  if (!made || !made.fresh) return kNoLinks;
  if (!*made.value) throw ErrorThrown{made.value->error()};  // its part of the frame says it
  return kept.links.get({made.serial, kept.run, static_cast<std::uint64_t>(cursor.layer),
                         static_cast<std::uint64_t>(cursor.head), static_cast<std::uint64_t>(kept.width),
                         static_cast<std::uint64_t>(kept.height)},
                        [&] {
                          return composition_links(map.layout, **made.value, trace.config().stack,
                                                   cursor.layer, cursor.head);
                        });
}

}  // namespace

void draw_network_map(const PanelContext& context) {
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));  // padding of tooltips
  {
    const WithFont bold(fonts().body_bold);
    dim_text(tr("map.title"));
  }
  if (!context.run || context.run->traces.empty()) {
    wrapped_text(tr(context.session.running() ? "map.waiting" : "map.empty"), theme().text_dim);
    return;
  }
  Workspace& workspace = context.workspace;
  draw_map_switch(workspace);
  if (workspace.shows_modules) {
    compat::begin_child("###map_tree", ImVec2(0, 0), false, ImGuiWindowFlags_HorizontalScrollbar);
    draw_module_tree(context);
    ImGui::EndChild();
    return;
  }
  compat::begin_child("###map_boxes", ImVec2(0, 0), false);
  const ImVec2 room = ImGui::GetContentRegionAvail();  // without the scroll bar
  const Cursor& cursor = workspace.cursor;
  const NetworkLayout& layout = layout_of(context, {cursor.stack, cursor.layer}, room.x / ui_scale(),
                                          ImGui::GetWindowHeight() / ui_scale() - 8);
  const Map map{context, layout, ImGui::GetCursorScreenPos(), ImGui::GetWindowDrawList()};
  const int current = layout.box_of(workspace.cursor.step);
  draw_stream(map);
  draw_ribbons(map);
  draw_lanes(map);
  const std::vector<NetworkLink>& links = links_of(map);
  double most = 0;
  for (const NetworkLink& link : links) most = std::max(most, link.score);
  for (const NetworkLink& link : links)  // boxes that stand between stand before the line
    if (most > 0) draw_link(map, link, most);
  for (int i = 0; i < static_cast<int>(layout.boxes.size()); ++i)
    draw_box(map, layout.boxes[static_cast<std::size_t>(i)], i == current);
  for (const NetworkLink& link : links)
    if (most > 0) draw_through(map, link, most);
  for (const NetworkLink& link : links) name_link(map, link);
  ImGui::SetCursorScreenPos(map.at(0, 0));
  ImGui::Dummy(ImVec2(px(1), px(layout.height)));
  keep_in_view(layout, current, workspace.cursor.step);
  ImGui::EndChild();
}

}  // namespace attnscope
