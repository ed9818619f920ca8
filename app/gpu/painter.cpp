// Replaces ImGui's shader for some draw commands: a callback binds the heatmap program, image commands follow
// (ImGui clips and batches them), and a second callback restores the state.
#include "app/gpu/painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/gpu/damage.h"
#include "app/gpu/painter_entry.h"
#include "app/gpu/program.h"
#include "app/look/imgui_compat.h"
#include "shaders/params.h"

namespace attnscope {
namespace {

constexpr long long kMaxTexels = 16ll << 20;  // 64 MB of float per texture
static_assert(HEAT_LUT_SIZE == kLutSize);
static_assert(kLinearShare == static_cast<float>(HEAT_LINEAR_SHARE));

// Whether the driver found no room for the texture that it was given just now.
bool out_of_memory() {
  bool out = false;
  for (int i = 0; i < 8; ++i) {  // a lost context gives errors without end
    const GLenum error = glGetError();
    if (error == GL_NO_ERROR) break;
    out = out || error == GL_OUT_OF_MEMORY;
  }
  return out;
}

unsigned make_texture() {
  unsigned name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);  // the default needs mipmaps: black
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return name;
}

// The reference holds until the next call.
const std::string& scoped(const std::string& scope, std::string_view key) {
  thread_local std::string both;
  return both.assign(scope).append(key);
}

void reset_render_state(ImDrawList* list) {
#if defined(ImDrawCallback_ResetRenderState) || IMGUI_VERSION_NUM < 19280
  list->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
#else
  list->AddCallback(ImGui::GetPlatformIO().DrawCallback_ResetRenderState, nullptr);
#endif
}

}  // namespace

struct Painter::DrawState : CallbackState {
  Painter* painter = nullptr;
  HeatStyle style;
  int map_width = 0, map_height = 0;  // texels
  int taps_x = 0, taps_y = 0;         // texels read per pixel
  std::uint64_t summed_up() const {
    std::uint64_t all = Program::reads_files() ? painter->frame_ : 0;  // shader files may change at any time
    for (const float number : {style.lo, style.hi, style.gap, style.rounding, style.alpha})
      all = summed(all, std::bit_cast<std::uint32_t>(number));
    for (const int number : {static_cast<int>(style.map), static_cast<int>(style.log_scale), map_width,
                             map_height, taps_x, taps_y})
      all = summed(all, static_cast<std::uint64_t>(number));
    return all;
  }
};

bool same_view(const Tensor& a, const Tensor& b) {
  bool same = a.same_place(b) && a.rank() == b.rank();
  for (int d = 0; same && d < a.rank(); ++d) same = a.size(d) == b.size(d) && a.stride(d) == b.stride(d);
  return same;
}

Painter::Painter(bool has_gl) : has_gl_(has_gl) {
  if (!has_gl_) return;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &max_texture_);
  lut_ = make_texture();
  refresh_lut();
}

Painter::~Painter() {
  if (!has_gl_) return;
  for (const auto& [key, entry] : entries_) glDeleteTextures(1, &entry->texture);
  glDeleteTextures(1, &lut_);
}

void Painter::begin_frame() {
  ++frame_;
  states_.clear();
  for (auto row = entries_.begin(); row != entries_.end();) {
    const bool stale = row->second->last_used + kFramesKept < frame_;
    if (stale && has_gl_) glDeleteTextures(1, &row->second->texture);
    row = stale ? entries_.erase(row) : std::next(row);
  }
  if (has_gl_ && lut_theme_ != theme_version()) refresh_lut();
}

// ---- values
// ------------------------------------------------------------------------------------------------

void Painter::upload(std::string_view key, const Tensor& values) {
  upload_atlas(key, std::span<const Tensor>(&values, 1), 1);
}

