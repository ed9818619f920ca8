"""One attnscope-cli serve: lines of JSON over its standard input and output, arrays in files of a folder of its own."""
import base64
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import warnings

import numpy


class Error(Exception):
    """What the program said. status: its exit code, 1 for what was asked of it, 2 for how."""

    def __init__(self, sentence, status=1):
        super().__init__(sentence)
        self.status = status


def program():
    """attnscope-cli: ATTNSCOPE_CLI, else the newest build of the clone that this package lies in, else the one that is
    installed."""
    if named := os.environ.get("ATTNSCOPE_CLI"):
        return named
    built = pathlib.Path(__file__).resolve().parents[2] / "build/release/attnscope-cli"
    if built.is_file():
        return str(built)
    if found := shutil.which("attnscope-cli"):
        return found
    raise Error("attnscope-cli is not here: install attnscope, or say where it is in ATTNSCOPE_CLI.")


def plain(value):
    """NumPy's arrays and numbers for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no field of a prompt")


def said(text):
    """Without the program's name in front of each line."""
    lines = [line.removeprefix("attnscope-cli: ") for line in text.strip().splitlines()]
    return "\n".join(line for line in lines if line)


def rows_text(rows):
    """Rows of a data set (dicts, or a DataFrame) as lines of JSON."""
    rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    text = "".join(json.dumps(row, default=plain) + "\n" for row in rows)
    if not text:
        raise Error("data= has no prompts.", 2)
    return text


def rows_file(text, folder):
    """A file that is named by what is in it."""
    path = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest()[:16] + ".jsonl")
    pathlib.Path(path).write_text(text, encoding="utf-8")
    return path


class Answers:
    """Whatever answers commands: answer() and arrays() say how."""

    def run(self, *words, differs=None):
        """A command: what it printed, JSON as lists and dicts, text as str, anything else as bytes. differs: a key of
        an answer that counts as one although the exit code says that something differs."""
        return self._out(self.answer(*words), differs)

    @staticmethod
    def _out(answer, differs=None):
        out = answer["out"]
        if answer["status"] != 0 and not (differs and isinstance(out, dict) and differs in out):
            raise Error(said(answer["err"]) or said(str(out)), answer["status"])
        if answer["status"] == 0 and (told := said(answer["err"])):
            warnings.warn(told, stacklevel=5)
        return base64.b64decode(out["base64"]) if isinstance(out, dict) and out.keys() == {"base64"} else out

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Server(Answers):
    """cli: the program; memory_limit, allow_outside, lang, threads: as its flags; folder: where its own one is made.
    Threads take turns."""

    def __init__(self, cli=None, memory_limit=None, allow_outside=False, lang="en", threads=None, folder=None):
        words = [cli or program(), "--lang", lang]
        words += ["--memory-limit", str(memory_limit)] if memory_limit else []
        words += ["--allow-outside"] if allow_outside else []
        try:
            words += ["serve"] + (["--threads", str(threads)] if threads else [])
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise Error(f"{words[0]} cannot be started: {error.strerror}.") from None
        self._folder = tempfile.mkdtemp(prefix="attnscope-", dir=folder)
        self._lock, self._numbers = threading.Lock(), itertools.count(1)

    def answer(self, *words):
        """A command, as on the command line -> {"status", "out", "err"}"""
        line = json.dumps({"id": next(self._numbers), "command": [str(word) for word in words]})
        with self._lock:
            try:
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()
                answer = self._process.stdout.readline()
            except (OSError, ValueError):
                answer = b""
        if not answer:
            status = self._process.poll()
            raise Error("attnscope-cli serve has ended" + (f" ({status})" if status is not None else "")
                        + ": its models are gone. Open the model again; with a Server of your own, make a new one.")
        return json.loads(answer)

    def running(self):
        return self._process.poll() is None

    def arrays(self, *words):
        """A command that writes --out: the arrays of its npz."""
        path = os.path.join(self._folder, f"{next(self._numbers)}.npz")
        try:
            self.run(*words, "--out", path)
            with numpy.load(path) as file:
                return {name: file[name] for name in file.files}
        finally:
            if os.path.exists(path):
                os.remove(path)

    def data_file(self, rows):
        """Rows of a data set (dicts, or a DataFrame) as a file, named by what is in it."""
        return rows_file(rows_text(rows), self._folder)

    def text_file(self, text):
        """The same of the lines of such a file."""
        return rows_file(text, self._folder)

    def close(self):
        if getattr(self, "_process", None):
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process.stdout.close()
        if getattr(self, "_folder", None):
            shutil.rmtree(self._folder, ignore_errors=True)

    __del__ = close
