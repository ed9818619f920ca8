"""A model that is open, its runs, answers and figures."""
import json
import os

import numpy

from ._serve import Error, Server


def flags(named):
    """Keywords as flags: top_k=5 -> --top-k 5, from_= -> --from; True stands alone; a list repeats its flag."""
    out = []
    for key, value in named.items():
        flag = "--" + {"edits": "edit", "masks": "mask"}.get(key, key).rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        repeats = isinstance(value, (list, tuple)) and not flag.endswith(("ids", "types"))
        for one in value if repeats else [value]:
            out += [flag] if one is True else [flag, spelled(one)]
    return out


def spelled(value):
    """A list of token ids as 1,2,3; a text that begins with @ as itself, no file."""
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return ",".join(str(int(one)) for one in value)
    return str(value)


def inputs(text, ids, prefix=""):
    """A text, or token ids, of one sequence or of several."""
    out = []
    for one in [text] if isinstance(text, str) else text or []:
        out += [f"--{prefix}text", "@" + one if one.startswith("@") else one]
    several = ids is not None and len(ids) and isinstance(ids[0], (list, tuple, numpy.ndarray))
    for one in [] if ids is None else ids if several else [ids]:
        out += [f"--{prefix}ids", spelled(one)]
    return out


def over_lists(named, **texts):
    """Lists of texts, one for each prompt, as the rows of data=: one question over all of them. Single texts stay."""
    if not any(isinstance(one, (list, tuple)) for one in texts.values()):
        return texts, named
    lists = {name: [one] if isinstance(one, str) else one for name, one in texts.items() if one is not None}
    if len({len(one) for one in lists.values()}) > 1:
        raise Error("Lists of " + " and ".join(lists) + " have one text for each prompt: they differ in length.", 2)
    if named.get("data") is not None:
        raise Error("A list of texts stands where data= does: give one of them.", 2)
    rows = [dict(zip(lists, row)) for row in zip(*lists.values())]
    return dict.fromkeys(texts), {**named, "data": rows}


def column_of(values):
    """An array of as many cells as rows; lists stay lists (tokens of texts of different lengths)."""
    if not any(isinstance(value, (list, tuple, dict)) for value in values):
        return numpy.array(values)
    out = numpy.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        out[row] = value
    return out


