// What is asked before a paste goes to a shell. Pure.

/** What will be pasted: a shell gets a paste of one line at once, of several lines after a question. */
export interface Paste {
  text: string;
  lines: number;
  asks: boolean;
}

export function pasteOf(text: string): Paste {
  const unified = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const lines = unified
    .split('\n')
    .filter((line, index, all) => line !== '' || index < all.length - 1).length;
  // One line with its end would run at once: that asks, too.
  return { text: unified, lines, asks: unified.includes('\n') };
}
