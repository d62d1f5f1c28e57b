"""Findings placed where the caller stands, in each of the formats."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from policyctl.cli.options import coloured
from policyctl.diagnostics import Place, Report
from policyctl.render import findings_github, findings_json, findings_junit, findings_sarif, findings_text
from policyctl.workspace.repository import path_in_repository
from policyctl.workspace.shipped import rule_pages

__all__ = ["FORMATS", "beside_caller", "rendered"]


def _text(report: Report, folder: Path) -> str:
    return findings_text.render(beside_caller(report, folder), colour=coloured())


def _json(report: Report, folder: Path) -> str:
    return findings_json.render(beside_caller(report, folder))


def _junit(report: Report, folder: Path) -> str:
    return findings_junit.render(beside_caller(report, folder))


def _github(report: Report, folder: Path) -> str:
    return findings_github.render(report, root=path_in_repository(folder))


def _sarif(report: Report, folder: Path) -> str:
    return findings_sarif.render(report, root=path_in_repository(folder), pages=rule_pages())


FORMATS: dict[str, Callable[[Report, Path], str]] = {
    "text": _text,
    "json": _json,
    "github": _github,
    "sarif": _sarif,
    "junit": _junit,
}


def rendered(report: Report, folder: Path, output: str) -> str:
    """Return the report in one of the formats; `folder` is the policy root that its places are relative to.

    For people and programs that stand where the command was called, files are named from there; for GitHub and
    SARIF, whose readers only know the repository, from its top.
    """
    return FORMATS[output](report, folder)


def beside_caller(report: Report, folder: Path) -> Report:
    """Name every file of the report as the caller would open it: `policies/cluster.yaml`."""
    if folder == Path():
        return report
    names = {name: (folder / name).as_posix() for name in report.sources}

    def moved(place: Place) -> Place:
        return dataclasses.replace(place, file=names.get(place.file, place.file))

    findings = tuple(
        dataclasses.replace(
            one,
            place=moved(one.place),
            related=tuple(dataclasses.replace(other, place=moved(other.place)) for other in one.related),
        )
        for one in report.findings
    )
    sources = {names[name]: text for name, text in report.sources.items()}
    return dataclasses.replace(report, findings=findings, sources=sources)
