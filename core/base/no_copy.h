// A base of classes that are neither copied nor moved: those that own something that only they may close.
#pragma once

namespace attnscope {

class NoCopy {
 public:
  NoCopy(const NoCopy&) = delete;
  NoCopy& operator=(const NoCopy&) = delete;

 protected:
  NoCopy() = default;
  ~NoCopy() = default;
};

}  // namespace attnscope