void Painter::upload_atlas(std::string_view key, std::span<const Tensor> maps, int columns) {
  if (maps.empty() || maps.front().rank() != 2 || maps.front().count() == 0) return drop(key);
  Entry& entry = entry_for(key);
  entry.last_used = frame_;
  if (std::equal(maps.begin(), maps.end(), entry.shown.begin(), entry.shown.end(), same_view)) return;
  entry.shown.assign(maps.begin(), maps.end());
  const int count = static_cast<int>(maps.size()), width = static_cast<int>(maps.front().size(1)),
            height = static_cast<int>(maps.front().size(0));
  entry.width = width, entry.height = height, entry.count = count;
  entry.layout = fit_cells(count, columns, width, height, max_texture_, kMaxTexels);
  const int stride = entry.texture_width();
  std::vector<float> texels(static_cast<std::size_t>(stride) * entry.texture_height(), kMasked);
  for (int map = 0; map < count; ++map) {
    const std::ptrdiff_t y = map / entry.layout.columns * entry.layout.texels_y;
    const std::ptrdiff_t x = map % entry.layout.columns * entry.layout.texels_x;
    const Tensor cells = maps[static_cast<std::size_t>(map)].packed();
    CHECK(cells.size(0) == height && cells.size(1) == width);
    reduce_cells(cells.data(), width, height, entry.layout, &texels[y * stride + x], stride);
  }
  if (!has_gl_) {
    entry.cells = std::move(texels);
    return;
  }
  if (entry.texture == 0) entry.texture = make_texture();
  (void)out_of_memory();  // what others left
  glBindTexture(GL_TEXTURE_2D, entry.texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, stride, entry.texture_height(), 0, GL_RED, GL_FLOAT, texels.data());
  glBindTexture(GL_TEXTURE_2D, 0);
  if (no_room_for(entry)) {
    entry.cells = std::move(texels);
    return;
  }
  entry.cells.clear();
  note_texture_contents(entry.texture);
}

Tensor Painter::shown(std::string_view key, int map) const {
  const auto row = entries_.find(scoped(scope_, key));
  const auto at = static_cast<std::size_t>(map);
  return row == entries_.end() || map < 0 || at >= row->second->shown.size() ? Tensor()
                                                                             : row->second->shown[at];
}

Painter::Pixels Painter::shown_picture(std::string_view key) const {
  const auto row = entries_.find(scoped(scope_, key));
  if (row == entries_.end()) return {};
  return {row->second->rgb, row->second->width, row->second->height};
}

bool Painter::has_picture(std::string_view key, std::uint64_t version) const {
  const auto row = entries_.find(scoped(scope_, key));
  return row != entries_.end() && row->second->version == version;
}

void Painter::upload_picture(std::string_view key, std::uint64_t version, const std::uint8_t* rgb, int width,
                             int height) {
  if (width < 1 || height < 1 || width > max_texture_ || height > max_texture_) return drop(key);
  Entry& entry = entry_for(key);
  entry.last_used = frame_;
  if (entry.version == version && entry.width == width && entry.height == height) return;
  entry.version = version, entry.width = width, entry.height = height, entry.count = 1;
  entry.layout = {1, width, height, 1, 1};
  const std::size_t count = static_cast<std::size_t>(width) * height;
  entry.rgb = std::make_shared<const std::vector<std::uint8_t>>(rgb, rgb + 3 * count);
  if (!has_gl_) return;
  std::vector<ImU32> pixels(count);
  for (std::size_t i = 0; i < count; ++i)
    pixels[i] = IM_COL32(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255);
  if (entry.texture == 0) entry.texture = make_texture();
  (void)out_of_memory();
  glBindTexture(GL_TEXTURE_2D, entry.texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, 0);
  if (no_room_for(entry)) return;
  note_texture_contents(entry.texture);
}

// Without a texture an entry is drawn in rectangles, as without OpenGL.
bool Painter::no_room_for(Entry& entry) {
  if (!out_of_memory()) return false;
  glDeleteTextures(1, &entry.texture);
  entry.texture = 0;
  memory_full_ = true;
  return true;
}

