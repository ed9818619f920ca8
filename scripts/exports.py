#!/usr/bin/env python3
"""Every view of every shipped model as SVG, PDF, PNG and CSV, by the command line, and what others make of the files.

    scripts/exports.py [CLI] [--keep FOLDER]      CLI: attnscope-cli, build/release/attnscope-cli where it is not named

Needs no display. SVG is rendered by rsvg-convert and by Chromium, PDF by pdftoppm, those of them that are installed, and
held against the PNG that the program draws itself: the mean difference of a colour may be at most 0.03, of any tile of
80 x 80 pixels at most 0.25 (letters are set a little differently; a part that is missing or in another place is more).
It says how many files there are, how long they took and how large they are, and ends with 1 where one differs, fails or
is larger than it may be (a PDF: 300 KB). Needs numpy and PIL.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
import PIL.Image

ROOT = pathlib.Path(__file__).parent.parent
FORMS = ("svg", "pdf", "png", "csv")
MOST_AWAY, MOST_TILE, MOST_PDF, TILE = 0.03, 0.25, 300 * 1024, 80
WIDE, TALL, A_SHEET = 1280, 720, 12  # figures on one page of the browser


def run(*words, ok=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    if ok and done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {done.stderr.strip()[-300:]}")
    return done


def pixels(path):
    """Rows x columns x 3."""
    with PIL.Image.open(path) as picture:
        return numpy.asarray(picture.convert("RGB"))


def away(a, b):
    """Mean difference of a colour, of everything and of the tile that differs most."""
    if a.shape != b.shape:
        return 1.0, 1.0
    difference = numpy.abs(a.astype(float) - b).mean(axis=2) / 255
    tall, wide = (side // TILE * TILE for side in difference.shape)
    tiles = difference[:tall, :wide].reshape(tall // TILE, TILE, wide // TILE, TILE).mean(axis=(1, 3))
    return difference.mean(), tiles.max()


class Exports:
    def __init__(self, cli, folder):
        self.cli, self.folder = cli, folder
        self.wrong, self.made, self.seconds = [], [], 0.0
        self.sizes = collections.defaultdict(list)
        self.differences = collections.defaultdict(list)

    def draw(self, model, view, level):
        name = f"{model}-{view}-{level}"
        for form in FORMS:
            path = self.folder / f"{name}.{form}"
            begin = time.time()
            done = run(self.cli, "figure", f"model:{model}", "--view", view, "--level", level, "-o", path, ok=False)
            self.seconds += time.time() - begin
            if done.returncode != 0:
                if form != FORMS[0] or not done.stderr.startswith("attnscope-cli: "):
                    self.wrong.append(f"{name}.{form}: {done.stderr.strip()}")
                else:
                    print(f"{name}: {done.stderr.strip()[15:]}")
                return
            self.sizes[form].append(path.stat().st_size)
            if form == "pdf" and path.stat().st_size > MOST_PDF:
                self.wrong.append(f"{path.name}: {path.stat().st_size} bytes")
        self.made.append(name)

    def labs(self, names):
        for lab in names:
            path = self.folder / f"lab-{lab}-full"
            for form in FORMS:
                begin = time.time()
                run(self.cli, "figure", "--view", "labs", "--page", lab, "-o", f"{path}.{form}")
                self.seconds += time.time() - begin
                self.sizes[form].append(pathlib.Path(f"{path}.{form}").stat().st_size)
            self.made.append(path.name)

    def compare(self, name, by, shown):
        mean, tile = away(self.own[name], shown)
        self.differences[by].append((mean, tile, name))
        if mean > MOST_AWAY or tile > MOST_TILE:
            self.wrong.append(f"{name} by {by}: {mean:.3f} away, {tile:.2f} in a tile")

    def render(self):
        self.own = {name: pixels(self.folder / f"{name}.png") for name in self.made}
        if shutil.which("rsvg-convert"):
            for name in self.made:
                run("rsvg-convert", self.folder / f"{name}.svg", "-o", self.folder / f"{name}.rsvg.png")
                self.compare(name, "rsvg-convert", pixels(self.folder / f"{name}.rsvg.png"))
        if shutil.which("pdftoppm"):
            for name in self.made:
                out = self.folder / f"{name}.pdftoppm"
                run("pdftoppm", "-r", 96, "-scale-to-x", WIDE, "-scale-to-y", TALL, "-png", "-singlefile",
                    self.folder / f"{name}.pdf", out)
                self.compare(name, "pdftoppm", pixels(out.with_name(out.name + ".png")))
        browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if browser:
            for first in range(0, len(self.made), A_SHEET):
                self.in_browser(browser, self.made[first:first + A_SHEET])

    def in_browser(self, browser, names):
        page, shot = self.folder / "sheet.html", self.folder / "sheet.png"
        pictures = "".join(f'<img src="{name}.svg" style="display:block" width="{WIDE}" height="{TALL}">'
                           for name in names)
        page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">{pictures}</body>')
        with tempfile.TemporaryDirectory() as home:
            run(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
                "--force-device-scale-factor=1", f"--user-data-dir={home}", f"--window-size={WIDE},{TALL * len(names)}",
                f"--screenshot={shot}", page.as_uri())
        sheet = pixels(shot)
        for at, name in enumerate(names):
            self.compare(name, "Chromium", sheet[at * TALL:(at + 1) * TALL, :WIDE])

    def tell(self):
        files = sum(len(sizes) for sizes in self.sizes.values())
        print(f"{len(self.made)} figures, {files} files in {self.seconds:.0f} s "
              f"({1000 * self.seconds / max(1, files):.0f} ms a file)")
        for form, sizes in self.sizes.items():
            print(f"  {form}: {sum(sizes) / len(sizes) / 1024:.0f} KB each, the largest {max(sizes) / 1024:.0f} KB")
        for by, all_of_it in self.differences.items():
            mean = sum(one[0] for one in all_of_it) / len(all_of_it)
            worst = max(all_of_it, key=lambda one: one[1])
            print(f"  {by}: {len(all_of_it)} compared, mean difference {mean:.4f}, most in a tile {worst[1]:.3f} ({worst[2]})")
        for what in self.wrong:
            print(f"exports: {what}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", nargs="?", default=ROOT / "build/release/attnscope-cli", metavar="CLI")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files, which stay")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        folder = (asked.keep or pathlib.Path(own)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        exports = Exports(asked.cli, folder)
        listed = json.loads(run(asked.cli, "figure", "--list", "--json").stdout)["rows"]
        views = {row["view"]: row["pages"] for row in listed}
        labs = views.pop("labs")
        for model in sorted(path.name for path in (ROOT / "assets/models").iterdir() if path.is_dir()):
            for view in views:
                for level in ("easy", "full"):
                    exports.draw(model, view, level)
        exports.labs(labs)
        exports.render()
        exports.tell()
        return 1 if exports.wrong or not exports.made else 0


if __name__ == "__main__":
    sys.exit(main())
