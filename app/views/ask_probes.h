// Linear probes over depth: what a linear map reads off the residual stream after each block, on texts of the
// model's task that it was not fitted to. The numbers of attnscope-cli probe, as they come. Refuses to fit:
// core/session does.
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
  std::uint64_t begun_ = 0;  ///< the opened model whose probes began by themselves
};

}  // namespace attnscope
