/** Where each resolved value comes from (`/api/resolve`), asked for while a form is shown. */

import { ApiFailure, api } from '../live/http';

export interface Layered {
  readonly key: string;
  readonly value: string;
  readonly layer: string;
  readonly line?: number | null;
}

type Values = { readonly [name: string]: readonly Layered[] };

class Resolved {
  private nodes = $state.raw<Values>({});
  private links = $state.raw<Values>({});
  private timer = 0;
  private asked = '';
  /** A server that has no such route is not asked again. */
  private absent = false;

  ask(text: string, file: string | null): void {
    if (this.absent || text === this.asked) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.fetch(text, file), 300);
  }

  private async fetch(text: string, file: string | null): Promise<void> {
    this.asked = text;
    try {
      const { nodes, links } = await api.post<{ nodes: Values; links: Values }>('/api/resolve', {
        text,
        file,
      });
      this.nodes = nodes;
      this.links = links;
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      // 422: what is not valid has no resolved values; the last ones stay.
      this.absent = failure.status === 404 || failure.status === 501;
    }
  }

  of(what: 'node' | 'link', name: string): ReadonlyMap<string, Layered> | null {
    const values = (what === 'node' ? this.nodes : this.links)[name];
    return values ? new Map(values.map((of) => [of.key, of])) : null;
  }
}

export const resolved = new Resolved();
