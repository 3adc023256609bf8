import * as z from 'zod/mini';
import { parseJson } from '../../core/support/json.ts';
import type { RequestTool } from '../request.ts';

/** What is used of the schema of a tool's parameters. What it holds else, or wrongly, is let be. */
const withProperties = z.object({ properties: z.record(z.string(), z.unknown()) });
const withRequired = z.object({ required: z.array(z.string()) });
const withType = z.object({ type: z.string() });
const withEnum = z.object({ enum: z.array(z.unknown()) });

const path = /(?:[\w@.-]+\/)+[\w@.-]*|[\w-]+\.[a-z][a-z0-9]{0,5}\b/gi;

/** What looks like a path of a file or folder, each once. */
export function findPaths(question: string): readonly string[] {
  const found = question.match(path) ?? [];
  return [...new Set(found.map((one) => one.replace(/\.$/, '')))];
}

/**
 * Arguments for a call, as JSON: the object that stands in the question if there is one, else one
 * value for each required parameter, and for a `path` when the question has one, found by its type.
 */
export function argumentsFor(
  tool: RequestTool,
  question: string,
  path: string | undefined,
): string {
  const given = objectIn(question);
  if (given !== undefined) return given;
  const schema = tool.function.parameters;
  const properties = withProperties.safeParse(schema).data?.properties ?? {};
  const required = withRequired.safeParse(schema).data?.required ?? [];
  const wanted = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (name === 'path' && path !== undefined),
  );
  return JSON.stringify(
    Object.fromEntries(
      wanted.map(([name, property]) => [name, valueFor(name, property, question, path)]),
    ),
  );
}

function objectIn(question: string): string | undefined {
  const start = question.indexOf('{');
  const end = question.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  const text = question.slice(start, end + 1);
  return parseJson(text) === undefined ? undefined : text;
}

function valueFor(
  name: string,
  schema: unknown,
  question: string,
  path: string | undefined,
): unknown {
  const choices = withEnum.safeParse(schema).data?.enum;
  if (choices !== undefined) return choices[0];
  switch (withType.safeParse(schema).data?.type) {
    case 'number':
    case 'integer':
      return Number(/\b\d{1,9}\b/.exec(question)?.[0] ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return [textFor(name, question, path)];
    case 'object':
      return {};
    default:
      return textFor(name, question, path);
  }
}

function textFor(name: string, question: string, path: string | undefined): string {
  const quoted = /["“`']([^"”`'\n]{1,200})["”`']/.exec(question)?.[1];
  if (/path|file|folder/i.test(name)) return path ?? quoted ?? 'README.md';
  const lastWord = /([\w$.-]*[\w$])\W*$/.exec(question.slice(-200))?.[1];
  return quoted ?? path ?? lastWord ?? question;
}
