"""Twenty champions in the box: pick their games, and make of their analyses the evidence that ships.

    python -m research champions-pick CAREERS OUT.pgn --first 5 [--after 0]
    python -m research champions WORKSPACE CAREERS [--onto src/assay/data/champions.npz]
    python -m research champions-prior

CAREERS is the folder of all games of the champions. `champions-pick` puts the classical games of each
champion and year into an order that a hash of SEED and the game decides, and writes those after the first
`--after` up to the first `--first` of every year: what is picked first is part of what is picked later.
`champions` reads the analyses of such games and writes the evidence of every champion and year to
src/assay/data/champions.npz. With `--onto` the games are others than those of an earlier file, and their
evidence is added to it. `champions-prior` fits the prior anew after a change of the calibration.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chess
import chess.pgn
import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from assay import Workspace
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.decisions.grouping import By
from assay.decisions.profile import ProfileStack
from assay.executors import one_blas_thread
from assay.files import written_whole
from assay.rating.calibration import Calibration, shipped
from assay.rating.champions import BY_GAME, BY_MOVES, FORMAT, WHAT, CareerModel, Champions, features_hash
from assay.rating.evidence import COUNTS, part_of
from assay.rating.spread import LEAST_FORM
from research import command

SEED = "assay champions 2026"

BORN = {
    "Steinitz, William": 1836,
    "Lasker, Emanuel": 1868,
    "Capablanca, Jose Raul": 1888,
    "Alekhine, Alexander": 1892,
    "Euwe, Max": 1901,
    "Botvinnik, Mikhail": 1911,
    "Smyslov, Vassily": 1921,
    "Tal, Mihail": 1936,
    "Petrosian, Tigran V": 1929,
    "Spassky, Boris V": 1937,
    "Fischer, Robert James": 1943,
    "Karpov, Anatoly": 1951,
    "Kasparov, Gary": 1963,
    "Khalifman, Alexander": 1966,
    "Kramnik, Vladimir": 1975,
    "Ponomariov, Ruslan": 1983,
    "Kasimdzhanov, Rustam": 1979,
    "Topalov, Veselin": 1975,
    "Anand, Viswanathan": 1969,
    "Carlsen,Magnus": 1990,
}
CHAMPIONS = tuple(BORN)

NOT_CLASSICAL = re.compile(
    r"blind|rapid|\brap\b|blitz|speed|active|bullet|g/\d|\d+m\b|\bexh|simul|\bsim\b|\bsim\d|TV|advanced|internet"
    r"|online|casual|training|banter|showdown|(karpov|ccas).*troph|troph.*(karpov|ccas)|corsica|eurotel|immopar"
    r"|esports|crypto cup|pro league|titled|clutch|lindores|man.?(vs|machine|comp)|computer|freestyle|consult"
    r"|intel.gp|pca.gp|giants|chess classics|champions duel|dual of|leon (gm|masters|m\b)|ciudad|salamanca"
    r"|villarrobledo|gartenschach|play.?off|\btb\b|arctic stars|moscow stars|region group cup",
    re.IGNORECASE,
)
"""Words in the name of an event whose games are not classical, beyond the rules that `assay rate` applies."""

NOT_CLASSICAL_SITE = re.compile(
    r"\bINT$|internet|chess24|lichess|chess\.com|\bICC\b|playchess|cap d'agde|bastia", re.IGNORECASE
)
"""Places at which only fast games were played: servers, and two festivals of rapid chess."""


PROGRAM = re.compile(
    r"\bcomp\b|deep (blue|fritz|junior|thought)|fritz|programm?\b|toolbar|genius|mephisto", re.IGNORECASE
)
"""Opponents that are not people."""


def classical_games(careers: Workspace) -> Iterator[dict[str, Any]]:
    """Games between people that `assay rate` would rate and whose event and place name no faster chess."""
    for game in careers.games().to_pylist():
        fast = NOT_CLASSICAL.search(game["event"] or "") or NOT_CLASSICAL_SITE.search(game["site"] or "")
        program = any(PROGRAM.search(game[side] or "") for side in ("white", "black"))
        if game["exclusion"] is None and game["year"] is not None and not fast and not program:
            yield game


def game_key(game: dict[str, Any]) -> str:
    """A hash of the seed and the game that no spelling of its tags but players and year changes."""
    text = "|".join([SEED, game["white"], game["black"], str(game["year"]), *game["moves"]])
    return hashlib.sha256(text.encode()).hexdigest()


def ordered(games: Sequence[dict[str, Any]]) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """The games of each champion and year, in the order in which they are picked."""
    by_year: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for game in sorted(games, key=game_key):
        for side in ("white", "black"):
            if game[side] in CHAMPIONS:
                by_year.setdefault((game[side], game["year"]), []).append(game)
    return dict(sorted(by_year.items()))


def pick(games: Sequence[dict[str, Any]], first: int, after: int = 0) -> list[dict[str, Any]]:
    """The first games of every champion and year without those that `after` games give; ranks take turns."""
    ranks: dict[str, tuple[int, str]] = {}
    for listed in ordered(games).values():
        for rank, game in enumerate(listed[:first]):
            key = game_key(game)
            ranks[key] = min(ranks.get(key, (rank, key)), (rank, key))
    by_key = {game_key(game): game for game in games}
    return [by_key[key] for key in sorted(ranks, key=ranks.__getitem__) if ranks[key][0] >= after]


def pgn(game: dict[str, Any]) -> str:
    """A game as PGN, under the names that the workspace gave its players."""
    written = chess.pgn.Game()
    written.headers.update(
        Event=game["event"] or "?",
        Site=game["site"] or "?",
        Date=game["date"] or "????.??.??",
        Round=game["round"] or "?",
        White=game["white"],
        Black=game["black"],
        Result={1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[game["result"]],
    )
    for side in ("white", "black"):
        if game[f"{side}_elo"] is not None:
            written.headers[f"{side.capitalize()}Elo"] = str(game[f"{side}_elo"])
    written.add_line(chess.Move.from_uci(move) for move in game["moves"])
    return f"{written}\n\n"


def pick_main(words: Sequence[str]) -> None:
    """Write the games that are to be analysed."""
    parser = command("champions-pick", __doc__)
    parser.add_argument("careers", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=25, help="games of each champion and year")
    parser.add_argument("--after", type=int, default=0, help="without the first so many")
    given = parser.parse_args(words)
    with TemporaryDirectory() as folder:
        careers = Workspace(Path(folder) / "careers.assay")
        careers.import_games(given.careers)
        games = list(classical_games(careers))
    picked = pick(games, given.first, given.after)
    given.out.write_text("".join(map(pgn, picked)), encoding="utf-8")
    years = ordered(games)
    moves = sum(
        len(game["moves"][side == "black" :: 2])
        for game in picked
        for side in ("white", "black")
        if game[side] in CHAMPIONS
    )
    print(f"{len(picked)} games of {len(years)} years of {len(CHAMPIONS)} champions, {moves} own moves")


# Evidence ------------------------------------------------------------------------------------------------

STRENGTHS = ("bayes", "choice", "depth")
"""Methods of which the strength that they find in each year is kept."""

DATA = Path(__file__).resolve().parents[2] / "src" / "assay" / "data" / "champions.npz"


def whole_games(decisions: Decisions, games: Sequence[dict[str, Any]]) -> Decisions:
    """Of each champion and year the games as picked, up to the first that is not all analysed."""
    names, ids = decisions.names("player"), decisions.names("game_id")
    pairs = list(zip(decisions.codes("game_id").tolist(), decisions.codes("player").tolist(), strict=True))
    reasons = decisions.text("exclusion")
    present = {(ids[game], names[player]) for game, player in set(pairs)}
    missing = {
        (ids[game], names[player])
        for (game, player), reason in zip(pairs, reasons, strict=True)
        if reason == Exclusion.NOT_ANALYSED.value
    }
    whole = set()
    for (player, _), listed in ordered(games).items():
        for game in listed:
            if (key := (game["game_id"], player)) in missing or key not in present:
                break
            whole.add(key)
    keep = [(ids[game], names[player]) in whole for game, player in pairs]
    return decisions.take(np.flatnonzero(keep))


def results_by_year(games: Sequence[dict[str, Any]]) -> dict[tuple[str, int], list[float]]:
    """RESULTS of every champion and year, of all classical games."""
    results = {}
    for (player, year), listed in ordered(games).items():
        columns = []
        for game in listed:
            white = game["white"] == player
            result = game["result"] if white else 1 - game["result"]
            elo, other = (
                game[f"{side}_elo"] for side in (("white", "black") if white else ("black", "white"))
            )
            ratings = (part for x in (elo, other) for part in (x or 0.0, x is not None))
            columns.append((1, result == 1, result == 0.5, result == 0, *ratings))
        results[player, year] = np.array(columns, np.float64).sum(axis=0).tolist()
    return results


def evidence_arrays(decisions: Decisions, calibration: Calibration) -> dict[str, Any]:
    """Arrays of a file of champions, without results: evidence by year or by game, strengths, counts."""
    models = {name: calibration.models[name] for name in (*BY_MOVES, *BY_GAME, *STRENGTHS)}
    part = part_of(decisions, models, By.YEAR, compact=True)
    order = np.argsort(part.group, kind="stable")
    group = part.group[order]
    starts = np.searchsorted(group, np.arange(len(part.groups) + 1))
    adding = sparse.csr_array((np.ones(len(order)), order, starts), shape=(len(part.groups), len(order)))
    arrays: dict[str, Any] = {
        "groups": np.array(part.groups, np.str_),
        "counts": adding @ part.counts,
        "game_years": group.astype(np.uint16),
    }
    for name in BY_GAME:
        rows = sparse.csr_array(part.evidence[name])[order]
        whole = np.array_equal(rows.data, np.round(rows.data)) and rows.data.max() < 256
        arrays[f"{name}.data"] = rows.data.astype(np.uint8 if whole else np.float32)
        arrays[f"{name}.indices"] = rows.indices.astype(np.uint16)
        arrays[f"{name}.indptr"] = rows.indptr.astype(np.uint32)
        arrays[f"{name}.read"] = part.read[name][order].astype(np.uint16)
    for name in (*BY_MOVES, *STRENGTHS):
        sums = adding @ part.evidence[name]
        sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
        read = adding @ part.read[name]
        if name in BY_MOVES:
            arrays[f"{name}.sums"], arrays[f"{name}.read"] = sums.astype(np.float32), read.astype(np.uint32)
        else:
            filled = np.flatnonzero(read[:, 0] > 0)
            keys, model = tuple(map(str, filled)), models[name]
            counts = read[filled, 0], read[filled, 1]
            stack = ProfileStack(
                model.identity, keys, sums[filled], tuple(model.shape), *counts, calibration.recipe_id
            )
            arrays[f"{name}.strength"] = np.full(len(sums), np.nan)
            arrays[f"{name}.strength"][filled] = model.strengths(stack.weighted(np.eye(len(filled))))
    return arrays


def add_evidence(earlier: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence of two files about different games.

    Sums and games add up exactly. The strength of a year by STRENGTHS is the mean of both, weighted by
    decisions.
    """
    both = (earlier, more)
    keys = sorted({tuple(key) for arrays in both for key in arrays["groups"].tolist()})
    place = {key: row for row, key in enumerate(keys)}
    rows = [np.array([place[tuple(key)] for key in arrays["groups"].tolist()]) for arrays in both]

    def summed(name: str) -> Any:
        total = np.zeros((len(keys), *earlier[name].shape[1:]), np.float64)
        for arrays, to in zip(both, rows, strict=True):
            total[to] += arrays[name]
        return total.astype(earlier[name].dtype)

    years = np.concatenate([to[arrays["game_years"]] for arrays, to in zip(both, rows, strict=True)])
    order = np.argsort(years, kind="stable")
    result: dict[str, Any] = {
        "groups": np.array(keys, np.str_),
        "counts": summed("counts"),
        "game_years": years[order].astype(np.uint16),
    }
    for name in BY_GAME:
        width = int(max(arrays[f"{name}.indices"].max() for arrays in both)) + 1
        stacked = sparse.vstack(
            [
                sparse.csr_array(
                    tuple(arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr")),
                    shape=(len(arrays["game_years"]), width),
                )
                for arrays in both
            ],
            format="csr",
        )[order]
        result[f"{name}.data"] = stacked.data
        result[f"{name}.indices"] = stacked.indices.astype(np.uint16)
        result[f"{name}.indptr"] = stacked.indptr.astype(np.uint32)
        result[f"{name}.read"] = np.concatenate([arrays[f"{name}.read"] for arrays in both])[order]
    for name in BY_MOVES:
        result[f"{name}.sums"], result[f"{name}.read"] = summed(f"{name}.sums"), summed(f"{name}.read")
    for name in STRENGTHS:
        total, weight = np.zeros((2, len(keys)))
        for arrays, to in zip(both, rows, strict=True):
            strength, decisions = arrays[f"{name}.strength"], arrays["counts"][:, COUNTS.index("decisions")]
            finite = np.isfinite(strength)
            total[to[finite]] += (strength * decisions)[finite]
            weight[to[finite]] += decisions[finite]
        result[f"{name}.strength"] = np.divide(
            total, weight, out=np.full(len(keys), np.nan), where=weight > 0
        )
    return result


# The prior -----------------------------------------------------------------------------------------------

PUBLISHED_ERROR = 20.0
"""Of a year's mean published rating, in Elo."""

FREE = tuple(field.name for field in fields(CareerModel))[1:]
START = np.log([200.0, 50.0, 300.0, 10.0, 80.0, 30.0, 70.0, 10.0])


def career_prior(champions: Champions) -> CareerModel:
    """The prior of champions' years, by maximum likelihood.

    Moves alone do not show which part of the difference between players is strength and which is form, so
    how the moves of all years look and the published ratings of some are fitted together.
    """
    published = np.array([champions.record([row])["published"] for row in range(len(champions.keys))])
    peak, deviation = champions.looks
    seen, rated = (np.flatnonzero(np.isfinite(x)) for x in (peak, published))
    years = champions.single_years(np.concatenate((seen, rated)))
    elo = np.concatenate((peak[seen], published[rated]))
    error = np.concatenate((deviation[seen], np.full(len(rated), PUBLISHED_ERROR)))
    looks = np.logical_and.outer(*[np.arange(len(elo)) < len(seen)] * 2)

    def solved(logs: Floats) -> tuple[CareerModel, float]:
        model = CareerModel(0.0, *np.exp(logs).tolist())
        covariance = model.covariance(years, years, looks=looks) + np.diag(np.square(error))
        factor = cho_factor(covariance)
        weights = cho_solve(factor, np.ones(len(elo)))
        mean = float(weights @ elo / weights.sum())
        cost = 0.5 * (elo - mean) @ cho_solve(factor, elo - mean) + np.log(np.diag(factor[0])).sum()
        return replace(model, mean=mean), float(cost)

    bounds = [(np.log(LEAST_FORM if name == "form" else 1.0), np.log(3000.0)) for name in FREE]
    with one_blas_thread():
        best = minimize(lambda logs: solved(logs)[1], START, method="L-BFGS-B", bounds=bounds)
        model, cost = solved(best.x)
    print(f"{model}: log-likelihood {-cost:.1f}")
    return CareerModel(**{name: round(x, 1) for name, x in asdict(model).items()})


def write(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a file of champions: plain arrays, nothing that runs code when read."""
    with written_whole(path) as file:
        np.savez_compressed(file, header=np.array(json.dumps(dict(header))), **arrays)


def calibration_hash(recipe_id: str) -> str:
    """Of the calibration that ships, by which the prior is fitted."""
    with as_file(files("assay") / "data" / "calibrations" / f"{recipe_id}.npz") as path:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a file of champions."""
    with np.load(path) as file:
        arrays = dict(file)
    return json.loads(str(arrays.pop("header"))), arrays


def prior_main(words: Sequence[str]) -> None:
    """Fit the prior anew, after the calibration has changed."""
    parser = command("champions-prior", __doc__)
    parser.add_argument("file", type=Path, nargs="?", default=DATA)
    given = parser.parse_args(words)
    header, arrays = read(given.file)
    header["calibration"] = calibration_hash(header["recipe_id"])
    header["prior"] = asdict(career_prior(Champions(header, arrays)))
    write(given.file, header, arrays)


def main(words: Sequence[str]) -> None:
    """Write the evidence of every champion and year."""
    parser = command("champions", __doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("careers", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=DATA)
    parser.add_argument("--onto", type=Path, help="file of other games, to which this evidence is added")
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    recipe_id = workspace.recipe_id()
    calibration = shipped(recipe_id)
    assert calibration is not None
    decisions = workspace.decisions(recipe_id, players=list(CHAMPIONS), trace=True)
    decisions = whole_games(decisions, list(classical_games(workspace)))
    arrays = evidence_arrays(decisions, calibration)
    n_games, n_decisions = len(set(decisions.text("game_id"))), len(decisions)
    if given.onto is not None:
        before, earlier = read(given.onto)
        Champions(before, earlier).check()
        assert before["recipe_id"] == recipe_id
        arrays = add_evidence(earlier, arrays)
        n_games, n_decisions = n_games + before["games"], n_decisions + before["decisions"]
    with TemporaryDirectory() as folder:
        careers = Workspace(Path(folder) / "careers.assay")
        careers.import_games(given.careers)
        results = results_by_year(list(classical_games(careers)))
    groups = [(player, int(year)) for player, year in arrays["groups"].tolist()]
    arrays["results"] = np.array([results[key] for key in groups])
    about = workspace.recipes()[recipe_id]
    header = {
        "what": WHAT,
        "format": FORMAT,
        "recipe_id": recipe_id,
        "recipe": about["recipe"]["name"],
        "engine": about["engine"]["name"],
        "calibration": calibration_hash(recipe_id),
        "features": features_hash(calibration.models),
        "models": {name: calibration.models[name].identity for name in (*BY_MOVES, *BY_GAME)},
        "shapes": {name: list(calibration.models[name].shape) for name in (*BY_MOVES, *BY_GAME)},
        "strengths": {name: calibration.models[name].identity for name in STRENGTHS},
        "games": n_games,
        "decisions": n_decisions,
        "seed": SEED,
        "date": datetime.date.today().isoformat(),
        "born": BORN,
        "prior": asdict(CareerModel(2500.0, *[100.0] * 8)),
    }
    header["prior"] = asdict(career_prior(Champions(header, arrays)))
    write(given.out, header, arrays)
    print(
        f"{header['games']} games, {header['decisions']} decisions, {len(groups)} years of "
        f"{len({player for player, _ in groups})} champions: {given.out.stat().st_size / 1000:.0f} KB"
    )
