// ImGui's own vertices, drawn with its own projection.
in vec2 Position;
in vec2 UV;
in vec4 Color;
uniform mat4 ProjMtx;
out vec2 uv;

void main() {
  uv = UV;
  gl_Position = ProjMtx * vec4(Position, 0.0, 1.0);
}