Painter::Entry& Painter::entry_for(std::string_view key) {
  std::unique_ptr<Entry>& entry = entries_[scoped(scope_, key)];
  if (!entry) entry = std::make_unique<Entry>();
  return *entry;
}

Painter::Entry* Painter::find(std::string_view key) {
  const auto row = entries_.find(scoped(scope_, key));
  if (row == entries_.end()) return nullptr;
  row->second->last_used = frame_;
  return row->second.get();
}

void Painter::drop(std::string_view key) {
  const auto row = entries_.find(scoped(scope_, key));
  if (row == entries_.end()) return;
  if (has_gl_) glDeleteTextures(1, &row->second->texture);
  entries_.erase(row);
}

std::string Painter::error() const { return program_ ? program_->error() : std::string(); }

std::size_t Painter::texture_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, entry] : entries_) {
    bytes += sizeof(float) * static_cast<std::size_t>(entry->texture_width()) * entry->texture_height();
  }
  return bytes;
}

// ---- drawing
// -------------------------------------------------------------------------------------------------

void Painter::heatmap(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, const HeatStyle& style,
                      ImVec2 uv0, ImVec2 uv1) {
  const Entry* entry = find(key);
  if (entry == nullptr) return;
  if (entry->texture == 0) return draw_plain(list, *entry, 0, p0, p1, style, uv0, uv1);
  begin_draw(list, *entry, style, entry->density(p0, p1, ImVec2(uv1.x - uv0.x, uv1.y - uv0.y)));
  list->AddImage(compat::texture_id(entry->texture), p0, p1, entry->uv(0, uv0), entry->uv(0, uv1));
  end_draw(list);
}

void Painter::atlas(ImDrawList* list, std::string_view key, std::span<const AtlasPlace> places,
                    const HeatStyle& style) {
  const Entry* entry = find(key);
  if (entry == nullptr || places.empty()) return;
  const ImVec2 first(0, 0), last(1, 1);
  ImVec2 densest(0, 0);
  for (const AtlasPlace& place : places) {
    const ImVec2 cells = entry->density(place.p0, place.p1, last);
    densest = ImVec2(std::max(densest.x, cells.x), std::max(densest.y, cells.y));
  }
  if (entry->texture != 0) begin_draw(list, *entry, style, densest);
  for (const AtlasPlace& place : places) {
    if (place.map < 0 || place.map >= entry->count) continue;
    if (entry->texture == 0) {
      draw_plain(list, *entry, place.map, place.p0, place.p1, style, first, last);
      continue;
    }
    list->AddImage(compat::texture_id(entry->texture), place.p0, place.p1, entry->uv(place.map, first),
                   entry->uv(place.map, last));
  }
  if (entry->texture != 0) end_draw(list);
}

void Painter::picture(ImDrawList* list, std::string_view key, ImVec2 p0, ImVec2 p1, ImVec2 uv0, ImVec2 uv1,
                      float alpha) {
  const Entry* entry = find(key);
  if (entry == nullptr) return;
  if (entry->texture == 0) return draw_plain_picture(list, *entry, p0, p1, uv0, uv1, alpha);
  list->AddImage(compat::texture_id(entry->texture), p0, p1, uv0, uv1, with_alpha(IM_COL32_WHITE, alpha));
}

void Painter::begin_draw(ImDrawList* list, const Entry& entry, const HeatStyle& style, ImVec2 cells) {
  const ImVec2 pixels = ImGui::GetIO().DisplayFramebufferScale;
  const auto taps = [](float per_pixel) {
    return static_cast<int>(
        std::clamp(std::ceil(per_pixel - 0.01f), 1.0f, static_cast<float>(HEAT_MAX_TAPS)));
  };
  DrawState& state = states_.emplace_back();
  state.painter = this;
  state.style = style;
  state.map_width = entry.layout.texels_x, state.map_height = entry.layout.texels_y;
  state.taps_x = taps(cells.x / std::max(pixels.x, 1.0f));
  state.taps_y = taps(cells.y / std::max(pixels.y, 1.0f));
  state.sum = summed(state.summed_up(), static_cast<std::uint64_t>(lut_theme_));
  list->AddCallback(set_state, &state);
}

