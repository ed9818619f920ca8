// A drawing painted by cairo, with the program's own typefaces at the places where they were measured: what
// PDF and PNG are made of.
#pragma once

struct _cairo;

namespace attnscope {

namespace figure {
struct Drawing;
}

/// `context`: a cairo context whose unit is that of the drawing. One thread at a time paints.
void paint(_cairo* context, const figure::Drawing& drawing, bool ground);

}  // namespace attnscope
