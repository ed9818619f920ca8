"""Questions on the workers of Dask: every worker keeps an attnscope-cli serve with the models open. A sweep (ablate,
patch, path) is cut into parts by the program's own --shard and joined by its merge, so that the answer is that of one
machine to the last bit; any other question is one task."""
import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
import uuid

from ._model import Answer, Model, question
from ._serve import Answers, Error, Server, rows_file, rows_text

SWEEPS = ("ablate", "patch", "path")  # know --shard
FILES = ("--data", "--image", "--lora", "--steer")  # name files, relative to where the client runs
ROWS_A_PART = 4  # parts for each worker, where nothing else is asked for


# ---- on a worker ------------------------------------------------------------------------------------------------

_servers, _starting = {}, threading.Lock()


class WorkerServer:
    """The program of one worker, and what its models are."""

    def __init__(self, worker, options):
        threads = getattr(getattr(worker, "state", None), "nthreads", None) or getattr(worker, "nthreads", None)
        self.start = lambda: Server(threads=threads, folder=worker.local_directory, **options)
        self.server, self.prints = self.start(), {}

    def fingerprint(self, model):
        if model not in self.prints:
            self.prints[model] = self.server.run("info", model, "--json")["fingerprint"]
        return self.prints[model]

    def ask(self, request):
        """The answer to a request. Rows that came with it are a file here while it is asked; what is said of that file
        has its name with the client."""
        here = {name: self.server.text_file(text) for name, text in request["files"].items()}
        words = [here.get(word, word) for word in request["words"]]
        try:
            answer = self._answer(words, request["models"], request["arrays"])
        except Error as error:
            raise Error(renamed(str(error), here), error.status) from None
        return answer if request["arrays"] or not here else json.loads(renamed(json.dumps(answer), here))

    def _answer(self, words, models, arrays):
        for model, wanted in models.items():
            if (found := self.fingerprint(model)) != wanted:
                raise Error(f'The model "{model}" is another one there: its fingerprint is {found}, that of this study '
                            f"{wanted}.")
        if arrays:
            return self.server.arrays(*words)
        answer = self.server.answer(*words)
        run = answer["out"].get("run", {}) if isinstance(answer["out"], dict) else {}
        found = run.get("model", {}).get("fingerprint") if isinstance(run, dict) else None
        if answer["status"] == 0 and found and found != models.get(words[1], found):
            self.prints.clear()
            raise Error(f'The model "{words[1]}" has changed there: its fingerprint is {found} now.')
        return answer


def renamed(text, here):
    for name, path in here.items():
        text = text.replace(json.dumps(path)[1:-1], json.dumps(name)[1:-1])
    return text


def ask_here(request):
    """What a task does: {"worker", "answer"}, or {"worker", "error", "status"}."""
    from distributed import get_worker

    worker, options = get_worker(), request["options"]
    key = (worker.address, json.dumps(options, sort_keys=True))
    try:
        with _starting:
            if key not in _servers:
                _servers[key] = WorkerServer(worker, options)
        try:
            answer = _servers[key].ask(request)
        except Error:
            if _servers[key].server.running():
                raise
            with _starting:  # it was ended from outside: once more, with a new one
                _servers[key] = WorkerServer(worker, options)
            answer = _servers[key].ask(request)
        return {"worker": worker.address, "answer": answer}
    except Error as error:
        return {"worker": worker.address, "error": str(error), "status": error.status}


def task():
    """A function that travels as its own code, so that the scheduler needs no attnscope and a worker without it says
    so."""

    def attnscope_question(request):
        try:
            from attnscope._on import ask_here
        except ImportError as error:
            import sys

            from distributed import get_worker
            return {"worker": get_worker().address, "status": 1,
                    "error": f"The Python there ({sys.executable}) has no attnscope: {error}. Install it there: pip "
                             "install ./python"}
        return ask_here(request)

    return attnscope_question


# ---- with the client --------------------------------------------------------------------------------------------

