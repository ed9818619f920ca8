// attnscope-cli guide: the pages of the handbook, and every command with its flags as Markdown.
#include "app/cli/command.h"
#include "core/base/guide.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

struct GuideOptions {
  std::string page;
  bool flags = false;
};

void list_guide() {
  for (const GuideChapter& chapter : guide_contents()) {
    std::printf("%s\n", chapter.title.c_str());
    for (const GuidePage& page : chapter.pages)
      std::printf("  %-16s %s: %s\n", page.id.c_str(), page.title.c_str(), page.about.c_str());
  }
}

// "### trace", what it does, its table; then the commands below it.
void print_flags(const CLI::App& command, const std::string& name) {
  std::printf("### %s\n\n", name.c_str());
  if (const std::string& what = command.get_description(); !what.empty())
    std::printf("%s.\n\n", what.c_str());
  if (const std::string table = flags_table(command); !table.empty()) std::printf("%s\n", table.c_str());
  for (const CLI::App* below : command.get_subcommands({}))
    if (!below->get_name().empty())  // else a group of its options
      print_flags(*below, name + " " + below->get_name());
}

void print_all_flags(const CLI::App& app) {
  std::printf("%s\n", flags_table(app).c_str());
  for (const CLI::App* command : app.get_subcommands({})) print_flags(*command, command->get_name());
}

Status print_page(const std::string& id) {
  const std::string_view page = guide_page(id);
  if (page.data()) {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return Done{};
  }
  std::vector<std::string> known;
  for (const GuideChapter& chapter : guide_contents())
    for (const GuidePage& one : chapter.pages) known.push_back(one.id);
  return fail(Code::not_found, "error.cli.no_page", {in_quotes(id), join(known, ", ")});
}

}  // namespace

void add_guide(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("guide", tr("cli.guide"));
  const auto options = std::make_shared<GuideOptions>();
  command->add_option("PAGE", options->page, tr("cli.guide.page"));
  command->add_flag("--flags", options->flags, tr("cli.guide.flags"));
  command->callback([options, &app, &action] {
    action = [options, &app]() -> Status {
      if (!options->page.empty()) return print_page(options->page);
      options->flags ? print_all_flags(app) : list_guide();
      return Done{};
    };
  });
}

}  // namespace attnscope::cli