void Painter::end_draw(ImDrawList* list) { reset_render_state(list); }

// ---- inside ImGui's rendering
// --------------------------------------------------------------------------------

void Painter::set_state(const ImDrawList* /*list*/, const ImDrawCmd* command) {
  const auto& state = *static_cast<const DrawState*>(command->UserCallbackData);
  state.painter->apply(state);
}

void Painter::apply(const DrawState& state) {
  GLint backend = 0;
  glGetIntegerv(GL_CURRENT_PROGRAM, &backend);
  const unsigned theirs = static_cast<unsigned>(backend);
  if (!program_) {  // ImGui's vertex arrays are reused: attributes are bound to the same locations
    std::vector<std::string> attributes(16);
    for (const char* name : {"Position", "UV", "Color"}) {
      const GLint location = glGetAttribLocation(theirs, name);
      if (location >= 0 && location < 16) attributes[static_cast<std::size_t>(location)] = name;
    }
    program_ = std::make_unique<Program>("heatmap.vert", "heatmap.frag", std::move(attributes));
  }
  const unsigned ours = program_->use_newest();
  if (ours == 0) return;
  std::array<float, 16> projection{};
  glGetUniformfv(theirs, glGetUniformLocation(theirs, "ProjMtx"), projection.data());
  glUseProgram(ours);
  glUniformMatrix4fv(program_->uniform("ProjMtx"), 1, GL_FALSE, projection.data());
  set_uniforms(state);
  glActiveTexture(GL_TEXTURE0 + HEAT_LUT_UNIT);
  glBindTexture(GL_TEXTURE_2D, lut_);
  glActiveTexture(GL_TEXTURE0);
}

void Painter::set_uniforms(const DrawState& state) {
  const HeatStyle& style = state.style;
  const auto at = [&](const char* name) { return program_->uniform(name); };
  const auto colour = [&](const char* name, ImU32 packed) {
    const ImVec4 c = to_vec4(packed);
    glUniform4f(at(name), c.x, c.y, c.z, 1.0f);
  };
  const int flags =
      (style.log_scale ? HEAT_FLAG_LOG : 0) | (is_diverging(style.map) ? HEAT_FLAG_DIVERGING : 0);
  glUniform1i(at("values"), 0);
  glUniform1i(at("lut"), HEAT_LUT_UNIT);
  glUniform1i(at("lut_row"), static_cast<int>(style.map));
  glUniform1i(at("flags"), flags);
  glUniform2f(at("range"), style.lo, style.hi);
  glUniform2i(at("map_size"), state.map_width, state.map_height);
  glUniform2i(at("taps"), state.taps_x, state.taps_y);
  glUniform3f(at("spacing"), style.gap, style.rounding, ui_scale());
  glUniform1f(at("alpha"), style.alpha);
  colour("masked_colour", theme().masked);
  colour("stripe_colour", theme().masked_stripe);
  colour("nan_colour", theme().nan);
  colour("inf_colour", theme().inf);
}

void Painter::refresh_lut() {
  std::vector<ImU32> rows;
  for (int map = 0; map < kColormaps; ++map) {
    const Lut& lut = colormap_lut(static_cast<Colormap>(map));
    rows.insert(rows.end(), lut.begin(), lut.end());
  }
  glBindTexture(GL_TEXTURE_2D, lut_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kLutSize, kColormaps, 0, GL_RGBA, GL_UNSIGNED_BYTE, rows.data());
  glBindTexture(GL_TEXTURE_2D, 0);
  lut_theme_ = theme_version();
}

}  // namespace attnscope