class Kept:
    """The parts of one answer that are done, one a line, in a file where there is one. A line that broke off is
    computed again."""

    def __init__(self, path):
        self.path, self.lines, self.whole, self.rows = path, [], None, set()
        if not path or not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                self._count(json.loads(line))
                self.lines.append(line)
        if lines[-1]:
            with open(path + ".new", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in self.lines)
            os.replace(path + ".new", path)

    def _count(self, part):
        self.whole = part.get("whole", len(part["rows"]))
        self.rows |= {row.get("index", number) for number, row in enumerate(part["rows"])}

    def add(self, part):
        self._count(part)
        self.lines.append(json.dumps(part))
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(self.lines[-1] + "\n")
                file.flush()
                os.fsync(file.fileno())

    def missing(self):
        return [row for row in range(self.whole) if row not in self.rows]

    def leave(self):
        """Where the parts are for whoever goes on; without a folder, in a file of their own."""
        if not self.path and self.lines:
            handle, self.path = tempfile.mkstemp(prefix="attnscope-study-", suffix=".jsonl")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in self.lines)
        return self.path if self.lines else None


class Gone(Exception):
    """The scheduler."""


class Cluster(Answers):
    """attnscope.on(client): answers like a Server, on all workers of a dask.distributed.Client.

    parts: into how many a sweep is cut, four for each worker where it is not said. keep: a folder; the parts that are
    done stand there in a file for each question, and the same question goes on from them. told: called with the parts
    that are done, how many there are, and the part as an Answer. memory_limit, lang: as the program's flags."""

    def __init__(self, client, parts=None, keep=None, told=None, memory_limit=None, lang="en"):
        self.address = client.scheduler.address
        self.client, self.parts, self.keep, self.told = client, parts, keep, told
        self._options = {"memory_limit": memory_limit, "lang": lang}
        self._models, self._local, self._task = {}, None, task()
        self._rows, self._folder = {}, None  # text of each file of rows; their folder, where none was given
        if keep:
            os.makedirs(keep, exist_ok=True)

    def open(self, path):
        """A model, by a path that every worker has; read by all of them now. Errors: it is another one somewhere."""
        path = str(path)
        if not path.startswith(("model:", "scene:", "random:")):
            path = os.path.abspath(path)
        workers = list(self._workers())
        if not workers:
            raise Error(f"The scheduler {self.address} has no workers.")
        infos = {}
        for worker, future in [(one, self._submit(["info", path, "--json"], worker=one)) for one in workers]:
            infos[worker] = self._out(self._result(future))["fingerprint"]
        found = sorted(set(infos.values()))
        if len(found) > 1:
            there = "; ".join(f"{worker}: {print_}" for worker, print_ in sorted(infos.items()))
            raise Error(f'The model "{path}" is not the same on all workers, their fingerprints are: {there}.')
        self._models[path] = found[0]
        return Model(path, self)

    def data_file(self, rows):
        """Rows of a data set as a file of this side; what stands in it travels with each question about it."""
        text = rows_text(rows)
        if not self.keep:
            self._folder = self._folder or tempfile.mkdtemp(prefix="attnscope-rows-")
        path = rows_file(text, os.path.abspath(self.keep or self._folder))
        self._rows[path] = text
        return path

    def answer(self, *words):
        return self._result(self._submit(words))

    def arrays(self, *words):
        return self._result(self._submit(words, arrays=True))

    def run(self, *words, differs=None):
        words = [str(word) for word in words]
        if words[0] in SWEEPS and "--json" in words and not {"--shard", "--out", "--most"} & set(words):
            return self._sweep(words)
        return super().run(*words, differs=differs)

    def each(self, questions):
        """Many questions, each a task: [(model, "ablate", {"text": ..., "measure": ...}), ...]. Yields (number, Answer)
        as they are done; with keep= those that were answered before come first."""
        waiting = {}
        for number, (model, command, named) in enumerate(questions):
            words = self._words(question(model, command, named))
            path = self._file(words, ".json")
            if path and os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    yield number, Answer(json.load(file))
            else:
                waiting[self._submit(words)] = (number, path)
        done = 0

        def so_far():
            return f"{done} of {len(waiting)} questions are answered" + (f', in "{self.keep}"' if self.keep else "")

        for future, result in self._done(waiting, so_far):
            number, path = waiting[future]
            out = self._out(result["answer"])
            if path:
                with open(path + ".new", "w", encoding="utf-8") as file:
                    json.dump(out, file)
                os.replace(path + ".new", path)
            done += 1
            yield number, Answer(out)

    # A sweep, part by part.
    def _sweep(self, words):
        words = self._words(words)
        kept = Kept(self._file(words, ".jsonl"))
        count = self.parts or ROWS_A_PART * max(1, len(self._workers()))
        if kept.whole is None:
            shards = [f"{number}/{count}" for number in range(1, count + 1)] if count > 1 else [None]
        else:
            missing = kept.missing()
            pieces = [missing[first::count] for first in range(min(count, len(missing)))]
            shards = [",".join(str(row + 1) for row in piece) + f"/{kept.whole}" for piece in pieces]
        waiting = {self._submit(words + (["--shard", shard] if shard else [])): shard for shard in shards}
        run, done = None, 0

        def so_far():
            path = kept.leave()
            if not path:
                return "no part is done"
            self._folder = None  # whoever goes on needs the rows
            return (f'{len(kept.rows)} of {kept.whole} rows are in "{path}"; attnscope-cli rerun --missing computes the '
                    "others, or the same question with keep=")

        for _, result in self._done(waiting, so_far):
            part = self._out(result["answer"])
            own = {name: value for name, value in part.get("run", {}).items() if name != "command"}
            if run is not None and own != run:
                differing = ", ".join(sorted(name for name in own.keys() | run.keys() if own.get(name) != run.get(name)))
                raise Error(f"Worker {result['worker']}: its part was computed from something else than the others "
                            f"(run: {differing}).")
            run = own
            kept.add(part)
            done += 1
            if self.told:
                self.told(done, len(shards), Answer(part))
        return self._joined(kept)

    def _joined(self, kept):
        if len(kept.lines) == 1 and not kept.missing():
            return json.loads(kept.lines[0])
        self._local = self._local or Server(**self._options)
        with tempfile.TemporaryDirectory(prefix="attnscope-") as folder:
            parts, whole = os.path.join(folder, "parts.jsonl"), os.path.join(folder, "whole.json")
            with open(parts, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in kept.lines)
            self._local.run("merge", parts, "--out", whole)
            with open(whole, encoding="utf-8") as file:
                return json.load(file)

    def _workers(self):
        return self.client.scheduler_info(**self._all_workers)["workers"]

    @property
    def _all_workers(self):
        """Newer versions say only of a few workers unless asked."""
        import inspect
        return {"n_workers": -1} if "n_workers" in inspect.signature(self.client.scheduler_info).parameters else {}

    def _words(self, words):
        out = [str(word) for word in words]
        for number, word in enumerate(out[:-1]):
            if word in FILES and not out[number + 1].startswith("task:"):
                out[number + 1] = os.path.abspath(out[number + 1])
        return out

    def _file(self, words, ending):
        if not self.keep:
            return None
        text = json.dumps([words, self._models.get(words[1])])
        return os.path.join(self.keep, f"{words[0]}-{hashlib.sha256(text.encode()).hexdigest()[:16]}{ending}")

    def _submit(self, words, arrays=False, worker=None):
        words = self._words(words)
        request = {"words": words, "arrays": arrays, "options": self._options,
                   "models": {word: self._models[word] for word in words if word in self._models},
                   "files": {word: self._rows[word] for word in words if word in self._rows}}
        return self.client.submit(self._task, request, pure=False, key=f"attnscope-{words[0]}-{uuid.uuid4().hex}",
                                  workers=[worker] if worker else None)

    # Futures as they are done, with what came. so_far: said where the scheduler goes before all are.
    def _done(self, futures, so_far):
        from distributed import as_completed

        left = set(futures)
        try:
            for future in as_completed(list(futures)):
                try:
                    result = self._taken(future)
                except Gone as error:
                    left.clear()
                    raise Error(f"{error}; {so_far()}.") from None
                left.discard(future)
                yield future, result
        finally:
            if left:
                with contextlib.suppress(Exception):
                    self.client.cancel(list(left), asynchronous=False)

    def _result(self, future):
        try:
            return self._taken(future)["answer"]
        except Gone as error:
            raise Error(f"{error}.") from None

    def _taken(self, future):
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            result = future.result()
        except KilledWorker as error:
            raise Error("A question was taken by workers that ended one after the other, the last of them "
                        f"{error.last_worker.address}: it may need more memory than they have.") from None
        except (CancelledError, OSError) as error:
            raise Gone(f"The scheduler {self.address} does not answer any more") from error
        if "error" in result:
            raise Error(f"Worker {result['worker']}: {result['error']}", result["status"])
        return result

    def close(self):
        """Ends what this side has started; the workers keep their programs as long as they live."""
        if self._local:
            self._local.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __repr__(self):
        return f"<attnscope on {self.address}>"


def on(client, **named):
    """The same questions on the workers of a dask.distributed.Client: see Cluster."""
    return Cluster(client, **named)
