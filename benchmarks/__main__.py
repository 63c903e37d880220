"""Run every benchmark, or those named, and print one table.

    python -m benchmarks [NAME ...]

A benchmark that needs the shared development data is passed over where it is absent.
"""

import pkgutil
import sys
from importlib import import_module

import benchmarks
from assay.answers.answer import Words
from assay.cli.output import print_table, say
from benchmarks.measure import MissingError


def main(wanted: list[str]) -> int:
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_"))
    rows = []
    for name in names:
        if wanted and name.removeprefix("bench_") not in wanted:
            continue
        say(f"{name} ...")
        try:
            rows += import_module(f"benchmarks.{name}").run()
        except MissingError as missing:
            say(f"{name}: passed over, {missing}")
    cells = [
        (r["name"], f"{r['measured']:.3g} {r['unit']}", r["target"], "yes" if r["ok"] else "NO") for r in rows
    ]
    print_table(Words("Benchmarks", ("what", "measured", "target", "met"), cells))
    return 0 if all(r["ok"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
