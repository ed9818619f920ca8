// A strict reader of small XML: elements, attributes, texts, the five entities. What is not well-formed is an
// error with its place, so that a test of a written file can fail.
#pragma once

#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace attnscope::testing {

struct XmlElement {
  std::string name, text;  ///< its own text, without that of its children
  std::map<std::string, std::string> attributes;
  std::vector<std::string> path;  ///< names of the elements around it
  std::string site;               ///< the nearest data-site around it
  float number(const std::string& attribute) const {
    const auto row = attributes.find(attribute);
    return row == attributes.end() ? 0.f : std::strtof(row->second.c_str(), nullptr);
  }
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  /// Every element in the order of their starts; nothing where the text is not well-formed: error() says why.
  std::optional<std::vector<XmlElement>> read() {
    if (!is_valid_utf8(text_)) return refuse("not UTF-8");
    if (take("<?xml ")) {
      const std::size_t end = text_.find("?>", at_);
      if (end == std::string_view::npos) return refuse("no end of the declaration");
      at_ = end + 2;
    }
    std::vector<std::size_t> open;
    bool had_root = false;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        std::string words;
        if (!text_until('<', words)) return {};
        if (!open.empty())
          elements_[open.back()].text += words;
        else if (words.find_first_not_of(" \n") != std::string::npos)
          return refuse("text outside of the root");
        continue;
      }
      if (take("</")) {
        std::string name = take_name();
        if (open.empty() || elements_[open.back()].name != name || !take(">"))
          return refuse("wrong end " + name);
        open.pop_back();
        continue;
      }
      ++at_;
      if (open.empty() && had_root) return refuse("two roots");
      had_root = true;
      bool closed = false;
      if (!element(open, closed)) return {};
      if (!closed) open.push_back(elements_.size() - 1);
    }
    if (!open.empty() || !had_root) return refuse("elements left open");
    return elements_;
  }
  const std::string& error() const { return error_; }

 private:
  std::nullopt_t refuse(const std::string& why) {
    if (error_.empty())
      error_ = why + " at " + std::to_string(at_) + ": " + std::string(text_.substr(at_, 40));
    return std::nullopt;
  }
  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool text_until(char end, std::string& out) {
    static const std::map<std::string_view, char> kEntities{
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    while (at_ < text_.size() && text_[at_] != end) {
      const char c = text_[at_];
      if (c == '<') return refuse("a bare <"), false;
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
        return refuse("a control character"), false;
      if (c != '&') {
        out += c;
        ++at_;
        continue;
      }
      const std::size_t stop = text_.find(';', at_);
      const auto entity =
          kEntities.find(text_.substr(at_ + 1, stop == std::string_view::npos ? 0 : stop - at_ - 1));
      if (entity == kEntities.end()) return refuse("a bare &"), false;
      out += entity->second;
      at_ = stop + 1;
    }
    return true;
  }
  bool element(const std::vector<std::size_t>& open, bool& closed) {
    XmlElement element;
    element.name = take_name();
    if (element.name.empty()) return refuse("no name"), false;
    for (const std::size_t around : open) {
      element.path.push_back(elements_[around].name);
      if (elements_[around].attributes.count("data-site") > 0)
        element.site = elements_[around].attributes.at("data-site");
    }
    for (;;) {
      const std::size_t before = at_;
      skip_space();
      if (take("/>")) {
        closed = true;
        break;
      }
      if (take(">")) break;
      const std::string name = take_name();
      if (name.empty() || before == at_ || !take("=\"")) return refuse("no attribute"), false;
      std::string value;
      if (!text_until('"', value) || !take("\"")) return refuse("no end of " + name), false;
      if (!element.attributes.emplace(name, value).second) return refuse("twice " + name), false;
    }
    elements_.push_back(std::move(element));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<XmlElement> elements_;
  std::string error_;
};

}  // namespace attnscope::testing
