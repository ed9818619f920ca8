// attnscope-cli figure -o: forms by extension, sessions inside, styles, and what happens where nothing can be
// written.
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr const char* kFigure = "figure model:storyteller --layer 1 --head 3 --level easy ";

TEST(CliExport, OpenedAndExportedAgainAFigureIsTheSameFile) {
  const TempFolder folder;
  for (const char* form : {"svg", "pdf", "png"}) {
    const std::string a = folder / (std::string("a.") + form), b = folder / (std::string("b.") + form);
    for (const char* more :
         {"", "--paper --caption --size 12cm", "--lang ko --theme light --row 3 --scale 2 --transparent",
          "--text \"The dog sat\" --edit \"blocks.1.attn.pattern[head=3,query=3,key=1]=0\"",
          "--compare --a-text \"The cat sat\" --text \"The dog sat\""}) {
      const std::string lang = std::string(more).find("ko") == std::string::npos ? "" : " --lang ko";
      const auto made = cli(std::string(kFigure) + more + " -o " + a);
      ASSERT_EQ(made.exit_code, 0) << made.err;
      const auto again = cli("figure " + a + " -o " + b + lang);
      ASSERT_EQ(again.exit_code, 0) << again.err;
      EXPECT_EQ(read_text(a), read_text(b)) << form << " " << more;
    }
    std::filesystem::remove(b);
  }
}

TEST(CliExport, AFigureGivesAnotherViewOfItsSession) {
  const TempFolder folder;
  ASSERT_EQ(cli(std::string(kFigure) + "--text \"The dog sat\" -o " + (folder / "a.svg")).exit_code, 0);
  const auto csv = cli("figure " + (folder / "a.svg") + " --view mask -o - --format csv");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_NE(csv.out.find("blocks.1.attn.scaled[head=3]"), std::string::npos) << csv.out;
  EXPECT_NE(csv.out.find(",dog,"), std::string::npos);
}

TEST(CliExport, LabsTravelToo) {
  const TempFolder folder;
  const auto made = cli("figure --view labs --page sqrt --set d_k=512 -o " + (folder / "a.svg"));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_EQ(cli("figure " + (folder / "a.svg") + " -o " + (folder / "b.svg")).exit_code, 0);
  EXPECT_EQ(read_text(folder / "a.svg"), read_text(folder / "b.svg"));
}

TEST(CliExport, TheFolderOfAModelIsNotTold) {
  const TempFolder folder;
  const std::string model = model_path("gpt2");
  ASSERT_EQ(cli("figure " + model + " --ids 1,2,3 -o " + (folder / "a.png")).exit_code, 0);
  EXPECT_EQ(read_text(folder / "a.png").find(std::filesystem::path(model).parent_path().string()),
            std::string::npos);
}

TEST(CliExport, AStepIsItsNumbers) {
  const auto csv = cli(std::string(kFigure) + "--step blocks.1.attn.q -o - --format csv");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_NE(csv.out.find("step,blocks.1.attn.q"), std::string::npos) << csv.out;
  const auto trace = cli("trace model:storyteller --text \"The dog\" --steps blocks.1.mlp.out --out - ");
  const auto json =
      cli(std::string(kFigure) + "--text \"The dog\" --step blocks.1.mlp.out -o - --format json");
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const Json values = json.json()["parts"][0]["values"];
  EXPECT_EQ(values.size(), 3u);
  if (trace.exit_code == 0) {
    EXPECT_NE(trace.out.find(values[2][5].dump()), std::string::npos);
  }
  expect_refused(std::string(kFigure) + "--step blocks.9.attn.q -o x.svg", 1, "blocks.9.attn.q");
}

