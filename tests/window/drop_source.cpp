#include "tests/window/drop_source.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <array>
#include <cctype>
#include <chrono>
#include <memory>
#include <thread>

#include "core/base/no_copy.h"

namespace attnscope::testing {
namespace {

constexpr long kVersion = 5;

std::string as_uri(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && (std::isalnum(byte) || c == '/' || c == '.' || c == '-' || c == '_')) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out + "\r\n";
}

class Source : NoCopy {
 public:
  Source(Display* display, ::Window target)
      : display_(display),
        target_(target),
        window_(XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)) {}
  ~Source() { XDestroyWindow(display_, window_); }

  std::string drop(const std::string& uris, double seconds) {
    end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(seconds));
    if (!takes_drops()) return "the window does not say that it takes drops (XdndAware)";
    uris_ = uris;
    XSetSelectionOwner(display_, atom("XdndSelection"), window_, CurrentTime);
    send("XdndEnter", {kVersion << 24, static_cast<long>(atom("text/uri-list")), 0, 0});
    send("XdndPosition", {0, middle(), CurrentTime, static_cast<long>(atom("XdndActionCopy"))});
    XClientMessageEvent answer{};
    if (!wait_for("XdndStatus", answer)) return "the window does not answer to what is dragged over it";
    if ((answer.data.l[1] & 1) == 0) return "the window refuses what is dragged over it";
    send("XdndDrop", {0, CurrentTime, 0, 0});
    if (!wait_for("XdndFinished", answer)) return "the window does not finish the drop";
    // The protocol wants bit 0; GLFW 3.3 answers with the number of bytes it took, which may be even.
    if (answer.data.l[1] == 0) return "the window did not take what was dropped";
    return "";
  }

 private:
  Atom atom(const char* name) { return XInternAtom(display_, name, False); }

  bool takes_drops() {
    Atom type = None;
    int format = 0;
    unsigned long count = 0, rest = 0;
    unsigned char* data = nullptr;
    XGetWindowProperty(display_, target_, atom("XdndAware"), 0, 1, False, XA_ATOM, &type, &format, &count,
                       &rest, &data);
    if (data) XFree(data);
    return type == XA_ATOM && count == 1;
  }

  // The middle of the window on the screen: x in the upper half of the word, y in the lower.
  long middle() {
    XWindowAttributes at{};
    XGetWindowAttributes(display_, target_, &at);
    int x = 0, y = 0;
    ::Window child = None;
    XTranslateCoordinates(display_, target_, DefaultRootWindow(display_), at.width / 2, at.height / 2, &x, &y,
                          &child);
    return (static_cast<long>(x) << 16) | y;
  }

  // The first word of every message is the window that it comes from.
  void send(const char* message, const std::array<long, 4>& words) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = atom(message);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(window_);
    for (std::size_t i = 0; i < words.size(); ++i) event.xclient.data.l[i + 1] = words[i];
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  // Until the message comes, whoever asks for the files gets them.
  bool wait_for(const char* message, XClientMessageEvent& answer) {
    while (std::chrono::steady_clock::now() < end_) {
      if (XPending(display_) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) hand_over(event.xselectionrequest);
      if (event.type != ClientMessage || event.xclient.message_type != atom(message)) continue;
      answer = event.xclient;
      return true;
    }
    return false;
  }

  void hand_over(const XSelectionRequestEvent& request) {
    const bool known = request.target == atom("text/uri-list");
    if (known)
      XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                      reinterpret_cast<const unsigned char*>(uris_.data()), static_cast<int>(uris_.size()));
    XEvent answer{};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = request.requestor;
    answer.xselection.selection = request.selection;
    answer.xselection.target = request.target;
    answer.xselection.property = known ? request.property : None;
    answer.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &answer);
    XFlush(display_);
  }

  Display* display_;
  ::Window target_, window_;
  std::string uris_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

std::string drop_files(unsigned long window, const std::vector<std::string>& paths, double seconds) {
  const std::unique_ptr<Display, int (*)(Display*)> display(XOpenDisplay(nullptr), XCloseDisplay);
  if (!display) return "the display does not open";
  std::string uris;
  for (const std::string& path : paths) uris += as_uri(path);
  return Source(display.get(), window).drop(uris, seconds);
}

}  // namespace attnscope::testing
