/** The workspace that the demo knows: its files, what it explains, and the changes that it makes. */

export const temperatureFile = 'src/temperature.ts';
export const reportFile = 'server/report.py';
export const reportTestFile = 'server/test_report.py';
export const testCommand = `python3 ${reportTestFile}`;

export const sampleFiles: Readonly<Record<string, string>> = {
  [temperatureFile]: `/** Converts and describes temperatures of the weather station. */
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
  [reportFile]: String.raw`"""Writes the daily report of a weather station as plain text."""

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
  [reportTestFile]: String.raw`"""Tests of the daily report. Run them with: ${testCommand}"""

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
};

/** The tests that are written for `temperature.ts`, in the same folder. */
export const temperatureTests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, Station, toFahrenheit } from './temperature.ts';

const reading = (celsius: number) => ({ station: 'harbour', celsius, takenAt: new Date(0) });

test('water boils at 212 °F', () => assert.equal(toFahrenheit(100), 212));

test('0 °C is no longer freezing', () => assert.equal(describe(reading(0)), 'cool'));

test('a station averages its readings', () => {
  const station = new Station();
  for (const celsius of [3.5, 11, 6.5]) station.add(reading(celsius));
  assert.equal(station.average(), 7);
});`;

/** What a reply says about a file with a mark in it. */
const explanations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [temperatureFile]: {
    'return (celsius * 9) / 5 + 32;': `**\`toFahrenheit\`** converts degrees Celsius to Fahrenheit:

$$F = \\frac{9}{5} \\, C + 32$$

| °C | °F | |
|--:|--:|:--|
| −40 | −40 | both scales meet |
| 0 | 32 | water freezes |
| 15 | 59 | a cool day |
| 100 | 212 | water boils |

It multiplies before it divides, so whole results stay whole: 15 °C is exactly 59 °F. It doesn’t check its parameter, and \`NaN\` stays \`NaN\`.`,
    "celsius < 15) return 'cool';":
      '**`describe`** puts a reading into a word: freezing below 0 °C, cool below 15 °C, warm below 28 °C, otherwise hot. Look out for `NaN`: it is below no limit, so it’s described as hot.',
    'average(): number': `**\`average\`** is the mean of all readings:

$$\\bar{T} = \\frac{1}{n} \\sum_{i=1}^{n} T_i$$`,
    'average(): number {':
      'Look out for a station without readings: $n$ is 0 then, and the result is `NaN`. Select the method and run **Aside: Fix** to change that.',
  },
  [reportFile]: {
    'class Day:':
      '**`Day`** has the lowest and the highest temperature of a day. It’s frozen: its values can’t change, and days can be compared and be keys of a dictionary.',
    'return day.highest - day.lowest': `**\`spread\`** is by how many degrees the temperature changed during a day:

$$\\Delta T = T_{max} - T_{min}$$

For the hill, that’s $6.5 - (-1) = 7.5$ degrees.`,
    'def report(days: list[Day])':
      '**`report`** writes a heading and a row for each day. Each number takes six columns, with one decimal.',
    '{day.station:<12}':
      'Look out for a name of more than twelve characters: it moves the numbers of its row to the right, and a test fails for that reason. Send “the test fails, fix it” to have it repaired.',
  },
};

export type ChangeTask = 'fix' | 'improve' | 'document';

/** A change that the demo makes by a command, with a tool, or after a review. */
export interface SampleChange {
  readonly file: string;
  readonly task: ChangeTask;
  /** Whole lines. */
  readonly search: string;
  readonly replace: string;
  /** Subject of a commit message. */
  readonly commit: string;
  /** Body of the commit message. */
  readonly reason?: string;
  /** Comment of a review that asks for the change. */
  readonly review?: string;
}

