// Tabs of terminals, each split into panes side by side. Pure: panes are known by number.

export interface Tab {
  id: number;
  panes: number[];
}

export interface Layout {
  tabs: readonly Tab[];
  /** The tab that is shown, and the pane that has the keys. */
  tab: number | null;
  pane: number | null;
}

export const EMPTY: Layout = { tabs: [], tab: null, pane: null };
/** Panes of one tab: more are too narrow to read. */
export const MOST_PANES = 4;

/** Opens a pane in a tab of its own. */
export function opened(layout: Layout, pane: number): Layout {
  return { tabs: [...layout.tabs, { id: pane, panes: [pane] }], tab: pane, pane };
}

/** Opens a pane beside the one that has the keys; in a tab of its own if there is no room. */
export function split(layout: Layout, pane: number): Layout {
  const tab = layout.tabs.find(({ id }) => id === layout.tab);
  if (tab === undefined || tab.panes.length >= MOST_PANES) return opened(layout, pane);
  const at = tab.panes.indexOf(layout.pane ?? -1) + 1 || tab.panes.length;
  const panes = [...tab.panes.slice(0, at), pane, ...tab.panes.slice(at)];
  return { ...layout, tabs: layout.tabs.map((of) => (of === tab ? { ...tab, panes } : of)), pane };
}

/** Closes a pane; its neighbour gets the keys, or the tab before. */
export function closed(layout: Layout, pane: number): Layout {
  const index = layout.tabs.findIndex(({ panes }) => panes.includes(pane));
  const tab = layout.tabs[index];
  if (tab === undefined) return layout;
  const panes = tab.panes.filter((of) => of !== pane);
  if (panes.length > 0) {
    const near = panes[Math.max(0, tab.panes.indexOf(pane) - 1)] ?? null;
    const tabs = layout.tabs.map((of) => (of === tab ? { ...tab, panes } : of));
    return { ...layout, tabs, pane: layout.pane === pane ? near : layout.pane };
  }
  const tabs = layout.tabs.filter((of) => of !== tab);
  if (layout.tab !== tab.id) return { ...layout, tabs };
  const next = tabs[Math.max(0, index - 1)] ?? null;
  return { tabs, tab: next?.id ?? null, pane: next?.panes[0] ?? null };
}

/** Shows a pane and gives it the keys. */
export function focused(layout: Layout, pane: number): Layout {
  const tab = layout.tabs.find(({ panes }) => panes.includes(pane));
  return tab === undefined ? layout : { ...layout, tab: tab.id, pane };
}
