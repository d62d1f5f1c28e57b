"""Reads a page as a browser would: its ids and what refers to them, its addresses, its tags and all of its text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["Reader"]

VOID = {"meta", "link"}


class Reader(HTMLParser):
    """Notes the ids, the references, the tags that close, and all text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.wanted: set[str] = set()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in {"aria-labelledby", "aria-describedby"}:
                self.wanted.update((value or "").split())
            elif name in {"href", "src", "xlink:href", "action", "data", "poster", "srcset"}:
                self.addresses.append(value or "")
            assert not name.startswith("on"), f"{tag} {name}"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def dangling(self, page: str) -> set[str]:
        """Return what is referred to, in attributes or in styles, and is not there."""
        wanted = {address[1:] for address in self.addresses if address.startswith("#")}
        return (wanted | self.wanted | set(re.findall(r"url\(#([^)]+)\)", page))) - set(self.ids)
