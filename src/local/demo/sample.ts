import { fill, type DemoTexts } from './texts.ts';

/** A function, class or other part of the sample that the demo can explain. */
interface SamplePart {
  readonly file: string;
  readonly mark: string;
  readonly explanation: keyof DemoTexts['explanations'];
}

/** The name of a change, under which its texts are. */
type ChangeName = Exclude<keyof DemoTexts['commits'], 'sample'>;

/** A change of the sample that the demo makes by a command, with a tool, or after a review. */
export interface SampleChange {
  readonly file: string;
  /** `fix`, `improve`, `document` or `test`. */
  readonly task: string;
  readonly name: ChangeName;
  /** Whole lines. */
  readonly search: string;
  readonly replace: string;
}

const temperature = 'src/temperature.ts';
const report = 'server/report.py';
const reportTests = 'server/test_report.py';
const readings = 'data/july.csv';

/** The files of the sample, by their paths. `{{name}}` is a comment. */
const files = {
  [temperature]: String.raw`/** {{temperature}} */
export interface Reading {
  readonly station: string;
  readonly celsius: number;
  readonly takenAt: Date;
}

export function toFahrenheit(celsius: number): number {
  return (celsius * 9) / 5 + 32;
}

export function describe(reading: Reading): string {
  if (reading.celsius < 0) return 'freezing';
  if (reading.celsius < 15) return 'cool';
  return reading.celsius < 28 ? 'warm' : 'hot';
}

export class Station {
  readonly #readings: Reading[] = [];

  add(reading: Reading): void {
    this.#readings.push(reading);
  }

  average(): number {
    const sum = this.#readings.reduce((total, reading) => total + reading.celsius, 0);
    return sum / this.#readings.length;
  }
}
`,
  [report]: String.raw`"""{{report}}"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Day:
    station: str
    lowest: float
    highest: float


def spread(day: Day) -> float:
    return day.highest - day.lowest


def report(days: list[Day]) -> str:
    lines = [f"{day.station:<12}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]
    return "\n".join(["station        low  high", *lines])


if __name__ == "__main__":
    print(report([Day("harbour", 3.5, 11.0), Day("hill", -1.0, 6.5)]))
`,
  [reportTests]: String.raw`"""{{reportTests}}"""

import unittest

from report import Day, report


class ReportTest(unittest.TestCase):
    def test_each_day_has_a_row(self):
        row = report([Day("hill", -1.0, 6.5)]).split("\n")[1]
        self.assertEqual(row, "hill          -1.0   6.5")

    def test_columns_line_up_below_the_heading(self):
        heading, row = report([Day("harbour lighthouse", 3.5, 11.0)]).split("\n")
        self.assertEqual(len(row), len(heading))


if __name__ == "__main__":
    unittest.main()
`,
  [readings]: `day,lowest,highest
1,12.5,19.0
2,13.0,21.5
3,14.5,24.0
4,16.0,27.5
5,17.5,30.0
6,15.0,22.5
7,12.0,18.5
`,
} as const;

/** Parts in the order in which a reply explains them. */
export const sampleParts: readonly SamplePart[] = [
  { file: temperature, mark: 'interface Reading {', explanation: 'reading' },
  { file: temperature, mark: 'return (celsius * 9) / 5 + 32;', explanation: 'toFahrenheit' },
  { file: temperature, mark: "celsius < 15) return 'cool';", explanation: 'describe' },
  { file: temperature, mark: 'class Station {', explanation: 'station' },
  { file: temperature, mark: 'average(): number', explanation: 'average' },
  { file: temperature, mark: 'average(): number {', explanation: 'noReadings' },
  { file: report, mark: 'class Day:', explanation: 'day' },
  { file: report, mark: 'return day.highest - day.lowest', explanation: 'spread' },
  { file: report, mark: 'def report(days: list[Day])', explanation: 'report' },
  { file: report, mark: '{day.station:<12}', explanation: 'longNames' },
  { file: reportTests, mark: 'class ReportTest', explanation: 'reportTests' },
  { file: readings, mark: 'day,lowest,highest', explanation: 'readings' },
];