def rows_as(rows):
    """Rows as a pandas.DataFrame where pandas is here, else as a structured array of NumPy."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        import pandas
    except ImportError:
        columns = [column_of([row.get(name) for row in rows]) for name in names]
        return numpy.rec.fromarrays(columns, names=names) if rows else numpy.rec.array([], dtype=[("value", float)])
    return pandas.DataFrame(rows, columns=names)


# Questions whose lists of texts are a data set, with the names of those lists.
LISTS = {"ablate": ("text",), "attribute": ("text",), "path": ("text",), "heads": ("text",), "patch": ("clean", "corrupt")}


def question(model, command, named):
    """The words of a question: of Model.ablate(text, ...) and the others."""
    texts, named = over_lists(named, **{name: named.get(name) for name in LISTS.get(command, ())})
    named, words = model.with_file({**named, **texts}), []
    for side, given, ids in (("", "text", "ids"), ("clean-", "clean", "clean_ids"), ("corrupt-", "corrupt", "corrupt_ids")):
        words += inputs(named.pop(given, None), named.pop(ids, None), side)
    return [command, model.path, *words, *flags({"json": True, **named})]


class Run:
    """A run: run["blocks.0.attn.pattern"] is its array. What was not asked for in steps= is computed when it is first
    looked at, by the same run."""

    def __init__(self, model, words, text, steps):
        self._model, self._words, self.text = model, words, text
        self._arrays = self._take(steps) if steps else {}

    def _take(self, steps):
        return self._model.server.arrays("trace", self._model.path, *self._words, "--steps", steps)

    def __getitem__(self, name):
        if name not in self._arrays:
            self._arrays |= self._take(name)
        return self._arrays[name]

    def all(self):
        """Every step: {name: array}."""
        self._arrays |= self._take("*")
        return dict(self._arrays)

    def keys(self):
        """The names of all steps, and of what else a run has."""
        return self.all().keys()

    def __iter__(self):
        return iter(self.all())

    def __contains__(self, name):
        return name in self._arrays or name in self.all()

    @property
    def labels(self):
        """The tokens as they are written: of several sequences a list of lists."""
        self.tokens  # with it comes what was run
        made = json.loads(bytes(self._arrays["run"].astype(numpy.uint8)))["inputs"]
        every = [[token["text"] for token in one.get("tokens", [])] for one in made]
        return every[0] if len(every) == 1 else every

    @property
    def tokens(self):
        """The token ids."""
        if "tokens" not in self._arrays:
            self._arrays |= self._take("logits")
        return self._arrays["tokens"]

    def __repr__(self):
        return f"<run of {self._model.path}: {len(self._arrays)} arrays here>"


class Answer:
    """What a question came to. data: the whole answer; rows: one dict per place; each: asked with each=True over a data
    set, one dict per prompt and place."""

    def __init__(self, data):
        self.data = data
        self.base = data.get("base", {name: data[name] for name in ("total", "rest") if name in data})
        self.rows = self._flat(next((data[name] for name in ("rows", "parts", "heads", "depths") if name in data), []))
        self.each = self._flat(data.get("each", []))

    @staticmethod
    def _flat(rows):
        out = []
        for row in rows:
            flat = {"step": row["step"]} if "step" in row else {}
            flat |= row.get("at", {})
            for key, value in row.items():
                if key in ("into", "from") and isinstance(value, dict):  # of patch: a row of each run
                    flat |= {f"{key}_{name}": one for name, one in value.items()}
                elif key not in ("step", "at", "scores"):
                    flat[key] = value
            flat |= row.get("scores", {})
            out.append(flat)
        return out

    def frame(self, each=False):
        """The rows as a table: of pandas where it is here, else of NumPy. each: those of every prompt."""
        return rows_as(self.each if each else self.rows)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __repr__(self):
        return f"<answer: {len(self.rows)} rows, {self.base}>"


class Figure:
    """A view as a picture; a notebook shows it."""

    def __init__(self, model, words):
        self._model, self._words = model, words
        self.svg = model.server.run("figure", model.path, *words, "--format", "svg", "--out", "-")

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """As the ending says: .svg, .pdf, .png, .csv, .json, .npz, ..."""
        self._model.server.run("figure", self._model.path, *self._words, "--out", os.path.abspath(path))


class Model:
    """Keywords of every question are the flags of its command, with _ for -: see attnscope-cli COMMAND --help."""

    def __init__(self, path, server):
        self.path, self.server = path, server
        self.info = self.run("info", json=True)

    def run(self, command, *words, **named):
        """Any command that takes a model. data=: a file, task:NAME, or rows: a list of dicts, a DataFrame."""
        return self.server.run(command, self.path, *words, *flags(self.with_file(named)))

    def ask(self, command, text=None, ids=None, **named):
        """The same as an Answer: m.ask("why", text, cell="blocks.1.attn.pattern[head=3,query=-1,key=2]").frame()"""
        return Answer(self.run(command, *inputs(text, ids), json=True, **named))

    def with_file(self, named):
        """Rows in data= as a file."""
        data = named.get("data")
        return named if data is None or isinstance(data, (str, os.PathLike)) else {
            **named, "data": self.server.data_file(data)}

    def trace(self, text=None, ids=None, edits=(), steps=None, **named):
        """A run; steps: which arrays to take at once ("blocks.*.attn.pattern,logits")."""
        words = inputs(text, ids) + flags({"edits": edits, **self.with_file(named)})
        run = Run(self, words, text, steps)
        if not steps:
            run.tokens  # what is wrong with the input is said here
        return run

    def ablate(self, text=None, ids=None, **named):
        """Every place of steps= knocked out: measure=, over="head", how="mean", edits=[...]. A list of texts is a data set."""
        texts, named = over_lists(named, text=text)
        return Answer(self.run("ablate", *inputs(texts["text"], ids), json=True, **named))

    def patch(self, clean=None, corrupt=None, clean_ids=None, corrupt_ids=None, **named):
        """Every place of steps= taken from another run: measure=, over="pos", direction="noise". Lists of texts, one for
        each pair, are a data set."""
        texts, named = over_lists(named, clean=clean, corrupt=corrupt)
        words = inputs(texts["clean"], clean_ids, "clean-") + inputs(texts["corrupt"], corrupt_ids, "corrupt-")
        return Answer(self.run("patch", *words, json=True, **named))

    def attribute(self, text=None, ids=None, **named):
        """A measure as a sum that closes: by="head", "part", "token" or "neuron\""""
        texts, named = over_lists(named, text=text)
        return Answer(self.run("attribute", *inputs(texts["text"], ids), json=True, **named))

    def paths(self, text=None, ids=None, **named):
        """Which part writes what another reads: from_="blocks.0.attn.z", to="blocks.1.attn.q", kind="total\""""
        texts, named = over_lists(named, text=text)
        return Answer(self.run("path", *inputs(texts["text"], ids), json=True, **named))

    def heads(self, text=None, ids=None, **named):
        """The heads and what each does: by="induction", measure=..."""
        texts, named = over_lists(named, text=text)
        return Answer(self.run("heads", *inputs(texts["text"], ids), json=True, **named))

    def strongest(self, of, **named):
        """The texts of data= in which a head or a neuron is strongest: of="blocks.1.attn.z[head=3]", by="weight", top=5"""
        return Answer(self.run("strongest", of=of, json=True, **named))

    def circuit(self, **named):
        """What some parts bring about alone over data=: measure=, keep="..." or curve=True or best=4, how="resample\""""
        return Answer(self.run("circuit", json=True, **named))

    def tokenize(self, text):
        return self.run("tokenize", "--text", "@" + text if text.startswith("@") else text, json=True)

    def generate(self, text=None, ids=None, **named):
        return self.run("generate", *inputs(text, ids), json=True, **named)

    def compare(self, other, text=None, ids=None, **named):
        """Step by step with another model, or with what another program recorded; "first" names the first step that
        differs, None where none does."""
        words = [getattr(other, "path", other), *inputs(text, ids), *flags({"json": True, **named})]
        return self.server.run("compare", self.path, *words, differs="steps")

    def figure(self, text=None, ids=None, **named):
        """A view: view="attention", layer=1, head=3, edits=[...], minus=True, paper=True"""
        return Figure(self, inputs(text, ids) + flags(named))

    def __repr__(self):
        return f"<model {self.path}>"


def open(path, server=None, **named):
    """Opens whatever attnscope opens: a folder, a GGUF file, a recording, "model:storyteller". Several models may share
    a server; without one, each has its own."""
    path = str(path)
    shipped = path.startswith(("model:", "scene:", "random:"))
    return Model(path if shipped else os.path.abspath(path), server or Server(**named))


def steps(server=None):
    """Every step that a forward pass can have."""
    own = server or Server()
    try:
        return own.run("steps", "--json")["rows"]
    finally:
        if not server:
            own.close()
