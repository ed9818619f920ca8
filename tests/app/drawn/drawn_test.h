// A frame that is drawn without a display, for tests that look at its pixels.
#pragma once

#include <gtest/gtest.h>

#include "app/shell/picture.h"
#include "app/shell/startup.h"

namespace attnscope {

class DrawnTest : public ::testing::Test {
 protected:
  /// Skips the test where no context without a display can be made.
  void start(int width, int height) {
    auto context = make_offscreen(width, height);
    if (!context) GTEST_SKIP() << context.error().text();
    context_ = *std::move(context);
    session_ = std::make_unique<Session>();
    frame_ = std::make_unique<Frame>(*session_);
    frame_->state().workspace.animate = false;
    auto host = ImguiHost::make(*context_, 1.f);
    ASSERT_TRUE(host.ok()) << host.error().text();
    host_ = *std::move(host);
  }
  void TearDown() override {
    host_.reset();
    frame_.reset();
    session_.reset();
  }

  std::unique_ptr<GlContext> context_;
  std::unique_ptr<ImguiHost> host_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace attnscope
