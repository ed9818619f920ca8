// A thing to try on any text: made by runs, not taken from a table. Of the changes of one kind (a word hidden
// from a head, a head switched off, two words that change places, ...) the one that moves the answer most;
// what comes of it is measured.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "core/session/try_this.h"

namespace attnscope {

enum class TryKind : std::uint8_t { hide, attn, mlp, value, head, heat, swap };
/// All, in their order, in which they are offered.
std::span<const TryKind> try_kinds();
/// The view that a kind is done in: "attention".
std::string_view view_of_try(TryKind kind);
/// The kind that is done in a view; nothing where none is.
std::optional<TryKind> try_kind_in(std::string_view view);

/// The change of `kind` that moves the likeliest answer at `row` of the first sequence most. `run`: of the
/// document as it stands, its edits included. Nothing where the model says nothing there, or has no such
/// change: one word that looks at no other, a block without an MLP. Each candidate is a run that starts from
/// `run`, at most kMostTries of them. Errors: cancelled.
inline constexpr std::size_t kMostTries = 12;
Result<std::optional<TryThis>> made_try(const Document& document, const std::shared_ptr<const Trace>& run,
                                        std::int64_t row, TryKind kind,
                                        const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
