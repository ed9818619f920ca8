// Linear probes over depth: what a linear map predicts from the residual stream after each block, on held-out
// texts of the model's task. The numbers of attnscope-cli probe, as they are computed. Fitted in
// core/session.
#pragma once

#include "app/views/view.h"
#include "core/session/probing.h"

namespace attnscope {

class AskProbes {
 public:
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

 private:
  void draw_head(const ViewContext& context, const ProbesAnswer* answer, float width);
  static void draw_plot(const ProbesAnswer& answer, ImVec2 at, ImVec2 room);
  void draw_table(const ViewContext& context, const ProbesAnswer& answer, ImVec2 at, ImVec2 room) const;

  AskedProbes probes_;
  std::uint64_t begun_ = 0;  ///< opened_version of the model whose probes were started automatically
};

}  // namespace attnscope
