/** The canvas that is shown, for commands; there is one, or none while a table is shown. */

interface Shown {
  fitAll(): void;
  zoom(factor: number): void;
  spot(): { x: number; y: number; byPointer: boolean };
  moveFocus(name: string | null): void;
  take(): void;
  planeAt(x: number, y: number): { x: number; y: number };
}

class Current {
  private shown: Shown | null = null;
  names: () => string[] = () => [];

  use(shown: Shown | null, names: () => string[]): void {
    this.shown = shown;
    this.names = names;
  }

  fit(): void {
    this.shown?.fitAll();
  }

  zoom(factor: number): void {
    this.shown?.zoom(factor);
  }

  spot(): { x: number; y: number; byPointer: boolean } {
    return this.shown?.spot() ?? { x: 0, y: 0, byPointer: false };
  }

  /** The place of the plane under a place of the window. */
  planeAt(x: number, y: number): { x: number; y: number } | null {
    return this.shown?.planeAt(x, y) ?? null;
  }

  moveFocus(name: string): void {
    this.shown?.moveFocus(name);
  }

  take(): void {
    this.shown?.take();
  }
}

export const canvas = new Current();
