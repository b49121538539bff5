"""scalediag from Python: runs its commands and returns what they print as JSON as plain objects.

    import scalediag
    answer = scalediag.predict("app.scalediag", at={"np": [256, 1024]})
    answer.targets[0].run_s.value
    scalediag.table(answer, "targets.kernels")      # a pandas.DataFrame where pandas is there, else a list of rows

A keyword is the option of its name: at={"np": [4, 8]} is --at np=4,8, by="callpath" is --by callpath, strict=True is
--strict, rule=[a, b] is --rule a --rule b. The standard library is all that is needed. The program is $SCALEDIAG, else
the one that was installed with this file, else the first on PATH.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

__all__ = ["Error", "Object", "check", "diff", "doctor", "measurements", "models", "predict", "program", "run", "show",
           "simulate", "table", "text"]


class Error(Exception):
    """A command that failed: its message, the hint that it gave, and its exit status (2: usage or input)."""

    def __init__(self, message, hint="", status=0):
        super().__init__(message + ("\nhint: " + hint if hint else ""))
        self.message, self.hint, self.status = message, hint, status


class Object(dict):
    """An object of JSON, whose fields are attributes as well: answer["targets"], answer.targets."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name}; there are " + ", ".join(self)) from None


def program():
    """The path of the program that is run."""
    named = os.environ.get("SCALEDIAG")
    if named:
        return named
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "bin" / "scalediag").is_file():
            return str(folder / "bin" / "scalediag")
    found = shutil.which("scalediag")
    if found is None:
        raise Error("scalediag is not on PATH", "install it, or name it in the environment variable SCALEDIAG")
    return found


def _value(value):
    """The text of a value: {"np": [4, 8]} is np=4,8."""
    if isinstance(value, dict):
        return [f"{name}={_list(values)}" for name, values in value.items()]
    if isinstance(value, (list, tuple)):
        return [text for one in value for text in _value(one)]
    return [str(value)]


def _list(values):
    return ",".join(str(v) for v in values) if isinstance(values, (list, tuple, range)) else str(values)


def _arguments(inputs, options):
    words = [str(one) for one in inputs]
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            for text in _value(value):
                words += [option, text]
    return words


def _run(words):
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", check=False)
    return done


def _failure(done, words):
    lines = done.stderr.splitlines()
    message = next((line[7:] for line in lines if line.startswith("error: ")), "")
    hint = next((line[6:] for line in lines if line.startswith("hint: ")), "")
    return Error(message or f"scalediag {' '.join(words)} ended with status {done.returncode}", hint, done.returncode)


def text(command, *inputs, **options):
    """What a command prints for people. Raises Error where it fails."""
    words = [command, *_arguments(inputs, options)]
    done = _run(words)
    if done.returncode != 0:
        raise _failure(done, words)
    return done.stdout


def run(command, *inputs, **options):
    """What a command prints with --json, as Objects. Its warnings and notes go on to stderr.

    Raises Error where the command fails. `check` returns its result also where a rule did not hold, and `diff` where
    something changed: these have an exit status of their own and print JSON.
    """
    words = [command, *_arguments(inputs, options), "--json"]
    done = _run(words)
    try:
        answer = json.loads(done.stdout, object_hook=Object)
    except ValueError:
        raise _failure(done, words) from None
    sys.stderr.write(done.stderr)
    return answer


def predict(*inputs, **options):
    """Predictions: predict("app.scalediag", at={"np": [256, 1024]})."""
    return run("predict", *inputs, **options)


def models(*inputs, **options):
    """Formulas: models("app.scalediag", kernel="solve")."""
    return run("models", *inputs, **options)


def show(*inputs, **options):
    """What was measured, run by run."""
    return run("show", *inputs, **options)


def check(*inputs, **options):
    """Rules: check("app.scalediag", rule=["efficiency(np=256)>=80%"])."""
    return run("check", *inputs, **options)


def diff(old, new, **options):
    """Two experiments compared."""
    return run("diff", old, new, **options)


def simulate(*inputs, **options):
    """A recorded program on a network."""
    return run("simulate", *inputs, **options)


def doctor(**options):
    """What this machine can measure."""
    return run("doctor", **options)


def _frame(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _number(word):
    try:
        return float(word)
    except ValueError:
        return word


def measurements(*inputs):
    """Every measured value with its parameters, kernel, metric and repeat, as a table."""
    rows = list(csv.DictReader(text("export", *inputs, format="csv").splitlines()))
    named = ("kernel", "metric")
    return _frame([{name: value if name in named else _number(value) for name, value in row.items()} for row in rows])


def _flat(item, prefix=""):
    """The fields of an object that are no lists, those of objects in it as "interval.low"."""
    row = {}
    for name, value in item.items():
        if isinstance(value, dict):
            row.update(_flat(value, f"{prefix}{name}."))
        elif not isinstance(value, list):
            row[prefix + name] = value
    return row


def table(answer, path):
    """The objects of a list in an answer as a table: table(answer, "targets.kernels").

    Each row also has the fields of the objects around its own, as "targets.at.np", but not those of the answer.
    """
    rows = [({}, answer)]
    names = path.split(".")
    for depth, name in enumerate(names):
        inner = []
        for around, item in rows:
            if depth > 0:
                around = {**around, **_flat(item, ".".join(names[:depth]) + ".")}
            if not isinstance(item.get(name), list):
                raise Error(f"the answer has no list {'.'.join(names[:depth + 1])}", "there are " + ", ".join(item))
            inner += [(around, one if isinstance(one, dict) else Object(value=one)) for one in item[name]]
        rows = inner
    return _frame([{**around, **_flat(item)} for around, item in rows])
