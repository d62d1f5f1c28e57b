"""One log record to one job, by a map; counts what went to a default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from policyctl.adapters.log_attempts import Lived
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_notes import LogNotes
from policyctl.adapters.log_record import LogRecord
from policyctl.adapters.printable import printable
from policyctl.model.jobs import Job
from policyctl.units import Instant, MilliGpu

__all__ = ["JobMaker"]

_NAMED = 5
_Key = tuple[str, str, str, str, str]


@dataclass(slots=True)
class JobMaker:
    """Makes jobs of records; `counted_anywhere` says whether any record of the log counts GPUs at all."""

    log_map: LogMap
    notes: LogNotes
    pools: Collection[str] | None
    counted_anywhere: bool = True
    _numbers: dict[str, int] = field(default_factory=dict)
    _unmapped: Counter[tuple[str, str]] = field(default_factory=Counter)
    _targets: dict[_Key, tuple[str | None, str | None]] = field(default_factory=dict)

    def counted(self) -> dict[str, int]:
        """Return how many jobs needed which default."""
        return dict(self._numbers)

    def job(self, one: Lived, *, at: Instant, running: bool, past: bool) -> Job | None:
        """Return the job of a record, started if it runs or ran (`past`); None where no pool takes it."""
        record, log_map = one.record, self.log_map
        mapped_account, mapped_pool = self._target(record)
        pool = mapped_pool or log_map.default_pool
        if pool is None or (self.pools is not None and pool not in self.pools):
            self._no_pool(record, pool)
            return None
        account = mapped_account or log_map.default_account
        start = record.start if running else None
        gpus = self._gpus(record, pool, mapped=mapped_pool is not None)
        self._note_defaults(record, mapped_account, mapped_pool)
        return Job(
            id=printable(one.id),
            account=account,
            user=printable(record.user) or log_map.default_user,
            pool=pool,
            gpus=gpus,
            nodes=record.nodes or self._nodes(gpus),
            submit=one.first if start is None else min(one.first, start),
            start=start,
            min_runtime=log_map.runtime(record, account),
            time_limit=record.time_limit,
            priority=record.priority or 0,
            kind=record.kind or ("interactive" if log_map.is_interactive(record) else "batch"),
            resumable=record.resumable,
            labels=self._labels(record),
            preemptions=() if past else tuple(time for time in one.preemptions if time <= at),
            placement=record.placement if running and not past else None,
        )

    def _target(self, record: LogRecord) -> tuple[str | None, str | None]:
        """Return account and pool by the rules; equal words map equally, so each combination is matched once."""
        key = (record.group, record.user, record.partition, record.qos, record.name)
        found = self._targets.get(key)
        if found is None:
            found = self._targets[key] = (self.log_map.account(record), self.log_map.pool(record))
        return found

    def _no_pool(self, record: LogRecord, pool: str | None) -> None:
        where = f"partition `{record.partition}`" if record.partition else "a record without a partition"
        if pool is None:
            message, hint = (
                f"no pool for {where}, in {{count}}: {{which}}",
                "add a rule to `pools`, or a `defaultPool`",
            )
        else:
            message, hint = (
                f"no Cluster document has pool `{pool}`, in {{count}}: {{which}}",
                "mend the map, or add the pool",
            )
        self.notes.count("L005", message, number=record.number, line=record.line, help=hint)

    def _gpus(self, record: LogRecord, pool: str, *, mapped: bool) -> MilliGpu:
        if self.log_map.gpus_from == "processors":
            return MilliGpu((record.processors or 0) * 1000)
        if not record.gpus_counted and (mapped or not self.counted_anywhere):
            self.notes.count(
                "L008",
                f"the log counts no GPUs in {{count}} of pool `{pool}`: {{which}}",
                number=record.number,
                line=record.line,
                help="they bill nothing; track `gres/gpu` in AccountingStorageTRES, or write `gpusFrom: processors` in the map",
            )
        elif not record.gpus:
            self._count("without_gpus")
            self.notes.count(
                "L019",
                "{count} without GPUs, kept: they bill nothing",
                number=record.number,
                line=record.line,
            )
        return record.gpus

    def _nodes(self, gpus: MilliGpu) -> int:
        per_node = self.log_map.gpus_per_node
        return max(1, -(-gpus // (per_node * 1000))) if per_node else 1

    def _note_defaults(self, record: LogRecord, account: str | None, pool: str | None) -> None:
        number, line = record.number, record.line
        if account is None:
            self._count("default_account")
            self._unmapped["group", record.group] += 1
        if pool is None:
            self._count("default_pool")
            self._unmapped["partition", record.partition] += 1
        if not record.user:
            self._count("default_user")
            self.notes.count(
                "L020",
                f"{{count}} without a user: they share the user `{self.log_map.default_user}`",
                number=number,
                line=line,
            )
        if record.nodes is None:
            way_out = (
                None
                if self.log_map.gpus_per_node
                else "write `gpusPerNode` in the map, or each job counts as one node"
            )
            self.notes.count(
                "L020", "{count} without a number of nodes: {which}", number=number, line=line, help=way_out
            )

    def say_defaults(self) -> None:
        """Note what no rule took, and where it went: one finding for accounts, one for pools if any rule is about them."""
        targets = (
            ("group", "account", self.log_map.default_account, "accounts"),
            ("partition", "pool", self.log_map.default_pool, "pools"),
        )
        for word, noun, target, rules in targets:
            seen = {text: number for (kind, text), number in self._unmapped.items() if kind == word}
            if not seen or (noun == "pool" and not self.log_map.pools):
                continue  # a map with a default pool alone means it: a cluster with one pool needs no rules
            most = sorted(seen, key=lambda text: (-seen[text], text))
            named = ", ".join(f"`{text or 'unknown'}` ({seen[text]})" for text in most[:_NAMED])
            more = f" and {len(most) - _NAMED} more" if len(most) > _NAMED else ""
            total = sum(seen.values())
            what = "1 record has no rule and goes" if total == 1 else f"{total} records have no rule and go"
            message = f"{what} to {noun} `{target}`; by {word}: {named}{more}"
            self.notes.say("L017", message, help=f"add a rule to `{rules}` in the map")

    def _count(self, name: str) -> None:
        self._numbers[name] = self._numbers.get(name, 0) + 1

    def _labels(self, record: LogRecord) -> dict[str, str]:
        return {
            name: printable(text) for name in sorted(self.log_map.labels) if (text := getattr(record, name))
        }
