// Sessions that travel inside of figures: written, found again, and not found in what was stripped, damaged
// or made to harm.
#include "core/export/carried.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "core/base/markup.h"
#include "core/export/pdf_objects.h"
#include "core/io/deflate.h"
#include "core/io/png_file.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using namespace attnscope::test;

const std::string kSession =
    "{\"format\":\"attnscope-session\",\"text\":\"" + std::string(5000, 'a') + "고양이\"}";
constexpr std::string_view kPlainPdf =
    "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count "
    "0 "
    ">>\nendobj\nxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \ntrailer\n<< /Size "
    "3 "
    "/Root 1 0 R >>\nstartxref\n110\n%%EOF\n";

std::string svg_with(const std::string& session) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"><metadata>" + carried_in_svg(session) +
         "</metadata></svg>";
}
std::string png_with(const std::string& session) {
  return png_of({1, 1, false, {1, 2, 3}}, {{"Title", "t"}, {std::string(kCarriedName), session}});
}
std::string pdf_with(const std::string& session) { return carried_in_pdf(std::string(kPlainPdf), session); }

void expect_none(const std::string& bytes, Code code) {
  const auto found = carried_session(bytes, "/tmp/a figure.svg");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), code) << found.error().sentence();
  EXPECT_NE(found.error().sentence().find("a figure.svg"), std::string::npos);
}

TEST(Carried, IsFoundInEveryForm) {
  for (const std::string& bytes : {svg_with(kSession), png_with(kSession), pdf_with(kSession)}) {
    const auto found = carried_session(bytes, "x");
    ASSERT_TRUE(found) << found.error().sentence();
    EXPECT_EQ(*found, kSession);
    EXPECT_LT(bytes.size(), 2000u) << "it is packed";
  }
}

TEST(Carried, APdfKeepsItsBytesInFrontOfTheUpdate) {
  const std::string pdf = pdf_with(kSession);
  EXPECT_TRUE(pdf.starts_with(kPlainPdf));
  EXPECT_NE(pdf.find("/Prev 110"), std::string::npos);
  EXPECT_NE(pdf.find("/Names [(attnscope-session.json) 4 0 R]"), std::string::npos) << pdf;
  EXPECT_EQ(with_embedded_file("no pdf", "a", "b"), "no pdf");
}

TEST(Carried, AnEditorMayRewriteTheXmlAroundIt) {
  std::string svg = svg_with(kSession);
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = svg.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    svg.replace(at, from.size(), to);
  };
  replace("<session xmlns=\"urn:attnscope:session\"", "<ns1:session\n  xmlns:ns1='urn:attnscope:session'");
  replace("</session>", "</ns1:session>");
  svg.insert(svg.find("session:1:") + 100, "\n   ");
  const auto found = carried_session(svg, "x");
  ASSERT_TRUE(found) << found.error().sentence();
  EXPECT_EQ(*found, kSession);
}

TEST(Carried, WhereItIsStrippedThatIsSaid) {
  expect_none("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", Code::not_found);
  expect_none(png_of({1, 1, false, {1, 2, 3}}), Code::not_found);
  expect_none(std::string(kPlainPdf), Code::not_found);
  expect_none("", Code::not_found);
}

TEST(Carried, DamageIsAnErrorWhereverItIs) {
  for (const std::string& whole : {svg_with(kSession), png_with(kSession), pdf_with(kSession)}) {
    for (std::size_t length = 0; length < whole.size(); length += 7)
      if (const auto found = carried_session(whole.substr(0, length), "x")) {
        EXPECT_EQ(*found, kSession);
      }
    for (std::size_t at = 0; at < whole.size(); at += 3) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
      if (const auto found = carried_session(bytes, "x")) {
        EXPECT_EQ(*found, kSession);
      }
    }
  }
}

TEST(Carried, WhatUnpacksToTooMuchIsRefused) {
  const std::string bomb = zlib_packed(std::string(1 << 22, ' '));
  EXPECT_FALSE(zlib_unpacked(bomb, 1 << 20));
  EXPECT_TRUE(zlib_unpacked(bomb, 1 << 22));
  const std::string png = png_with(std::string(1 << 22, ' '));
  EXPECT_FALSE(png_text(png, kCarriedName, 1 << 20));
  EXPECT_FALSE(embedded_file(pdf_with("{" + std::string(1 << 22, ' ')), "attnscope-session.json", 1 << 20));
}

// What a file costs to refuse: bytes that are unpacked, over all that it offers. An hour of unpacking is what
// it was.
TEST(Carried, ManyThatUnpackToTooMuchCostAsMuchAsOne) {
  const std::string bomb = zlib_packed("{" + std::string(1 << 20, ' '));
  std::uint64_t left = 1 << 16;
  EXPECT_FALSE(zlib_unpacked_of(bomb, left));
  EXPECT_EQ(left, 0u);
  left = 3 << 20;
  EXPECT_TRUE(zlib_unpacked_of(bomb, left));
  EXPECT_EQ(left, (2u << 20) - 1);
  const std::string whole = png_with("{}"), chunk = [&] {
    const std::string one = png_with("{" + std::string(1 << 20, ' '));
    const std::size_t at = one.find("iTXt", one.find("iTXt") + 1) - 4;
    return one.substr(at, one.find("IDAT") - 4 - at);
  }();
  const std::size_t at = whole.find("iTXt") - 4;
  for (const int bombs : {1, 2000}) {
    std::string png = whole, chunks;
    for (int i = 0; i < bombs; ++i) chunks += chunk;
    png.insert(at, chunks);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(png_text(png, kCarriedName, 1 << 18)) << bombs << ": the budget went with the first";
    EXPECT_EQ(png_text(png, kCarriedName, 1 << 30).value_or("").size(), (1u << 20) + 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << bombs;
  }
}

TEST(Carried, WordsOfAPdfWithoutAStreamAreNotSearchedForever) {
  std::string pdf = "%PDF-1.4 attnscope-session.json ";
  for (int i = 0; i < 1 << 18; ++i) pdf += "/EmbeddedFile ss s";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(embedded_file(pdf, "attnscope-session.json", 1 << 20));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));  // of 1.5 s and more
}

TEST(Carried, NoReferenceIsFollowed) {
  const std::string outside =
      "<!DOCTYPE svg [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><svg xmlns:xlink=\"http://www.w3.org/1999/"
      "xlink\"><image xlink:href=\"http://127.0.0.1:9/x.png\"/><metadata>&e;</metadata></svg>";
  expect_none(outside, Code::not_found);
}

TEST(Carried, NamesOfFigures) {
  for (const char* name : {"a.svg", "A.SVG", "/x/y.png", "b.Pdf"}) EXPECT_TRUE(is_figure_path(name)) << name;
  for (const char* name : {"a.attnscope", "svg", "a.jpg", "a.svg.txt"})
    EXPECT_FALSE(is_figure_path(name)) << name;
}

}  // namespace
}  // namespace attnscope
