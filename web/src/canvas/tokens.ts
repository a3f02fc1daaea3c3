/** Colours and fonts of `tokens.css` for the canvas, as they are now: light, dark or forced. */

export class Tokens {
  private values = new Map<string, string>();

  /** The value of a token like `--accent`. */
  of(name: string): string {
    let value = this.values.get(name);
    if (value === undefined) {
      value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      this.values.set(name, value);
    }
    return value;
  }

  font(font: 'name' | 'strong' | 'number'): string {
    if (font === 'number') return `11px ${this.of('--mono')}`;
    return `${font === 'strong' ? '600 ' : ''}12px ${this.of('--sans')}`;
  }

  /** Calls `changed` whenever the scheme of colours has. Returns what ends that. */
  watch(changed: () => void): () => void {
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((of) =>
      matchMedia(of),
    );
    const listen = (): void => {
      this.values = new Map();
      changed();
    };
    for (const query of queries) query.addEventListener('change', listen);
    return () => {
      for (const query of queries) query.removeEventListener('change', listen);
    };
  }
}
