#include "app/panels/input/input_picture.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/input/input_line.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kToolsHeight = 350.f;  // units: the tools under a narrow canvas, and its facts

bool holds_numbers(const std::string& path) {
  return ends_with(lower(path), ".npy") || ends_with(lower(path), ".safetensors");
}

}  // namespace

Result<PictureBox::Read> PictureBox::read_file(const std::string& path, std::size_t sequence,
                                               const Preprocessing& how) {
  Read read{path, sequence, {}, {}};
  if (holds_numbers(path)) {
    TRY(read.pixels, open_pixels(path, how));
  } else {
    TRY(read.picture, open_picture(path));
  }
  return read;
}

void PictureBox::begin_reading(const PanelContext& context, const std::string& path) {
  reading_.begin(context.workers(), [path, sequence = sequence_index(context),
                                     how = context.session.document().opened->preprocessing] {
    return read_file(path, sequence, how);
  });
}

void PictureBox::take_reading(Session& session, const Result<Read>& read) {
  if (!read) return session.report(read.error());
  (void)session.edit(Text::of("input.edit.picture", {file_name(read->path)}), {}, [&](Document& changed) {
    if (read->pixels.empty()) return set_picture(changed, read->sequence, read->picture);
    Status set = set_pixels(changed, read->sequence, read->pixels);
    if (set) changed.sequences[read->sequence].picture.name = file_name(read->path);
    return set;
  });
}

// Uploads the model's input image to the Painter whenever it changes.
void PictureBox::show_pixels(const PanelContext& context) {
  const Document& document = context.session.document();
  sequence_ = sequence_index(context);
  const Tensor& pixels = document.sequences[sequence_].input.pixels;
  if (pixels.empty()) {
    key_.clear();
    seen_ = {};
    return;
  }
  if (!pixels.same_place(seen_) || pixels.sizes() != seen_.sizes()) {
    seen_ = pixels;
    ++version_;
    const Stats range = stats(pixels);
    least_ = range.min;
    largest_ = range.max;
  }
  key_ = "input.picture";
  if (context.painter.has_picture(key_, version_)) return;
  const Picture picture = picture_of(seen_, document.opened->preprocessing);
  if (!picture.empty())
    context.painter.upload_picture(key_, version_, picture.rgb->data(), picture.width, picture.height);
}

void PictureBox::follow(const PanelContext& context, FrameState& state) {
  const Document& document = context.session.document();
  if (opened_ != context.session.opened_version()) {
    opened_ = context.session.opened_version();
    reading_.forget();
    drawing_ = down_ = false;
  }
  if (state.ask_picture) begin_reading(context, *std::exchange(state.ask_picture, std::nullopt));
  if (auto read = reading_.take())
    context.commands.act([this, read = *std::move(read)](Session& session) { take_reading(session, read); });
  if (document.model->config().sees()) return show_pixels(context);
  key_.clear();  // belonged to the previous model
  seen_ = {};
}

std::string PictureBox::facts(const PanelContext& context) const {
  const Document& document = context.session.document();
  const Sequence& sequence = document.sequences[sequence_index(context)];
  const PatchSpec& patch = image_patches(document.model->config());
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const std::string name = sequence.picture.name.empty() ? tr("input.picture.drawn") : sequence.picture.name;
  return tr("input.picture.facts",
            {name, number(std::int64_t{patch.cols} * patch.size),
             number(std::int64_t{patch.rows} * patch.size), number(patch.cols), number(patch.rows)});
}

void PictureBox::draw_plain(const PanelContext& context, ImVec2 at, float side, bool lit) {
  const ImVec2 end(at.x + side, at.y + side);
  corner_ = ImVec2(at.x, end.y + px(5));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, theme().masked, px(4));
  context.painter.picture(list, key_, at, end);
  list->AddRect(at, end, lit ? theme().accent : theme().border, px(4), 0, lit ? px(2) : 1.f);
}

void PictureBox::draw_thumbnail(const PanelContext& context, float side) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (hit_area("###picture", ImVec2(side, side))) ask();
  note_item("picture");
  const bool hovered = ImGui::IsItemHovered();
  compat::item_tooltip(tr("input.picture.help"));
  draw_plain(context, at, side, hovered);
}

void PictureBox::browse(FrameState& state) {
  BrowseRequest request;
  request.pictures = true;
  request.title = "browser.title_picture";
  request.chosen = [&state](const std::string& path) { state.ask_picture = path; };
  state.browse = std::move(request);
  ImGui::CloseCurrentPopup();
}

void PictureBox::draw_window(const PanelContext& context, FrameState& state, const std::vector<Chip>& chips) {
  if (ask_) ImGui::OpenPopup("###picture_window");
  ask_ = false;
  // A lesson's page needs its stage and its panel in sight: narrow, at the left.
  const bool narrow = context.workspace.keeps_stage;
  ImGui::SetNextWindowPos(narrow ? ImVec2(px(6), corner_.y) : corner_);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(14)));
  if (!ImGui::BeginPopup("###picture_window")) {
    if (std::exchange(down_, false)) context.commands.end_gesture();
    return;
  }
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(facts(context).c_str());
  }
  const PatchSpec& patch = image_patches(context.session.document().model->config());
  const float screen = ImGui::GetIO().DisplaySize.y;
  const float room = narrow ? std::clamp(screen - corner_.y - px(kToolsHeight), px(160), px(kToolWidth))
                            : std::min(px(360), screen - px(240));
  const float shape = static_cast<float>(patch.rows) / static_cast<float>(std::max(1, patch.cols));
  const ImVec2 size(shape > 1 ? room / shape : room, shape > 1 ? room : room * shape);
  draw_canvas(context, chips, size);
  if (!narrow) ImGui::SameLine(0, px(18));
  ImGui::BeginGroup();
  draw_tools(context, state, !narrow);
  ImGui::EndGroup();
  ImGui::EndPopup();
}

}  // namespace attnscope
