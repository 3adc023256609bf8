import { fencedCode } from '../core/support/text.ts';
import type { EditRequest } from './demoEditRequest.ts';
import { followInstruction } from './demoInstructions.ts';
import { fixReviewed, isReviewFix } from './demoReview.ts';
import { testsOf } from './demoTests.ts';
import type { ScriptedReply } from './scriptedReply.ts';

/**
 * The reply to a command that changes code: the whole new text of the piece, with only changes that
 * are certainly right, or words for an instruction that is not in the script.
 */
export function replyToEdit(request: EditRequest): ScriptedReply {
  if (request.kind === 'tests') {
    const tests = testsOf(request);
    return { content: tests === undefined ? noTests : fencedCode(tests, request.language) };
  }
  if (request.task.startsWith('Merge the change below')) return { content: noPlace };
  if (request.piece.trim() === '') return { content: unknownInstruction };
  const piece = isReviewFix(request.task) ? fixReviewed(request) : followInstruction(request);
  return {
    content: piece === undefined ? unknownInstruction : fencedCode(piece, request.language),
  };
}

const scripted = 'I’m Aside’s scripted demo, not a language model.';

const unknownInstruction = `${scripted} I can’t follow this instruction here, so I changed nothing. I know “add a comment”, “rename a to b”, “sort lines”, “sort imports”, “remove comments”, “remove blank lines” and “document this”. Connect a service for any other instruction.`;

const noTests = `${scripted} I can’t write tests for this file. I know TypeScript, JavaScript, Python, Go, Rust, Java, Ruby and PHP. Connect a service for other languages.`;

const noPlace = `${scripted} I can’t tell where this code belongs. Connect a service, or insert the code at the cursor.`;
