import { drawDiff, isDiff } from './diff.js';
import { paint, textOf } from './span.js';

const DIFF = `Edit a.txt (+2 −1 lines)
--- a.txt
+++ a.txt
@@ -1,3 +1,4 @@
 kept
-the old word
+the new word
+another line`;

describe(drawDiff.name, () => {
  it('draws every line', () => {
    expect(drawDiff(DIFF, 80).map(textOf)).toEqual(DIFF.split('\n'));
  });

  it('marks the words that differ in a line that replaces one', () => {
    const lines = drawDiff('@@ -1 +1 @@\n-the old word here\n+the new word here', 80);
    expect(paint(lines[1]!, true)).toContain('\u001B[31;7mold\u001B[0m');
    expect(paint(lines[2]!, true)).toContain('\u001B[32;7mnew\u001B[0m');
  });

  it('wraps long lines', () => {
    expect(drawDiff(`+${'x'.repeat(50)}`, 20).map(textOf)).toHaveLength(3);
  });
});

it('knows a diff', () => {
  expect([DIFF, 'a @@ b', 'Run @@'].map(isDiff)).toEqual([true, false, false]);
});
