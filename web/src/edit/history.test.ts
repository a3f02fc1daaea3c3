import { expect, test } from 'vitest';
import { History } from './history';

test('undo and redo go through steps, and a new step forgets what was undone', () => {
  const history = new History({ text: 'a', what: 'open' });
  history.enter('b', 'add b', 0);
  history.enter('c', 'add c', 10);
  expect([history.undo(), history.text, history.canRedo]).toEqual(['add c', 'b', 'add c']);
  expect([history.undo(), history.undo(), history.text]).toEqual(['add b', null, 'a']);
  expect([history.redo(), history.text]).toEqual(['add b', 'b']);
  history.enter('d', 'add d', 20);
  expect([history.redo(), history.canUndo]).toEqual([null, 'add d']);
});

test('typing without a pause is one step', () => {
  const history = new History({ text: '', what: 'open' });
  history.enter('a', 'type', 0, true);
  history.enter('ab', 'type', 400, true);
  history.enter('abc', 'type', 2000, true);
  expect([history.undo(), history.text]).toEqual(['type', 'ab']);
  expect([history.undo(), history.text]).toEqual(['type', '']);
});