/** Each is a line with file, task and name, and the lines of a diff. */
const patches = String.raw`src/temperature.ts fix average
-  average(): number {
+  average(): number | undefined {
+    if (this.#readings.length === 0) return undefined;

src/temperature.ts improve describe
-  if (reading.celsius < 0) return 'freezing';
-  if (reading.celsius < 15) return 'cool';
-  return reading.celsius < 28 ? 'warm' : 'hot';
+  const { celsius } = reading;
+  if (celsius < 0) return 'freezing';
+  if (celsius < 15) return 'cool';
+  if (celsius < 28) return 'warm';
+  return 'hot';

src/temperature.ts document document
+/** {{toFahrenheit}} */
 export function toFahrenheit(celsius: number): number {

src/temperature.ts document document
+/** {{describe}} */
 export function describe(reading: Reading): string {

src/temperature.ts document document
+/** {{station}} */
 export class Station {

src/temperature.ts document document
+  /** {{average}} */
   average(): number {

src/temperature.ts document document
+  /** {{averageOrNone}} */
   average(): number | undefined {

server/report.py fix columns
-    lines = [f"{day.station:<12}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]
-    return "\n".join(["station        low  high", *lines])
+    width = max([12, *(len(day.station) + 1 for day in days)])
+    lines = [f"{day.station:<{width}}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]
+    return "\n".join([f"{'station':<{width}}{'low':>6}{'high':>6}", *lines])

server/report.py improve slots
-@dataclass(frozen=True)
+@dataclass(frozen=True, slots=True)

server/report.py document document
 class Day:
+    """{{day}}"""
+
     station: str

server/report.py document document
 def spread(day: Day) -> float:
+    """{{spread}}"""
     return day.highest - day.lowest

server/report.py document document
 def report(days: list[Day]) -> str:
+    """{{rows}}"""
     lines = [f"{day.station:<12}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]

server/report.py document document
 def report(days: list[Day]) -> str:
+    """{{rows}}"""
     width = max([12, *(len(day.station) + 1 for day in days)])

server/test_report.py test spread
-from report import Day, report
+from report import Day, report, spread

server/test_report.py test spread
+class SpreadTest(unittest.TestCase):
+    def test_spread_is_the_difference_of_the_extremes(self):
+        self.assertEqual(spread(Day("hill", -1.0, 6.5)), 7.5)
+
+    def test_a_day_without_change_has_no_spread(self):
+        self.assertEqual(spread(Day("harbour", 4.0, 4.0)), 0.0)
+
+
 if __name__ == "__main__":`;

/** New test files for files of the sample; `{module}` is the path of the tested file. */
const tests: Readonly<Record<string, string>> = {
  [temperature]: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, Station, toFahrenheit } from '{module}';

const reading = (celsius: number) => ({ station: 'harbour', celsius, takenAt: new Date(0) });

test('water freezes at 32 °F and boils at 212 °F', () => {
  assert.equal(toFahrenheit(0), 32);
  assert.equal(toFahrenheit(100), 212);
});

test('the scales meet at 40 degrees below zero', () => {
  assert.equal(toFahrenheit(-40), -40);
});

test('a description changes exactly at its limit', () => {
  const words = [-0.1, 0, 14.9, 15, 27.9, 28].map((celsius) => describe(reading(celsius)));
  assert.deepEqual(words, ['freezing', 'cool', 'cool', 'warm', 'warm', 'hot']);
});

test('a station averages its readings', () => {
  const station = new Station();
  for (const celsius of [3.5, 11, 6.5]) station.add(reading(celsius));
  assert.equal(station.average(), 7);
});`,
};

const names: ReadonlySet<string> = new Set<ChangeName>([
  'average',
  'columns',
  'describe',
  'slots',
  'document',
  'spread',
]);

function isChangeName(name: string): name is ChangeName {
  return names.has(name);
}

export const testCommand = 'python3 server/test_report.py';

/** The sample with the comments of one language. */
export interface Sample {
  /** Files that the demo creates, by path. */
  readonly files: Readonly<Record<keyof typeof files, string>>;
  readonly changes: readonly SampleChange[];
  /** New test files for files of the sample; `{module}` is the path of the tested file. */
  readonly tests: Readonly<Record<string, string>>;
}

export function createSample(comments: DemoTexts['comments']): Sample {
  const lines = { ...comments, reportTests: fill(comments.reportTests, { command: testCommand }) };
  const withComments = (text: string): string => fill(text, lines);
  const written = {
    [temperature]: withComments(files[temperature]),
    [report]: withComments(files[report]),
    [reportTests]: withComments(files[reportTests]),
    [readings]: files[readings],
  };
  return {
    files: written,
    changes: withComments(patches).split('\n\n').flatMap(changeOf),
    tests: { ...tests, [report]: written[reportTests].trimEnd() },
  };
}

function changeOf(patch: string): readonly SampleChange[] {
  const [heading = '', ...lines] = patch.split('\n');
  const [file = '', task = '', name = ''] = heading.split(' ');
  const without = (mark: string): string =>
    lines.flatMap((line) => (line.startsWith(mark) ? [] : [line.slice(1)])).join('\n');
  if (!isChangeName(name)) return [];
  return [{ file, task, name, search: without('+'), replace: without('-') }];
}
