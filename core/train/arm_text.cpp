#include "core/train/arm_text.h"

#include "core/figure/figure.h"
#include "core/train/pilot_path.h"

namespace attnscope {

Text arm_text(std::size_t action, int bin) {
  const double value = arm_value(action, bin);
  const auto said = [&](const char* key, const std::string& number) {
    return Text::of(std::string("figure.answer.bin.") + key, {number});
  };
  if (action < 3) {
    const std::string centimetres = figure::number_text(100 * value, 2);
    return said("metres", (value > 0 ? "+" : "") + centimetres);
  }
  if (action + 1 < kArmActionKeys.size()) return said("degrees", figure::number_text(value, 0));
  return said("open", figure::number_text(value, 2));
}

}  // namespace attnscope
