/** Files that the page makes itself: pictures and tables. */

/** Has the browser save a file. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has its own hold on the content once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A table as CSV (RFC 4180), with a header. */
export function csv(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
