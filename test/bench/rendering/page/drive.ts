import { cut, reply, type Size } from '../corpus.ts';
import { nextFrame } from './frame.ts';
import type { CreateSubject, Subject } from './subject.ts';

/** Milliseconds of a frame at 60 Hz. */
const frameTime = 1000 / 60;
/** Frames after the last text: some subjects continue to render. */
const restFrames = 10;

/** The pace of the text: chunks per frame, or per second. */
export type Pace = { readonly perFrame: number } | { readonly perSecond: number };

interface Streamed {
  readonly frames: number;
  /** Frames of the screen without a frame of the page. */
  readonly dropped: number;
}

interface Prepared {
  readonly scroller: HTMLElement;
  readonly subject: Subject;
  readonly chunks: readonly string[];
}

let prepared: Prepared | undefined;

/** Creates the text and an empty subject before the measurement. */
export async function prepare(create: CreateSubject, size: Size): Promise<void> {
  const scroller = document.createElement('div');
  scroller.className = 'bench-scroller';
  document.body.replaceChildren(scroller);
  prepared = { scroller, subject: create(scroller), chunks: cut(reply(size)) };
  await nextFrame();
}

/** Streams the prepared text. Scrolls to the end in every frame. */
export async function stream(pace: Pace): Promise<Streamed> {
  if (prepared === undefined) throw new Error('Nothing was prepared.');
  const { scroller, subject, chunks } = prepared;
  const start = await nextFrame();
  let last = start;
  let frames = 0;
  let dropped = 0;
  for (let sent = 0; sent < chunks.length; frames++) {
    const due = Math.min(chunks.length, duePieces(pace, frames + 1, last - start));
    for (; sent < due; sent++) subject.push(chunks[sent] ?? '');
    const now = await nextFrame();
    scroller.scrollTop = scroller.scrollHeight;
    dropped += Math.max(0, Math.round((now - last) / frameTime) - 1);
    last = now;
  }
  subject.end();
  for (let frame = 0; frame < restFrames; frame++) {
    await nextFrame();
    scroller.scrollTop = scroller.scrollHeight;
  }
  return { frames, dropped };
}

function duePieces(pace: Pace, frames: number, elapsed: number): number {
  return 'perFrame' in pace ? frames * pace.perFrame : Math.ceil((elapsed * pace.perSecond) / 1000);
}