TEST(CliExport, WhatCannotBeWrittenIsASentenceAndNoFile) {
  const TempFolder folder;
  for (const char* form :
       {"svg", "pdf", "png", "csv", "json", "npz", "npy", "safetensors", "tex", "md", "tsv"})
    expect_refused(std::string(kFigure) + "-o /dev/full --format " + form, 1, "No space left");
  EXPECT_EQ(cli(std::string(kFigure) + "-o - --format csv > /dev/full").exit_code, 1);
  EXPECT_EQ(cli(std::string(kFigure) + "> /dev/full").exit_code, 1);
  expect_refused(std::string(kFigure) + "-o /proc/a.pdf", 1, "/proc/a.pdf");
  expect_refused(std::string(kFigure) + "-o " + (folder / "a.docx"), 1, "svg");
  expect_refused(std::string(kFigure) + "-o " + (folder / "no/a.svg"), 1, "no/a.svg");
  expect_refused(std::string(kFigure) + "--size 2cm -o " + (folder / "a.svg"), 1, "2cm");
  expect_refused(std::string(kFigure) + "--view mlp -o " + (folder / "a.npy"), 1, "matrix");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(CliExport, AWalkIsAFilmAndTheSameTwice) {
  const TempFolder folder;
  const std::string steps =
      "figure model:storyteller --view steps --level easy --walk pages --seconds 0.5 -o ";
  ASSERT_EQ(cli(steps + (folder / "a.gif")).exit_code, 0);
  ASSERT_EQ(cli(steps + (folder / "b.gif")).exit_code, 0);
  const std::string gif = read_text(folder / "a.gif");
  EXPECT_EQ(gif.substr(0, 6), "GIF89a");
  EXPECT_EQ(gif, read_text(folder / "b.gif"));
  EXPECT_LT(gif.size(), 2u << 20);
  ASSERT_EQ(cli(steps + (folder / "a.webp")).exit_code, 0);
  EXPECT_LT(std::filesystem::file_size(folder / "a.webp"), 2u << 20);
  const std::string sweep =
      "figure model:storyteller --view attention --level easy --layer 1 --head 3 --walk "
      "'blocks.1.attn.pattern[head=3,query=13,key=2]=1..0' -o ";
  ASSERT_EQ(cli(sweep + (folder / "c.csv")).exit_code, 0);
  const std::string first = read_text(folder / "c-001.csv"), last = read_text(folder / "c-021.csv");
  EXPECT_NE(first.find(",cat,number,0.9"), std::string::npos) << first;
  EXPECT_NE(last.find(",cat,number,0.2"), std::string::npos) << last;
  const Ran shorter = cli("figure model:storyteller --view attention --walk heads -o " + (folder / "c.csv"));
  EXPECT_NE(shorter.err.find("c-005.csv"), std::string::npos) << shorter.err;
  EXPECT_EQ(read_text(folder / "c-021.csv"), last);
  ASSERT_EQ(
      cli("figure model:storyteller model:storyteller-llama --view output --walk models --text \"The cat "
          "sat\" -o " +
          (folder / "m.apng"))
          .exit_code,
      0);
  const std::string none = folder / "x.gif";
  expect_refused("figure model:storyteller --view output -o " + none, 1, "--walk");
  expect_refused("figure model:storyteller --view output --walk heads -o " + none, 1, "rows");
  expect_refused("figure model:storyteller --walk wander -o " + none, 1, "wander");
  expect_refused("figure model:storyteller --walk heads", 1, "-o");
  expect_refused("figure model:storyteller --walk heads -o /dev/full --format gif", 1, "No space left");
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(CliExport, AReportIsOneFileWithItsProofs) {
  const TempFolder folder;
  const auto made = cli("report model:storyteller --layer 1 --head 3 -o " + (folder / "a.html"));
  const Json info = Json::parse(cli("info model:storyteller --json").out);
  EXPECT_NE(read_text(folder / "a.html").find(info["fingerprint"].get<std::string>()), std::string::npos)
      << "the fingerprint that every answer has";
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string html = read_text(folder / "a.html");
  EXPECT_EQ(times(html, "<svg"), 3u);
  EXPECT_EQ(times(html, "class=\"good\""), 6u) << "again, softmax, sum, patch, gradient, PyTorch";
  EXPECT_EQ(times(html, "class=\"bad\""), 0u);
  EXPECT_NE(html.find("scores = q @ k.T * 0.25"), std::string::npos);
  EXPECT_EQ(times(html, "height=\"560\""), 0u) << "no figure has an empty end";
  EXPECT_NE(html.find("h2{break-after:avoid;"), std::string::npos) << "no heading alone at the end of a page";
  EXPECT_LT(html.find("<svg"), html.find("<h2>The answer")) << "a figure on the first page";
  const std::size_t folded = html.find("<details>");
  EXPECT_LT(folded, html.find("import torch")) << "on paper, no pages of digits";
  EXPECT_LT(html.find("import torch"), html.find("</details>", folded));
  EXPECT_EQ(times(html, "src="), 0u) << "nothing is fetched";
  const auto edited = cli(
      "report model:storyteller --text \"The <cat> sat\" --edit \"blocks.1.attn.z[head=3]=0\" --view output");
  ASSERT_EQ(edited.exit_code, 0) << edited.err;
  EXPECT_NE(edited.out.find("blocks.1.attn.z[head=3]=0"), std::string::npos);
  EXPECT_NE(edited.out.find("without the edits"), std::string::npos);
  EXPECT_EQ(edited.out.find("The <cat>"), std::string::npos);
  EXPECT_NE(cli("report model:storyteller --view attention").out.find("Block 1, head 3."), std::string::npos)
      << "where the window opens";
  EXPECT_NE(cli("report model:storyteller --view attention --edit 'blocks.0.attn.z[head=2]=0'")
                .out.find("Block 0, head 2."),
            std::string::npos)
      << "where the edit is";
  expect_refused("report model:storyteller --view nothing", 1, "nothing");
  expect_refused("report model:storyteller -o " + (folder / "no/a.html"), 1, "no/a.html");
}

TEST(CliExport, HostileAndStrippedFiguresAreOneSentence) {
  const TempFolder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  };
  expect_refused("figure " + file("a.svg", "<svg/>") + " -o x.svg", 1, "carries no session");
  expect_refused("figure " + file("b.svg", "attnscope-session:1:AAAA:attnscope-session") + " -o x.svg", 1,
                 "damaged");
  expect_refused("figure " + file("c.png", "\x89PNG\r\n\x1a\n\xff\xff\xff\xff") + " -o x.svg", 1,
                 "carries no session");
  expect_refused("figure " + file("d.pdf", "%PDF-1.4\n/EmbeddedFile stream\n") + " -o x.svg", 1,
                 "carries no session");
  expect_refused("figure " + (folder / "none.svg") + " -o x.svg", 1, "none.svg");
}

TEST(CliExport, PaperIsAsWideAsItSaysAndItsHangulIsText) {
  const TempFolder folder;
  const std::string pdf = folder / "a.pdf";
  ASSERT_EQ(cli(std::string(kFigure) + "--lang ko --paper --caption -o " + pdf).exit_code, 0);
  EXPECT_NE(read_text(pdf).find("/MediaBox [ 0 0 240.944"), std::string::npos);
  if (std::system("command -v pdftotext > /dev/null && command -v pdffonts > /dev/null") != 0)
    GTEST_SKIP() << "poppler-utils is not installed";
  ASSERT_EQ(std::system(("pdftotext " + pdf + " " + (folder / "a.txt")).c_str()), 0);
  const std::string text = read_text(folder / "a.txt");
  EXPECT_NE(text.find("어텐션 가중치"), std::string::npos) << text;
  ASSERT_EQ(std::system(("pdffonts " + pdf + " > " + (folder / "fonts")).c_str()), 0);
  std::istringstream fonts(read_text(folder / "fonts"));
  std::string line;
  int embedded = 0;
  for (int at = 0; std::getline(fonts, line); ++at) {
    if (at < 2) continue;
    EXPECT_NE(line.find("yes yes yes"), std::string::npos) << line;
    ++embedded;
  }
  EXPECT_GE(embedded, 2);
}

}  // namespace
}  // namespace attnscope
