"""Memory, seen by the operating system, in processes of their own.

A child process compiles its kernels and warms up on a small matcher first, then adds subscriptions line by line
from a file, so that neither the compiler nor the texts count; what grows between is what the subscriptions take, the
index, the ids and the caches that matching fills included.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from xylem.experiments.benchmark.lab import Lab, match_all
from xylem.experiments.benchmark.results import Figure, Target
from xylem.experiments.benchmark.workloads import Workload, mixed_schema, sized_documents

_WARMING = 500  # subscriptions of the small matcher
_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)


def memory(lab: Lab) -> Iterator[Figure]:
    """Bytes a subscription, and bytes a byte of a large document."""
    sizes = [size for size in _SIZES if size <= lab.scale.largest_document]
    large = sized_documents(mixed_schema(lab.data), sizes)
    for workload in lab.workloads():
        lab.say(f"measuring memory in another process ({workload.name})")
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), workload, large)
            found = _in_child(Path(folder), lab.engine)
        yield _subscription_figure(workload, found, lab.scale.name == "full")
        yield _document_figure(workload, found)


def _subscription_figure(workload: Workload, found: dict[str, list[int]], full: bool) -> Figure:
    count = len(workload.subscriptions)
    before, added, matched = found["resident"]
    facts: dict[str, float | int | str] = {
        "subscriptions": count,
        "MB in all": round((matched - before) / 1e6, 1),
        "before the first match": round((added - before) / count),
        "bytes of text": round(sum(len(xpath) for _, xpath in workload.subscriptions) / count, 1),
    }
    target = Target(1_500) if full else None
    return Figure(f"memory, {workload.name}", (matched - before) / count, "B a subscription", target, facts=facts)


def _document_figure(workload: Workload, found: dict[str, list[int]]) -> Figure:
    """How much the peak rises from the second largest document to the largest, for each byte between them; the
    first ones fill buffers that are kept."""
    sizes, peaks = found["sizes"], found["peaks"]
    rise = (peaks[-1] - peaks[-2]) / (sizes[-1] - sizes[-2])
    facts: dict[str, float | int | str] = {
        f"{size:,} B": f"peak +{(peak - found['resident'][-1]) / 1e6:,.1f} MB"
        for size, peak in zip(sizes, peaks, strict=True)
    }
    return Figure(f"peak memory of a match, {workload.name}", rise, "B a byte of document", None, facts=facts)


def _write(folder: Path, workload: Workload, large: Sequence[bytes]) -> None:
    lines = (f"{identifier}\t{xpath}\n" for identifier, xpath in workload.subscriptions)
    (folder / "subscriptions.tsv").write_text("".join(lines), encoding="utf-8")
    for kind, documents in (("warm", workload.warm), ("large", large)):
        for number, document in enumerate(documents):
            (folder / f"{kind}-{number:04}.xml").write_bytes(document)


def _in_child(folder: Path, engine: str) -> dict[str, list[int]]:
    command = [sys.executable, "-m", __name__, str(folder), engine]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RuntimeError(f"the process that measures memory ended with {done.returncode}: {last}")
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


def _measure(folder: Path, engine: str) -> dict[str, list[int]]:
    """What the child does."""
    from xylem import Matcher

    warm = [path.read_bytes() for path in sorted(folder.glob("warm-*.xml"))]
    small = Matcher(engine=engine)
    with (folder / "subscriptions.tsv").open(encoding="utf-8") as lines:
        for _, line in zip(range(_WARMING), lines, strict=False):
            small.add(*line.rstrip("\n").split("\t", 1))
    match_all(small, warm)
    del small
    resident = [_resident()]
    matcher = Matcher(engine=engine)
    with (folder / "subscriptions.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            matcher.add(*line.rstrip("\n").split("\t", 1))
    resident.append(_resident())
    match_all(matcher, warm)
    resident.append(_resident())
    sizes, peaks = [], []
    for path in sorted(folder.glob("large-*.xml")):
        document = path.read_bytes()
        _forget_peak()
        len(matcher.match(document))
        sizes.append(len(document))
        peaks.append(_status("VmHWM"))
    return {"resident": resident, "sizes": sizes, "peaks": peaks}


def _resident() -> int:
    """Bytes resident once all that can be given back has been."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return _status("VmRSS")


def _forget_peak() -> None:
    """Makes the kernel count the peak anew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), sys.argv[2])))
