"""The machine that figures come from: without it a figure says little.

This module knows nothing of what is measured.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    expat: str
    numba: str
    lxml: str
    load: float  # average number of busy cores in the last minute before the run: others' work makes figures worse

    @staticmethod
    def here() -> Machine:
        from pyexpat import EXPAT_VERSION

        return Machine(
            processor=_processor(),
            cores=len(os.sched_getaffinity(0)),
            memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            expat=EXPAT_VERSION.removeprefix("expat_"),
            numba=version("numba"),
            lxml=version("lxml"),
            load=round(os.getloadavg()[0], 2),
        )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
