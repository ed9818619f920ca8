#include "core/arch/recorded_sizes.h"

#include <set>

#include "core/base/text.h"

namespace attnscope {
namespace {

class RecordedSizes {
 public:
  RecordedSizes(std::string what, const Batch& batch) : what_(std::move(what)) {
    for (const auto& [sequence, arrays] : batch)
      for (const auto& [site, value] : arrays)
        if (site.is(StepKind::residual_mid) || site.is(StepKind::residual_post)) streams_.insert(site.stack);
  }

  Status check(const Batch& batch) {
    for (const auto& [sequence, arrays] : batch) {
      sequence_ = sequence;
      for (const auto& [site, value] : arrays) TRY_OK(take(site, value));
    }
    return Done{};
  }

 private:
  Status take(const Site& site, const Tensor& value) {
    const Hue hue = step_of(site.slot).hue;
    const bool keys = hue == Hue::key || hue == Hue::value, across = site.part == Part::cross;
    const int rows = rows_axis(site, recorded_axes(site.slot));
    for (int d = 0; d < value.rank(); ++d) {
      std::string about;
      switch (value.axis(d)) {
        case Axis::pos:
        case Axis::query:
          // Answers are one per row, or one for the whole input.
          if (d == rows || (kind_of(site.slot) >= StepKind::head && value.size(d) > 1))
            about = rows_of(site.stack);
          else if (across && keys)
            about = rows_of(Stack::enc);
          else
            continue;
          break;
        case Axis::key: about = rows_of(across ? Stack::enc : site.stack); break;
        case Axis::d_model:
          if (site.is(StepRole::projector)) continue;  // it leaves for another stack
          about = to_text(site_of(StepRole::embedding, -1, site.stack)) + ": d_model";
          if (kind_of(site.slot) < StepKind::qkv && !streams_.contains(site.stack))
            about += " in";  // of a bare module
          break;
        case Axis::vocab: about = "vocabulary"; break;
        case Axis::d_mlp: about = to_text(site_of(StepRole::neurons, site.layer, site.stack)); break;
        case Axis::unit:
          if (value.size(d) != 1) return differ(site, "1", value.size(d), 1, Text::of("error.arch.a_scale"));
          continue;
        case Axis::head:
          if (keys && !site.is(StepRole::head_out)) continue;  // grouped queries share keys and values
          about = to_text(site.near(StepRole::pattern)) + ": heads";
          break;
        default: continue;
      }
      const auto [known, fresh] = sizes_.try_emplace(about, std::pair(value.size(d), to_text(site)));
      if (!fresh && known->second.first != value.size(d))
        return differ(site, std::string(axis_name(value.axis(d))), value.size(d), known->second.first,
                      known->second.second);
    }
    return Done{};
  }

  std::string rows_of(Stack stack) const {
    return std::string(stack_prefix(stack)) + "rows of " + std::to_string(sequence_);
  }
  Error differ(const Site& site, const std::string& axis, std::int64_t found, std::int64_t other,
               const Text& where) const {
    return fail(Code::bad_shape, "error.arch.recorded.differ",
                {what_, to_text(site), found, axis, where, other});
  }
  std::string what_;
  std::set<Stack> streams_;  // stacks in which anything is added up
  int sequence_ = 0;
  std::map<std::string, std::pair<std::int64_t, std::string>> sizes_;
};

}  // namespace

std::vector<Axis> recorded_axes(Slot slot) {
  std::vector<Axis> axes;
  for (const std::string& word : split(step_of(slot).axes, ' ')) {
    Axis axis = word == "1" ? Axis::unit : Axis::none;
    for (int i = 0; i <= static_cast<int>(Axis::batch) && axis == Axis::none; ++i)
      if (axis_name(static_cast<Axis>(i)) == word) axis = static_cast<Axis>(i);
    axes.push_back(axis);
  }
  return axes;
}

Status check_recorded_sizes(const std::string& what, const Batch& batch) {
  return RecordedSizes(what, batch).check(batch);
}

}  // namespace attnscope
