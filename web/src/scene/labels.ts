/** Where texts go: none covers another, nor anything else that was reserved. Who comes first has
 * its place; a later one takes another side, or yields. */

export interface Placed {
  readonly x: number;
  readonly y: number;
}

/** Room that is taken, in pixels; found by cells of 64. */
export class Room {
  private readonly cells = new Map<number, number[]>();
  private readonly boxes: number[] = [];

  /** Takes the box, whatever is there. */
  take(x0: number, y0: number, x1: number, y1: number): void {
    const at = this.boxes.length;
    this.boxes.push(x0, y0, x1, y1);
    for (let row = y0 >> 6; row <= y1 >> 6; row++) {
      for (let column = x0 >> 6; column <= x1 >> 6; column++) {
        const key = row * 65536 + column;
        const cell = this.cells.get(key);
        if (cell) cell.push(at);
        else this.cells.set(key, [at]);
      }
    }
  }

  free(x0: number, y0: number, x1: number, y1: number): boolean {
    for (let row = y0 >> 6; row <= y1 >> 6; row++) {
      for (let column = x0 >> 6; column <= x1 >> 6; column++) {
        const cell = this.cells.get(row * 65536 + column);
        if (!cell) continue;
        for (const at of cell) {
          if (
            this.boxes[at] < x1 &&
            this.boxes[at + 2] > x0 &&
            this.boxes[at + 1] < y1 &&
            this.boxes[at + 3] > y0
          )
            return false;
        }
      }
    }
    return true;
  }
}

const HEIGHT = 15;

/** The middle of a text of so many pixels beside a node of a radius at (`x`, `y`): below, above,
 * at the right or at the left, or null if all of these are taken. */
export function beside(
  room: Room,
  x: number,
  y: number,
  radius: number,
  width: number,
): Placed | null {
  const down = radius + 4 + HEIGHT / 2;
  const side = radius + 5 + width / 2;
  const half = width / 2 + 1;
  for (const [dx, dy] of [
    [0, down],
    [0, -down],
    [side, 0],
    [-side, 0],
  ]) {
    const box = [x + dx - half, y + dy - HEIGHT / 2, x + dx + half, y + dy + HEIGHT / 2] as const;
    if (!room.free(...box)) continue;
    room.take(...box);
    return { x: x + dx, y: y + dy };
  }
  return null;
}

/** The middle of a text on a line between two places, near `at` (0…1) of its length, or null. */
export function along(
  room: Room,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  at: number,
  off: number,
  width: number,
): Placed | null {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 24) return null;
  const nx = -(y1 - y0) / length;
  const ny = (x1 - x0) / length;
  // A text that is wider than high needs more distance from a steep line.
  const away = off + HEIGHT / 2 + Math.abs(nx) * (width / 2 - HEIGHT / 2);
  const half = width / 2 + 2;
  for (const [t, side] of [
    [at, 1],
    [at, -1],
    [at - 0.15, 1],
    [at + 0.15, 1],
    [at - 0.15, -1],
  ]) {
    const x = x0 + (x1 - x0) * t + nx * away * side;
    const y = y0 + (y1 - y0) * t + ny * away * side;
    const box = [x - half, y - HEIGHT / 2, x + half, y + HEIGHT / 2] as const;
    if (!room.free(...box)) continue;
    room.take(...box);
    return { x, y };
  }
  return null;
}