/** Comments on lines of files. */
const comments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [temperatureFile]: {
    'export function toFahrenheit(celsius: number): number {':
      'Converts degrees Celsius to Fahrenheit: 0 °C is 32 °F, and 100 °C is 212 °F.',
    'export function describe(reading: Reading): string {':
      'Describes a reading in a word: freezing below 0 °C, cool below 15 °C, warm below 28 °C, else hot.',
  },
  [reportFile]: {
    'class Day:': 'The lowest and highest temperature of a day, in degrees Celsius.',
    'def spread(day: Day) -> float:':
      'Return by how many degrees the temperature changed during the day.',
    'def report(days: list[Day]) -> str:': 'Return a heading and a row for each day, in columns.',
  },
};

export const sampleChanges: readonly SampleChange[] = [
  {
    file: temperatureFile,
    task: 'fix',
    search: '  average(): number {',
    replace: `  average(): number | undefined {
    if (this.#readings.length === 0) return undefined;`,
    commit: 'Return undefined for the average of a station without readings',
    reason: 'The sum was divided by zero, and NaN was described as hot.',
    review:
      'A station without readings divides by zero: its average is `NaN`, which `describe` calls hot. Return `undefined` when there are no readings.',
  },
  {
    file: reportFile,
    task: 'fix',
    search: String.raw`    lines = [f"{day.station:<12}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]
    return "\n".join(["station        low  high", *lines])`,
    replace: String.raw`    width = max([12, *(len(day.station) + 1 for day in days)])
    lines = [f"{day.station:<{width}}{day.lowest:6.1f}{day.highest:6.1f}" for day in days]
    return "\n".join([f"{'station':<{width}}{'low':>6}{'high':>6}", *lines])`,
    commit: 'Widen the first column of the report for long names',
    reason: 'A name of more than twelve characters moved the numbers out of their columns.',
    review:
      'A name of more than twelve characters moves the numbers of its row out of their columns. Make the first column as wide as the longest name.',
  },
  {
    file: temperatureFile,
    task: 'improve',
    search: `  if (reading.celsius < 0) return 'freezing';
  if (reading.celsius < 15) return 'cool';
  return reading.celsius < 28 ? 'warm' : 'hot';`,
    replace: `  const { celsius } = reading;
  if (celsius < 0) return 'freezing';
  if (celsius < 15) return 'cool';
  if (celsius < 28) return 'warm';
  return 'hot';`,
    commit: 'Describe temperatures in one list of limits',
  },
  ...Object.entries(comments).flatMap(([file, lines]) =>
    Object.entries(lines).map(([line, comment]) => ({
      file,
      task: 'document' as const,
      search: line,
      replace: file.endsWith('.py')
        ? `${line}\n    """${comment}"""`
        : `/** ${comment} */\n${line}`,
      commit: 'Document the weather station',
    })),
  ),
];

/** True if a path or a label means a file of the sample, in whatever folder the sample is. */
export function isSampleFile(path: string, file: string): boolean {
  return path.split(/[^\w.-]+/).includes(file.slice(file.lastIndexOf('/') + 1));
}

/**
 * Explanations of the sample's code; empty for other code.
 * @param path of the file, or a label with it
 */
export function explanationsOf(path: string, text: string): readonly string[] {
  return Object.entries(explanations)
    .filter(([file]) => isSampleFile(path, file))
    .flatMap(([, texts]) => Object.entries(texts))
    .flatMap(([mark, explanation]) => (text.includes(mark) ? [explanation] : []));
}

/**
 * The changes of a task that fit a text as it is.
 * @param before the text above it, which may have the change already
 */
export function changesOf(
  task: ChangeTask,
  path: string,
  text: string,
  before = '',
): readonly SampleChange[] {
  return sampleChanges.filter(
    (change) =>
      change.task === task &&
      isSampleFile(path, change.file) &&
      withChanges(text, [change]) !== text &&
      !`${before}\n${text}`.includes(change.replace),
  );
}

export function withChanges(text: string, changes: readonly SampleChange[]): string {
  const changed = changes.reduce(
    (lines, { search, replace }) => lines.replace(`\n${search}\n`, () => `\n${replace}\n`),
    `\n${text}\n`,
  );
  return changed.slice(1, -1);
}
