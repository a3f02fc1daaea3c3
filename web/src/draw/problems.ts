/** Which node or link a message is about, by its line. */

import type { Diagnostic, Graph } from './document.svelte';

export interface Problem {
  readonly diagnostic: Diagnostic;
  readonly node?: string;
  readonly link?: string;
}

export function problemsOf(graph: Graph): Problem[] {
  // An entry may reach to the first line of the next one, so the last that covers a line is meant.
  return graph.diagnostics.map((diagnostic) => {
    const covers = (origin?: { line?: number | null; end_line?: number | null }): boolean =>
      origin?.line !== undefined &&
      origin.line !== null &&
      origin.line <= diagnostic.line &&
      diagnostic.line <= (origin.end_line ?? origin.line);
    const link = graph.links.findLast((of) => covers(of.origin))?.name;
    const node =
      link === undefined ? graph.nodes.findLast((of) => covers(of.origin))?.name : undefined;
    return { diagnostic, node, link };
  });
}
