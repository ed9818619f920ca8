#include "core/trace/token_texts.h"

#include <utility>

#include "core/base/hash.h"
#include "core/text/tokenizer.h"

namespace attnscope {

TokenTexts::TokenTexts(int count, std::function<std::string(int id)> text)
    : count_(count), text_(std::move(text)) {}

std::shared_ptr<const TokenTexts> texts_of(const std::shared_ptr<const Tokenizer>& tokenizer, int count) {
  return std::make_shared<const TokenTexts>(count,
                                            [tokenizer](int id) { return tokenizer->decode({id}, false); });
}

std::string_view bare_text(std::string_view text) {
  return text.size() > 1 && text.front() == ' ' ? text.substr(1) : text;
}

const TokenTexts::Table& TokenTexts::table() const {
  std::call_once(once_, [this] {
    Hash hash;
    for (int id = 0; id < count_; ++id) {
      const std::string& text = table_.texts.emplace_back(text_(id));
      hash.take(text);
      if (text.empty()) continue;
      table_.exact.emplace(text, id);
      table_.bare.emplace(bare_text(text), id);
    }
    table_.digest = hash.value();
  });
  return table_;
}

const std::string& TokenTexts::text(int id) const {
  static const std::string none;
  const auto& texts = table().texts;
  return id >= 0 && id < count_ ? texts[static_cast<std::size_t>(id)] : none;
}

int TokenTexts::find(const std::string& text) const {
  if (text.empty()) return -1;
  const Table& all = table();
  if (const auto found = all.exact.find(text); found != all.exact.end()) return found->second;
  const auto found = all.bare.find(std::string(bare_text(text)));
  return found == all.bare.end() ? -1 : found->second;
}

bool same_texts(const TokenTexts* a, const TokenTexts* b) {
  if (!a || !b || a == b) return true;
  return a->count() == b->count() && a->digest() == b->digest();
}

}  // namespace attnscope
