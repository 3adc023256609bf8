"""A small ledger: entries with tags, sums by month, and a report."""

import datetime
from collections import defaultdict


class Entry:
    def __init__(self, day, amount, tags=None):
        self.day = day
        self.amount = amount
        self.tags = tags or []

    def month(self):
        return self.day.strftime("%Y-%m")


class Ledger:
    def __init__(self):
        self.entries = []

    def add(self, entry):
        if entry.amount == 0:
            raise ValueError("an entry needs an amount")
        self.entries.append(entry)
        return entry

    def by_month(self):
        sums = defaultdict(int)
        for entry in self.entries:
            sums[entry.month()] += entry.amount
        return dict(sums)

    def tagged(self, tag):
        result = []
        for entry in self.entries:
            if tag in entry.tags:
                result.append(entry)
            elif tag == "untagged" and not entry.tags:
                result.append(entry)
        return result

    def report(self, out):
        for month, total in sorted(self.by_month().items()):
            if total < 0:
                out.write(f"{month}: {total} (spent)\n")
            else:
                out.write(f"{month}: {total}\n")


def read(path):
    ledger = Ledger()
    with open(path) as lines:
        for line in lines:
            day, amount, *tags = line.split()
            try:
                parsed = datetime.date.fromisoformat(day)
            except ValueError:
                print("skipped", line)
                continue
            ledger.add(Entry(parsed, int(amount), tags))
    return ledger
