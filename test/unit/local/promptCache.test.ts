import assert from 'node:assert/strict';
import { PromptCache, type CountedMessage } from '../../../src/local/completionsEndpoint.ts';

function prompt(...messages: readonly string[]): readonly CountedMessage[] {
  return messages.map((json) => ({ json, tokens: json.length }));
}

describe('PromptCache', () => {
  it('finds the longest shared prefix of messages', () => {
    const cache = new PromptCache();
    assert.equal(cache.use('key', prompt('one', 'two')), 0);
    assert.equal(cache.use('key', prompt('one', 'two', 'three')), 6);
    assert.equal(cache.use('key', prompt('one', 'other', 'three')), 3);
    assert.equal(cache.use('key', prompt('two', 'three')), 0);
  });

  it('uses the longest prefix of all earlier prompts', () => {
    const cache = new PromptCache();
    cache.use('key', prompt('a', 'b', 'c'));
    cache.use('key', prompt('a'));
    assert.equal(cache.use('key', prompt('a', 'b', 'd')), 2);
  });

  it('separates the prompts of different keys', () => {
    const cache = new PromptCache();
    cache.use('first', prompt('one'));
    assert.equal(cache.use('second', prompt('one')), 0);
  });
});
