"""What `make demo` shows: the bundled example tournament, imported and summed up."""

from importlib.resources import as_file, files
from pathlib import Path

from assay.cli import main

PLACE = Path("demo")


def demo() -> None:
    PLACE.mkdir(exist_ok=True)
    workspace = str(PLACE / "example.assay")
    with as_file(files("assay") / "examples") as examples:
        main(["import", str(examples), "--workspace", workspace])
    main(["status", "--workspace", workspace])


if __name__ == "__main__":
    demo()
